"""The same facts on real ratings, where they lie beside the checkout (../shared/data/ratings)."""

import os
import sys
import unittest

from example_case import ROOT, SHAPES, ExampleTest

FOLDER = os.path.join(os.path.dirname(ROOT), "shared", "data", "ratings")
DATA = ["--ratings", os.path.join(FOLDER, "train.txt"), "--test", os.path.join(FOLDER, "test.txt")]


@unittest.skipUnless(os.path.isdir(FOLDER), f"there is no {FOLDER}")
class RealRatings(ExampleTest):
    def test_all_shapes_agree_and_the_model_is_as_good_as_the_original_s(self):
        models = [self.fit("sgd_mf", DATA, 8, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        for shape, model in zip(SHAPES, models):
            self.assertEqual(model, models[0], f"{shape} ranks x threads")
        original, found = self.fit_original(DATA, 20), self.fit("sgd_mf", DATA, 20, ranks=2)
        self.assertEqual(found.passes[:8], models[0].passes)
        for epochs in (8, 20):
            self.assert_close(found, original, epochs)

    def test_coordinate_descent_is_its_original_to_the_bit(self):
        self.passes_option = "--iterations"
        wanted = self.fit_original(DATA, 3, name="cd_mf_original")
        for ranks, threads in ((1, 2), (2, 1), (3, 1)):
            self.assertEqual(self.fit("cd_mf", DATA, 3, ranks=ranks, threads=threads), wanted, (ranks, threads))


if __name__ == "__main__":
    if not os.path.isdir(FOLDER):
        print(f"SKIPPED: there is no {FOLDER}", file=sys.stderr)
    unittest.main()
