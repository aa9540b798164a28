"""Data with empty rows, bad indices, falling bounds (programs/odd_data.cpp): the sequential program's output, or its line."""

import os
import signal
import subprocess
import tempfile
import unittest

from example_case import COMPILER, HERE, ROOT, ExampleTest, line_of

RIGHT = ["empty rows", "falling bounds", "windows", "rows", "guarded windows", "one cluster", "one heavy", "data of a pass",
         "few iterations"]
LOOP = line_of("odd_data", "// descend")
WINDOW = line_of("odd_data", "// window")
WRITTEN = line_of("odd_data", "// written row")
READ = line_of("odd_data", "// read row")
WRONG = {
    "index 97": (LOOP, 3001, "index 97 is out of range: `w` has 97 elements"),
    "index -1": (LOOP, 3001, "index -1 is out of range: `w` has 97 elements"),
    "bounds": (LOOP, 3999, "index 7993 is out of range: `X.value` has 7993 elements"),
    "window beyond": (WINDOW, 40, "index 1000 is out of range: `x` has 1000 elements"),
    "row 100": (WRITTEN, 3001, "index 400 is out of range: `w` has 400 elements"),
    "row -1": (WRITTEN, 3001, "index -4 is out of range: `w` has 400 elements"),
    "cut row": (WRITTEN, 3001, "index 400 is out of range: `w` has 400 elements"),
    "cut row that is read": (READ, 700, "index 1000 is out of range: `x` has 1000 elements"),
}
ODD_SHAPES = [(1, 1), (1, 3), (2, 1), (3, 2)]
FAST, ASYNC = "-ffast-math", "-DMODEL=async"  # of builds beside the first, on fewer shapes


class OddData(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(folder.cleanup)
        cls.path = staticmethod(lambda name: os.path.join(folder.name, name))
        source = os.path.join(HERE, "programs", "odd_data.cpp")
        link = subprocess.run([COMPILER, "--showme:link"], capture_output=True, text=True, check=True).stdout.split()
        include = os.path.join(ROOT, "include")
        subprocess.run(["g++", "-std=c++20", "-O2", "-I", include, source, "-o", cls.path("plain"), *link], check=True)
        for flag in ("", FAST, ASYNC):
            more = [flag] if flag else []
            subprocess.run([COMPILER, "-std=c++20", "-O3", *more, source, "-o", cls.path("ours" + flag)], check=True)

    def runs(self, kind, flag=""):
        for ranks, threads in ODD_SHAPES[1::2] if flag else ODD_SHAPES:
            yield self.run_program(self.path("ours" + flag), kind, ranks=ranks, threads=threads)

    def plain_output(self, kind):
        return subprocess.run([self.path("plain"), kind], capture_output=True, text=True, check=True).stdout

    def test_it_gives_what_the_sequential_program_gives(self):
        for kind in RIGHT:
            wanted = self.plain_output(kind)
            for done in self.runs(kind):
                self.assertEqual((done.status, done.output), (0, wanted), (kind, done.errors))

    def test_sums_in_another_order_give_nearly_the_same(self):
        for kind in RIGHT:
            wanted = self.plain_output(kind).split()
            for done in self.runs(kind, FAST):
                self.assertEqual(done.status, 0, (kind, done.errors))
                for mine, other in zip(done.output.split(), wanted, strict=True):
                    if mine != other:
                        self.assertAlmostEqual(float(mine), float(other), delta=1e-4 * abs(float(other)), msg=kind)

    def test_a_bad_index_ends_the_run_at_its_loop(self):
        for flag in ("", FAST, ASYNC):
            for kind, (line, iteration, what) in WRONG.items():
                for done in self.runs(kind, flag):
                    self.assertEqual((done.status, done.output), (128 + signal.SIGABRT, ""), (flag, kind, done.errors))
                    self.assertRegex(done.errors, rf"odd_data\.cpp:{line}: iteration {iteration} on rank \d: {what}", flag)


if __name__ == "__main__":
    unittest.main()
