"""Builds the programs of these tests, as a user would: by stradsap-cc in one step, the original by g++ alone."""

import os
import unittest

from build_case import CD_MF, EXAMPLE, OPTIMIZED, TUNED, WARNINGS, BuildTest
from example_case import COMPILER, HERE, program, quick_compiler

CHECKED = ["--check", "-fsanitize=address"]  # every access is compared, and elements are poisoned
QUICKLY_CHECKED = [*TUNED, "-O1", *CHECKED]  # the bodies are interleaved as at -O2, and compiled in half of the time


class Build(BuildTest):
    def test_the_original_needs_a_native_compiler_alone(self):
        self.build("g++", "-std=c++20", *OPTIMIZED, os.path.join(EXAMPLE, "sequential.cpp"),
                   "-o", program("sequential"))

    def test_the_example_is_built_in_one_step(self):
        self.build(COMPILER, *OPTIMIZED, os.path.join(EXAMPLE, "sgd_mf.cpp"), "-o", program("sgd_mf"))

    def test_the_example_is_built_with_checked_accesses(self):
        self.build(COMPILER, *QUICKLY_CHECKED, os.path.join(EXAMPLE, "sgd_mf.cpp"), "-o", program("sgd_mf_checked"))

    def test_coordinate_descent_is_built_in_the_same_ways(self):
        self.build("g++", "-std=c++20", *OPTIMIZED, os.path.join(CD_MF, "sequential.cpp"),
                   "-o", program("cd_mf_original"))
        for name, options in (("cd_mf", OPTIMIZED), ("cd_mf_checked", QUICKLY_CHECKED)):
            self.build(COMPILER, *options, os.path.join(CD_MF, "cd_mf.cpp"), "-o", program(name))

    def test_small_programs_are_built_in_one_step(self):
        for name in ("uniform", "throwing", "edges", "kinds", "advice"):
            self.build(*quick_compiler("-std=c++20", "-O1", *WARNINGS), os.path.join(HERE, "programs", name + ".cpp"), "-o", program(name))

    def test_small_programs_are_built_with_checked_accesses(self):
        for name in ("edges", "kinds"):
            self.build(COMPILER, *WARNINGS, *CHECKED, os.path.join(HERE, "programs", name + ".cpp"),
                       "-o", program(name + "_checked"))


if __name__ == "__main__":
    unittest.main()
