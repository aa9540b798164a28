"""Builds the programs of these tests. Any output of a compiler, and any file that it leaves behind, is a fault."""

import os
import subprocess
import tempfile
import unittest

from example_case import PROGRAMS, ROOT

EXAMPLE = os.path.join(ROOT, "examples", "sgd_mf")
CD_MF = os.path.join(ROOT, "examples", "cd_mf")
WARNINGS = ["-Wall", "-Wextra"]
# Tuned for its processor, g++ may fuse different products with sums in a text and in its twin.
TUNED = [*WARNINGS, "-march=native", "-ffp-contract=off"]
OPTIMIZED = [*TUNED, "-O2"]


class BuildTest(unittest.TestCase):
    def build(self, *command):
        os.makedirs(PROGRAMS, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="st-") as temporary:
            variables = {name: value for name, value in os.environ.items() if name != "CXX"}
            done = subprocess.run(command, cwd=PROGRAMS, env={**variables, "TMPDIR": temporary}, capture_output=True,
                                  text=True, timeout=240, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), command)
            self.assertEqual(os.listdir(temporary), [], command)
