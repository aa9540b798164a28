"""consistency::stale as the model of a loop (programs/clocks.cpp): each read contains exactly the promised calls."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from example_case import HERE, ExampleTest, line_of, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
BOUNDS = ("0", "1", "2", "5")
IN_TIME = "60"  # seconds, for a meeting that comes
IN_VAIN = "0.5"  # for one that does not


class Clocks(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        source = os.path.join(HERE, "programs", "clocks.cpp")
        quiet = "-Wno-stradsap-unknown-function"  # of a file that ranks share
        for name, flags in (("built", (quiet,)), ("checked", (quiet, "--check"))):
            setattr(cls, name, os.path.join(built.name, name))
            subprocess.run([*quick_compiler("-std=c++20", "-O1", *flags), source, "-o", getattr(cls, name)], check=True)

    def same_everywhere(self, *arguments, status=0):
        runs = [self.run_program(self.built, *arguments, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        for done in runs:
            self.assertEqual((done.status, done.output), (status, runs[0].output), done.errors)
        return runs[0].output

    def test_a_read_contains_the_calls_that_the_bound_allows_and_no_others(self):
        for bound in BOUNDS:
            for every in ("24", "5", "1"):  # calls until the program reads
                self.assertEqual(self.same_everywhere("reads", bound, every), "wrong=0 0 sum=1536\n")

    def test_any_body_agrees_with_a_plain_program_whatever_main_does_between_calls(self):
        for seed in ("1", "2"):
            self.assertRegex(self.same_everywhere("trials", seed), "^wrong=0 ")

    def test_merges_and_elements_without_differences_have_the_same_bits(self):
        self.assertRegex(self.same_everywhere("kinds"), "^sum=24000 sum=24000 sum=24000 [0-9a-f]{16}\n$")

    def test_another_loop_over_the_container_sees_all_calls(self):
        self.assertEqual(self.same_everywhere("two loops"), "wrong=0 x=48\n")

    def test_a_sum_has_its_value_when_the_call_returns(self):
        self.assertEqual(self.same_everywhere("sums"), "seen=6 22 278 534 790 \n")

    def test_containers_may_end_grow_or_move_before_calls_are_folded(self):
        self.assertEqual(self.same_everywhere("ends"), "kept=16 of 18\n")

    def test_an_exception_surfaces_at_the_call_or_access_that_waits_for_its_call(self):
        place = line_of("clocks", "if (clock == 3 && j % 40 == 23)") - 3
        caught = rf"caught 23 of \S*clocks.cpp:{place}; 192 16\n$"
        for bound in (0, 1, 2, 5):
            returned = "".join(f"{clock} " for clock in range(4 + bound))
            self.assertRegex(self.same_everywhere("throwing", str(bound), "0"), "^" + returned + caught)
        self.assertRegex(self.same_everywhere("throwing", "5", "5"), "^0 1 2 3 4 " + caught)
        self.assertRegex(self.same_everywhere("throwing", "5", "3"), "^0 1 2 look 12 " + caught)  # a first call waits

    def test_an_exception_that_no_access_waits_for_ends_the_program_with_its_line(self):
        for ranks, threads in SHAPES:
            done = self.run_program(self.built, "unseen", ranks=ranks, threads=threads)
            self.assertNotEqual(done.status, 0)
            self.assertEqual(done.output, "at the end\n")
            self.assertRegex(done.errors, r"clocks.cpp:\d+: iteration 5 on rank 0: too far")

    def test_models_that_do_not_fit_are_refused_by_name(self):
        lines = dict(line.split(": ", 1) for line in self.same_everywhere("errors").splitlines())
        self.assertRegex(lines["round"], r"clocks.cpp:\d+: consistency::stale of a loop takes no .round, since each call is a "
                         r"round: give it to a container, as dvector<float> w\(n, consistency::stale\({.round = 4096}\)\)$")
        self.assertIn("consistency::stale of a loop takes no .accumulators: give it to a container", lines["fewer"])
        self.assertIn("consistency::stale of a container takes no .free_running: give it to a loop", lines["free"])
        stale = r"clocks.cpp:\d+: consistency::stale takes a "
        self.assertRegex(lines["no bytes"], stale + r"budget from 1 byte on, not 0$")
        self.assertRegex(lines["negative"], stale + r"budget from 1 byte on, not -1$")
        self.assertRegex(lines["exact"], stale + r"\.budget only with \.free_running = true, since ")
        self.assertRegex(lines["no bound"], stale + r"\.budget only with a \.bound from 1 on, since changes wait")
        self.assertRegex(lines["uses"], stale + r"\.budget only with merge::sum, mean, min, max, last or a function")
        self.assertRegex(lines["own uses"], r"clocks.cpp:\d+: the loop has a \.budget, and `y` merge::adaptive or ")
        self.assertIn("consistency::stale of a loop takes no hottest(): give it to a container", lines["hottest"])
        self.assertIn("the loop is consistency::stale and writes `map`, a dmap: keep these values in a dvector, or take "
                      "consistency::async", lines["map"])
        self.assertRegex(lines["infinite"], r"clocks.cpp:\d+: element 0 of `x` has become infinite, or not a number$")
        self.assertIn("the loop has 65 iterations and indexes `y`, which has 64 elements, by them", lines["short"])

    def test_check_builds_serial_runs_and_delayed_messages_agree(self):
        for options in (["--check", "conflicts"], ["--latency", "2000"]):
            binary = self.checked if options[0] == "--check" else self.built
            done = self.run_program(binary, "reads", "2", "7", ranks=2, threads=2, options=options)
            self.assertEqual((done.status, done.output), (0, "wrong=0 0 sum=1536\n"), done.errors)
        done = self.run_program(self.built, "two loops", options=["--serial"])
        self.assertEqual((done.status, done.output[-5:]), (0, "x=48\n"), done.errors)

    def stats_of(self, *arguments, ranks, options=()):
        stats = os.path.join(self.folder, "stats.json")
        done = self.run_program(self.built, *arguments, ranks=ranks, options=["--stats", stats, *options])
        self.assertEqual(done.status, 0, done.errors)
        with open(stats, encoding="utf-8") as file:
            return done, json.load(file)["loops"][0]

    def test_free_running_calls_see_whole_calls_of_all_others_and_at_least_the_promised_ones(self):
        for ranks, threads in SHAPES:
            for bound in BOUNDS:
                done = self.run_program(self.built, "free reads", bound, "apart", ranks=ranks, threads=threads)
                self.assertRegex(done.output, r"^right=1536 sum=1536 fresh=\d+\n$", done.errors)

    def test_free_running_calls_see_all_calls_that_have_come(self):
        for ranks in (1, 2):  # of three ranks, one may have the driver's next call before the changes of another
            for bound in ("1", "3"):
                done, loop = self.stats_of("free reads", bound, "in step", ranks=ranks)
                self.assertEqual(done.output, "right=1536 sum=1536 fresh=1536\n", done.errors)
                self.assertEqual(loop["planner"], "free clocks")
                self.assertEqual(loop["staleness"], {"mean": 0, "max": 0, "histogram": [24 * ranks]})

    def test_calls_with_a_budget_see_the_promised_calls(self):
        for ranks, threads in SHAPES:
            for bound in ("1", "2", "5"):
                for budget in ("1", "100", "300", "100000"):
                    for pace in ("apart", "in step"):
                        done = self.run_program(self.built, "free reads", bound, pace, budget, ranks=ranks, threads=threads)
                        self.assertRegex(done.output, r"^right=1536 sum=1536 fresh=\d+\n$", done.errors)

    def test_with_a_budget_great_changes_go_first_and_small_ones_wait(self):
        """In 24 calls no change waits for half of the bound 64."""
        done, unlimited = self.stats_of("steps", "64", "100000", ranks=2)
        self.assertEqual(done.output, "large=1536 small=1536 sum=408\n", done.errors)
        self.assertEqual(unlimited["staleness"], {"mean": 0, "max": 0, "histogram": [48]})
        great, all_changes = 8 * 48, 9 * 8 * 48  # bytes of a rank in a call
        done, limited = self.stats_of("steps", "64", str(2 * great), ranks=2)
        found = re.fullmatch(r"large=1536 small=(\d+) sum=408\n", done.output)
        self.assertIsNotNone(found, (done.output, done.errors))
        self.assertLess(int(found[1]), 1536 // 2)
        self.assertGreater(limited["staleness"]["max"], 4)
        after_first = 23 * 2
        self.assertGreater(unlimited["bytes_sent"] - limited["bytes_sent"], after_first * (all_changes - 2 * great) // 2)

    def test_a_change_waits_for_half_of_the_bound_and_then_goes_beyond_the_budget(self):
        for bound, most in (("1", 1), ("2", 1), ("8", 4)):
            done, loop = self.stats_of("steps", bound, "1", ranks=2)
            self.assertRegex(done.output, r" sum=408\n$", done.errors)
            self.assertEqual(loop["staleness"]["max"], most)
            self.assertGreater(loop["bytes_due"], 1000)
            sends = 2 * (24 // (most + 1))  # of two ranks; each has a budget of a byte
            self.assertEqual(loop["bytes_beyond_budget"], loop["bytes_due"] - sends)
            self.assertIn(" went beyond the budget, since changes had waited for half of the bound",
                          self.run_program(self.built, "steps", bound, "1", ranks=2, options=["--summary"]).errors)
        done, loop = self.stats_of("steps", "64", "100000", ranks=2)
        self.assertEqual((loop["bytes_due"], loop["bytes_beyond_budget"]), (0, 0))

    def test_with_a_budget_check_builds_and_failures_keep_their_rules(self):
        done = self.run_program(self.checked, "free reads", "2", "apart", "100", ranks=2, threads=2)
        self.assertRegex(done.output, r"^right=1536 sum=1536 fresh=\d+\n$", done.errors)
        for ranks, threads in SHAPES:
            done = self.run_program(self.built, "free throwing", "2", "0", "100", ranks=ranks, threads=threads)
            self.assertRegex(done.output, r"^0 1 2 3 4 5 caught 23 of \S*clocks.cpp:\d+; \d+ \d+\n$", done.errors)
        for ranks in (2, 4):
            done = self.run_program(self.built, "dying", "3", "100", ranks=ranks)
            self.assertNotEqual(done.status, 0)
            self.assertEqual(done.output, "")

    def test_an_exception_in_a_free_running_call_surfaces_at_the_same_place(self):
        for bound in (0, 2):
            returned = "".join(f"{clock} " for clock in range(4 + bound))
            for ranks, threads in SHAPES:
                done = self.run_program(self.built, "free throwing", str(bound), "0", ranks=ranks, threads=threads)
                self.assertRegex(done.output, "^" + returned + r"caught 23 of \S*clocks.cpp:\d+; 192 16\n$", done.errors)

    def test_statistics_and_summary_have_the_staleness_of_calls(self):
        done, loop = self.stats_of("reads", "2", "24", ranks=2, options=["--summary"])
        self.assertEqual(loop["staleness"], {"mean": 1.875, "max": 2, "histogram": [2, 2, 44]})
        self.assertIn("; calls miss 1.88 earlier ones on average, at most 2\n", done.errors)
        done, loop = self.stats_of("free reads", "2", "in step", ranks=2, options=["--summary"])
        self.assertIn("calls miss 0.00 earlier ones on average, at most 0, by their times: another run has other bits\n",
                      done.errors)

    def met(self, bound, awaited, seconds):
        """Whether the driver begins clock `awaited` while another rank is in clock 1."""
        path = os.path.join(self.folder, "progress")
        with open(path, "wb") as file:
            file.write(bytes(8))
        stats = os.path.join(self.folder, "stats.json")
        done = self.run_program(self.built, "straggler", bound, awaited, seconds, path, ranks=2,
                                options=["--stats", stats])
        self.assertEqual(done.status, 0, done.errors)
        self.assertRegex(done.output, "^met=[01] sum=48\n$")
        with open(stats, encoding="utf-8") as file:
            loop = json.load(file)["loops"][0]
        self.assertEqual((loop["planner"], loop["calls"]), ("clocks", 12))
        return done.output.startswith("met=1")

    def test_the_driver_goes_as_many_calls_ahead_as_the_bound_says(self):
        for bound in ("1", "2", "3"):
            self.assertTrue(self.met(bound, str(int(bound) + 1), IN_TIME))
            self.assertFalse(self.met(bound, str(int(bound) + 2), IN_VAIN))

    def test_a_rank_that_dies_while_others_are_ahead_ends_the_run(self):
        for ranks in (2, 4):
            for bound in ("0", "3"):
                done = self.run_program(self.built, "dying", bound, ranks=ranks)
                self.assertNotEqual(done.status, 0)
                self.assertEqual(done.output, "")


if __name__ == "__main__":
    unittest.main()
