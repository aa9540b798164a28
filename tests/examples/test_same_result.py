"""The example prints the same at every number of ranks and threads, and its model is as good as the original's."""

import unittest

from example_case import SHAPES, ExampleTest


class SameResult(ExampleTest):
    def test_every_shape_prints_the_same_digits_and_the_same_hash(self):
        data = self.make_ratings()
        for rank in (8, 64):
            models = [self.fit("sgd_mf", data, 4, rank=rank, ranks=ranks, threads=threads)
                      for ranks, threads in SHAPES]
            for shape, model in zip(SHAPES, models):
                self.assertEqual(model, models[0], f"{shape} ranks x threads, rank {rank}")

    def test_loops_of_every_kind_print_the_same_bits_and_have_a_proven_order(self):
        outputs = {shape: self.run_program("kinds", ranks=shape[0], threads=shape[1]) for shape in SHAPES}
        for shape, done in outputs.items():
            self.assertEqual(done.status, 0, done.errors)
            self.assertEqual(done.output, outputs[1, 1].output, f"{shape} ranks x threads")
        self.assertEqual(outputs[1, 1].output.count("\n"), 24)
        for ranks, threads in ((2, 2), (3, 1)):
            done = self.run_program("kinds_checked", ranks=ranks, threads=threads, options=["--check", "conflicts"])
            self.assertEqual((done.status, done.output), (0, outputs[1, 1].output), done.errors)

    def test_a_launcher_is_not_needed(self):
        data = self.make_ratings()
        self.assertEqual(self.fit_original(data, 3, name="sgd_mf"), self.fit("sgd_mf", data, 3, ranks=2))

    def test_the_hash_and_the_digits_depend_on_the_seed(self):
        data = self.make_ratings()
        first, other = (self.fit("sgd_mf", [*data, "--seed", seed], 2, ranks=2) for seed in ("1", "2"))
        self.assertNotEqual(first.hash, other.hash)
        self.assertNotEqual(first.passes, other.passes)

    def test_in_program_order_it_is_the_original_to_the_bit(self):
        data = self.make_ratings()
        self.assertEqual(self.fit("sgd_mf", data, 5, options=["--serial"]), self.fit_original(data, 5))

    def test_the_model_is_as_good_as_the_original_s_after_8_and_20_passes(self):
        data = self.make_ratings(users=1200, items=800, count=120000)
        original, found = self.fit_original(data, 20), self.fit("sgd_mf", data, 20, ranks=2, threads=1)
        self.assertNotEqual(found.hash, original.hash)  # another order of the same work: the bound means something
        for epochs in (8, 20):
            self.assert_close(found, original, epochs)


if __name__ == "__main__":
    unittest.main()
