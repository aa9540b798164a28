"""However the example was built, it computes the same; a build without the preprocessor never runs on many ranks."""

import unittest

from example_case import ExampleTest


class PlainBuild(ExampleTest):
    def test_it_runs_in_program_order(self):
        data = self.make_ratings()
        serial = self.fit("sgd_mf", data, 5, options=["--serial"])
        self.assertEqual(self.fit_original(data, 5, name="sgd_mf_plain"), serial)
        self.assertEqual(self.fit("sgd_mf_plain", data, 5, ranks=1), serial)
        self.assertNotEqual(self.fit("sgd_mf", data, 5).hash, serial.hash)

    def test_it_is_refused_on_two_ranks(self):
        done = self.run_program("sgd_mf_plain", *self.make_ratings(), ranks=2)
        self.assertEqual((done.status, done.output), (3, ""))
        self.assertIn("the program was not compiled with stradsap-cc", done.errors)


class TwoSteps(ExampleTest):
    def test_with_gcc_it_is_the_program_of_one_step(self):
        data = self.make_ratings()
        one_step = self.fit("sgd_mf", data, 4)
        for ranks, threads in ((1, 1), (2, 1), (1, 2)):
            self.assertEqual(self.fit("sgd_mf_gcc", data, 4, ranks=ranks, threads=threads), one_step)

    def test_with_clang_it_agrees_with_itself_to_the_bit_and_with_gcc_in_value(self):
        data = self.make_ratings()
        one_step, by_clang = self.fit("sgd_mf", data, 4), self.fit("sgd_mf_clang", data, 4)
        for ranks, threads in ((2, 1), (2, 2)):
            self.assertEqual(self.fit("sgd_mf_clang", data, 4, ranks=ranks, threads=threads), by_clang)
        for mine, other in zip(by_clang.passes, one_step.passes):  # rounding may differ between compilers
            self.assertAlmostEqual(float(mine[1]), float(other[1]), delta=0.0005)
            self.assertAlmostEqual(float(mine[2]), float(other[2]), delta=0.0005)


if __name__ == "__main__":
    unittest.main()
