"""Loops for which a plan would cost more than it saves are planned little, or not at all."""

import re
import unittest

from programs_case import ProgramsCase, run


class LittlePlanning(ProgramsCase):
    def seen(self, what, *args):
        """A number that the program prints on one thread, where nothing else decides it."""
        done = run("little_planning", 1, 1, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.search(rf"{what}=(\d+)", done.stderr).group(1))

    def plans(self, *args, threads=2):
        (loop,) = self.statistics("little_planning", 1, threads, *args)["loops"]
        return loop["planner"], loop["plans"]

    def test_the_first_call_that_fills_a_map_leaves_the_bits_of_program_order(self):
        expected = run("little_planning", 1, 1, "fills", options=["--serial"]).stdout
        self.assertEqual(self.same_everywhere("little_planning", "fills"), expected)
        self.same_everywhere("little_planning", "fills", "3")
        self.same_everywhere("little_planning", "many")

    def test_the_first_call_that_fills_a_map_is_not_planned(self):
        self.assertEqual(self.plans("fills"), ("program order", 0))
        self.assertEqual(self.plans("fills", threads=1), ("program order", 0))
        self.assertLess(self.seen("inspected", "fills"), 20)
        self.assertEqual(self.plans("fills", "3"), ("blocks", 1), "later calls find the keys")
        self.assertEqual(self.plans("many")[1], 1, "many executors would lose too much")

    def test_long_iterations_of_a_short_loop_are_hardly_sampled_for_one_thread(self):
        self.same_everywhere("little_planning", "grid")
        self.assertLess(self.seen("inspected", "grid"), 10)

    def test_a_sample_of_all_iterations_serves_the_plan(self):
        self.same_everywhere("little_planning", "rows")
        self.assertEqual(self.plans("rows"), ("blocks", 1))
        self.assertEqual(self.seen("inspected", "rows"), 400)

    def test_one_thread_adds_whole_numbers_into_the_container_itself(self):
        self.assertEqual(self.same_everywhere("little_planning", "adds"), "wrong=0\n")
        self.assertLess(self.seen("grown", "adds"), 1600, "KiB, of a container of 256 KiB")


if __name__ == "__main__":
    unittest.main()
