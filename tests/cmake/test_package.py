"""find_package(StradsAP): installed, moved, used by a project outside of the tree, built again and again."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["TEST_BUILD"])
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=240, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory(prefix="package.")
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "installed")
        cls.prefix = cls.folder / "moved here"
        (cls.folder / "installed").rename(cls.prefix)

    def setUp(self):
        self.source = self.folder / self._testMethodName / "source"
        self.build = self.source.parent / "build"
        shutil.copytree(CONSUMER, self.source)

    def configure(self, *options):
        run("cmake", "-G", "Ninja", "-S", self.source, "-B", self.build, f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)

    def make(self, **environment):
        """The objects that were compiled."""
        said = run("cmake", "--build", self.build, "--verbose", "--parallel", 2, **environment)
        return sorted(re.findall(r"-o (?:\S*/)?(\w+\.cpp)\.o", said))

    def test_a_program_builds_from_a_moved_prefix_and_runs_on_two_ranks(self):
        self.configure()
        self.assertEqual(self.make(), ["main.cpp", "sums.cpp"])
        self.assertEqual(run(self.build / "squares"), "328350\n")
        launcher = self.prefix / "bin" / "stradsap-run"
        self.assertEqual(run(launcher, "-n", 2, "--no-prefix", "--", self.build / "squares"), "328350\n")

    def test_the_prefix_has_no_empty_folders(self):
        folders = [one for one in self.prefix.rglob("*") if one.is_dir()]
        self.assertGreater(len(folders), 5)
        self.assertEqual([one for one in folders if not any(one.iterdir())], [])

    def test_only_what_changed_is_compiled_again(self):
        self.configure()
        self.make()
        self.assertEqual(self.make(), [])
        (self.source / "main.cpp").write_text((self.source / "main.cpp").read_text() + "\n")
        self.assertEqual(self.make(), ["main.cpp"])
        (self.source / "row.hpp").write_text((self.source / "row.hpp").read_text().replace("key", "number"))
        self.assertEqual(self.make(), ["main.cpp", "sums.cpp"])
        os.utime(self.prefix / "bin" / "stradsap-cc")
        self.assertEqual(self.make(), ["main.cpp", "sums.cpp"])
        os.utime(self.prefix / "include" / "stradsap" / "dvector.hpp")
        self.assertEqual(self.make(), ["main.cpp", "sums.cpp"])
        self.assertEqual(self.make(), [])

    def test_compile_commands_are_those_of_the_plain_compiler(self):
        self.configure("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        for row in json.loads((self.build / "compile_commands.json").read_text()):
            self.assertNotIn("stradsap-cc", row["command"])
            self.assertIn(str(self.prefix / "include"), row["command"].replace("\\", "").replace('"', ""))

    @unittest.skipUnless(shutil.which("clangd-19"), "clangd-19 is not installed")
    def test_clangd_reads_sources_of_which_stradsap_cc_is_the_compiler(self):
        (self.source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(squares CXX)\n"
                                                    "add_executable(squares main.cpp sums.cpp)\n")
        run("cmake", "-G", "Ninja", "-S", self.source, "-B", self.build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            CXX=str(self.prefix / "bin" / "stradsap-cc"))
        run("cmake", "--build", self.build)
        self.assertEqual(run(self.build / "squares"), "328350\n")
        said = subprocess.run(["clangd-19", f"--check={self.source}/main.cpp", f"--compile-commands-dir={self.build}",
                               "--tweaks=none", "--log=error"], capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
    def test_ccache_hits_the_second_time(self):
        cache = {"CCACHE_DIR": str(self.source.parent / "cache")}
        self.configure("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        self.make(**cache)
        (self.build / "first").mkdir()
        for name in ("squares", "libsums.a"):
            shutil.copy(self.build / name, self.build / "first" / name)
        run("cmake", "--build", self.build, "--target", "clean")
        run("ccache", "--zero-stats", **cache)
        self.assertEqual(self.make(**cache), ["main.cpp", "sums.cpp"])
        counts = dict(line.split("\t") for line in run("ccache", "--print-stats", **cache).splitlines())
        hits = int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])
        self.assertEqual((hits, int(counts["cache_miss"])), (2, 0), counts)
        self.assertEqual((self.build / "squares").read_bytes(), (self.build / "first" / "squares").read_bytes())


if __name__ == "__main__":
    unittest.main()
