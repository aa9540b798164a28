"""The programs of benchmarks/programs.py, small: each twin has the original's quality, and the same bits on any shape."""

import json
import os
import re
import subprocess
import sys
import unittest

from example_case import COMPILER, ROOT, ExampleTest

sys.path.insert(0, os.path.join(ROOT, "benchmarks"))

import programs  # noqa: E402

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
if os.environ.get("TEST_FEW_SHAPES"):  # of tools/test without --soak
    SHAPES = SHAPES[:3]
SMALL = {  # options that make a pass take a few milliseconds
    "glove": ("--tokens", "600", "--words", "200"),
    "kmeans": ("--points", "3000", "--clusters", "8"),
    "label_propagation": ("--nodes", "2000", "--communities", "20"),
    "lasso": ("--rows", "500", "--columns", "300"),
    "lda": ("--documents", "100", "--words", "500"),
    "logistic_sgd": ("--samples", "2000", "--features", "1000"),
    "mlp": ("--samples", "512"),
    "mlr": ("--samples", "512", "--batch", "128", "--features", "500"),
    "nmf": ("--rows", "500", "--columns", "300"),
    "pagerank": ("--pages", "3000"),
    "svm": ("--samples", "2000", "--features", "1000"),
    "transe": ("--entities", "1000", "--triples", "3000"),
    "word2vec": ("--sentences", "100", "--words", "500"),
}
PASSES = 3
LINE = re.compile(r"pass=(\d+) seconds=\S+ (\w+)=(\S+)")


class Programs(ExampleTest):
    def compiled(self, name, side):
        """The binary of a side, compiled as a user does, without optimisation that only costs time here."""
        target = os.path.join(self.folder, f"{name}-{side}")
        compiler = COMPILER if side.startswith("stradsap") else "g++"
        command = [compiler, "-std=c++20", "-O1", programs.Program(name).sources[side], "-o", target]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return target

    def qualities(self, output):
        """The quality of each pass, as printed."""
        found = LINE.findall(output)
        self.assertEqual([int(number) for number, _, _ in found], list(range(PASSES)), output)
        return [text for _, _, text in found]

    def check(self, name, layout):
        options = [*SMALL[name], "--passes", str(PASSES)]
        original, twin = (self.compiled(name, side + layout) for side in ("sequential", "stradsap"))
        done = subprocess.run([original, *options], capture_output=True, text=True, timeout=60, check=True)
        wanted = self.qualities(done.stdout)
        prints = {}
        for ranks, threads in SHAPES:
            done = self.run_program(twin, *options, ranks=ranks, threads=threads)
            self.assertEqual(done.status, 0, done.errors)
            prints[ranks, threads] = self.qualities(done.output)
        done = self.run_program(twin, *options, threads=2, options=["--plan-cache", "0"])
        self.assertEqual(self.qualities(done.output), prints[1, 1], f"{name}{layout}: plans that are kept change the result")
        done = self.run_program(twin, *options, ranks=2, threads=2, options=["--in-place", "never"])
        self.assertEqual(self.qualities(done.output), prints[1, 1], f"{name}{layout}: waves change the result")
        for shape, found in prints.items():
            self.assertEqual(found, prints[1, 1], f"{name}{layout}, {shape} ranks x threads")
        for mine, original_s in zip(prints[1, 1], wanted):
            self.assertLessEqual(abs(float(mine) - float(original_s)), 0.03 * abs(float(original_s)), (prints[1, 1], wanted))

    def test_rows_of_a_gradient_are_accumulated(self):
        twin = self.compiled("mlr", "stradsap")
        for ranks, threads in ((1, 1), (1, 2), (2, 1)):
            path = os.path.join(self.folder, "stats.json")
            done = self.run_program(twin, *SMALL["mlr"], "--passes", "1", ranks=ranks, threads=threads,
                                    options=["--stats", path])
            self.assertEqual(done.status, 0, done.errors)
            with open(path, encoding="utf-8") as file:
                loop, = json.load(file)["loops"]
            self.assertEqual((loop["accumulated"], loop["groups"]), (["gradient"], 0), (ranks, threads))

    def test_in_rows_large_counts_are_accumulated_on_the_drivers_rank_too(self):
        twin = self.compiled("label_propagation", "stradsap")
        path = os.path.join(self.folder, "stats.json")
        done = self.run_program(twin, "--nodes", "40000", "--passes", "4", ranks=2, options=["--stats", path])
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            counting = json.load(file)["loops"][1]
        self.assertEqual((counting["accumulated"], counting["groups"]), (["histogram", "volume"], 0))

    def check_each(self, layout):
        self.assertEqual(set(SMALL), set(programs.found()))
        for name, program in programs.found().items():
            if "stradsap" + layout in program.sides:
                with self.subTest(program=name, layout=layout):
                    self.check(name, layout)

    def test_programs_in_rows(self):
        self.check_each("")

    def test_flat_programs(self):
        self.check_each(programs.FLAT)


if __name__ == "__main__":
    unittest.main()
