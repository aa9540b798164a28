"""Captured values that decide places may come back: plans that are kept side by side change nothing but time."""

import json
import os
import subprocess
import unittest

from example_case import HERE, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]
if os.environ.get("TEST_FEW_SHAPES"):
    SHAPES = [(1, 1), (2, 2)]


class Turns(ExampleTest):
    def setUp(self):
        super().setUp()
        self.binary = os.path.join(self.folder, "turns")
        subprocess.run([*quick_compiler("-O1"), os.path.join(HERE, "programs", "turns.cpp"), "-o", self.binary],
                       check=True, timeout=300)

    def run_turns(self, name, turns, ranks, threads, *options):
        done = self.run_program(self.binary, name, str(turns), ranks=ranks, threads=threads, options=options)
        self.assertEqual(done.status, 0, done.errors)
        return done.output

    def plans(self, name, turns, ranks, threads):
        path = os.path.join(self.folder, "stats.json")
        self.run_turns(name, turns, ranks, threads, "--stats", path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["loops"][0]["plans"]

    def test_values_that_come_back_change_no_bit(self):
        for name, turns in (("fourier", 4), ("transposition", 4), ("bitonic", 3), ("colours", 4), ("levels", 4), ("paths", 1),
                            ("bundles", 3)):
            wanted = self.run_turns(name, turns, 1, 1, "--plan-cache", "0")
            for ranks, threads in SHAPES:
                self.assertEqual(self.run_turns(name, turns, ranks, threads), wanted, f"{name} on {ranks}x{threads}")

    def test_each_value_that_comes_back_is_planned_twice_at_most(self):
        for ranks, threads in SHAPES:
            self.assertEqual(self.plans("fourier", 6, ranks, threads), 16 + 15, f"on {ranks}x{threads}")

    def test_cuts_of_a_container_that_is_only_added_into_make_no_new_plan(self):
        for ranks, threads in SHAPES:
            self.assertEqual(self.plans("bundles", 4, ranks, threads), 1, f"on {ranks}x{threads}")


if __name__ == "__main__":
    unittest.main()
