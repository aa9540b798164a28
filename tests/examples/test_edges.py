"""Rare cases (programs/edges.cpp) end alike on few and many ranks, even with more ranks than iterations."""

import signal
import unittest

from example_case import ExampleTest, line_of

EDGE_SHAPES = [(1, 1), (1, 2), (2, 1), (3, 1)]
RANGE = line_of("edges", "// out of range")
BELOW_ZERO = (rf"\S*edges\.cpp:{line_of('edges', '// below zero')}: a loop of 18446744073709551615 iterations: an unsigned "
              "number below 0\\?\n")


class Edges(ExampleTest):
    def same_everywhere(self, kind):
        """The output of the ordinary build on all shapes, and of the check build, which proves its orders."""
        runs = [self.run_program("edges", kind, ranks=ranks, threads=threads) for ranks, threads in EDGE_SHAPES]
        runs += [self.run_program("edges_checked", kind, ranks=ranks, threads=2, options=["--check", "conflicts"])
                 for ranks in (1, 3)]
        for done in runs:
            self.assertEqual((done.status, done.output), (0, runs[0].output), done.errors)
        self.assertTrue(runs[0].output.endswith("done\n"))
        self.assertNotIn("wrong", runs[0].output)
        return runs[0].output.removesuffix("done\n")

    def test_loops_of_no_iteration_and_of_one(self):
        self.assertEqual(self.same_everywhere("few"), "-5: 0 0 0 keys=0 sum=10\n0: 0 0 0 keys=0 sum=10\n"
                                                      "1: 0 5 0 keys=1 sum=11\n2: 0 5 5 keys=2 sum=13\n" * 3)

    def test_empty_containers(self):
        self.assertRegex(self.same_everywhere("empty"), "^" + "sum=0 found=0\n" * 3 + BELOW_ZERO + "$")

    def test_all_iterations_on_one_element(self):
        self.assertEqual(self.same_everywhere("hot").count("\n"), 2)

    def test_nans_keep_their_bits(self):
        self.assertEqual(self.same_everywhere("nan"), "nan 7ff8000000abcdef\ntop=inf not finite=2\n" * 3)

    def test_keys_at_the_ends_of_their_types(self):
        lines = self.same_everywhere("keys").splitlines()
        self.assertEqual([len(set(lines[first:first + 3])) for first in range(0, 12, 3)], [1] * 4, "the models differ")

    def test_a_loop_in_a_child_process_is_an_error(self):
        self.assertEqual(self.same_everywhere("in_a_child"), "child: a loop in a child process made by fork()\nparent: 99\n")

    def test_elements_of_other_ranks_in_a_child_process_are_an_error(self):
        for ranks, threads in EDGE_SHAPES:
            read = "1000000" if ranks == 1 else "elements of another rank in a child process made by fork()"
            done = self.run_program("edges", "child_reads", ranks=ranks, threads=threads)
            self.assertEqual(done.output, f"child: {read}\ndone\n", done.errors)

    def test_a_nan_as_a_key_is_an_error(self):
        for ranks, threads in EDGE_SHAPES:
            self.assertEqual(self.run_program("edges", "odd_key", ranks=ranks, threads=threads).output, "a NaN is no key\ndone\n")
        self.assertEqual(self.run_program("edges_checked", "odd_key").output, "a NaN is no key\ndone\n")

    def test_an_index_out_of_range_is_found_by_every_model(self):
        self.assertEqual(self.same_everywhere("range"), ("code=1 iteration=400\n" * 4 + "sum=2000\n") * 3)

    def test_an_index_out_of_range_that_nobody_catches_ends_the_run_with_its_line(self):
        for ranks, threads in EDGE_SHAPES:
            done = self.run_program("edges", "uncaught", ranks=ranks, threads=threads)
            self.assertEqual((done.status, done.output), (128 + signal.SIGABRT, ""), done.errors)
            self.assertRegex(done.errors, rf"what\(\):  \S*edges\.cpp:{RANGE}: iteration 400 on rank \d: index 1000 is out of "
                                          r"range: `X` has 1000 elements")

    def test_sizes_that_change_between_passes(self):
        self.assertEqual(self.same_everywhere("sizes").count("keys=50\n"), 18)

    def test_more_iterations_than_the_body_counts(self):
        iterations = [(129, 8), (2**31 + 1, 32), (2**31 + 1, 32), (2**31 + 1, 32), (2**32 + 2, 32)]
        lines = self.same_everywhere("narrow").splitlines()
        for i, (n, bits) in enumerate(iterations):
            self.assertRegex(lines[i], rf"^\S*edges\.cpp:{line_of('edges', f'// narrow {i + 1}')}: a loop of {n} iterations whose "
                                       rf"body takes their number, or a copy of it, in {bits} bits: make it int64_t$")
        self.assertEqual(lines[len(iterations):], ["1 0"])

    def test_elements_that_an_iteration_names_again_and_again(self):
        self.assertEqual(self.same_everywhere("repeats").count("\n"), 1)

    def test_many_groups_where_many_elements_are_touched(self):
        self.assertEqual(self.same_everywhere("finely_cut").count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
