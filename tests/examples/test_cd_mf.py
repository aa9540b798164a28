"""Coordinate descent prints the original's digits and its model's hash, at every number of ranks and threads."""

import unittest

from example_case import ExampleTest

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 2)]  # ranks, threads of each
PASSES = 3


class CoordinateDescent(ExampleTest):
    passes_option = "--iterations"

    def setUp(self):
        super().setUp()
        self.data = self.make_ratings(count=20000)

    def original(self, data, rank=16):
        return self.fit_original(data, PASSES, rank=rank, name="cd_mf_original")

    def assert_original_at_every_shape(self, data, rank=16):
        wanted = self.original(data, rank)
        for ranks, threads in SHAPES:
            found = self.fit("cd_mf", data, PASSES, rank=rank, ranks=ranks, threads=threads)
            self.assertEqual(found, wanted, f"{ranks} ranks x {threads} threads, rank {rank}, {data}")

    def test_every_shape_is_the_original_to_the_bit(self):
        for rank in (8, 64):
            self.assert_original_at_every_shape(self.data, rank)

    def test_with_inner_iterations_too(self):
        self.assert_original_at_every_shape([*self.data, "--inner", "3"])

    def test_also_where_some_users_and_items_have_no_ratings(self):
        train, test = self.data[1], self.data[3]
        with open(test, "a", encoding="utf-8") as file:
            file.write("900 700 1\n")
        with open(train, "a", encoding="utf-8") as file:
            file.write("800 600 1\n")
        self.assert_original_at_every_shape(self.data)

    def test_in_program_order_and_without_a_launcher(self):
        wanted = self.original(self.data)
        self.assertEqual(self.fit("cd_mf", self.data, PASSES, options=["--serial"]), wanted)
        self.assertEqual(self.fit_original(self.data, PASSES, name="cd_mf"), wanted)

    def test_plans_that_are_not_kept_change_nothing(self):
        wanted = self.original(self.data)
        self.assertEqual(self.fit("cd_mf", self.data, PASSES, ranks=2, options=["--plan-cache", "0"]), wanted)

    def test_a_check_build_finds_no_stray_access(self):
        wanted = self.original(self.data)
        for ranks, threads in ((1, 1), (1, 2), (2, 1)):
            self.assertEqual(self.fit("cd_mf_checked", self.data, PASSES, ranks=ranks, threads=threads), wanted)

    def test_the_model_depends_on_the_seed_and_on_the_inner_iterations(self):
        hashes = [self.original([*self.data, *more]).hash for more in ([], ["--seed", "2"], ["--inner", "2"])]
        self.assertEqual(len(set(hashes)), 3)


if __name__ == "__main__":
    unittest.main()
