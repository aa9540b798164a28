"""A check build of an example finds no stray access and ends in the same bits."""

import unittest

from example_case import ExampleTest


class CheckBuild(ExampleTest):
    def test_it_computes_what_the_ordinary_build_does(self):
        data = self.make_ratings(count=10000)
        wanted = self.fit("sgd_mf", data, 3)
        for ranks, threads in ((1, 1), (1, 2), (2, 1)):
            self.assertEqual(self.fit("sgd_mf_checked", data, 3, ranks=ranks, threads=threads), wanted)

    def test_also_in_program_order(self):
        data = self.make_ratings(count=10000)
        self.assertEqual(self.fit("sgd_mf_checked", data, 3, options=["--serial"]),
                         self.fit("sgd_mf", data, 3, options=["--serial"]))


if __name__ == "__main__":
    unittest.main()
