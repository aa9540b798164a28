"""stradsap::running (programs/running.cpp): sums that only their reads wait for, with the bits of others."""

import json
import os
import subprocess
import tempfile
import unittest

from example_case import HERE, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
BOUNDS = ("0", "1", "2", "5")
IN_TIME = "60"  # seconds, for a meeting that comes
IN_VAIN = "0.5"  # for one that does not
MISUSED = '''#include <stradsap/stradsap.hpp>
using namespace stradsap;
running<double> in_all;
struct stats { running<double> loss; long n = 0; };
int main() {
  dvector<double> x(10, 1.0);
  running<double> loss;
  stats all;
  parallel_for(10, [&x, &loss](int64_t j) { x[j] = loss; }, consistency::async);
  parallel_for(10, [&x](int64_t j) { x[j] = in_all; }, consistency::async);
  parallel_for(10, [&x, &all](int64_t j) { all.loss += x[j]; }, consistency::async);
}
'''


class Running(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        source = os.path.join(HERE, "programs", "running.cpp")
        cls.built = os.path.join(built.name, "built")
        subprocess.run([*quick_compiler("-std=c++20", "-O1", "-Wno-stradsap-unknown-function"), source, "-o", cls.built], check=True)

    def same_everywhere(self, *arguments):
        runs = [self.run_program(self.built, *arguments, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        for done in runs:
            self.assertEqual((done.status, done.output), (0, runs[0].output), done.errors)
        return runs[0].output

    def test_the_bits_of_a_running_sum_are_those_of_one_that_each_call_waits_for(self):
        for bound in BOUNDS:
            for every in ("24", "5", "1"):  # calls until the program reads it
                self.assertRegex(self.same_everywhere("reads", bound, every), r"^wrong=0 sum=0x\S+ most=\d+\n$")

    def test_running_numbers_may_be_copied_overwritten_or_end_before_calls_have_ended(self):
        self.assertEqual(self.same_everywhere("ends"), "256 320 69 0; 639 639 10080 x=52\n")

    def test_loops_of_all_models_fold_into_a_running_number_in_the_order_of_the_program(self):
        self.assertRegex(self.same_everywhere("others"), r"^wrong=0 sum=-?0x\S+\n$")

    def test_a_read_of_a_running_number_meets_the_exception_of_a_call_that_it_waits_for(self):
        for bound in BOUNDS:
            self.assertEqual(self.same_everywhere("throwing", bound), "64 192 caught 23 after 4; 192 12\n")

    def test_a_body_that_reads_a_running_number_or_folds_into_a_part_is_an_error_of_the_native_compiler(self):
        path = os.path.join(self.folder, "misused.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(MISUSED)
        done = subprocess.run([*quick_compiler("-std=c++20"), "-c", path], cwd=self.folder, capture_output=True, text=True,
                              timeout=240, check=False)
        self.assertNotEqual(done.returncode, 0)
        for line in (9, 10, 11):
            self.assertRegex(done.stderr, rf"misused.cpp:{line}:\d+:\s+required from here")
        reads = "a loop body reads a stradsap::running: read it into a number before the loop, and capture that"
        self.assertEqual(done.stderr.count(f"assertion failed: {reads}"), 2)
        self.assertIn("a loop folds into a stradsap::running that is a part of an array or struct: fold into one alone", done.stderr)

    def met(self, bound, awaited, seconds):
        """Whether the driver begins clock `awaited` while another rank is in clock 1."""
        path = os.path.join(self.folder, "progress")
        with open(path, "wb") as file:
            file.write(bytes(8))
        stats = os.path.join(self.folder, "stats.json")
        done = self.run_program(self.built, "straggler", bound, awaited, seconds, path, ranks=2, options=["--stats", stats])
        self.assertEqual(done.status, 0, done.errors)
        self.assertRegex(done.output, "^met=[01] sum=48\n$")
        with open(stats, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["loops"][0]["planner"], "clocks")
        return done.output.startswith("met=1")

    def test_the_driver_goes_as_far_ahead_as_without_a_sum(self):
        self.assertTrue(self.met("2", "3", IN_TIME))
        self.assertFalse(self.met("2", "4", IN_VAIN))

    def test_a_rank_that_dies_while_others_are_ahead_ends_the_run(self):
        for ranks in (2, 4):
            for bound in ("0", "3"):
                done = self.run_program(self.built, "dying", bound, ranks=ranks)
                self.assertNotEqual(done.status, 0)
                self.assertEqual(done.output, "")


if __name__ == "__main__":
    unittest.main()
