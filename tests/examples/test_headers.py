"""The headers among a user's macros and options: names that programs define, and a standard that is too old."""

import os
import pathlib
import re
import string
import subprocess
import tempfile
import unittest

from example_case import ROOT

INCLUDE = pathlib.Path(ROOT) / "include"
# The standard library's own literals, 1.0i, and its std::numbers::e: with these as macros, no program includes <string>.
TAKEN = set("dehisy")
COMMON = """real real_t uchar u8 u32 u64 i32 i64 f32 f64 ll ull vi pii pb mp sz dim dims ranks nprocs nthreads epochs iters rate
    linux unix major minor idx ptr str buf len cnt num tmp ret row col rows cols noinline always_inline cold flatten unused
    hidden visit sum loop kept""".split()
FUNCTIONS = ["min(a, b) ((a) < (b) ? (a) : (b))", "max(a, b) ((a) < (b) ? (b) : (a))", "likely(x) __builtin_expect(!!(x), 1)",
             "all(x) (x).begin(), (x).end()", "sqr(x) ((x) * (x))", "check(x) (x)", "assert_that(x)", "rep(i, n) for (;;)"]
PROGRAM = "#include <stradsap/stradsap.hpp>\nint main() {}\n"


def names_of_headers():
    """Likely names of macros: of one letter, or with a capital, whether or not one of our headers uses them."""
    text = "".join(header.read_text() for header in INCLUDE.rglob("*.hpp"))
    text = re.sub(r'//.*|#pragma.*|#include.*|"(\\.|[^"\\])*"', "", text)
    capitals = {name for name in re.findall(r"(?<![\w'])[A-Z]\w*", text) if not name.startswith("STRADSAP_")}
    endings = {name.rstrip("_") for name in capitals}
    return (endings | set(string.ascii_letters) | set(COMMON)) - TAKEN - {"ConsistencyModel", "row", "rows", "sum"}  # of the interface


class Headers(unittest.TestCase):
    def compile(self, *command):
        with tempfile.TemporaryDirectory(prefix="st-") as folder:
            macros = [f"#define {name} 17" for name in sorted(names_of_headers())] + [f"#define {f}" for f in FUNCTIONS]
            (pathlib.Path(folder) / "macros.hpp").write_text("\n".join(macros) + "\n")
            (pathlib.Path(folder) / "program.cpp").write_text(PROGRAM)
            return subprocess.run([*command, "-I", os.fspath(INCLUDE), "-fsyntax-only", "program.cpp"], cwd=folder,
                                  capture_output=True, text=True, timeout=240, check=False)

    def test_a_programs_macros_change_none_of_them(self):
        strict = ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-include", "macros.hpp"]
        for command in (["g++"], ["g++", "-DSTRADSAP_INSTRUMENTED"], ["clang++-19", "-DSTRADSAP_INSTRUMENTED", "-DSTRADSAP_CHECKED",
                                                                     "-Wno-unknown-attributes", "-Wno-variadic-macros"]):
            done = self.compile(*command, *strict)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_an_older_standard_gets_one_error(self):
        for compiler in ("g++", "clang++-19"):
            done = self.compile(compiler, "-std=c++17")
            self.assertEqual(done.returncode, 1)
            self.assertIn("StradsAP needs C++20: compile with -std=c++20 or later", done.stderr)
            self.assertLess(done.stderr.count("\n"), 15, done.stderr)


if __name__ == "__main__":
    unittest.main()
