"""Warnings at run time on loops that are planned at most calls, or run in program order for long (programs/advice.cpp)."""

import json
import os
import unittest

from example_case import ExampleTest, line_of

ORDER = line_of("advice", "X[j - j + 3] =")
SPREAD = line_of("advice", "// changes many elements")
EDGES = line_of("advice", "async_for(n, [&edges, &P")
SHIFTED = line_of("advice", "async_for(n, [shift, &edges")
MOVING = line_of("advice", "edges[j].from = (edges[j].from + 1)")
SEVERAL = ((1, 2), (2, 1))  # executors


class Advice(ExampleTest):
    def run_kind(self, kind, ranks, threads):
        """The output, the warnings, and the number of plans."""
        path = os.path.join(self.folder, f"{kind}-{ranks}-{threads}.json")
        done = self.run_program("advice", kind, ranks=ranks, threads=threads, options=["--stats", path])
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            loop = max(json.load(file)["loops"], key=lambda one: one["plans"])
        self.surveys = loop["surveys"]
        warnings = [line for line in done.errors.splitlines() if "advice.cpp" in line]
        return done.output, warnings, loop["plans"]

    def test_a_long_loop_in_program_order_says_why_once(self):
        for ranks, threads in SEVERAL:
            _, (warning,), _ = self.run_kind("long", ranks, threads)
            self.assertIn(f"advice.cpp:{ORDER}: the loop runs in program order on one thread: 512 of 512 sampled iterations "
                          "touch element 3 of `X`; ", warning)
            self.assertIn("let the loop only add into `X`, or make it `dvector<...> X(n, stradsap::consistency::stale({.merge = "
                          "stradsap::merge::adaptive}))` if older values do, ", warning)

    def test_a_long_loop_without_a_hot_element_says_that_its_iterations_conflict(self):
        for ranks, threads in SEVERAL:
            _, (warning,), _ = self.run_kind("no hot element", ranks, threads)
            self.assertRegex(warning, rf"advice\.cpp:{SPREAD}: the loop runs in program order on one thread: nearly all of \d+ sampled "
                             "iterations touch elements of others; let the loop only add into `X`, or make it ")

    def test_late_additions_and_plain_sums_of_steps_are_advised_for_whole_numbers_alone(self):
        _, (warning,), _ = self.run_kind("whole numbers", 1, 2)
        self.assertIn("let the loop only add into `X`, or, if older values do, state access(adds_late(X)) or make it "
                      "`dvector<...> X(n, stradsap::consistency::stale(0))`, ", warning)
        _, (warning,), _ = self.run_kind("long", 1, 2)
        self.assertNotRegex(warning, r"adds_late|stale\(0")

    def test_the_hottest_elements_alone_are_advised_only_if_iterations_touch_few(self):
        for kind, which in (("two elements", ", stradsap::consistency::hottest()"), ("many elements", "")):
            _, (warning,), _ = self.run_kind(kind, 1, 2)
            self.assertIn("make it `dvector<...> X(n, stradsap::consistency::stale({.merge = stradsap::merge::adaptive}"
                          f"{which}))` if older values do, ", warning)

    def test_short_loops_and_single_executors_get_no_warning(self):
        for kind, ranks, threads in (("short", 1, 2), ("short", 2, 1), ("long", 1, 1)):
            self.assertEqual(self.run_kind(kind, ranks, threads)[1], [])

    def test_the_container_that_voids_plans_is_named(self):
        for ranks, threads in ((1, 1), *SEVERAL):
            _, (warning,), plans = self.run_kind("moved", ranks, threads)
            self.assertRegex(warning, rf"advice\.cpp:{EDGES}: planned again at \d+ calls, \d+ % of the loop's time: `edges` decides "
                                      "which elements it accesses, and changes between its calls, or the program reaches it "
                                      "without const: ")
            self.assertEqual(plans, 60)

    def test_the_loop_that_voids_plans_is_named_with_its_line(self):
        for kind in ("by a loop", "by one of two"):
            outputs = set()
            for ranks, threads in ((1, 1), *SEVERAL):
                output, (warning,), _ = self.run_kind(kind, ranks, threads)
                self.assertIn(f"advice.cpp:{SHIFTED}: planned again at ", warning)
                self.assertRegex(warning, rf"`edges` decides which elements it accesses, and the loop at \S*advice\.cpp:{MOVING} "
                                          "writes it between its calls: ")
                outputs.add(output)
            self.assertEqual(len(outputs), 1)

    def test_a_captured_value_that_voids_plans_is_reported(self):
        for ranks, threads in ((1, 1), *SEVERAL):
            _, (warning,), _ = self.run_kind("by a value", ranks, threads)
            self.assertIn(f"advice.cpp:{SHIFTED}: planned again at ", warning)
            self.assertIn("the captured value `shift` decides what it accesses, and changes between its calls: let it decide "
                          "only what the loop computes, as in `x += skip ? 0 : step`, not which elements it accesses", warning)

    def test_a_new_container_of_the_same_size_needs_no_new_survey(self):
        outputs = set()
        for ranks, threads in ((1, 1), *SEVERAL):
            outputs.add(self.run_kind("new rows", ranks, threads)[0])
            self.assertEqual(self.surveys, 1)
        self.assertEqual(len(outputs), 1)

    def test_reads_without_const_void_no_plan(self):
        outputs = set()
        for ranks, threads in ((1, 1), *SEVERAL):
            output, warnings, plans = self.run_kind("looked", ranks, threads)
            self.assertEqual((warnings, plans), ([], 1))
            outputs.add(output)
        self.assertEqual(len(outputs), 1)


if __name__ == "__main__":
    unittest.main()
