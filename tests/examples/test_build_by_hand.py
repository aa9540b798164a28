"""Builds the example in the other ways: by a plain compiler with the header alone, and in two steps."""

import os
import unittest

from build_case import EXAMPLE, OPTIMIZED, BuildTest
from example_case import COMPILER, ROOT, program

SOURCE = os.path.join(EXAMPLE, "sgd_mf.cpp")


class BuildByHand(BuildTest):
    def shell(self, compiler, words, name):
        """`words` as a user types them, with the compiler's answers filled in by the shell."""
        self.build("sh", "-c", " ".join([compiler, *OPTIMIZED, words, f"$({COMPILER} --showme:link)", "-o",
                                         program(name)]))

    def test_a_plain_compiler_takes_the_example_as_it_is(self):
        self.shell("g++", f"-std=c++20 -I {ROOT}/include {SOURCE}", "sgd_mf_plain")

    def test_two_steps_with_either_native_compiler(self):
        rewritten = program("sgd_mf.sap.cpp")
        self.build(COMPILER, "--emit-source", SOURCE, "-o", rewritten)
        quiet = "-Wno-invalid-feature-combination"  # clang++ 19 has doubts about the features of newer processors
        for compiler, name, option in (("g++", "sgd_mf_gcc", ""), ("clang++-19", "sgd_mf_clang", quiet)):
            self.shell(compiler, f"{option} $({COMPILER} --showme:compile) {rewritten}", name)


if __name__ == "__main__":
    unittest.main()
