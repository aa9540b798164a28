"""consistency::stale with bounds (programs/delayed.cpp, programs/relaxed.cpp): each read is exactly the promised one."""

import json
import os
import subprocess
import tempfile
import unittest

from example_case import HERE, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
BOUNDS = ("1", "2", "7")
IN_TIME = "60"  # seconds, for a meeting that comes
IN_VAIN = "0.5"  # for one that does not


class Delayed(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        quiet = "-Wno-stradsap-unknown-function"  # of a file that ranks share
        for name in ("delayed", "relaxed"):
            source = os.path.join(HERE, "programs", name + ".cpp")
            setattr(cls, name, os.path.join(built.name, name))
            subprocess.run([*quick_compiler("-std=c++20", "-O1", quiet), source, "-o", getattr(cls, name)], check=True)
        cls.checked = os.path.join(built.name, "checked")
        source = os.path.join(HERE, "programs", "relaxed.cpp")
        subprocess.run([*quick_compiler("-std=c++20", "-O1", "--check"), source, "-o", cls.checked], check=True)

    def same_everywhere(self, binary, kind, *arguments):
        runs = [self.run_program(binary, kind, *arguments, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        for done in runs:
            self.assertEqual((done.status, done.output), (0, runs[0].output), done.errors)
        return runs[0].output

    def test_an_accumulator_sees_the_folds_that_its_bound_allows_and_no_others(self):
        for bound in (*BOUNDS, "64"):
            self.assertEqual(self.same_everywhere(self.delayed, "ranges", bound), "wrong=0 sum=16384\n")

    def test_rounds_of_blocks_read_as_promised_for_several_bounds(self):
        self.assertRegex(self.same_everywhere(self.delayed, "blocks"),
                         "^rounds=8 chains=128 linked=112 wrong=0 0 0 0 ")

    def test_all_merges_agree_with_a_plain_program(self):
        hashes = set()
        for bound in BOUNDS:
            wrong, bits = self.same_everywhere(self.delayed, "merges", bound).split()
            self.assertEqual(wrong, "00000")
            hashes.add(bits)
        self.assertEqual(len(hashes), len(BOUNDS))

    def test_elements_without_differences_have_the_same_bits(self):
        for bound in BOUNDS:
            self.assertRegex(self.same_everywhere(self.delayed, "other types", bound), "^sum=16381 ")

    def test_two_accumulators_that_change_one_class_without_differences_end_the_loop(self):
        for bound in ("1", "2"):
            self.assertRegex(self.same_everywhere(self.delayed, "tallies", bound),
                             r"^sum=8192\n.*delayed.cpp:\d+: element 3 of `shared`: two shards .*::tally`")

    def test_loops_over_relaxed_containers_have_the_same_bits_with_a_bound(self):
        expected = {"places": "sum=20000 ran=40000 ", "two places": "sum=20000 ran=40000 ", "matrices": ".", "hottest": "sum=120000 hot=1 near=1 ",
                    "hottest vectors": "sum=120000 hot=1 near=1 ", "hot counts": ".", "hot rows": "^1 ",
                    "adaptive": "^good=6 bad=3 uses=60000 ", "adaptive alone": "^good=6 bad=3 uses=60000 ",
                    "read by the plan": "^sum=60000 ", "waves": "^total=40000 ",
                    "throwing": "^iteration 12345: too far\nsum=20000\n$"}
        for kind, pattern in expected.items():
            with self.subTest(kind):
                output = self.same_everywhere(self.relaxed, kind, "1")
                self.assertRegex(output, pattern)
                checked = self.run_program(self.checked, kind, "1", ranks=2, threads=2,
                                           options=["--check", "conflicts"])
                self.assertEqual((checked.status, checked.output), (0, output), checked.errors)

    def met(self, bound, awaited, seconds, **shape):
        """Whether an accumulator in its first round sees others begin round `awaited`, and the statistics."""
        path = os.path.join(self.folder, "progress")
        stats = os.path.join(self.folder, "stats.json")
        with open(path, "wb") as file:
            file.write(bytes(8))
        done = self.run_program(self.delayed, "straggler", bound, awaited, seconds, path, options=["--stats", stats],
                                **shape)
        self.assertEqual(done.status, 0, done.errors)
        with open(stats, encoding="utf-8") as file:
            return done.output == "met=1\n", json.load(file)["loops"][0]["rounds_ahead"]

    def test_others_go_as_many_rounds_ahead_as_the_bound_says(self):
        for shape in ({"threads": 2}, {"ranks": 2}):
            self.assertEqual(self.met("0", "1", IN_VAIN, **shape), (False, 0))
            for bound in ("1", "2"):
                met, ahead = self.met(bound, bound, IN_TIME, **shape)
                self.assertTrue(met)
                self.assertGreaterEqual(ahead, int(bound) * 8)  # the accumulators of the other executor
                self.assertFalse(self.met(bound, str(int(bound) + 1), IN_VAIN, **shape)[0])


if __name__ == "__main__":
    unittest.main()
