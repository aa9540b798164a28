"""Sums of Eigen's by cluster (programs/matrix_sums.cpp): accumulated, with the same bits on all shapes."""

import json
import os
import subprocess
import tempfile
import unittest

from example_case import COMPILER, HERE, ExampleTest

SUM_SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]
ACCUMULATED = {"dynamic": ["sums", "counts"], "fixed": ["clusters", "weighted"], "flat": ["sums", "counts"]}


class MatrixSums(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(folder.cleanup)
        cls.program = os.path.join(folder.name, "matrix_sums")
        source = os.path.join(HERE, "programs", "matrix_sums.cpp")
        subprocess.run([COMPILER, "-std=c++20", "-O2", "-march=native", source, "-o", cls.program], check=True)

    def test_sums_are_accumulated_with_the_same_bits_everywhere(self):
        path = os.path.join(self.folder, "stats.json")
        for kind, names in ACCUMULATED.items():
            wanted = self.run_program(self.program, kind)
            self.assertEqual((wanted.status, wanted.output.count("\n")), (0, 9), wanted.errors)
            for ranks, threads in SUM_SHAPES:
                done = self.run_program(self.program, kind, ranks=ranks, threads=threads, options=["--stats", path])
                self.assertEqual((done.status, done.output), (0, wanted.output), (kind, ranks, threads, done.errors))
                with open(path, encoding="utf-8") as file:
                    loop, = json.load(file)["loops"]
                self.assertCountEqual(loop["accumulated"], names, (kind, ranks, threads))


if __name__ == "__main__":
    unittest.main()
