"""The dynamic scheduler: a solve has the optimum of passes over all columns, the same bits everywhere, and clear errors."""

import json
import os
import re
import subprocess
import tempfile
import unittest

import optimality
from example_case import COMPILER, HERE, ROOT, ExampleTest, line_of, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
PATH = os.path.join(ROOT, "examples", "elastic_net_path")
SMALL = ("--rows", "60", "--columns", "500", "--steps", "8")
STEP = re.compile(r"step=\d+ penalty=(\S+) nonzero=(\d+) updates=(\d+) seconds=\S+ violation=(\S+)")
OUTPUT = {  # kind of program: the output
    "nan": "2: {site}: iteration 70 on rank 0: its element of `X` has become infinite, or not a number\n",
    "infinite": "2: {site}: iteration 70 on rank 0: its element of `X` has become infinite, or not a number\n",
    "was infinite": "2: {site}: iteration 70 on rank 0: its element was infinite, or not a number, before the update: begin with "
                    "finite values\n",
    "throws": "2: {site}: iteration 70 on rank 0: above two\n",
    "unchanged": "4: {site}: schedule::dynamic() follows the changes of elements at the loop index, and the body writes none: "
                 "let iteration j write X[j] of some container X, at that place only\n",
    "beyond": "1: {site}: the loop has 200 iterations and indexes `X`, which has 100 elements, by them\n",
    "too few": "1: {site}: the loop has 200 iterations and indexes `X`, which has 100 elements, by them\n",
    "neighbours": "1\n1\n",
    "sync": "4: schedule::dynamic() takes consistency::approximate or consistency::async as its model\n",
    "static": "4: consistency::approximate takes schedule::dynamic(); schedule::static_() runs each iteration once: under "
              "consistency::async\n",
    "nothing": "0\nsum=0\n",
    "large": "10 1 1\n",
    "passes": "1: schedule::dynamic().passes() takes a positive number, and got 0\n",
    "outside": "1: {site}: schedule::dynamic().begin_with() names iteration 100, and the loop has 100\n",
    "before": "1: {site}: schedule::dynamic().begin_with() names iteration -1, and the loop has 100\n",
    "both": "4: {site}: schedule::dynamic() takes begin_with() or priority(), not both\n",
    "other": "4: {site}: schedule::dynamic().follow() names a container that the body does not write at the loop index, and there "
             "only\n",
    "by-product": "updates=301\nsum=100\n",  # 7 in two sweeps, a pass, a sweep over the 99 that it has changed, the last pass
    "chosen": "updates=146\nsum=2\n",  # 23 sweeps halve the distance of both to less than 2e-7, and one pass
    "fast growth": "2: {site}: iteration 28 on rank 0: its element of `X` has become infinite, or not a number; updates have moved "
                   "elements by up to 1.3e+154: they diverge, as with steps that are too long, or without an optimum\n",
    "resizing": "2: {site}: iteration 70 on rank 0: priority(70): a container of a running loop cannot change its size, from 100 to "
                "101 elements: priority() and depends() may only read\n",
    "tolerance": "1: schedule::dynamic().until() takes a tolerance from 0 to below 1\n",
}
PLACE = {"nan": "// bad", "infinite": "// bad", "throws": "// above two", "unchanged": "// no element", "beyond": "// too short", "too few": "// too few",
         **dict.fromkeys(("outside", "before", "both", "other"), "// the first loop of a body names it"), "was infinite": "// was infinite",
         "fast growth": "// fast growth", "resizing": "// resizing"}


class Dynamic(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        cls.path, cls.original, cls.faults, cls.plain = (os.path.join(built.name, name) for name in ("path", "original", "faults", "plain"))
        faults = os.path.join(HERE, "programs", "dynamic.cpp")
        subprocess.run([*quick_compiler("-std=c++20", "-O1"), os.path.join(PATH, "elastic_net_path.cpp"), "-o", cls.path], check=True)
        subprocess.run(["g++", "-std=c++20", "-O1", os.path.join(PATH, "sequential.cpp"), "-o", cls.original], check=True)
        subprocess.run([*quick_compiler("-std=c++20", "-O1"), faults, "-o", cls.faults], check=True)
        link = subprocess.run([COMPILER, "--showme:link"], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(["g++", "-std=c++20", "-I", os.path.join(ROOT, "include"), faults, *link, "-o", cls.plain], check=True)

    def steps(self, output):
        found = STEP.findall(output)
        self.assertEqual(len(found), 8, output)
        return [(penalty, int(nonzero), int(updates), float(violation)) for penalty, nonzero, updates, violation in found]

    def test_a_path_is_optimal_at_each_step_and_has_the_same_bits_everywhere(self):
        original = subprocess.run([self.original, *SMALL], capture_output=True, text=True, check=True).stdout
        wanted = self.steps(original)
        runs = [self.run_program(self.path, *SMALL, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        for done in runs:
            self.assertEqual(done.status, 0, done.errors)
            self.assertEqual(self.steps(done.output), self.steps(runs[0].output))
        for ours, theirs in zip(self.steps(runs[0].output), wanted):
            self.assertEqual(ours[:2], theirs[:2])
            self.assertLess(ours[3], 2e-3)
        updates = [sum(step[2] for step in steps) for steps in (self.steps(runs[0].output), wanted)]
        self.assertLess(3 * updates[0], updates[1])

    def test_the_seed_decides_the_order_of_updates_and_not_the_optimum(self):
        first, other = (self.run_program(self.path, *SMALL, options=("--seed", seed)).output for seed in ("1", "2"))
        self.assertEqual([step[:2] for step in self.steps(first)], [step[:2] for step in self.steps(other)])
        self.assertNotEqual([step[2] for step in self.steps(first)], [step[2] for step in self.steps(other)])

    def test_statistics_tell_passes_sweeps_and_the_last_change(self):
        stats = os.path.join(self.folder, "stats.json")
        done = self.run_program(self.path, *SMALL, options=("--stats", stats))
        with open(stats, encoding="utf-8") as file:
            (loop,) = json.load(file)["loops"]
        self.assertEqual((loop["planner"], loop["converged"]), ("dynamic", True))
        self.assertGreaterEqual(loop["calls"], 8)
        self.assertEqual(loop["iterations"], sum(step[2] for step in self.steps(done.output)))
        self.assertLessEqual(loop["last_change"], 1e-5)
        self.assertGreater(loop["sweeps"], loop["passes"])

    def path_of_data(self, table, targets, *options):
        """The lines of a path over a file. Its last coefficients are saved."""
        path = os.path.join(self.folder, "data")
        optimality.write_libsvm(path, table, targets)
        done = self.run_program(self.path, "--data", path, "--save", self.folder, *options)
        self.assertEqual(done.status, 0, done.errors)
        return STEP.findall(done.output)

    def test_an_independent_solver_and_the_duality_gap_prove_the_end_of_a_path(self):
        table, targets = optimality.make_table(30, 40)
        columns, centred = optimality.standardised(table, targets)
        for alpha in (1.0, 0.5):
            steps = self.path_of_data(table, targets, "--alpha", str(alpha), "--steps", "10", "--least", "0.1", "--tolerance", "1e-6")
            penalty = float(steps[-1][0])
            first = max(abs(optimality.product(column, centred)) / len(centred) for column in columns) / alpha
            self.assertAlmostEqual(penalty, 0.1 * first, delta=1e-4 * first)
            problem = optimality.ElasticNet(columns, centred, 0.1 * first * alpha, 0.1 * first * (1 - alpha))
            beta = optimality.read_saved(self.folder, "beta")
            self.assertLess(problem.violation(beta), 1e-3)
            self.assertLess(problem.gap(beta), 1e-4)
            best = problem.objective(problem.solve(1500))
            self.assertAlmostEqual(problem.objective(beta), best, delta=1e-5 * best)
            self.assertEqual(beta[3], 0)
            self.assertEqual(sum(b != 0 for b in beta), int(steps[-1][1]))

    def test_bounds_of_slopes_leave_most_columns_out(self):
        done = self.run_program(self.path, "--rows", "100", "--columns", "2000", "--steps", "15", "--least", "0.6")
        steps = STEP.findall(done.output)
        checked = [int(number) for number in re.findall(r"checked=(\d+)", done.output)]
        self.assertEqual((len(steps), len(checked)), (15, 15))
        self.assertLess(max(float(step[3]) for step in steps), 1e-3)
        self.assertLess(sum(checked), 15 * 2000 / 2, checked)
        self.assertGreaterEqual(sum(int(step[2]) < 2000 for step in steps), 13, done.output)

    def test_a_single_penalty_far_below_the_greatest_is_solved_on_a_growing_set(self):
        done = self.run_program(self.path, "--rows", "100", "--columns", "2000", "--steps", "1", "--least", "0.05")
        ((_, nonzero, updates, violation),) = STEP.findall(done.output)
        self.assertGreater(int(nonzero), 50)
        self.assertLess(float(violation), 1e-3)
        original = subprocess.run([self.original, "--rows", "100", "--columns", "2000", "--steps", "1", "--least", "0.05"],
                                  capture_output=True, text=True, check=True).stdout
        self.assertLess(5 * int(updates), int(STEP.search(original)[3]))

    def test_a_path_takes_one_row_one_column_and_columns_that_do_not_vary(self):
        for table, targets in (([[2.0, 3.0]], [1.0]), ([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0]), ([[1.0], [1.0]], [0.0, 1.0])):
            steps = self.path_of_data(table, targets, "--steps", "3")
            self.assertEqual(len(steps), 3)
            self.assertLess(float(steps[-1][3]), 1e-3)
            beta = optimality.read_saved(self.folder, "beta")
            self.assertEqual(len(beta), len(table[0]))
            self.assertEqual(any(beta), len(table) == 3)

    def test_mistakes_are_errors_and_rare_values_are_not(self):
        for kind, text in OUTPUT.items():
            place = line_of("dynamic", PLACE[kind]) if kind in PLACE else 0
            pattern = re.escape(text).replace(re.escape("{site}"), rf"\S*dynamic\.cpp:{place}")
            for ranks, threads in [(1, 1), (2, 1)]:
                done = self.run_program(self.faults, kind, ranks=ranks, threads=threads)
                self.assertRegex(done.output, f"^{pattern}$")

    def test_elements_that_grow_for_ever_are_named_as_the_reason(self):
        done = self.run_program(self.faults, "separable")
        self.assertRegex(done.errors, r"has not converged: .*; the greatest element has grown in each of the last \d{2,} passes: there may "
                                      r"be no optimum, as for separable samples without a penalty\n")
        self.assertNotIn("has grown", self.run_program(self.faults, "alternating").errors)

    def test_a_loop_that_cannot_converge_ends_with_a_warning(self):
        done = self.run_program(self.faults, "alternating")
        self.assertEqual(done.status, 0)
        self.assertRegex(done.errors, r"dynamic\.cpp:%d: ended after 100000 updates, 1000 for each iteration, and has not converged: "
                                      r"the last pass changed an element by 2\.0e\+00 of the greatest, and until\(\) asks for 1\.0e-04"
                         % line_of("dynamic", "// flips"))

    def test_without_stradsap_cc_a_loop_needs_a_limit(self):
        def output(kind):
            return subprocess.run([self.plain, kind], capture_output=True, text=True, check=True).stdout
        self.assertEqual(output("endless"), "4: schedule::dynamic() needs a limit in a program that stradsap-cc did not compile: "
                                            "passes(n) or updates(n)\n")
        self.assertEqual(output("throws"), "2: parallel_for: iteration 70 on rank 0: above two\n")
        self.assertEqual(output("sync"), OUTPUT["sync"])


if __name__ == "__main__":
    unittest.main()
