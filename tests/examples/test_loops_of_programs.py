"""The places of a program's loops: functions that each source has for itself, before main, in the program's threads."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from example_case import BIN, quick_compiler

LAUNCHER = os.path.join(BIN, "stradsap-run")

HEADER = """#pragma once
#include <stradsap/stradsap.hpp>
using stradsap::consistency::async;
static inline void fill(stradsap::dvector<long>& x, long value) {
  stradsap::parallel_for(x.size(), [value, &x](int64_t j) { x[j] = value; }, async);
}
namespace {
inline long sum(const stradsap::dvector<long>& x) {
  long total = 0;
  stradsap::parallel_for(x.size(), [&x, &total](int64_t j) { total += x[j]; }, async);
  return total;
}
}  // namespace
"""
# word for word the same text, called by the same name below its folder; the expansion of a macro differs
EQUAL = """#include "../loops.hpp"
#include "by.hpp"
static void step(stradsap::dvector<long>& x) {
  stradsap::parallel_for(x.size(), [&x](int64_t j) { x[(j * 7 + 1) % 100] += BY; }, async);
}
void NAME(stradsap::dvector<long>& x) { step(x); fill(x, sum(x)); }
"""
MAIN = """#include "loops.hpp"
#include <thread>
void one(stradsap::dvector<long>& x);
void two(stradsap::dvector<long>& x);
int main() {
  stradsap::dvector<long> x(100);
  fill(x, 1);
  one(x);  // 100 of 1 + 1: all are 200
  two(x);  // 100 of 200 + 10: all are 21000
  if (sum(x) != 2100000) return 1;
  const auto work = [](long& result) {
    stradsap::dvector<long> mine(1000);
    for (int pass = 0; pass < 30; ++pass) fill(mine, pass);
    result = sum(mine);
  };
  long first = 0, second = 0;
  std::thread other([&] { work(first); });
  work(second);
  other.join();
  return first == 29000 && second == 29000 ? 0 : 2;
}
"""
BEFORE_MAIN = """#include <stradsap/stradsap.hpp>
struct table {
  stradsap::dvector<long> squares = stradsap::dvector<long>(50);
  table() { stradsap::parallel_for(50, [&x = squares](int64_t j) { x[j] = j * j; }, stradsap::consistency::async); }
};
static table made;
int main() { return made.squares[49] == 49 * 49 ? 0 : 1; }
"""


class LoopsOfPrograms(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="st-")
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)

    def run_in(self, folder, *command, **variables):
        return subprocess.run(command, cwd=self.folder / folder, capture_output=True, text=True, timeout=240, check=False,
                              env={**os.environ, "STRADSAP_THREADS": "2", **variables})

    def compile(self, folder, *words):
        done = self.run_in(folder, *quick_compiler("-std=c++20", "-O1", "-Wall", "-Wextra"), *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    def test_functions_that_each_source_has_for_itself_and_threads(self):
        self.write("loops.hpp", HEADER)
        self.write("main.cpp", MAIN)
        for folder, name, by in (("r1", "one", 1), ("r2", "two", 10)):
            self.write(f"{folder}/q.cc", EQUAL)
            self.write(f"{folder}/by.hpp", f"#define BY {by}\n#define NAME {name}\n")
            self.compile(folder, "-c", "q.cc")
        self.compile(".", "main.cpp", "r1/q.o", "r2/q.o", "-o", "program")
        for launched in ((), (LAUNCHER, "-n", "2", "--")):
            done = self.run_in(".", *launched, "./program")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_loop_before_main_runs_in_one_process_and_says_so_in_several(self):
        self.write("main.cpp", BEFORE_MAIN)
        self.compile(".", "main.cpp", "-o", "program")
        done = self.run_in(".", "./program")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_in(".", LAUNCHER, "-n", "2", "--", "./program")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("main.cpp:4: a loop runs before main, where other ranks cannot take part", done.stderr)


if __name__ == "__main__":
    unittest.main()
