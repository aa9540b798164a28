"""The cores that stradsap-run counts, by the quotas of control groups. tests/runtime/core_count_test.cpp has those of a program."""

import os
import sys
import tempfile
import unittest

from support import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))
from launcher import cores  # noqa: E402


class QuotaTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="st-")
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")

    def quota(self, own):
        self.write("own", own)
        return cores.quota(os.path.join(self.root, "own"), self.root)

    def test_it_is_rounded_up_to_whole_cores(self):
        self.assertIsNone(self.quota("0::/"))
        for text, wanted in (("max 100000", None), ("150000 100000", 2), ("1000 100000", 1)):
            self.write("cpu.max", text)
            self.assertEqual(self.quota("0::/"), wanted, text)

    def test_the_least_of_a_group_and_those_around_it_counts(self):
        self.write("user.slice/run.scope/cpu.max", "max 100000")
        self.write("user.slice/cpu.max", "300000 100000")
        self.assertEqual(self.quota("0::/user.slice/run.scope"), 3)
        self.write("user.slice/run.scope/cpu.max", "200000 100000")
        self.assertEqual(self.quota("0::/user.slice/run.scope"), 2)

    def test_version_1_has_one_too(self):
        self.write("cpu/job/cpu.cfs_quota_us", "400000")
        self.write("cpu/job/cpu.cfs_period_us", "100000")
        self.assertEqual(self.quota("4:memory:/job\n2:cpu,cpuacct:/job\n0::/"), 4)
        self.assertIsNone(self.quota("4:cpuset:/job\n0::/"))
        self.write("cpu/job/cpu.cfs_quota_us", "-1")
        self.assertIsNone(self.quota("2:cpu,cpuacct:/job"))


if __name__ == "__main__":
    unittest.main()
