"""Warnings of the native compiler: the same about a program's own text as without stradsap-cc, none about inserted text."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
COMPILER = ""
STRICT = """-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion -Wold-style-cast -Weffc++
    -Wcast-qual -Wmissing-declarations -Wuseless-cast -Wnull-dereference -fsyntax-only""".split()
CLANG = [option for option in STRICT if option != "-Wuseless-cast"]
# every form of inserted text, also around text of macros' definitions
PROGRAMS = ["macro_names", "side_by_side", "reductions", "macro_bodies"]
WARNED = """#include <stradsap/stradsap.hpp>
#define CALLED(body) body
int main() {
  stradsap::dvector<double> X(9, 1.0);
  float rate = 0.5f;
  int unused = 3;
  const auto scale = CALLED([rate](double x) { return x * rate; });
  stradsap::parallel_for(9, [&](int64_t j) { double rate = 2; int k = j; X[k] *= scale(rate); },
                         stradsap::consistency::async);
}
"""


def run(*command, folder):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=240, check=False)


class Warnings(unittest.TestCase):
    def said(self, source, folder, *options, compiler="g++"):
        """The native compiler's warnings without stradsap-cc and with it."""
        plain = run(compiler, "-std=c++20", *options, "-isystem", INCLUDE, source, folder=folder)
        ours = run(COMPILER, compiler, *options, source, folder=folder)
        self.assertEqual((plain.returncode, ours.returncode), (0, 0), plain.stderr + ours.stderr)
        return plain.stderr.replace("stradsap::seq::", "stradsap::dist::"), ours.stderr

    def test_they_are_those_of_the_original_at_its_columns(self):
        for program in PROGRAMS:
            plain, ours = self.said(f"{program}.cpp", HERE / "accepted", *STRICT)
            self.assertEqual(plain, ours)

    def test_clang_warns_of_the_same_places(self):
        place = re.compile(r"^(\S+:\d+:\d+: warning: .*)$", re.MULTILINE)
        plain, ours = self.said("reductions.cpp", HERE / "accepted", *CLANG, compiler="clang++-19")
        self.assertEqual(place.findall(plain), place.findall(ours))

    def test_a_programs_own_are_said_once(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cpp").write_text(WARNED)
            plain, ours = self.said("a.cpp", folder, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-fsyntax-only")
            self.assertEqual(plain, ours)
            self.assertEqual(ours.count("warning: "), 2, ours)

    def test_ours_obey_the_command_line(self):
        printing = """#include <stradsap/stradsap.hpp>
int main() {
  stradsap::parallel_for(9, [](int64_t j) { std::printf("%ld", j); }, stradsap::consistency::async);
}
"""
        shown = "a.cpp:3:45: warning: output in the body of a loop"
        refused = "a.cpp:3:45: error: output in the body of a loop"
        name = "stradsap-output-in-body"
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cpp").write_text(printing)
            for options, status, beginning in (((), 0, shown), (("-w",), 0, ""), (("-Werror",), 1, refused),
                                               (("-Wno-stradsap",), 0, ""), ((f"-Wno-{name}",), 0, ""),
                                               ((f"-Wno-{name}", f"-W{name}"), 0, shown),
                                               (("-Wno-stradsap-large-copy", "-Wall"), 0, shown),
                                               ((f"-Werror={name}",), 1, refused), (("-Werror=stradsap",), 1, refused), (("--strict",), 1, refused),
                                               (("-Werror", f"-Wno-error={name}"), 0, shown), (("-Werror", "-w"), 0, ""),
                                               (("-Wno-stradsap-typo",), 2, "stradsap-cc: error: unknown warning")):
                done = run(COMPILER, *options, "-fsyntax-only", "a.cpp", folder=folder)
                self.assertEqual(done.returncode, status, (options, done.stderr))
                self.assertTrue(done.stderr.startswith(beginning) if beginning else not done.stderr, (options, done.stderr))
                label = f"[-Werror={name}] [SAP060]" if status == 1 else f"[-W{name}] [SAP060]"
                self.assertIn(label if beginning in (shown, refused) else "", done.stderr)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--compiler", required=True)
    given, rest = options.parse_known_args()
    COMPILER = given.compiler
    unittest.main(argv=[sys.argv[0], *rest])
