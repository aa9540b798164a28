"""cd_mf by hand: the original against a plain computation, its rivals against the original, and its twin's few changes."""

import os
import struct
import tempfile
import unittest

import support
from support import SIDES, Sides, passes

RANK = 8
WORKERS = (("openmp", 1, 1), ("openmp", 1, 2), ("openmp", 1, 3), ("mpi", 1, 1), ("mpi", 2, 1), ("mpi", 3, 1))


def setUpModule():
    global run
    run = Sides("cd_mf").run


def mix(x):
    mask = (1 << 64) - 1
    x = (x + 0x9e3779b97f4a7c15) & mask
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & mask
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & mask
    return x ^ (x >> 31)


def first_row(seed, row):
    """The original's initial values for an item."""
    key = mix(mix(seed) + row)
    return [2.0 ** -24 * (mix(key + k) >> 40) / RANK ** 0.5 for k in range(RANK)]


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def read(path):
    with open(path) as file:
        return [(int(user), int(item), single(float(value))) for user, item, value in map(str.split, file)]


def rmse(ratings, P, Q):
    errors = [value - sum(p * q for p, q in zip(P[user], Q[item])) for user, item, value in ratings]
    return (sum(e * e for e in errors) / len(errors)) ** 0.5


def solve(ratings, mine, theirs, k, side, reg):
    """Sets number k of each row of `mine` to its best value. It reads the ratings themselves and keeps no residuals."""
    above, below = [0.0] * len(mine), [0.0] * len(mine)
    for rating in ratings:
        i, j = rating[side], rating[1 - side]
        x = theirs[j][k]
        rest = rating[2] - sum(a * b for a, b in zip(mine[i], theirs[j])) + mine[i][k] * x
        above[i] += rest * x
        below[i] += x * x + reg
    for i, row in enumerate(mine):
        row[k] = above[i] / below[i] if below[i] > 0 else 0.0


def expected(train, test, iterations, inner, reg):
    users, items = (1 + max(rating[side] for rating in train + test) for side in (0, 1))
    P, Q = [[0.0] * RANK for _ in range(users)], [first_row(1, j) for j in range(items)]
    for _ in range(iterations):
        for k in range(RANK):
            for _ in range(inner):
                solve(train, P, Q, k, 0, reg)
                solve(train, Q, P, k, 1, reg)
        yield rmse(train, P, Q), rmse(test, P, Q)


class Coordinates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.train, cls.test = support.write_ratings(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def fit(self, side, *more, ranks=1, threads=1, iterations=4, test=None):
        done = run(side, "--ratings", self.train, "--test", test or self.test, "--rank", str(RANK), "--iterations",
                   str(iterations), "--hash", *more, ranks=ranks, threads=threads)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(passes(done.stdout)), iterations, done.stdout)
        return done.stdout

    def test_the_original_prints_what_the_formulas_give(self):
        train, test = read(self.train), read(self.test)
        for inner, reg in ((1, 0.05), (2, 0.2)):
            found = passes(self.fit("sequential", "--inner", str(inner), "--reg", str(reg)))
            for printed, wanted in zip(found, expected(train, test, 4, inner, reg)):
                for mine, theirs in zip(printed[1:], wanted):
                    self.assertAlmostEqual(float(mine), theirs, delta=0.0005, msg=(inner, printed))

    def test_residuals_stay_true_and_without_a_penalty_no_pass_makes_them_larger(self):
        found = passes(self.fit("sequential", "--reg", "0", iterations=30, test=self.train))
        self.assertEqual([rmse for _, rmse, _ in found], [rmse for _, _, rmse in found])
        falling = [float(rmse) for _, rmse, _ in found]
        self.assertEqual(falling, sorted(falling, reverse=True))
        self.assertLess(falling[-1], 0.1)  # the planted noise

    def test_rivals_agree_with_the_original_at_any_number_of_workers(self):
        for more in ([], ["--inner", "3"]):
            wanted = passes(self.fit("sequential", *more))
            hashes = set()
            for side, ranks, threads in WORKERS:
                if side not in SIDES:
                    continue
                text = self.fit(side, *more, ranks=ranks, threads=threads)
                self.assertRegex(text, r"^plan_seconds=\d+\.\d+\n")
                hashes.add((side, text.splitlines()[-1]))
                for found, original in zip(passes(text), wanted):
                    for mine, theirs in zip(found, original):
                        self.assertAlmostEqual(float(mine), float(theirs), delta=0.0002, msg=(side, ranks, threads))
            self.assertEqual(len(hashes), len(SIDES) - 1, hashes)  # one model a rival, for any number of workers

    def test_usual_rivals_agree_with_the_original_too(self):
        wanted = passes(self.fit("sequential"))
        for kind, ranks, threads in (("openmp", 1, 2), ("openmp", 1, 3), ("mpi", 2, 1), ("mpi", 3, 1)):
            if kind in SIDES:
                found = passes(self.fit(kind + "-ranges", ranks=ranks, threads=threads))
                for mine, original in zip(found, wanted):
                    for number, expected_number in zip(mine, original):
                        self.assertAlmostEqual(float(number), float(expected_number), delta=0.0002, msg=(kind, ranks))

    def test_ids_that_only_the_test_file_has_are_rows_too(self):
        extra = os.path.join(self.folder.name, "extra.txt")
        with open(extra, "w") as file:
            file.write("500 600 1\n")
        for side in SIDES:
            found = passes(self.fit(side, ranks=2, threads=2, iterations=1, test=extra))
            self.assertEqual(found[0][2], "1.0000", side)  # this side has no data about either

    def test_more_workers_than_users_are_of_no_harm(self):
        few = os.path.join(self.folder.name, "few.txt")
        with open(few, "w") as file:
            file.write("0 0 1\n0 1 2\n")
        for side, ranks, threads in (("openmp", 1, 3), ("mpi", 3, 1)):
            if side in SIDES:
                done = run(side, "--ratings", few, "--rank", "8", "--iterations", "2", ranks=ranks, threads=threads)
                self.assertEqual((done.returncode, done.stdout.count("iter=")), (0, 2), done.stderr)


class BadInput(unittest.TestCase):
    def test_a_bad_file_is_refused_by_all_sides_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ratings.txt")
            with open(path, "w") as file:
                file.write("1 2 3\n1 2 three\n")
            for side in SIDES:
                done = run(side, "--ratings", path, ranks=2)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (side, done.stderr))
                self.assertEqual(done.stderr.count(path + ":2: value is not a number: 'three'\n"), 1, done.stderr)

    def test_wrong_options_are_refused_by_all_sides(self):
        source = os.path.join(support.ROOT, "examples", "cd_mf", "sequential.cpp")
        for arguments, message in (([], "option --ratings is missing"), (["--rate", "1"], "unknown option --rate"),
                                   (["--ratings", "f", "--inner", "0"], "--inner is 0"),
                                   (["--ratings", "f", "--iterations", "-1"], "--iterations -1 is negative"),
                                   (["--ratings", source, "--rank", "9"],
                                    "--rank 9 is not one of 8, 16, 32, 64, 128")):
            for side in SIDES:
                done = run(side, *arguments)
                self.assertEqual(done.returncode, 2, (side, message))
                self.assertIn(message + "\n", done.stderr)


class Twin(unittest.TestCase):
    def test_every_line_the_twin_changes_names_the_library(self):
        added = support.lines_of_twin("cd_mf")
        self.assertTrue(added)
        for line in added:
            self.assertIn("stradsap", line)
        self.assertLessEqual(len(added), 15)


if __name__ == "__main__":
    unittest.main()
