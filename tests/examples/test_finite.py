"""Folds of fractions that become infinite, or not a number (programs/finite.cpp)."""

import os
import subprocess
import tempfile
import unittest

from example_case import HERE, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2)]  # ranks, threads of each
ADVICE = "; merge::sum adds up the steps of all accumulators: if they overshoot, take merge::adaptive, or shorter rounds"
ELEMENTS = {  # that a loop names, and whether it sums
    "sum": (1, True), "mean": (1, False), "adaptive": (1, False), "late sum": (1, True), "late mean": (1, False),
    "sum beside blocks": (1, True), "mean beside blocks": (1, False), "late sum beside blocks": (1, True),
    "hottest sum": (7, True), "hottest mean": (7, False), "hottest by_uses": (7, False),
    "one nan": (2, True), "one nan in vectors": (3, True), "sum of a loop": (1, True), "mean of a loop": (1, False),
}


class Finite(ExampleTest):
    def test_a_fold_of_fractions_that_is_not_finite_ends_the_loop_with_the_name_of_the_element(self):
        with tempfile.TemporaryDirectory(prefix="st-") as folder:
            binary = os.path.join(folder, "finite")
            source = os.path.join(HERE, "programs", "finite.cpp")
            subprocess.run([*quick_compiler("-std=c++20", "-O1"), source, "-o", binary], check=True)
            runs = [self.run_program(binary, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        for done in runs:
            self.assertEqual((done.status, done.output), (0, runs[0].output), done.errors)
        lines = [line.rsplit(": ", 1) if line.endswith("nothing") else line.split(": ", 1)
                 for line in runs[0].output.splitlines()]
        self.assertEqual([what for what, _ in lines[:len(ELEMENTS)]], list(ELEMENTS))
        for what, text in lines[:len(ELEMENTS)]:
            element, sums = ELEMENTS[what]
            self.assertRegex(text, rf"^\S+finite.cpp:\d+: element {element} of `w` has become infinite, or not a number"
                             + (ADVICE if sums else "") + "$", what)
        several = lines[len(ELEMENTS) + 3][1]
        self.assertIn(": element 0 of `w` has become infinite, or not a number; merge::sum adds up", several)
        self.assertEqual([f"{what}: {text}" for what, text in lines[len(ELEMENTS):]], [
            "2 inf infinities of minima and functions: nothing", "inf inf infinities of minima and functions: nothing",
            "1 infinities that a loop leaves alone, or replaces once: nothing",
            f"infinities that several accumulators replace: {several}",
            "inf infinities assigned: nothing", "inf values that are current: nothing"])


if __name__ == "__main__":
    unittest.main()
