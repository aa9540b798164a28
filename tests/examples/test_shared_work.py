"""On two ranks both work, neither holds all that the loops write, and bytes travel between them."""

import json
import os
import re
import unittest

from example_case import ExampleTest


def count_lines(path):
    with open(path, "rb") as file:
        return file.read().count(b"\n")


class SharedWork(ExampleTest):
    def statistics(self, name, *arguments, ranks):
        path = os.path.join(self.folder, "stats.json")
        # else short loops may run on the driver's rank alone
        options = ["--stats", path, "--in-place", "never"]
        done = self.run_program(name, *arguments, ranks=ranks, threads=1, options=options)
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        os.remove(path)
        self.assertEqual([one["rank"] for one in found["ranks"]], list(range(ranks)))
        return done, found

    def assert_shared(self, found, iterations, containers):
        """`iterations` of all loops and calls, `containers` that are written in loops."""
        counts = [one["iterations"] for one in found["ranks"]]
        self.assertEqual(sum(counts), iterations)
        self.assertEqual(sum(loop["iterations"] for loop in found["loops"]), iterations)
        for rank, count in enumerate(counts):
            self.assertGreaterEqual(count, 0.25 * iterations, (rank, counts))
            self.assertLessEqual(count, 0.75 * iterations, (rank, counts))
        self.assertEqual(sorted(one["elements"] for one in found["containers"]), sorted(containers))
        for one in found["containers"]:
            self.assertEqual(sum(one["elements_held"]), one["elements"])
            self.assertLess(max(one["elements_held"]), one["elements"])
        for one in found["ranks"]:
            self.assertGreater(one["seconds_compute"], 0, one)
            self.assertGreater(one["bytes_sent"], 0, one)
            self.assertGreater(one["bytes_received"], 0, one)

    def test_factorization(self):
        data = self.make_ratings()
        num_train, num_tests = map(count_lines, data[1::2])
        _, found = self.statistics("sgd_mf", *data, "--rank", "16", "--epochs", "5", ranks=2)
        self.assert_shared(found, 5 * (num_train + num_tests), [600, 400])
        train, test = found["loops"]
        self.assertEqual((train["iterations"], train["calls"]), (5 * num_train, 5))
        self.assertEqual((test["iterations"], test["calls"]), (5 * num_tests, 5))
        self.assertGreaterEqual(train["parallelism"], 2)
        # Not mere greetings: rows, of 64 bytes, change hands in each pass, at least a quarter of the smaller matrix.
        for one in found["ranks"]:
            self.assertGreater(one["bytes_sent"], 5 * 64 * 400 / 4, one)

    def test_coordinate_descent(self):
        data = self.make_ratings()
        num_tests = count_lines(data[3])
        _, found = self.statistics("cd_mf", *data, "--rank", "8", "--iterations", "5", "--inner", "2", ranks=2)
        self.assert_shared(found, 5 * (8 * 2 * (600 + 400) + 600 + num_tests), 3 * [600, 400])
        for loop in found["loops"]:
            self.assertGreaterEqual(loop["parallelism"], 2, loop)

    def test_a_uniform_loop(self):
        done, found = self.statistics("uniform", ranks=2)
        self.assert_shared(found, 4 * 100000, [100000, 100000])
        self.assert_ran(done.output, processes=2)

    def test_one_rank_does_all_of_it(self):
        done, found = self.statistics("uniform", ranks=1)
        self.assertEqual([one["iterations"] for one in found["ranks"]], [4 * 100000])
        self.assertEqual([one["bytes_sent"] for one in found["ranks"]], [0])
        self.assertEqual([one["elements_held"] for one in found["containers"]], [[100000], [100000]])
        self.assert_ran(done.output, processes=1)

    def assert_ran(self, output, processes):
        """The loop's own word for it: each iteration noted the process that ran it."""
        self.assertRegex(output, r"^wrong=0 sum=0x1\.5498368ccee\w+p\+31\n")
        counts = [int(count) for count in re.findall(r"^ran=(\d+)$", output, re.MULTILINE)]
        self.assertEqual((len(counts), sum(counts)), (processes, 100000), output)
        self.assertGreaterEqual(min(counts), 25000, output)

    def test_a_uniform_loop_has_one_sum(self):
        self.assertEqual(len({self.run_program("uniform", ranks=ranks, threads=threads).output.split("\n")[0]
                              for ranks, threads in ((1, 1), (1, 2), (2, 1), (3, 1))}), 1)


if __name__ == "__main__":
    unittest.main()
