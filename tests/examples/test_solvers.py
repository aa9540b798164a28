"""Solvers by the dynamic scheduler: at the optimum of their sequential originals, with the same bits everywhere."""

import os
import re
import subprocess
import tempfile
import unittest

from example_case import ROOT, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
LINE = re.compile(r"(?:step=\d+ )?updates=(\d+) seconds=\S+ objective=(\S+) (?:nonzero|support)=(\d+) (?:violation|gap)=(\S+)")
SMALL = ("--samples", "400", "--features", "300")


class Solvers(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        cls.binaries = {}
        for name in ("logreg_l1", "svm_dual"):
            folder = os.path.join(ROOT, "examples", name)
            flags = ["-std=c++20", "-O1"]
            for side, compiler, source in (("ours", quick_compiler(*flags), name), ("sequential", ["g++", *flags], "sequential")):
                binary = cls.binaries[name, side] = os.path.join(built.name, f"{name}-{side}")
                subprocess.run([*compiler, os.path.join(folder, source + ".cpp"), "-o", binary], check=True)

    def ours(self, name, *options, shapes=((1, 1),)):
        """Lines without their seconds, the same on all shapes."""
        runs = [self.run_program(self.binaries[name, "ours"], *options, ranks=ranks, threads=threads) for ranks, threads in shapes]
        for done in runs:
            self.assertEqual(done.status, 0, done.errors)
            self.assertEqual(LINE.findall(done.output), LINE.findall(runs[0].output))
        return self.steps(runs[0].output)

    def sequential(self, name, *options):
        command = [self.binaries[name, "sequential"], *options]
        return self.steps(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def steps(self, output):
        found = LINE.findall(output)
        self.assertEqual(len(found), output.count("\n"), output)
        return [(int(updates), float(objective), int(nonzero), float(off)) for updates, objective, nonzero, off in found]

    def test_a_logistic_regression_ends_at_the_optimality_conditions_with_the_same_bits_everywhere(self):
        for penalty in ("0.3", "3"):
            options = (*SMALL, "--C", penalty, "--tolerance", "1e-6")
            updates, objective, nonzero, violation = self.ours("logreg_l1", *options, shapes=SHAPES)[-1]
            original = self.sequential("logreg_l1", *options)[-1]
            self.assertLess(violation, 1e-3)
            self.assertLess(original[3], 1e-3)
            self.assertAlmostEqual(objective, original[1], delta=1e-6 * objective)
            self.assertEqual(nonzero, original[2])
            self.assertLess(updates, original[0])

    def test_a_penalty_above_the_greatest_slope_leaves_all_weights_at_zero(self):
        for run in (self.ours, self.sequential):
            ((updates, _, nonzero, violation),) = run("logreg_l1", *SMALL, "--C", "1e-3")
            self.assertEqual((updates, nonzero), (0, 0))
            self.assertEqual(violation, 0)

    def test_a_logistic_regression_reads_files_with_empty_and_equal_features(self):
        path = os.path.join(self.folder, "data")
        with open(path, "w", encoding="ascii") as file:
            for i in range(60):
                file.write(f"{'+1' if i % 3 else '-1'} 2:1 3:{i % 5} 4:{i % 5} 7:{-1 if i % 3 else 1}\n")
        options = ("--data", path, "--C", "1", "--tolerance", "1e-4")
        updates, objective, nonzero, violation = self.ours("logreg_l1", *options)[-1]
        original = self.sequential("logreg_l1", *options)[-1]
        self.assertLess(violation, 1e-2)
        self.assertAlmostEqual(objective, original[1], delta=1e-5 * objective)
        self.assertGreater(nonzero, 0)
        self.assertGreater(updates, 0)

    def test_a_support_vector_machine_has_no_duality_gap_and_the_same_bits_everywhere(self):
        for penalty in ("0.03", "1"):
            options = (*SMALL, "--C", penalty, "--tolerance", "1e-4")
            ((updates, objective, _, gap),) = self.ours("svm_dual", *options, shapes=SHAPES)
            ((others, wanted, _, _),) = self.sequential("svm_dual", *options)
            self.assertLess(abs(gap), 1e-3)
            self.assertAlmostEqual(objective, wanted, delta=1e-3 * wanted)
            self.assertLess(updates, others)

    def test_a_support_vector_machine_takes_samples_that_are_empty_or_separable(self):
        path = os.path.join(self.folder, "data")
        with open(path, "w", encoding="ascii") as file:
            file.write("+1 1:2\n-1 1:-2\n+1 2:1\n-1\n" * 5)
        ((_, objective, _, gap),) = self.ours("svm_dual", "--data", path, "--C", "100", "--tolerance", "1e-6")
        self.assertAlmostEqual(objective, 500 + 0.125 + 0.5, places=2)  # w = (1/2, 1); five empty samples lose 1 each
        self.assertLess(abs(gap), 1e-4)


if __name__ == "__main__":
    unittest.main()
