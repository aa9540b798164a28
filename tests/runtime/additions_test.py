"""Loops that only add into containers: the same results on every shape, and the plans that they need."""

import re
import subprocess
import unittest

from programs_case import BIN, SANITIZED, ProgramsCase, about_plans, run


class Additions(ProgramsCase):
    def added(self, name, *args):
        """The accumulated containers, and whether groups were cut, in the last call of each loop."""
        loops = self.statistics(name, 1, 2, *args)["loops"]
        return [(loop["accumulated"], loop["groups"] > 0) for loop in loops]

    def test_what_is_only_added_has_the_same_bits_everywhere(self):
        for kind, lines in (("alone", 6), ("beside", 1), ("waves", 1), ("ordered", 1), ("operators", 1), ("large", 1)):
            output = self.same_everywhere("additions", kind)
            self.assertEqual(len(re.findall(r"(?m)^\w+ wrong=0 bits=\w+$", output)), lines, output)
        self.assertEqual(self.same_everywhere("additions", "special"), "special 1 1 1 1\n")

    def test_short_loops_have_the_same_bits_on_all_ranks_and_on_one(self):
        paced = self.same_everywhere("additions", "often")
        self.assertEqual(self.same_everywhere("additions", "often", options=["--in-place", "never"]), paced)

    def test_batches_of_loops_that_only_add_have_the_bits_of_async(self):
        for kind in ("alone", "often", "heavy"):
            usual = self.same_everywhere("additions", kind)
            for model in ("sync", "sync=97"):
                self.assertEqual(self.same_everywhere("additions", kind, options=["--consistency", model]), usual)

    def test_one_shard_adds_in_program_order_and_merges_count(self):
        self.assertEqual(self.same_everywhere("additions", "shards"), "same mean=1000\n")

    def test_large_containers_and_rows_have_the_same_bits_everywhere(self):
        self.assertIn("heavy wrong=0", self.same_everywhere("additions", "heavy"))
        self.assertIn("mixed wrong=0", self.same_everywhere("additions", "mixed"))

    @about_plans
    def test_large_containers_and_rows_are_accumulated(self):
        self.assertEqual(self.added("additions", "heavy"), [(["x", "rows"], False)])
        self.assertEqual(self.added("additions", "mixed"), [(["x", "few"], False)])

    @about_plans
    def test_an_accumulator_of_a_short_loop_has_one_block(self):
        for kind in ("heavy", "mixed"):
            loop, = self.statistics("additions", 1, 2, kind)["loops"]
            self.assertEqual((loop["blocks"], loop["parallelism"]), (4, 4))

    @about_plans
    def test_the_summary_names_loops_that_leave_other_ranks_idle(self):
        sentence = r"additions.cpp:\S+ runs on rank 0 only, because its additions into {} are too large to send"
        for ranks, kind, names in ((1, "heavy", None), (2, "heavy", "`x`, `rows`"), (2, "mixed", "`x`")):
            done = run("additions", ranks, 1, kind, options=["--summary"])
            found = re.findall(sentence.format("(.*)"), done.stderr)
            self.assertEqual(found, [names] if names else [], done.stderr)

    @about_plans
    def test_a_rank_with_half_of_the_accumulators_sends_one_copy(self):
        statistics = self.statistics("additions", 2, 1, "often", options=["--in-place", "never"])
        calls = sum(loop["calls"] for loop in statistics["loops"])
        self.assertLess(statistics["ranks"][1]["bytes_sent"], calls * 1200, "eight copies alone take 2560 bytes")

    @about_plans
    def test_short_loops_are_work_for_several_executors(self):
        for ranks, threads in ((1, 1), (1, 2), (2, 1)):
            adding, decay = self.statistics("additions", ranks, threads, "often")["loops"]
            self.assertEqual((adding["accumulated"], adding["blocks"]), (["gradient"], 16))
            self.assertEqual((decay["iterations"] // decay["calls"], decay["blocks"]), (40, 8))

    def test_additions_before_a_failure_stay_and_the_container_is_usable(self):
        self.assertEqual(self.same_everywhere("additions", "throws"), "iteration 123\nthrows wrong=0 total=30000\n")

    @about_plans
    def test_additions_are_no_conflicts_and_need_no_plan_by_groups(self):
        alone, = self.statistics("additions", 1, 2, "alone")["loops"]
        self.assertEqual((alone["accumulated"], alone["groups"]), (["counts", "sums", "clusters"], 0))
        self.assertGreater(alone["parallelism"], 50, "although a third of all iterations add into one element")
        waves, = self.statistics("additions", 1, 2, "waves", options=["--in-place", "never"])["loops"]
        self.assertEqual(waves["planner"], "waves")
        ordered, = self.statistics("additions", 1, 2, "ordered")["loops"]
        self.assertEqual(ordered["accumulated"], ["counts"], "fractions keep the order of the program")
        self.assertEqual(self.added("additions", "large"), [([], True)])


class AddedKeys(ProgramsCase):
    added = Additions.added

    def test_maps_have_the_same_bits_and_keys_in_the_same_order_everywhere(self):
        for kind, lines in (("alone", 5), ("operators", 1), ("many", 1), ("again 7 changes", 1),
                            ("again 12 inserts", 1)):
            output = self.same_everywhere("added_keys", *kind.split())
            self.assertEqual(len(re.findall(r"(?m)^\w+ wrong=0 bits=\w+$", output)), lines, output)

    def test_additions_before_a_failure_stay_and_the_map_is_usable(self):
        self.assertEqual(self.same_everywhere("added_keys", "throws"), "iteration 123\nthrows total=30000\n")

    @about_plans
    def test_maps_are_accumulated_where_nothing_is_cut(self):
        alone = self.statistics("added_keys", 1, 2, "alone")["loops"][0]
        self.assertEqual(alone["accumulated"], ["counts", "sums", "clusters"])
        self.assertGreater(alone["parallelism"], 10, "although a quarter of all iterations have one word")
        self.assertEqual(self.added("added_keys", "operators"), [(["product", "least"], False), ([], True)])

    @unittest.skipIf(SANITIZED, "the sanitizers take addresses of their own")
    def test_a_thread_has_room_for_all_keys_where_addresses_are_few(self):
        wanted = run("added_keys", 1, 1, "many").stdout
        few = subprocess.run(["prlimit", "--as=600000000", f"{BIN}/program_added_keys", "many"], capture_output=True,
                             text=True, timeout=120)
        self.assertEqual((few.returncode, few.stdout), (0, wanted), few.stderr)

    @about_plans
    def test_calls_that_add_at_the_same_places_again_and_again_get_a_plan(self):
        entries = [(["counts"], False), (["sums"], False)]
        self.assertEqual(self.added("added_keys", "again", "4", "same"), entries)
        self.assertEqual(self.added("added_keys", "again", "5", "same"), [([], True), ([], True)])
        hot = "most iterations have one key of `sums`"
        self.assertEqual(self.added("added_keys", "again", "12", "same"), [([], True), (["sums"], False)], hot)
        self.assertEqual(self.added("added_keys", "again", "7", "changes"), entries)
        self.assertEqual(self.added("added_keys", "again", "7", "inserts"), entries, "no plan holds for two calls")
        self.assertNotIn("can work at a time", run("added_keys", 4, 2, "again", "5", "same").stderr)


if __name__ == "__main__":
    unittest.main()
