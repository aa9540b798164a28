"""Programs that g++ compiles without a warning get none from stradsap-cc either."""

import os
import subprocess
import unittest

from example_case import COMPILER, HERE, ROOT

FLAGS = ["-std=c++20", "-O3", "-Wall", "-Wextra", "-Werror", "-c", "-o", os.devnull]
PROGRAMS = [os.path.join(HERE, "programs", name + ".cpp") for name in ("rows_of_model", "driver_loops", "fast_steps")]
EXAMPLES = [os.path.join(ROOT, "examples", name, name + ".cpp") for name in ("mlr", "glove")]


class NoWarnings(unittest.TestCase):
    def assert_silent(self, *options):
        for source in PROGRAMS + EXAMPLES:
            with self.subTest(source=source):
                done = subprocess.run([COMPILER, *FLAGS, *options, source], capture_output=True, text=True,
                                      timeout=240, check=False)
                self.assertEqual((done.returncode, done.stderr[:4000]), (0, ""))

    def test_optimised(self):
        self.assert_silent()

    def test_with_fast_math_for_this_processor(self):
        self.assert_silent("-march=native", "-ffast-math")


if __name__ == "__main__":
    unittest.main()
