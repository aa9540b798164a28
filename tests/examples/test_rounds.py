"""Lengths of rounds of stale containers (programs/rounds.cpp): automatic ones, and named ones that sums of fractions do not bear."""

import os
import subprocess
import tempfile
import unittest

from example_case import HERE, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1)]  # ranks, threads of each
PLACE = r"\S*rounds.cpp:\d+: "
ADVICE = r": take \{\.round = %s\}, merge::adaptive, or, if steps are so small that an element settles in u uses, merge::by_uses\(u\)"


class Rounds(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        source = os.path.join(HERE, "programs", "rounds.cpp")
        cls.binary = os.path.join(built.name, "rounds")
        subprocess.run([*quick_compiler("-std=c++20", "-O1"), source, "-o", cls.binary], check=True)

    def run_everywhere(self, kind):
        runs = [self.run_program(self.binary, kind, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        for done in runs:
            self.assertEqual((done.status, done.output), (0, runs[0].output), done.errors)
        return runs

    def test_steps_of_fractions_have_short_rounds_by_themselves(self):
        self.assertEqual(self.run_everywhere("lengths")[0].output, "1024 1024 32000 2000\n")

    def test_operators_and_replaced_values_keep_their_folds_in_rounds_and_calls(self):
        for done in self.run_everywhere("operators"):
            first, *others = done.output.splitlines()
            self.assertEqual(len(others), 16)
            self.assertEqual(set(others), {first})

    def test_a_named_round_with_too_many_steps_of_an_element_warns_and_says_what_to_write(self):
        for kind, text in (
                ("long", r"in a round of 32000 iterations about 10\d\d\d use element \d of `w`, and merge::sum adds up the steps of 16 "
                         "accumulators, which may overshoot" + ADVICE % r"(29|30)\d\d"),
                ("late", r"in a round of 1000 iterations about 3\d\d use element \d of `w`, times 5 for the bound, and merge::sum adds up "
                         "the steps of 16 accumulators, which may overshoot" + ADVICE % r"[56]\d\d"),
                ("two and late", "of `w`, times 3 for the bound, and merge::sum adds up the steps of 2 accumulators, which may overshoot")):
            for done in self.run_everywhere(kind):
                self.assertEqual(done.output, "done\n")
                self.assertRegex(done.errors, text)
                self.assertEqual(done.errors.count("accumulators"), 1)

    def test_a_named_round_far_beyond_is_refused(self):
        for kind in ("too long", "hottest"):
            for done in self.run_everywhere(kind):
                self.assertRegex(done.output, "^" + PLACE + r"in a round of 640000 iterations about 2\d{5} use element \d of `w`, and merge::sum "
                                 "adds up the steps of 16 accumulators, too many for a sum of fractions" + ADVICE % r"(29|30)\d\d" + "\n$")

    def test_other_merges_counts_additions_and_two_accumulators_bear_long_rounds(self):
        for done in self.run_everywhere("silent"):
            self.assertEqual((done.output, done.errors), ("done\n" * 8, ""))


if __name__ == "__main__":
    unittest.main()
