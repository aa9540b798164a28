"""A compiler that fuses products with sums may round differently in two copies of a text. Neither times nor ranks show it."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from example_case import HERE, ROOT, ExampleTest, quick_compiler

WAYS = [(1, 1, []), (1, 2, []), (2, 1, []), (1, 2, ["--in-place", "never"]), (2, 1, ["--in-place", "never"])]


class Fused(ExampleTest):
    def test_steps_in_main_have_the_same_bits_where_elements_are_elsewhere(self):
        with tempfile.TemporaryDirectory(prefix="st-") as folder:
            program = os.path.join(folder, "fused_main")
            source = os.path.join(HERE, "programs", "fused_main.cpp")
            subprocess.run([*quick_compiler("-O3", "-march=native"), source, "-o", program], check=True)
            for size in (("2000", "50", "100"), ("500", "20", "500")):
                runs = [self.run_program(program, *size, ranks=ranks, threads=threads, options=options)
                        for ranks, threads, options in [*WAYS, (3, 1, ["--in-place", "never"])]]
                self.assertEqual([(done.status, done.output) for done in runs], [(0, runs[0].output)] * len(runs), size)

    def check_bits(self, name, ways):
        for flags in ([], ["-ffast-math"]):
            with tempfile.TemporaryDirectory(prefix="st-") as folder:
                program = os.path.join(folder, name)
                source = os.path.join(HERE, "programs", f"{name}.cpp")
                subprocess.run([*quick_compiler("-O3", "-march=native", *flags), source, "-o", program], check=True)
                runs = [self.run_program(program, ranks=ranks, threads=threads, options=options)
                        for ranks, threads, options in ways]
                for done in runs:
                    self.assertEqual((done.status, done.output), (0, runs[0].output), flags)
                self.assertNotIn("other elements", runs[0].output, flags)

    def test_program_order_and_waves_leave_the_same_bits(self):
        self.check_bits("fused", WAYS)

    def test_elements_that_conditions_keep_from_rounds_leave_the_same_bits_inside_and_outside_of_windows(self):
        self.check_bits("fused_guarded", [*WAYS, (2, 2, []), (4, 1, []), (4, 1, ["--in-place", "never"])])

    def test_transactions_leave_the_same_bits_in_place_and_in_rounds_and_stay_in_place_where_sums_are_regrouped(self):
        self.check_bits("fused_transactions", [*WAYS, (1, 3, [])])

    def test_loops_that_would_need_a_plan_at_each_call_turn_to_program_order_where_sums_are_regrouped(self):
        with tempfile.TemporaryDirectory(prefix="st-") as folder:
            program, stats = (os.path.join(folder, name) for name in ("transe", "stats.json"))
            source = os.path.join(ROOT, "benchmarks", "transe", "flat.cpp")
            subprocess.run([*quick_compiler("-O3", "-march=native", "-ffast-math"), source, "-o", program], check=True)
            outputs = []
            for ranks, threads, _ in WAYS[:3]:
                done = self.run_program(program, "--passes", "12", ranks=ranks, threads=threads, options=["--stats", stats])
                self.assertEqual(done.status, 0, done.errors)
                outputs.append(re.sub(r"seconds=\S+", "", done.output))
                with open(stats, encoding="utf-8") as file:
                    loops = json.load(file)["loops"]
                self.assertLessEqual(max(loop["plans"] for loop in loops), 6, loops)
            self.assertEqual(outputs, [outputs[0]] * len(outputs))

    def test_ordered_loops_leave_the_same_bits_on_one_thread_and_by_waves(self):
        self.check_bits("fused_ordered", WAYS)

    def test_loops_over_known_subscripts_leave_the_same_bits_in_each_way_to_run_them(self):
        self.check_bits("packed_values", [*WAYS, (2, 2, []), (4, 1, [])])

    def test_vectorised_iterations_round_as_single_ones_wherever_a_loop_ends(self):
        self.check_bits("straight", [*WAYS, (1, 1, ["--serial"]), (1, 8, []), (2, 2, [])])

    def test_straight_bodies_read_captured_vectors_and_fold_alike_in_each_way_to_run_them(self):
        self.check_bits("straight_sums", [*WAYS, (1, 3, []), (1, 8, []), (2, 2, [])])


if __name__ == "__main__":
    unittest.main()
