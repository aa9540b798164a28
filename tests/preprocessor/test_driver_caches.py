"""Compiler caches before and behind stradsap-cc: the right object, and dependencies by the user's names."""

import shutil
import unittest

from driver_case import LOOP, PLAIN, DriverCase, main


@unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
class Caches(DriverCase):
    def setUp(self):
        super().setUp()
        self.cache = {"CCACHE_DIR": str(self.folder.parent / "cache"), "CCACHE_NODEPEND": "1"}

    def cached(self, *arguments, status=0, **environment):
        return self.cc(self.compiler, *arguments, compiler="ccache", environment={**self.cache, **environment}, status=status)

    def hits(self):
        done = self.cc("--print-stats", compiler="ccache", environment=self.cache)
        counts = dict(line.split("\t") for line in done.stdout.splitlines())
        return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])

    @unittest.skipUnless(shutil.which("clang++-19"), "clang++-19 is not installed")
    def test_a_cache_before_us_tells_native_compilers_apart(self):
        for text in (LOOP, PLAIN):
            self.write("a.cpp", text)
            seen = {}
            for cxx in ("g++", "clang++-19", "g++ -DX", "g++", "clang++-19"):
                before = self.hits()
                self.cached("-MMD", "-c", "a.cpp", "-o", "a.o", CXX=cxx)
                self.assertEqual(self.hits() - before, 1 if cxx in seen else 0, cxx)
                self.assertEqual((self.folder / "a.d").read_text(), "a.o: a.cpp\n")
                words = self.run_in_folder("strings", "-a", "a.o").stdout
                self.assertEqual("clang version" in words, cxx.startswith("clang"), cxx)
                seen[cxx] = True

    def test_a_cache_that_does_not_look_is_refused(self):
        self.write("a.cpp", PLAIN)
        self.cache.pop("CCACHE_NODEPEND")
        done = self.cached("-MMD", "-c", "a.cpp", CCACHE_DEPEND="1", CXX="g++", status=1)
        self.assertIn("error: ccache in depend mode takes one native compiler for another: write stradsap-cc ccache g++",
                      done.stderr)
        self.cc("ccache", "g++", "-MMD", "-c", "a.cpp", environment={**self.cache, "CCACHE_DEPEND": "1"})

    def test_the_version_names_the_native_compiler(self):
        words = {cxx: self.cc("--version", environment={"CXX": cxx}).stdout for cxx in ("g++", "g++ -O2", "clang++-19")}
        self.assertRegex(words["g++"], r"^stradsap-cc \d+\.\d+\.\d+\nnative compiler: g\+\+ \(g\+\+ .*, /.* bytes, \d+\)\n$")
        self.assertEqual(len(set(words.values())), 3)

    def test_dependencies_name_the_users_files_however_a_cache_spells_ours(self):
        self.write("src/row.hpp", "#pragma once\n" + LOOP[LOOP.index("struct"):LOOP.index("int main")])
        self.write("src/a b.cpp", '#include "row.hpp"\n' + LOOP[:LOOP.index("struct")] + LOOP[LOOP.index("int main"):])
        wanted = ["a.o:", "src/a\\ b.cpp", "src/row.hpp"]
        for base in ("/", "/proc", str(self.temporary)):
            for _ in range(2):  # the second time out of the cache, if it knows
                self.cc("ccache", "g++", "-MMD", "-c", "src/a b.cpp", "-o", "a.o",
                        environment={**self.cache, "CCACHE_BASEDIR": base})
                text = (self.folder / "a.d").read_text().replace("\\\n", " ").replace("\\ ", "\0")
                self.assertEqual([word.replace("\0", "\\ ") for word in text.split()], wanted)

    def test_dependencies_of_preprocessed_text_name_the_object(self):
        for text in (LOOP, PLAIN):
            self.write("a.cpp", text)
            self.cc("-E", "-MMD", "a.cpp", "-o", "a.ii")
            self.assertEqual((self.folder / "a.d").read_text(), "a.o: a.cpp\n")


if __name__ == "__main__":
    main()
