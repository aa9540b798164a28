"""The programs of tests/runtime/programs print the same, right output on every number of ranks and threads."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from programs_case import BIN, SANITIZED, SHAPES, STRAY_SHAPES, ProgramsCase, about_plans, run

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "strays.cpp"), encoding="utf-8") as file:
    STRAYS = file.read().splitlines()
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "unseen.cpp"), encoding="utf-8") as file:
    UNSEEN = file.read().splitlines()


class Programs(ProgramsCase):
    def test_a_factorization_has_the_same_bits_everywhere(self):
        losses = [float.fromhex(x) for x in re.findall(r"loss=(\S+)", self.same_everywhere("factorization"))]
        self.assertEqual(len(losses), 4)
        self.assertLess(losses[3], losses[0])

    def test_ranks_do_the_same_over_sockets_alone(self):
        for name, *args in (("factorization",), ("waves", "async"), ("batches",), ("word_count",)):
            wanted = run(name, 1, 2, *args)
            self.assertEqual(wanted.returncode, 0, wanted.stderr)
            for ranks, threads in [(2, 2)] if SANITIZED else [(2, 1), (2, 2), (3, 1)]:
                done = run(name, ranks, threads, *args, options=("--shared-memory", "0"))
                self.assertEqual((done.returncode, done.stdout), (0, wanted.stdout), f"{name}: {done.stderr}")

    @unittest.skipIf(SANITIZED, "sixteen ranks of a sanitizer take long")
    def test_ranks_talk_over_sockets_where_descriptors_are_few(self):
        launched = ["prlimit", "--nofile=80", f"{BIN}/stradsap-run", "-n", "16", "--threads", "1", "--no-prefix"]
        done = subprocess.run([*launched, f"{BIN}/program_word_count"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, run("word_count", 1, 1).stdout), done.stderr)

    def test_a_loop_inserts_into_a_map_in_one_order(self):
        output = self.same_everywhere("word_count")
        self.assertRegex(output, r"^wrong=0 size=\d{2,}\n")

    @unittest.skipIf(SANITIZED, "the sanitizers take addresses of their own")
    def test_maps_do_with_few_addresses(self):
        program = [f"{BIN}/program_word_count"]
        few = [["prlimit", "--as=600000000"]] + ([["valgrind", "-q"]] if shutil.which("valgrind") else [])
        outputs = [subprocess.run(way + program, capture_output=True, text=True, timeout=120) for way in [[]] + few]
        for done in outputs:
            self.assertEqual((done.returncode, done.stdout), (0, outputs[0].stdout), done.stderr)

    def test_maps_are_in_the_order_of_insertion(self):
        output = self.same_everywhere("insertions")
        self.assertRegex(output, r"^wrong=0 order=same values=same size=48008 erased=2 left=2 keys=\d+\n$")

    def test_entries_that_an_inspector_only_names_are_not_copied(self):
        self.assertRegex(self.same_everywhere("named_keys"), r"^wrong=0 keys=\d{4} bits=\w{16}\n$")
        copies = int(re.search(r"copies=(\d+)", run("named_keys", 1, 1).stderr).group(1))
        self.assertLess(copies, 1000)

    def test_slots_that_a_plan_foresees_change_nothing_but_time(self):
        self.assertEqual(self.same_everywhere("foreseen"), "wrong=0 size=same\n")

    def test_pairs_of_one_container_keep_their_total(self):
        total, expected = re.search(r"total=(\d+) expected=(\d+)", self.same_everywhere("pairs")).groups()
        self.assertEqual(total, expected)

    def test_where_neighbours_are_alike_the_first_half_of_a_loop_runs_before_the_second(self):
        def changes(kind):
            return int(re.fullmatch(r"changes=(\d+) total=60000\n", self.same_everywhere("subpasses", kind)).group(1))
        self.assertLessEqual(changes("alike"), 3)  # three where the pass begins within the second half
        self.assertGreater(changes("any"), 20)

    def test_batches_are_what_sync_promises(self):
        self.assertRegex(self.same_everywhere("batches"), r"^wrong=0 sum=\S+ keys=97\n")

    def test_shards_and_merges_equal_a_twin_with_full_copies(self):
        lines = self.same_everywhere("shards", "rules").splitlines()
        self.assertEqual([line.split()[0] for line in lines], [rule for rule in ("sum", "mean", "min", "max", "last", "function") for _ in range(3)])
        self.assertEqual({line.split()[1] for line in lines}, {"wrong=0,0,0,0,0"})

    def test_a_rank_takes_the_rows_of_its_shards_alone(self):
        self.same_everywhere("shards", "rows")
        rows, = self.statistics("shards", 2, 1, "rows")["loops"]
        self.assertLess(rows["bytes_sent"], 0.75 * 800 * 8000, "half of the rows, and those that move to another rank")

    def test_thousands_of_small_batches_fold_what_they_touch(self):
        self.assertEqual(self.same_everywhere("shards", "small"), "size=512 wrong=0\n")
        self.assertEqual(self.same_everywhere("shards", "large"), "size=25000000 wrong=0\n")

    def test_a_batch_that_failed_leaves_no_changes(self):
        self.assertEqual(self.same_everywhere("shards", "fails"), "iteration 250\nwrong=0\n")

    def test_a_merge_without_a_value_to_fold_is_refused(self):
        self.assertIn("shards.cpp:4: merge::mean folds numbers, and `words` has none", self.same_everywhere("shards", "text"))
        self.assertIn("shards.cpp:4: the merge function folds double, and `words` has none",
                      self.same_everywhere("shards", "function of numbers"))

    def test_a_function_folds_the_text_of_each_shard_that_changed_it(self):
        self.assertEqual(self.same_everywhere("shards", "function of text").split(), ["+0+1+4+5+8+9", "+2+3+6+7"])

    def test_containers_behave_as_vectors_between_loops(self):
        output = self.same_everywhere("ranges")
        self.assertNotIn("DIFFERENT", output)
        self.assertEqual(output.count("same"), 8)
        self.assertIn(f"touched={3000 + 3501 + 1001}\n", output)

    def test_work_that_moves_to_other_ranks_and_executors_changes_no_bit(self):
        counts = re.findall(r"count=(\d+) sum=0x0p\+0\n", self.same_everywhere("uneven", "rows"))
        self.assertEqual(counts, [str(sum(1 + 20000 // (i + 1) for i in range(1000)))] * 24)
        self.same_everywhere("uneven", "sums")
        self.assertIn("wrong=0", self.same_everywhere("uneven", "blocks"))

    @about_plans
    def test_parts_of_waves_and_shards_that_move_change_no_bit(self):
        for kind in ("waves", "shards"):
            output = self.same_everywhere("uneven", kind)
            for ranks, threads in SHAPES[:4]:
                checked = run("checked_uneven", ranks, threads, kind, options=["--check", "conflicts"])
                self.assertEqual(checked.stdout, output, f"{kind} on {ranks}x{threads}: {checked.stderr}")

    def iterations_moved(self, kind, ranks):
        on_all_ranks = ["--in-place", "never"]  # loops in ranges may run on the driver's rank alone
        loop, = self.statistics("uneven", ranks, 1, kind, options=on_all_ranks)["loops"]
        self.assertEqual(loop["plans"], 1, "what moves is not planned again")
        return loop["iterations_moved"]

    @about_plans
    def test_iterations_move_away_from_a_rank_that_is_late(self):
        for kind, ranks, least in (("rows", 2, 200), ("sums", 2, 200), ("blocks", 2, 4000), ("blocks", 3, 2000)):
            self.assert_mostly(lambda: self.iterations_moved(kind, ranks) >= least, f"{kind} on {ranks} ranks")

    @about_plans
    def test_waves_are_dealt_anew_where_one_thread_is_late(self):
        self.assert_mostly(lambda: self.statistics("uneven", 1, 2, "waves")["loops"][0]["plans"] > 1, "plans")

    @about_plans
    def test_shards_move_away_from_a_rank_that_is_late(self):
        def part_of_late_rank():
            first, late = (rank["iterations"] for rank in self.statistics("uneven", 2, 1, "shards")["ranks"])
            return late / (first + late)
        self.assert_mostly(lambda: part_of_late_rank() < 0.4, "iterations of the late rank")

    def test_growth_between_passes_does_not_depend_on_who_owned_what(self):
        self.assertRegex(self.same_everywhere("growth"), r"^sum=\S+ x=2103 y=1300\n$")

    @unittest.skipIf(SANITIZED, "the sanitizers touch memory of their own")
    def test_the_first_call_of_a_short_loop_touches_little_memory(self):
        self.same_everywhere("short_loops")
        for options in ([], ["--in-place", "never"]):
            done = run("short_loops", 1, 1, options=options)
            for faults in map(int, re.search(r"faults=(\d+),(\d+),(\d+)", done.stderr).groups()):
                self.assertLess(faults, 200, f"{options}: pages of 4 KiB, of containers of 1024 pages")

    @about_plans
    def test_a_short_loop_is_not_planned_by_blocks(self):
        loops = {loop["site"]: loop for loop in self.statistics("short_loops", 1, 1)["loops"]}
        self.assertEqual((loops["short_loops.cpp:1"]["planner"], loops["short_loops.cpp:1"]["plans"]), ("blocks", 1))
        self.assertEqual(loops["short_loops.cpp:3"]["plans"], 0)

    @about_plans
    def test_iterations_whose_elements_follow_each_other_become_blocks_of_neighbours(self):
        self.same_everywhere("stretches")
        loops = {loop["site"]: loop for loop in self.statistics("stretches", 1, 2)["loops"]}
        plans = {site: (loop["planner"], loop["plans"], loop["blocks"]) for site, loop in loops.items()}
        self.assertEqual(plans["stretches.cpp:1"], ("blocks", 1, 49))
        self.assertEqual(plans["stretches.cpp:2"], ("blocks", 1, 49))
        self.assertNotEqual(plans["stretches.cpp:3"][2], 49)
        self.assertEqual(plans["stretches.cpp:5"][1], 0)

    def test_ordered_is_program_order(self):
        self.assertRegex(self.same_everywhere("program_order"), r"^same same keys=\d+\n$")

    def test_an_exception_is_the_first_in_serial_order_and_leaves_containers_usable(self):
        output = self.same_everywhere("faults", "throws")
        self.assertRegex(output, r"^iteration \d*123 at faults.cpp:22: names its rank\nsum=1999000 x\[1999\]=1999\n$")

    def test_an_index_out_of_range_is_a_loop_error(self):
        self.assertIn("iteration 77 at faults.cpp:22", self.same_everywhere("faults", "range"))
        self.assertIn("iteration 78 at faults.cpp:22", self.same_everywhere("faults", "negative"))
        self.assertIn("index -22 is out of range: `x` has 2000 elements", run("faults", 2, 1, "negative").stderr)

    def test_a_reduction_that_shares_memory_with_another_capture_is_refused(self):
        sums = "1999000 2000\n"
        self.assertEqual(self.same_everywhere("second_names", "none"), sums)
        self.assertEqual(self.same_everywhere("second_names", "variable"),
                         "second_names.cpp:10: `a` and `b` are one variable, or parts of one, and the loop folds into "
                         "it: capture it once\n" + sums)
        self.assertEqual(self.same_everywhere("second_names", "element"),
                         "second_names.cpp:23: `a` is an element of `x`, which the loop captures too: fold into a "
                         "variable\n" + sums)

    def test_a_touch_that_reconnaissance_missed_is_never_silent(self):
        by_waves = {"options": ["--in-place", "never"]}  # in program order, all touches are right
        self.assertRegex(self.same_everywhere("faults", "stray", **by_waves), r"^iteration \d+ at")
        self.assertIn("not touched in reconnaissance", run("faults", 1, 1, "stray", **by_waves).stderr)

    def test_draws_are_those_of_the_iteration_whoever_runs_it(self):
        output = self.same_everywhere("draws")
        drawn = re.findall(r"(?m)^drawn .*$", output)
        self.assertEqual(len(set(drawn)), 3, "each loop draws other numbers")
        for line in drawn:
            self.assertAlmostEqual(float(line.rpartition("=")[2]), 500, delta=60)
        serial = run("draws", 1, 1, options=["--serial"]).stdout
        self.assertEqual(re.findall(r"(?m)^drawn .*$", serial), drawn, "in program order")

    def test_a_loop_draws_anew_at_each_call_and_by_each_seed(self):
        scattered = re.findall(r"scattered (\w+)", run("draws", 1, 2).stdout)
        self.assertEqual(len(set(scattered)), 2)
        self.assertNotEqual(run("draws", 1, 2, options=["--seed", "1"]).stdout, run("draws", 1, 2).stdout)
        self.assertNotEqual(run("draws", 1, 2, "1").stdout, run("draws", 1, 2, "0").stdout, "after another loop")

    def test_the_streams_of_the_seed_are_known_before_main(self):
        drawn = []
        for seed in ("0", "7"):
            before, now = re.search(r"outside (\w+) (\w+)", run("draws", 1, 1, options=["--seed", seed]).stdout).groups()
            self.assertEqual(before, now)
            drawn.append(now)
        self.assertNotEqual(*drawn)

    def test_waves_keep_to_the_order_of_the_program(self):
        for model in ("async", "ordered"):
            self.assertRegex(self.same_everywhere("waves", model), r"^wrong=0 sum=[1-9]\d*\n$")

    def test_a_plan_for_one_model_is_not_taken_for_another(self):
        self.assertEqual(self.same_everywhere("models"), "wrong=0\n")

    @about_plans
    def test_waves_are_planned_where_blocks_would_not_run_at_the_same_time(self):
        for model in ("async", "ordered"):
            stats = self.statistics("waves", 3, 2, model)
            loop, = stats["loops"]
            self.assertEqual(loop["planner"], "waves")
            self.assertLessEqual(loop["plans"], 2, "parts of a thread that is late may be dealt anew once")
            self.assertGreater(loop["levels"], 10)
            self.assertGreater(loop["parallelism"], 10)
            self.assertGreater(min(rank["iterations"] for rank in stats["ranks"]), 0)

    def test_a_chain_of_neighbouring_iterations_is_not_planned_for_waves(self):
        for threads in (1, 2):
            loop, = self.statistics("paced", 1, threads, "chain")["loops"]
            self.assertEqual((loop["planner"], loop["plans"]), ("program order", 0))

    @about_plans
    def test_iterations_that_touch_nothing_do_not_make_blocks_of_those_that_do(self):
        for kind, plans in (("never", 0), ("most", 0), ("first", 0), ("later", 1)):
            self.assertRegex(self.same_everywhere("idle", kind), r"^sum=\S+ bits=\w+\n$")
            loop, = self.statistics("idle", 1, 1, kind)["loops"]
            self.assertEqual((kind, loop["planner"], loop["plans"]), (kind, "program order", plans))

    def test_iterations_that_never_meet_run_side_by_side_in_place(self):
        for options in ([], ["--in-place", "never"]):
            self.assertEqual(self.same_everywhere("disjoint", "apart", options=options), "wrong=0,0\n")
            self.assertEqual(self.same_everywhere("disjoint", "changes", options=options), "wrong=0\n")
            self.assertEqual(self.same_everywhere("disjoint", "bytes", options=options), "wrong=0\n")
            self.assertEqual(self.same_everywhere("disjoint", "throws", options=options),
                             "iteration 700\niteration 300\nwrong=0\n")

    def test_fewer_iterations_than_threads_run_side_by_side(self):
        done = run("disjoint", 1, 4, "few", options=["--in-place", "never"])
        self.assertEqual((done.stdout, done.returncode), ("wrong=0\n", 0), done.stderr)

    @about_plans
    def test_one_pair_of_iterations_that_meet_keeps_all_in_program_order(self):
        loops = self.statistics("disjoint", 1, 2, "apart", options=["--in-place", "never"])["loops"]
        plans = {loop["site"][-1]: (loop["planner"], loop["plans"]) for loop in loops}
        apart = ("disjoint", 1)
        self.assertEqual(plans, {"1": apart, "2": apart, "3": ("waves", 1), "4": apart})
        loop, = self.statistics("disjoint", 1, 2, "changes", options=["--in-place", "never"])["loops"]
        self.assertGreater(loop["plans"], 3)

    def test_blocks_that_share_no_group_also_run_in_the_order_of_the_index(self):
        self.assertEqual(self.same_everywhere("by_index", "sums"), "wrong=0\n")
        self.assertRegex(self.same_everywhere("by_index", "throws"), r"^(ended\niteration \d+\n){4}$")
        self.assertEqual(run("by_index", 1, 1, "order").stdout, "in order=0\nin order=1\n")
        alone = run("by_index", 1, 1, "order", options=["--in-place", "never"])
        self.assertEqual(alone.stdout, "in order=0\nin order=0\n")

    def test_in_waves_too_the_first_failure_is_reported_and_no_touch_is_missed(self):
        for model in ("async", "ordered"):
            self.assertRegex(self.same_everywhere("waves", model, "throws"), r"^iteration 700\n")
            for ranks, threads in SHAPES[:4]:
                said = run("waves", ranks, threads, model, "throws").stderr
                before, after = map(int, re.search(r"before=(\d+) after=(\d+)", said).groups())
                self.assertEqual(before, 700, "iterations before it run")
                self.assertLess(after, 500, "of 2299, those of waves that had begun")
        self.assertRegex(self.same_everywhere("waves", "async", "stray"), r"^iteration \d+\n")
        self.assertIn("of `rows` was not touched in reconnaissance", run("waves", 1, 2, "async", "stray").stderr)

    def test_transactions_leave_the_same_bits_everywhere(self):
        self.assertRegex(self.same_everywhere("transactions", "sets"), r"^sets=\w{16} sum=0x\S+\n$")
        self.assertRegex(self.same_everywhere("transactions", "chain"), r"^chain=3000 last=\d+\n$")
        self.assertRegex(self.same_everywhere("transactions", "keys"), r"^keys=700 hash=\w{16}( 0x\S+){8}\n$")

    def test_transactions_end_in_the_bits_of_program_order(self):
        for kind in ("sets", "chain", "keys", "throws", "range", "walks"):
            in_order = run("transactions", 1, 1, kind, options=["--serial"])
            self.assertEqual(in_order.returncode, 0, in_order.stderr)
            for way in ("auto", "never"):
                for ranks, threads in SHAPES:
                    done = run("transactions", ranks, threads, kind, options=["--in-place", way])
                    self.assertEqual(done.stdout, in_order.stdout, f"{kind}, {way} on {ranks}x{threads}: {done.stderr}")

    def test_the_serial_order_of_transactions_is_proven(self):
        for kind in ("sets", "keys", "walks"):
            output = run("transactions", 1, 1, kind).stdout
            for ranks, threads in ((1, 2), (2, 2)):
                options = ["--check", "conflicts", "--in-place", "never"]
                done = run("checked_transactions", ranks, threads, kind, options=options)
                self.assertEqual((done.returncode, done.stdout), (0, output), f"{kind} on {ranks}x{threads}: {done.stderr}")

    def test_sums_of_transactions_are_grouped_alike_in_place_and_in_rounds(self):
        in_place = self.same_everywhere("transactions", "sums")
        for ranks, threads in SHAPES:
            self.assertEqual(run("transactions", ranks, threads, "sums", options=["--in-place", "never"]).stdout, in_place)

    def test_of_transactions_the_first_failure_is_reported(self):
        self.assertRegex(self.same_everywhere("transactions", "throws"), r"^iteration 1500 at .*\nsets=\w+ sum=0x0p\+0\n$")
        self.assertRegex(self.same_everywhere("transactions", "range"), r"^iteration 899 at .*\nsets=\w+ sum=0x0p\+0\n$")

    def stats_of_transactions(self, threads, way):
        loop, = self.statistics("transactions", 1, threads, "sets", options=["--in-place", way])["loops"]
        self.assertEqual((loop["planner"], loop["iterations"]), ("transactions", 20000))
        return loop

    @about_plans
    def test_transactions_say_how_they_ran(self):
        alone = self.stats_of_transactions(1, "auto")
        self.assertEqual((alone["rounds"], alone["retries"], alone["parallelism"]), (0, 0, 1))
        rounds = self.stats_of_transactions(2, "never")
        self.assertGreater(rounds["rounds"], 0)
        self.assertGreater(rounds["retries"], 0)
        self.assertGreater(rounds["parallelism"], 2)

    def assert_stray(self, kind, model, found, shapes=STRAY_SHAPES):
        """The run ends at the line of strays.cpp that ends in `stray: KIND`."""
        line = next(number for number, text in enumerate(STRAYS, 1) if text.endswith(f"// stray: {kind}"))
        for ranks, threads in shapes:
            done = run("strays", ranks, threads, kind, model)
            self.assertNotIn("survived", done.stdout)
            self.assertEqual(done.returncode, 134, f"{kind} {model}: {done.stderr}")
            self.assertRegex(done.stderr, rf"(?m)^\S*strays.cpp:{line}: error: iteration 17 {re.escape(found)}$")

    def test_a_check_build_ends_at_an_access_that_its_sets_do_not_hold(self):
        self.assert_stray("element", "async", "touches element 42 of `P`, which its read and write sets do not hold")
        self.assert_stray("key", "async", "inserts a key into `M`, which its read and write sets do not hold")

    def test_a_stray_access_of_unknown_place_is_reported_at_its_loop(self):
        for ranks, threads in STRAY_SHAPES:
            done = run("strays", ranks, threads, "pair", "async")
            self.assertEqual(done.returncode, 134, done.stderr)
            self.assertRegex(done.stderr, r"(?m)^strays.cpp:20: error: iteration 17 inserts a key into `M`, which its read and")

    def test_a_plan_gets_new_elements_and_is_not_made_anew(self):
        X = [1] * 2000
        P = [0] * 100

        def scatter():
            for j in range(2000):
                P[j * 7 % 100] += X[j]

        scatter()
        X = [1 + j for j in range(2000)]
        scatter()
        X[3] = 1000
        scatter()
        scatter()
        self.assertEqual(self.same_everywhere("refreshed").split(), [str(p) for p in P])
        with tempfile.TemporaryDirectory() as folder:
            for ranks, threads in SHAPES:
                path = os.path.join(folder, "stats")
                self.assertEqual(run("refreshed", ranks, threads, options=["--stats", path]).returncode, 0)
                with open(path, encoding="utf-8") as file:
                    loops = {loop["site"]: loop for loop in json.load(file)["loops"]}
                self.assertEqual(loops["refreshed.cpp:18"]["plans"], 1, f"{ranks} ranks")

    def test_captured_values_are_those_of_the_launch_on_every_rank(self):
        self.assertEqual(self.same_everywhere("captured_values"), "wrong=0\n")

    @about_plans
    def test_the_driver_reads_captured_values_in_place(self):
        for threads in (1, 2):
            self.assertEqual(run("captured_values", 1, threads, "place").stdout, "in place=1000\n")

    @about_plans
    def test_captured_values_are_sent_once_and_again_after_a_change(self):
        size = 8 + 4 * 2**20
        rest = 8  # the number of an iteration
        wanted = {"first": size + rest, "again": rest, "changed": size + rest, "copy": rest, "after a failure": size + rest,
                  "two": size, "two again": 0, "swapped": 0, "of another loop": rest, "destroyed": 3 * (size + rest),
                  "global": 400000, "global of another loop": 400000, "global as before": 400000, "global unchanged": 0,
                  "scatter": 3 * (8 + 4 * 3000)}
        for ranks in (1, 2, 3):
            on_all_ranks = ["--in-place", "never"]  # short loops may run on the driver's rank alone
            statistics = self.statistics("captured_values", ranks, 1, options=on_all_ranks)
            loops = {loop["label"]: loop for loop in statistics["loops"]}
            sent = {label: loops[label]["captured_bytes"] for label in wanted}
            self.assertEqual(sent, {label: (ranks - 1) * size for label, size in wanted.items()})
            if ranks > 1:
                self.assertEqual(loops["scatter"]["plans"], 3, "other places, another plan")

    @about_plans
    def test_large_captured_values_are_sent_once_a_loop_is_long_enough(self):
        size = 1000 * 8 * 1000

        def seen():
            statistics = self.statistics("late_values", 2, 1)
            sent = {loop["label"]: loop["captured_bytes"] for loop in statistics["loops"]}
            iterations = [rank["iterations"] for rank in statistics["ranks"]]
            return (sent["short"] == 0 and sent["long"] > size and sent["cut"] > size and min(iterations) > 150 and
                    sent["first of many"] == 0 and size < sent["others of many"] < 2 * size)

        self.assert_mostly(seen, "short loops send nothing, others their values once")

    def test_a_loop_that_runs_on_one_rank_and_then_on_all_has_the_same_bits(self):
        sent_at_once = self.same_everywhere("late_values", options=["--in-place", "never"])
        self.assertEqual(self.same_everywhere("late_values"), sent_at_once)
        self.same_everywhere("late_values", "fails")

    def test_large_captured_values_pass_through_a_file_of_memory_not_through_messages(self):
        options = ["--in-place", "never"]
        statistics = self.statistics("captured_values", 2, 1, options=options)
        captured = sum(loop["captured_bytes"] for loop in statistics["loops"])
        self.assertLess(statistics["ranks"][0]["bytes_sent"], captured / 2)
        sockets = self.statistics("captured_values", 2, 1, options=[*options, "--shared-memory", "0"])
        self.assertGreater(sockets["ranks"][0]["bytes_sent"], captured)

    def test_synchronous_loops_over_small_elements_lose_none(self):
        self.assertEqual(self.same_everywhere("small_elements"), "wrong=0\n")

    def test_elements_that_were_never_written_need_no_transfer(self):
        self.assertEqual(self.same_everywhere("unwritten"), "wrong=0\n")
        statistics = self.statistics("unwritten", 2, 1, "once", options=["--in-place", "never"])
        sent = [rank["bytes_sent"] for rank in statistics["ranks"]]
        self.assertLess(sum(sent), 100000, "half of the elements take 400000 bytes")
        self.assertGreater(min(rank["iterations"] for rank in statistics["ranks"]), 0)

    def test_only_changed_pages_of_a_container_that_all_ranks_read_are_sent_again(self):
        size = 4 * 1_000_003
        for way, most in (("few", 1.5 * size), ("loop", 2 * size), ("all", 5 * size)):
            options = ["--in-place", "never"]
            self.assertEqual(self.same_everywhere("changed_pages", way, options=options), run("changed_pages", 1, 1, way).stdout)
            statistics = self.statistics("changed_pages", 2, 1, way, options=options)
            sent = sum(rank["bytes_sent"] for rank in statistics["ranks"])
            kept = sum(rank["bytes_unchanged"] for rank in statistics["ranks"])
            self.assertLess(sent, most, way)
            self.assertEqual(kept, sum(loop["bytes_unchanged"] for loop in statistics["loops"]))
            (self.assertEqual if way == "all" else self.assertGreater)(kept, 0 if way == "all" else 2 * size)

    def test_elements_that_a_plan_has_alone_are_there_for_whoever_looks(self):
        self.assertEqual(self.same_everywhere("plan_layout"), "wrong=0\n")

    @about_plans
    def test_four_ranks_take_less_memory_each_than_one_although_the_program_reads_all(self):
        peaks = {}
        for ranks in (1, 4):
            command = [f"{BIN}/stradsap-run", "-n", str(ranks), "--threads", "1", "--no-prefix", f"{BIN}/program_memory"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run_of_all:
                output = run_of_all.stdout.read()
                _, status, used = os.wait4(run_of_all.pid, 0)  # ru_maxrss: of the rank with the most
                run_of_all.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual((run_of_all.returncode, output), (0, "model=3f5c01f79345f9b4\n"))
            peaks[ranks] = used.ru_maxrss
        self.assertLess(peaks[4], 0.5 * peaks[1], f"kilobytes: {peaks}")

    def test_all_ranks_have_what_a_loop_has_written_whatever_happens_between(self):
        self.assertEqual(self.same_everywhere("broadcast"), "wrong=0\n")

    def test_a_check_build_knows_aligned_containers_and_those_only_read_under_every_model(self):
        # on two threads the body has a race, and the thread sanitizer may see it first
        shapes = [(2, 1)] if SANITIZED == "thread" else STRAY_SHAPES
        for model in ("async", "sync", "ordered"):
            self.assert_stray("aligned", model,
                              "touches element 18 of `own`, which its read and write sets do not hold")
            self.assert_stray("changed", model, "changes element 17 of `weight`, which the loop only reads", shapes)
        self.assert_stray("twice", "async", "changes element 17 of `weight`, which the loop only reads", shapes)

    def test_a_check_build_runs_what_is_right(self):
        for model in ("async", "sync", "ordered"):
            self.assertEqual(self.same_everywhere("strays", "none", model), "survived\n")

    @unittest.skipUnless("address" in SANITIZED, "the address sanitizer sees it as it happens")
    def test_a_change_that_no_view_saw_is_stopped_by_poison(self):
        line = next(number for number, text in enumerate(UNSEEN, 1) if "*kept.load() += 1" in text)
        for ranks, threads in ((1, 1), (1, 2), (2, 1), (2, 2)):
            done = run("unseen", ranks, threads, "stale in order")
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rf"(?m)^\S*unseen.cpp:{line}: error: iteration 40 touches element 17 of `P` through a")

    @unittest.skipIf("address" in SANITIZED, "poison stops it before")
    def test_a_change_that_no_view_saw_ends_a_run_under_check(self):
        line = next(number for number, text in enumerate(UNSEEN, 1) if text.endswith("// the only access"))
        # on two threads the body has a race, and the thread sanitizer may see it first
        shapes = ((1, 1), (2, 1)) if SANITIZED == "thread" else ((1, 1), (1, 2), (2, 1), (2, 2))
        for ranks, threads in shapes:
            done = run("unseen", ranks, threads, "stale", options=["--check", "conflicts"])
            self.assertEqual(done.returncode, 134, done.stderr)
            place = rf"\S*unseen.cpp:{line}"
            self.assertRegex(done.stderr, rf"(?m)^{place}: error: iteration 57 \({place}\) does not find element 17 of "
                                          rf"`P` as iteration 37 \({place}\) left it$")
            self.assertEqual(run("unseen", ranks, threads, "stale").returncode, 0)

    def test_a_captured_value_that_the_loop_changes_ends_a_run_under_check(self):
        for ranks, threads in ((1, 1), (1, 2)):  # of two ranks the other one may run the iteration, on its own value
            done = run("unseen", ranks, threads, "part", options=["--check", "conflicts"])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("unseen.cpp:part: a captured value has changed while the loop ran", done.stderr)
            done = run("unseen", ranks, threads, "another", options=["--check", "conflicts"])
            self.assertEqual((done.returncode, done.stdout), (0, "size=3\n"), done.stderr)

    def test_a_check_build_refuses_reads_of_what_is_only_added(self):
        for model in ("async", "ordered"):
            self.assert_stray("read", model, "reads element 3 of `sums`, which the loop only adds into")

    def test_orders_that_are_proven_are_written_and_the_same_everywhere(self):
        outputs = set()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "orders")
            for ranks, threads in SHAPES:
                done = run("unseen", ranks, threads, "", options=["--check", "conflicts", "--check-order", path])
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(path, encoding="utf-8") as file:
                    outputs.add((done.stdout, file.read()))
        self.assertEqual(len(outputs), 1)
        order = json.loads(outputs.pop()[1])
        self.assertEqual((order["launch"], sorted(order["order"])), (1, list(range(60))))

    def test_conflicts_are_checked_in_check_builds_only(self):
        done = run("pairs", 1, 1, options=["--check", "conflicts"])
        self.assertEqual(done.returncode, 134)
        self.assertIn("pairs.cpp:1: conflicts are checked in a check build: compile with stradsap-cc --check", done.stderr)

    @about_plans
    def test_a_plan_is_kept_while_the_fields_that_it_depends_on_stay(self):
        for written, plans in (("2", 1), ("1", 3)):
            for ranks in (1, 2):
                loops = {loop["site"]: loop for loop in self.statistics("fields", ranks, 1, written)["loops"]}
                self.assertEqual(loops["fields.cpp:16"]["plans"], plans, f"fields {written}, {ranks} ranks")

    def test_a_mistyped_variable_is_noticed(self):
        done = subprocess.run([f"{BIN}/program_pairs"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "STRADSAP_THREDS": "2"})
        self.assertIn("warning: STRADSAP_THREDS is not a variable of StradsAP; did you mean STRADSAP_THREADS?", done.stderr)

    def test_no_fault_is_no_error(self):
        self.assertIn("no error\n", self.same_everywhere("faults", "none"))


@about_plans
class Simulation(unittest.TestCase):
    """Every strategy of a loop has a prediction; examples/test_simulate.py tests those of block plans."""

    def predict(self, name, *args, shape="4x2", options=()):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stats.json")
            done = run(name, 1, 1, *args, options=["--simulate", shape, "--stats", path, *options])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, run(name, 1, 1, *args).stdout)
            with open(path, encoding="utf-8") as file:
                return [{**loop, **loop["simulated"]} for loop in json.load(file)["loops"]], done.stderr

    def test_waves_use_at_most_as_many_threads_as_they_have_parts(self):
        loops, _ = self.predict("waves", "async", shape="1x256")
        (loop,) = [loop for loop in loops if loop["planner"] == "waves"]
        self.assertEqual(loop["threads_used"], 64)
        self.assertGreater(loop["speedup"], 1)
        self.assertLess(loop["speedup"], 64)

    def test_an_ordered_loop_on_one_thread_says_why(self):
        loops, errors = self.predict("program_order")
        alone = [loop for loop in loops if loop["limit"] == "one thread"]
        self.assertTrue(alone)
        for loop in alone:
            self.assertIn("runs on one thread only: an ordered loop ", loop["advice"])
            self.assertIn(loop["advice"], errors)
            self.assertLessEqual(loop["speedup"], 1)

    def test_an_ordered_loop_is_planned_for_the_threads_that_are_simulated(self):
        loops, _ = self.predict("waves", "ordered")
        self.assertEqual([loop["planner"] for loop in loops], ["waves"])
        loops, _ = self.predict("waves", "ordered", shape="1x1")
        self.assertEqual([loop["planner"] for loop in loops], ["none"])

    def test_batches_have_as_many_threads_as_shards(self):
        loops, _ = self.predict("batches", shape="64x16,inf,0us")
        batches = [loop for loop in loops if loop["planner"] == "none"]
        self.assertTrue(batches)
        for loop in batches:
            self.assertLessEqual(loop["threads_used"], 16)
            self.assertGreaterEqual(loop["seconds"], loop["seconds_critical_path"])


if __name__ == "__main__":
    unittest.main()
