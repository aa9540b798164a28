"""A lasso with updates that the program runs itself: at the optimum of its sequential original, with the same bits everywhere."""

import os
import re
import subprocess
import tempfile
import unittest

from example_case import ROOT, ExampleTest, quick_compiler

FOLDER = os.path.join(ROOT, "examples", "lasso_rows")
LINE = re.compile(r"updates=(\d+) seconds=\S+ objective=(\S+) nonzero=(\d+) violation=(\S+)\n")
SMALL = ("--rows", "1000", "--columns", "200")


class LassoRows(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        cls.ours, cls.original = (os.path.join(built.name, name) for name in ("ours", "original"))
        flags = ["-std=c++20", "-O1"]
        for compiler, source, binary in ((quick_compiler(*flags), "lasso_rows", cls.ours), (["g++", *flags], "sequential", cls.original)):
            subprocess.run([*compiler, os.path.join(FOLDER, source + ".cpp"), "-o", binary], check=True)

    def result(self, output):
        updates, objective, nonzero, violation = LINE.fullmatch(output).groups()
        return int(updates), float(objective), int(nonzero), float(violation)

    def test_the_optimum_is_that_of_the_original_with_the_same_bits_everywhere(self):
        for options, part in ((SMALL, 0.6), ((*SMALL, "--penalty", "0.01", "--set", "8"), 1.2)):
            runs = [self.run_program(self.ours, *options, ranks=ranks, threads=threads) for ranks, threads in [(1, 1), (1, 2), (2, 1)]]
            for done in runs:
                self.assertEqual((done.status, done.errors), (0, ""))
            results = [self.result(done.output) for done in runs]
            self.assertEqual(len(set(results)), 1, results)
            updates, objective, nonzero, violation = results[0]
            original = subprocess.run([self.original, *options], capture_output=True, text=True, check=True).stdout
            others, wanted, nonzero_there, _ = self.result(original)
            self.assertLess(violation, 2e-3)
            self.assertAlmostEqual(objective, wanted, delta=1e-5 * wanted)
            self.assertEqual(nonzero, nonzero_there)
            self.assertLess(updates, part * others)

    def test_a_penalty_above_the_greatest_slope_leaves_all_coefficients_at_zero(self):
        done = self.run_program(self.ours, *SMALL, "--penalty", "1.1")
        updates, _, nonzero, violation = self.result(done.output)
        self.assertEqual((updates, nonzero, violation), (200, 0, 0))


if __name__ == "__main__":
    unittest.main()
