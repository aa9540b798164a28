"""A kept plan is the plan that would be made anew: the same sets and the same bits. test_programs.py
runs the other examples without kept plans."""

import json
import os
import unittest

from example_case import ExampleTest

EPOCHS = 4


class PlanCache(ExampleTest):
    def fit_and_count(self, name, data, cache, **shape):
        path = os.path.join(self.folder, f"{name}-{cache}.json")
        # else short loops may run on the driver's rank, without a plan
        options = ["--stats", path, "--plan-cache", str(cache), "--in-place", "never"]
        model = self.fit(name, data, EPOCHS, options=options, **shape)
        with open(path, encoding="utf-8") as file:
            return model, {loop["site"]: loop for loop in json.load(file)["loops"]}

    def test_plans_that_are_kept_hold_the_sets_of_new_ones(self):
        data = self.make_ratings()
        for ranks, threads in ((1, 2), (2, 1)):
            kept, with_cache = self.fit_and_count("sgd_mf", data, 1, ranks=ranks, threads=threads)
            anew, without = self.fit_and_count("sgd_mf", data, 0, ranks=ranks, threads=threads)
            self.assertEqual(kept, anew)
            self.assertEqual(len(with_cache), 2)
            for site, loop in with_cache.items():
                self.assertEqual((loop["plans"], without[site]["plans"]), (1, EPOCHS), site)
                self.assertEqual(loop["sets_hash"], without[site]["sets_hash"], site)
            self.assertEqual(sum(int(loop["sets_hash"], 16) != 0 for loop in with_cache.values()), 1,
                             "one loop writes at computed places")

    def test_the_sets_do_not_depend_on_who_records_them(self):
        data = self.make_ratings()
        hashes = [{site: loop["sets_hash"] for site, loop in self.fit_and_count("sgd_mf", data, 1, ranks=ranks)[1].items()}
                  for ranks in (1, 2, 3)]
        self.assertEqual(hashes[0], hashes[1])
        self.assertEqual(hashes[0], hashes[2])

    def test_an_example_without_computed_places_records_no_sets(self):
        # That its plans change nothing is a fact of test_cd_mf.py.
        path = os.path.join(self.folder, "stats.json")
        done = self.run_program("cd_mf", *self.make_ratings(), "--rank", "8", "--iterations", "2", ranks=2,
                                options=["--stats", path])
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            loops = json.load(file)["loops"]
        self.assertEqual([int(loop["sets_hash"], 16) for loop in loops], [0] * 4)


if __name__ == "__main__":
    unittest.main()
