"""Sets of the dynamic scheduler: the same bits everywhere, the optimum on correlated columns, and clear errors."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from example_case import COMPILER, HERE, ExampleTest, line_of

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
SOLVED = re.compile(r"^updates=(\d+) objective=(\S+) violation=(\S+) bits=(\S+)\n$")
UNCHECKED = "2"  # a rho that all columns pass
SMALL = ("150", "300")  # columns, rows
LONG = ("40", "20000")
MISTAKES = {  # kind of program: the output
    "measure-throws": "2: {site}: iteration 19 on rank 0: depends(19, 21): no column 40\n",
    "measure-nan": "2: {site}: iteration 0 on rank 0: depends(0, 1) is not a number\n",
    "asymmetric": "2: {site}: iteration 0 on rank 0: depends(0, 1) = 0.05, and depends(1, 0) = 0.2: it must be symmetric\n",
    "priority-throws": "2: {site}: iteration 33 on rank 0: priority(33): no column 33\n",
    "priority-negative": "2: {site}: iteration 33 on rank 0: priority(33) is -2: it must be finite and not negative\n",
    "priority-infinite": "2: {site}: iteration 33 on rank 0: priority(33) is inf: it must be finite and not negative\n",
    "priority-nan": "2: {site}: iteration 0 on rank 0: priority(0) is nan: it must be finite and not negative\n",
    "async": "4: depends() and set_size() of schedule::dynamic() take consistency::approximate as the model: updates of a set "
             "miss changes of each other\n",
    "no-size": "1: schedule::dynamic().set_size() takes a positive number, and got 0\n",
    "shards": "1: schedule::dynamic().set_size(4, 8): a set has no more shards than updates\n",
    "threshold": "1: schedule::dynamic().depends() takes a threshold from 0 on\n",
    "rho": "1: consistency::approximate takes a rho from 0 on\n",
    "depth": "1: schedule::dynamic().pipeline_depth() takes a depth from 0 on\n",
    "model-depth": "1: consistency::approximate takes a depth from 0 on\n",
    "candidates": "1: schedule::dynamic().candidates() takes a positive number, and got 0\n",
    "throws": "2: {site}: iteration 70 on rank {rank}: above two\n",
}
PLACE = {"measure-throws": "// run_with", "measure-nan": "// run_with", "asymmetric": "// run_with", "priority-throws": "// run_with",
         "priority-negative": "// run_with", "priority-infinite": "// run_with", "priority-nan": "// run_with", "throws": "// throws"}
ALONE = {  # kind of program: why updates run one after the other, in --summary
    "short": "an update touches 1 of 8 shared elements, too few to pay for threads",
    "map": "the body writes the map `sums`: `[]` counts as a write, and `at` and `find` do not",
    "replaced": "changes of `all` do not add up",
    "owned": "elements of `rows` own memory",
}


class DynamicSets(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        cls.sets = os.path.join(built.name, "sets")
        subprocess.run([COMPILER, "-O2", os.path.join(HERE, "programs", "dynamic_sets.cpp"), "-o", cls.sets], check=True)

    def solve(self, size, *words, ranks=1, threads=1, options=(), kind="solve"):
        done = self.run_program(self.sets, kind, *size, *words, ranks=ranks, threads=threads, options=options)
        self.assertEqual(done.status, 0, done.errors)
        found = SOLVED.match(done.output)
        self.assertTrue(found, done.output)
        return int(found[1]), float(found[2]), float(found[3]), found[4]

    def statistics(self, size, *words, threads=1):
        stats = os.path.join(self.folder, "stats.json")
        self.solve(size, *words, threads=threads, options=("--stats", stats))
        with open(stats, encoding="utf-8") as file:
            (loop,) = json.load(file)["loops"]
        return loop

    def test_sets_have_the_same_bits_everywhere_and_end_at_the_optimum(self):
        one = self.solve(SMALL, "0", "0", UNCHECKED)
        for size, words in ((SMALL, ("32", "0", "0.3")), (SMALL, ("16", "16", "0.3")), (LONG, ("0", "0", "0.3")),
                            (SMALL, ("16", "0", "0.3", "1")), (SMALL, ("32", "0", "0.3", "4"))):
            runs = [self.solve(size, *words, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
            self.assertEqual(len(set(runs)), 1, runs)
            self.assertLess(runs[0][2], 2e-3)
            if size == SMALL:
                self.assertAlmostEqual(runs[0][1], one[1], places=5)

    def test_free_running_leaves_sets_by_a_measure_as_they_are(self):
        for words in (("32", "0", "0.3"), ("16", "0", "0.3", "1")):
            plain = self.solve(SMALL, *words)
            for ranks, threads in ((1, 1), (1, 2), (2, 2)):
                self.assertEqual(self.solve(SMALL, *words, ranks=ranks, threads=threads, options=("--free-running",)), plain)
        done = self.run_program(self.sets, "solve", *SMALL, "32", "0", "0.3", threads=2, options=("--free-running",))
        self.assertIn("--free-running had no effect: it is for loops of schedule::dynamic() with depends_on_accesses()", done.errors)

    def test_draws_by_priority_have_the_same_bits_everywhere_and_end_at_the_optimum(self):
        swept = self.solve(SMALL, "0", "0", UNCHECKED)
        for words in (("0", "0", UNCHECKED), ("32", "0", "0.3"), ("16", "0", "0.3", "2")):
            runs = [self.solve(SMALL, *words, ranks=ranks, threads=threads, kind="draw") for ranks, threads in SHAPES]
            self.assertEqual(len(set(runs)), 1, runs)
            self.assertLess(runs[0][2], 2e-3)
            self.assertAlmostEqual(runs[0][1], swept[1], places=5)
            self.assertNotEqual(runs[0][3], swept[3])

    def test_without_a_check_dependent_columns_diverge(self):
        checked = self.solve(SMALL, "64", "64", "0.3")
        self.assertLess(checked[2], 2e-3)
        unchecked = self.run_program(self.sets, "solve", *SMALL, "64", "64", UNCHECKED)
        self.assertRegex(unchecked.output, r"^2: \S*dynamic_sets\.cpp:%d: iteration \d+ on rank 0: its element of `beta` has become "
                                           r"infinite, or not a number; updates have moved elements by up to \S+: they diverge, "
                                           % line_of("dynamic_sets", "// solve"))

    def curve(self, *words, ranks=1, threads=1, limit="64"):
        """(output, workers: (updates, rounds, end)), of --simulate-parallel."""
        done = self.run_program(self.sets, *words, ranks=ranks, threads=threads, options=("--simulate-parallel", limit))
        self.assertEqual(done.status, 0, done.errors)
        rows = re.findall(r"stradsap: +(\d+) +(\d+) +(\d+) +\S+ +\S+  (.*)$", done.errors, re.M)
        return done, {int(workers): (int(updates), int(rounds), end) for workers, updates, rounds, end in rows}

    def test_the_updates_of_many_workers_are_simulated_and_change_no_result(self):
        plain = self.run_program(self.sets, "solve", *SMALL, "0", "0", UNCHECKED)
        done, unchecked = self.curve("solve", *SMALL, "0", "0", UNCHECKED)
        self.assertEqual(done.output, plain.output)
        self.assertIn("dynamic_sets.cpp:%d: updates side by side, simulated, of 1 call:" % line_of("dynamic_sets", "// solve"), done.errors)
        self.assertEqual(list(unchecked), [1, 2, 4, 8, 16, 32, 64])
        one = int(SOLVED.match(plain.output)[1])
        self.assertEqual(unchecked[1], (one, one, "converges"))
        self.assertRegex(unchecked[64][2], "^fails: its element of `beta` has become infinite, or not a number; updates have moved .*: they diverge")
        done, checked = self.curve("solve", *SMALL, "0", "0", "0.3", limit="24")
        self.assertEqual(list(checked), [1, 2, 4, 8, 16, 24])
        for workers, (updates, rounds, end) in checked.items():
            self.assertEqual(end, "converges")
            self.assertLess(updates, 1.5 * one)
            self.assertGreaterEqual(workers * rounds, updates)
        self.assertLess(4 * checked[24][1], one)
        for ranks, threads in SHAPES[1:]:
            self.assertEqual(self.curve("solve", *SMALL, "0", "0", "0.3", ranks=ranks, threads=threads, limit="24")[1], checked)

    def test_a_simulation_keeps_limits_reductions_and_elements_and_says_why_there_is_none(self):
        done, limited = self.curve("limit", limit="8")
        self.assertEqual(done.output, self.run_program(self.sets, "limit").output)
        self.assertEqual(limited[8], (333, 44, "has not converged"))
        for kind in ("map", "replaced", "owned"):
            done, rows = self.curve(kind, limit="8")
            self.assertIn(f"updates cannot run side by side: {ALONE[kind]}", done.errors)
            self.assertEqual((rows, done.output), ({}, self.run_program(self.sets, kind).output))

    def test_updates_that_are_long_run_in_sets_without_a_size(self):
        loop = self.statistics(LONG, "0", "0", "0.3", threads=2)
        self.assertGreater(loop["sets"], 3)
        self.assertEqual((loop["shards"], loop["why_no_sets"]), (4, ""))  # of 40 columns
        self.assertGreater(loop["dependence_calls"], 0)
        short = self.statistics(SMALL, "0", "0", "0.3")
        self.assertEqual(short["sets"], 0)
        self.assertRegex(short["why_no_sets"], r"^an update touches \d+ of 300 shared elements, too few to pay for threads$")

    def test_dependent_updates_that_ran_side_by_side_are_undone_and_run_again(self):
        stats = os.path.join(self.folder, "stats.json")
        done = self.run_program(self.sets, "undone", threads=2, options=("--stats", stats))
        self.assertEqual(done.output, "10 20 30 40 sum=196 total=4\n")
        with open(stats, encoding="utf-8") as file:
            (loop,) = json.load(file)["loops"]
        self.assertEqual(loop["undone"], 2)  # 41 and 42 meet in a set, then 42 and 43
        for depth in ("0", "2"):
            runs = [self.run_program(self.sets, "undone", depth, ranks=ranks, threads=threads).output for ranks, threads in SHAPES[1:4]]
            self.assertRegex(runs[0], "^10 20 30 40 sum=196 total=4\n$")
            self.assertEqual(len(set(runs)), 1, runs)

    def test_a_set_sees_the_changes_of_those_before_its_depth_and_no_others(self):
        for depth, seen in ((0, "0-3 20-23 40-43 60-63 80-83"), (1, "0-3 0-3 20-23 40-43 60-63"), (3, "0-3 0-3 0-3 0-3 20-23")):
            for ranks, threads in SHAPES[1:4]:
                done = self.run_program(self.sets, "delay", str(depth), ranks=ranks, threads=threads)
                self.assertRegex(done.output, f"^{seen} sum=\\S+ total=100\n$", (depth, ranks, threads))

    def test_the_pipeline_is_in_the_statistics(self):
        stats = os.path.join(self.folder, "stats.json")
        done = self.run_program(self.sets, "delay", "3", ranks=2, options=("--stats", stats, "--summary"))
        with open(stats, encoding="utf-8") as file:
            (loop,) = json.load(file)["loops"]
        self.assertEqual((loop["depth"], loop["sets"], loop["sets_in_flight"]), (3, 5, 2.8))  # 1, 2, 3, 4, 4
        self.assertGreater(loop["set_bytes"], 0)
        self.assertIn("in sets of up to 5 shards, 2.8 in flight of at most 4", done.errors)
        solve = self.statistics(SMALL, "16", "16", "0.3")
        self.assertGreater(solve["rejected"], 0)
        self.assertGreater(solve["refilled"], 0)
        self.assertEqual(solve["set_bytes"], 0)

    def test_failures_on_other_ranks_end_the_run(self):
        for ranks, threads in ((1, 2), (2, 1), (4, 1)):
            done = self.run_program(self.sets, "last-throws", ranks=ranks, threads=threads)
            self.assertRegex(done.output, r"^2: \S*dynamic_sets\.cpp:%d: iteration 79 on rank %d: the last one of a set\n$"
                             % (line_of("dynamic_sets", "// last-throws"), min(ranks, 2) - 1))
        done = self.run_program(self.sets, "dies", ranks=2)
        self.assertEqual(done.status, 137)
        self.assertIn("rank 1", done.errors)

    def test_mistakes_are_errors(self):
        for kind, text in MISTAKES.items():
            place = line_of("dynamic_sets", PLACE[kind]) if kind in PLACE else 0
            pattern = re.escape(text).replace(re.escape("{site}"), rf"\S*dynamic_sets\.cpp:{place}")
            for ranks, threads in [(1, 2), (2, 1)]:
                done = self.run_program(self.sets, kind, ranks=ranks, threads=threads)
                self.assertRegex(done.output, f"^{pattern}$".replace(re.escape("{rank}"), str(ranks - 1)))
        done = self.run_program(self.sets, "infinite", threads=2)
        self.assertRegex(done.output, r"^2: \S*:%d: iteration \d+ on rank 0: its element of `X` has become infinite, or not a number; "
                                      r"updates have moved elements by up to 1\.\de\+1\d\d: they diverge, " % line_of("dynamic_sets", "// infinite"))

    def test_the_limit_of_updates_is_exact_in_sets(self):
        self.assertRegex(self.run_program(self.sets, "limit", threads=2).output, r"^calls=333 sum=433 total=333\n$")

    def test_bodies_that_cannot_run_side_by_side_run_one_after_the_other_and_the_summary_says_why(self):
        wanted = self.run_program(self.sets, "one").output
        for kind, why in ALONE.items():
            done = self.run_program(self.sets, kind, threads=2, options=("--summary",))
            self.assertIn(f"1000 updates one after the other ({why})", done.errors)
            if kind == "short":
                self.assertEqual(done.output, wanted)
        self.assertEqual(self.run_program(self.sets, "async-one").output, wanted)


if __name__ == "__main__":
    unittest.main()
