"""A check build of an example finds no stray access and ends in the same bits."""

import os
import subprocess
import unittest

from example_case import COMPILER, DEADLINE, ExampleTest

SCATTER = """#include <stradsap/stradsap.hpp>
int main() {
  stradsap::dvector<long> P(100);
  stradsap::async_for(100, [&P](long j) {
    P[j * 7 % 100] += 1;
  });
}
"""


class CheckBuild(ExampleTest):
    def test_it_computes_what_the_ordinary_build_does(self):
        data = self.make_ratings(count=10000)
        wanted = self.fit("sgd_mf", data, 3)
        for ranks, threads in ((1, 1), (1, 2), (2, 1)):
            self.assertEqual(self.fit("sgd_mf_checked", data, 3, ranks=ranks, threads=threads), wanted)

    def test_its_serial_order_is_proven(self):
        data = self.make_ratings(count=10000)
        wanted = self.fit("sgd_mf", data, 2)
        for ranks, threads in ((1, 2), (2, 2), (3, 1)):
            self.assertEqual(self.fit("sgd_mf_checked", data, 2, ranks=ranks, threads=threads,
                                      options=["--check", "conflicts"]), wanted)

    def test_also_in_program_order(self):
        data = self.make_ratings(count=10000)
        self.assertEqual(self.fit("sgd_mf_checked", data, 3, options=["--serial"]),
                         self.fit("sgd_mf", data, 3, options=["--serial"]))


class WrongMode(ExampleTest):
    def ask(self, question):
        return subprocess.run([COMPILER, question], capture_output=True, text=True, timeout=DEADLINE, check=True).stdout.split()

    def build_with(self, mode):
        """The program, with another mode of its container in the text that stradsap-cc made."""
        plain, rewritten = (os.path.join(self.folder, name) for name in ("scatter.cpp", "scatter.sap.cpp"))
        with open(plain, "w", encoding="utf-8") as file:
            file.write(SCATTER)
        subprocess.run([COMPILER, "--emit-source", plain, "-o", rewritten], check=True, timeout=DEADLINE)
        with open(rewritten, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count('container<99, "P">'), 1)
        with open(rewritten, "w", encoding="utf-8") as file:
            file.write(text.replace("container<99,", f"container<{mode},"))
        binary = os.path.join(self.folder, "scatter")
        subprocess.run(["g++", *self.ask("--showme:compile"), "-std=c++20", "-DSTRADSAP_CHECKED", rewritten,
                        *self.ask("--showme:link"), "-o", binary], check=True, timeout=DEADLINE)
        return subprocess.run([binary], env=self.env, capture_output=True, text=True, timeout=DEADLINE, check=False)

    def test_the_right_one_survives(self):
        self.assertEqual(self.build_with(99).returncode, 0)

    def test_a_written_container_that_is_called_read_only(self):
        done = self.build_with(1)
        self.assertEqual(done.returncode, -6)
        self.assertRegex(done.stderr, r"scatter.cpp:5: error: iteration \d+ changes element \d+ of `P`, which the loop only reads\n")

    def test_one_that_is_called_aligned(self):
        done = self.build_with(7)
        self.assertEqual(done.returncode, -6)
        self.assertRegex(done.stderr, r"scatter.cpp:5: error: iteration \d+ touches element \d+ of `P`, which its read and")


if __name__ == "__main__":
    unittest.main()
