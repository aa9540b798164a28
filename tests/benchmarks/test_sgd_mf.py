"""sgd_mf by hand: the sequential original, its rivals, and the small differences of its converted twin."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
from support import SIDES, Sides, passes

EXAMPLE = os.path.join(support.ROOT, "examples", "sgd_mf")
BAD_FILES = {  # content: expected end of stderr, after the file's name
    "": ": no ratings in this file",
    "\n \t\n": ": no ratings in this file",
    "1 2\n": ":1: expected three fields: user item value",
    "1 2 3\n\n1 2 3 4\n": ":3: expected three fields: user item value",
    "1 2 3\n-4 2 3\n": ":2: user id -4 is negative",
    "1 2 3\n1 2147483648 3\n": ":2: item id 2147483648 does not fit",
    "x7 2 3\n": ":1: user id is not a number: 'x7'",
    "7.0 2 3\n": ":1: user id is not a number: '7.0'",
    "7 2 3,5\n": ":1: value is not a number: '3,5'",
    "7 2 nan\n": ":1: value is not a finite number: 'nan'",
    "7 2 -inf\n": ":1: value is not a finite number: '-inf'",
    "7 2 1e39\n": ":1: value is not a finite number: '1e39'",
    "7 2 1e999\n": ":1: value 1e999 does not fit",
    "7 2147483647 3\n": ": id 2147483647 does not fit 1 ratings: ids must be dense, from 0",
}


ARITHMETIC = re.compile(r"\tv?(?:fn?m(?:add|sub)\d*|mul|add|sub)(ps|ss)\b")


def setUpModule():
    global run, sides
    sides = Sides("sgd_mf")
    run = sides.run


class BadInput(unittest.TestCase):
    def check(self, side, path, message):
        for ranks in (1, 2) if side == "mpi" else (1,):
            done = run(side, "--ratings", path, ranks=ranks)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (side, message, done.stderr))
            self.assertEqual(done.stderr.count(message), 1, (side, message, done.stderr))

    def test_a_bad_file_is_refused_by_the_original_at_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ratings.txt")
            for content, message in BAD_FILES.items():
                with open(path, "w") as file:
                    file.write(content)
                self.check("sequential", path, path + message + "\n")

    def test_a_bad_file_is_refused_by_the_rivals_too_once_whatever_the_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ratings.txt")
            with open(path, "w") as file:
                file.write("1 2 3\n1 2 three\n")
            for side in SIDES:
                self.check(side, path, path + ":2: value is not a number: 'three'\n")

    def test_a_file_that_cannot_be_read_is_named_with_the_reason(self):
        self.check("sequential", "/no/such/file", "/no/such/file: cannot open: No such file or directory\n")
        self.check("sequential", "/", "/: cannot read: Is a directory\n")

    def test_wrong_options_are_refused_by_all(self):
        for arguments, message in (([], "option --ratings is missing"), (["--speed", "1"], "unknown option --speed"),
                                   (["--ratings"], "option --ratings needs a value"),
                                   (["--ratings", "f", "--rank", "10"], "--rank 10 is not one of 8, 16, 32, 64, 128"),
                                   (["--ratings", "f", "--rate", "nan"], "--rate is not a finite number: 'nan'"),
                                   (["--ratings", "f", "--epochs", "-1"], "--epochs -1 is negative")):
            for side in SIDES:
                if message.startswith("--rank"):
                    arguments = ["--ratings", os.path.join(EXAMPLE, "sequential.cpp"), "--rank", "10"]
                done = run(side, *arguments)
                self.assertEqual(done.returncode, 2, (side, message))
                self.assertIn(message + "\n", done.stderr)


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.train, cls.test = support.write_ratings(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def fit(self, side, *more, ranks=1, threads=1):
        done = run(side, "--ratings", self.train, "--test", self.test, "--rank", "16", "--epochs", "40", "--hash",
                   *more, ranks=ranks, threads=threads)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_original_finds_the_planted_model_and_repeats_itself(self):
        first, second, other = self.fit("sequential"), self.fit("sequential"), self.fit("sequential", "--seed", "2")
        found = passes(first)
        self.assertEqual([int(number) for number, _, _ in found], list(range(40)))
        self.assertLess(float(found[-1][2]), 0.2)  # the planted noise is 0.1
        self.assertLess(float(found[-1][1]), float(found[0][1]))
        self.assertEqual(passes(second), found)
        self.assertRegex(first.splitlines()[-1], r"^model_hash=[0-9a-f]{16}$")
        self.assertEqual(first.splitlines()[-1], second.splitlines()[-1])
        self.assertNotEqual(first.splitlines()[-1], other.splitlines()[-1])

    def test_strata_alone_do_what_the_original_does(self):
        wanted = passes(self.fit("sequential"))[-1]
        for kind, ranks, threads in (("openmp", 1, 2), ("mpi", 2, 1), ("mpi", 3, 1)):
            if kind not in SIDES:
                continue
            text = self.fit(kind + "-strata", ranks=ranks, threads=threads)
            for mine, original in zip(passes(text)[-1], wanted):
                self.assertAlmostEqual(float(mine), float(original), delta=0.03 * float(original), msg=(kind, ranks))
            self.assertNotEqual(text.splitlines()[-1], self.fit(kind, ranks=ranks, threads=threads).splitlines()[-1])

    def test_rivals_agree_with_the_original_at_any_number_of_workers(self):
        wanted = passes(self.fit("sequential"))[-1]
        for side, ranks, threads in (("openmp", 1, 1), ("openmp", 1, 2), ("openmp", 1, 3), ("mpi", 1, 1), ("mpi", 2, 1),
                                     ("mpi", 3, 1)):
            if side not in SIDES:
                continue
            text = self.fit(side, ranks=ranks, threads=threads)
            self.assertRegex(text, r"^plan_seconds=\d+\.\d+\n")
            self.assertEqual(text.splitlines()[-1], self.fit(side, ranks=ranks, threads=threads).splitlines()[-1])
            found = passes(text)[-1]
            for mine, original in zip(found, wanted):
                self.assertAlmostEqual(float(mine), float(original), delta=0.03 * float(original), msg=(side, ranks))

    def test_rivals_start_from_the_original_s_model(self):
        wanted = run("sequential", "--ratings", self.train, "--rank", "8", "--epochs", "0", "--hash").stdout
        self.assertRegex(wanted, r"^model_hash=\w{16}\n$")
        for side, ranks in (("openmp", 1), ("mpi", 1), ("mpi", 2)):
            if side in SIDES:
                text = run(side, "--ratings", self.train, "--rank", "8", "--epochs", "0", "--hash", ranks=ranks).stdout
                self.assertEqual(text.split("\n", 1)[1], wanted, (side, ranks))

    def test_ids_that_only_the_test_file_has_are_rows_too(self):
        extra = os.path.join(self.folder.name, "extra.txt")
        with open(extra, "w") as file:
            file.write("500 600 1\n")
        for side in SIDES:
            done = run(side, "--ratings", self.train, "--test", extra, "--rank", "8", "--epochs", "1", ranks=2,
                       threads=2)
            self.assertEqual(len(passes(done.stdout)), 1, (side, done.stderr))


    def test_blocks_of_a_large_model_find_the_original_s_model_too(self):
        large = os.path.join(self.folder.name, "large.txt")  # 200,001 rows of 64 bytes are cut into 32 groups
        shutil.copy(self.test, large)
        with open(large, "a") as file:
            file.write("200000 39 1\n")
        data = ["--ratings", self.train, "--test", large, "--rank", "16", "--epochs", "40"]
        wanted = passes(run("sequential", *data).stdout)[-1]
        for side, ranks, threads in (("openmp", 1, 1), ("openmp", 1, 3), ("mpi", 1, 1), ("mpi", 3, 1)):
            if side in SIDES:
                found = passes(run(side, *data, ranks=ranks, threads=threads).stdout)[-1]
                for mine, original in zip(found, wanted):
                    self.assertAlmostEqual(float(mine), float(original), delta=0.03 * float(original), msg=side)


class Packed(unittest.TestCase):
    def test_the_rivals_update_short_rows_by_whole_registers(self):
        if not shutil.which("objdump"):
            print("SKIPPED: the rivals' machine code, objdump is not installed", file=sys.stderr)
            self.skipTest("objdump is not installed")
        for side, binary in sides.binaries.items():
            if side == "sequential":
                continue
            code = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", binary], capture_output=True,
                                  text=True, check=True).stdout
            for rank in (8, 16):
                functions = [text for text in code.split("\n\n")
                             if re.search(rf"<double run_(?:block|pass)<{rank}>\(", text.lstrip("\n").split("\n")[0])]
                found = [kind for text in functions for kind in ARITHMETIC.findall(text)]
                counts = (side, rank, found.count("ps"), found.count("ss"))
                self.assertGreaterEqual(found.count("ps"), 6, counts)
                # The original's dot product adds number by number. An update by numbers has six times as many.
                self.assertLessEqual(found.count("ss"), 2 * rank + 4, counts)


class Forms(unittest.TestCase):
    def test_rows_in_flat_vectors_find_the_original_s_model(self):
        self.check("stradsap-flat")

    def test_the_kernels_of_the_rivals_find_the_original_s_model(self):
        self.check("stradsap-packed")

    def check(self, side):
        workload = support.load_driver().WORKLOADS["sgd_mf"]
        self.assertIn(side, workload.SIDES)
        with tempfile.TemporaryDirectory() as folder:
            train, test = support.write_ratings(folder)
            data = ["--ratings", train, "--test", test, "--rank", "16", "--epochs", "40"]
            binary = os.path.join(folder, side)
            subprocess.run(workload.build_command(side, support.ROOT, binary, ["-O1", "-Wno-psabi"]), check=True,
                           timeout=120)
            wanted = passes(run("sequential", *data).stdout)[-1]
            for threads in ("1", "2"):
                done = subprocess.run([binary, *data], env={**os.environ, "STRADSAP_THREADS": threads},
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                for mine, original in zip(passes(done.stdout)[-1], wanted):
                    self.assertAlmostEqual(float(mine), float(original), delta=0.03 * float(original), msg=threads)


class Twin(unittest.TestCase):
    def test_every_line_the_twin_changes_names_the_library(self):
        added = support.lines_of_twin("sgd_mf")
        self.assertTrue(added)
        for line in added:
            self.assertIn("stradsap", line)
        self.assertLessEqual(len(added), 10)


if __name__ == "__main__":
    unittest.main()
