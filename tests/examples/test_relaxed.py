"""Containers that are consistency::stale (programs/relaxed.cpp): reads by rounds, the same bits on any ranks and threads."""

import json
import os
import subprocess
import tempfile
import unittest

from example_case import HERE, ExampleTest, line_of, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
PROVEN = ["--check", "conflicts"]


class Relaxed(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        source = os.path.join(HERE, "programs", "relaxed.cpp")
        cls.binary, cls.checked = (os.path.join(built.name, name) for name in ("relaxed", "checked"))
        for binary, flags in ((cls.binary, ()), (cls.checked, ("--check",))):
            subprocess.run([*quick_compiler("-std=c++20", "-O1", *flags), source, "-o", binary], check=True)

    def same_everywhere(self, kind):
        """The output of the ordinary build on all shapes, and of the check build, which proves its orders."""
        runs = [self.run_program(self.binary, kind, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        runs.append(self.run_program(self.checked, kind, ranks=2, threads=2, options=PROVEN))
        for done in runs:
            self.assertEqual((done.status, done.output), (0, runs[0].output), done.errors)
        return runs[0].output

    def planner(self, kind):
        path = os.path.join(self.folder, f"{kind}.json")
        done = self.run_program(self.binary, kind, threads=2, options=["--stats", path])
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["loops"][0]["planner"]

    def test_a_round_sees_the_folds_of_those_before_and_each_accumulator_its_own_changes(self):
        output = self.same_everywhere("places")
        self.assertRegex(output, r"^rounds=8 accumulators=16 sum=20000 ran=40000 ")

    def test_places_that_depend_on_written_data_hinder_no_plan_if_their_container_is_relaxed(self):
        self.assertEqual((self.planner("places"), self.planner("current")), ("blocks", "transactions"))

    def test_transactions_see_relaxed_containers_current(self):
        serial = self.run_program(self.binary, "current", options=["--serial"])
        self.assertEqual(self.same_everywhere("current"), serial.output)

    def test_without_other_containers_rounds_are_cut_into_sixteen_contiguous_shards(self):
        self.assertRegex(self.same_everywhere("shards"), "^ran=20000 apart=0 ")

    def test_a_loop_has_the_least_number_of_accumulators_that_its_containers_name(self):
        self.assertRegex(self.same_everywhere("two places"), r"^rounds=\d+ accumulators=2 sum=20000 ran=40000 ")
        self.assertRegex(self.same_everywhere("many places"), r"^rounds=8 accumulators=16 sum=20000 ran=40000 ")
        outputs = [self.same_everywhere(kind) for kind in ("shards", "four shards", "two shards")]
        self.assertEqual(len(set(outputs)), 3)
        for output in outputs:
            self.assertRegex(output, "^ran=20000 apart=0 ")

    def test_rows_arrays_and_means_have_the_same_bits_beside_a_grid_of_blocks(self):
        self.assertEqual(len(set(self.same_everywhere("matrices").split())), 5)
        self.assertEqual(self.planner("matrices"), "blocks")

    def test_adaptive_folds_converge_where_sums_overshoot(self):
        for kind in ("adaptive", "adaptive alone"):
            self.assertRegex(self.same_everywhere(kind), "^good=6 bad=3 uses=60000 ")
        self.assertEqual((self.planner("adaptive"), self.planner("adaptive alone")), ("blocks", "none"))

    def test_the_hottest_elements_alone_are_relaxed(self):
        output = self.same_everywhere("hottest")
        self.assertRegex(output, r"^sum=120000 hot=1 near=1 first=([2-9]|1\d) ")
        self.assertEqual(self.planner("hottest"), "blocks")
        self.assertEqual(self.same_everywhere("hottest by counts"), output)
        self.assertEqual(self.same_everywhere("hottest vectors"), output)

    def test_hot_elements_that_are_zeros_at_first_have_the_same_bits(self):
        self.same_everywhere("hot counts")

    def test_the_warning_on_a_hot_element_names_the_model_to_write(self):
        adaptive = "{.merge = stradsap::merge::adaptive}"
        by_sums = "or, if older values do, state access(adds_late(x)) or make it `dvector<...> x(n, {})`, "
        by_steps = "or make it `dvector<...> x(n, {})` if older values do, "
        for kind, element, advice in (("hub", r"15\d\d\d of 20000 iterations touch element 7", by_steps.format(
                                          f"stradsap::consistency::stale({adaptive}, stradsap::consistency::hottest())")),
                                      ("small hub", r"15\d\d\d of 20000 iterations touch element 7", by_steps.format(
                                          f"stradsap::consistency::stale({adaptive})")),
                                      ("hub of counts", r"15\d\d\d of 20000 iterations touch element 7", by_sums.format(
                                          "stradsap::consistency::stale(0, stradsap::consistency::hottest())"))):
            for ranks, threads in ((1, 2), (2, 1)):
                done = self.run_program(self.binary, kind, ranks=ranks, threads=threads)
                self.assertRegex(done.errors, rf"relaxed.cpp:\d+: {element} of `x`, so that 1\.3 of 2 threads can work at a time; ")
                self.assertIn("; let the loop only add into `x`, " + advice + "iterate over something finer, or, if iterations are "
                              "long and the loop may add up the steps of shards, take consistency::sync\n", done.errors)
                self.assertEqual(done.errors.count("relaxed.cpp:"), 1)

    def test_hot_rows_of_a_matrix_are_relaxed_as_a_whole(self):
        self.assertRegex(self.same_everywhere("hot rows"), "^1 ")

    def test_the_plan_may_read_fields_of_relaxed_elements_that_the_loop_leaves_alone(self):
        self.assertRegex(self.same_everywhere("read by the plan"), "^sum=60000 ")
        self.assertEqual(self.planner("read by the plan"), "blocks")

    def test_waves_are_one_round(self):
        self.assertRegex(self.same_everywhere("waves"), "^total=40000 ")
        self.assertEqual(self.planner("waves"), "waves")

    def test_old_values_do_not_keep_short_iterations_from_program_order(self):
        for kind in ("short waves", "machine"):
            self.assertEqual(self.planner(kind), "program order")
            serial = self.run_program(self.binary, kind, options=["--serial"])
            self.assertEqual(self.same_everywhere(kind), serial.output)
            self.assertRegex(serial.output, "^(total=40000|finite=1 seen=40000) ")

    def test_places_of_additions_hinder_no_plan_if_private_copies_take_them(self):
        for kind, planner in (("drawn", "blocks"), ("drawn among many", "transactions")):
            self.assertRegex(self.same_everywhere(kind), "^sum=60000 ")
            self.assertEqual(self.planner(kind), planner)

    def test_a_body_that_throws_ends_its_round_everywhere(self):
        self.assertEqual(self.same_everywhere("throwing"), "iteration 12345: too far\nsum=20000\n")

    def test_models_that_do_not_fit_are_refused_by_name(self):
        lines = dict(line.split(": ", 1) for line in self.same_everywhere("errors").splitlines())
        for kind, text in (("negative", "a bound from 0 to 64, not -1"), ("bound", f"a bound from 0 to 64, not {1 << 40}"),
                           ("round", "rounds from 0 iterations on, not -1"),
                           ("accumulators", "2, 4, 8, 16 or 32 accumulators, not 3"),
                           ("too few", "2, 4, 8, 16 or 32 accumulators, not 1")):
            place = line_of("relaxed", f'try_to("{kind}"')
            self.assertRegex(lines[kind], rf"relaxed.cpp:{place}: consistency::stale takes {text}$")
        self.assertEqual(lines["hottest"], "consistency::hottest takes a number from 1 on")
        self.assertEqual(lines["too many"], "4 hottest elements of 3")
        self.assertEqual(lines["sync"], "a container takes consistency::stale or consistency::async as its model")
        self.assertEqual(lines["uses"], "merge::by_uses takes a finite number above 0")
        self.assertIn("the merge of `text` folds no value of its elements", lines["merge"])
        self.assertIn("the merge of `whole` folds no value of its elements", lines["fractions"])
        for kind, element in (("infinite", 1), ("cut and infinite", 1), ("hot and infinite", 7), ("a loop's infinity", 1)):
            self.assertRegex(lines[kind], rf"relaxed.cpp:\d+: element {element} of `w` has become infinite, or not a number$")
        self.assertRegex(lines["a loop's merge"], r"relaxed.cpp:\d+: merge::adaptive folds fractions, and `whole` has none$")
        self.assertRegex(lines["several rows"], r"elements \d+ to \d+ of `w` are several rows, one of which is among the hottest: "
                         r"leave hottest\(\) out of its model$")
        self.assertIn("make `x` consistency::stale too, or make `next` consistency::async", lines["places"])
        self.assertIn("`moved` is consistency::stale, and its values decide which elements", lines["moved"])
        self.assertIn("make `x` consistency::stale too, or make `moved`", lines["added"])
        self.assertIn("make `x`, `large` consistency::stale too, or make `moved`", lines["added among many"])
        self.assertEqual(lines["assigned"], "nothing")


if __name__ == "__main__":
    unittest.main()
