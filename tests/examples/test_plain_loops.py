"""By a plain compiler, a loop and its body become part of the function around them, as in the sequential program."""

import os
import re
import subprocess
import tempfile
import unittest

from example_case import ROOT

# Bodies that are large, and a loop in a member function.
PROGRAMS = ("examples/lda_mh/lda_mh.cpp", "examples/transe_adversarial/transe_adversarial.cpp", "benchmarks/pagerank/class.cpp")
WAYS = """
#include <cstdio>
#include <stradsap/stradsap.hpp>
struct Sums {
  stradsap::dvector<double> X;
  double pass(const stradsap::consistency::ConsistencyModel& model);
  double batches();
  double repeated();
};
double Sums::pass(const stradsap::consistency::ConsistencyModel& model) {
  double sum = 0;
  stradsap::parallel_for("named", X.size(), [&](long j) { sum += X[j]; }, model);
  return sum;
}
double Sums::batches() {
  double sum = 0;
  stradsap::sync_for(X.size(), 16, [&](long j) { sum += X[j]; });
  return sum;
}
double Sums::repeated() {
  stradsap::async_for(X.size(), [&](long j) { X[j] = X[j] / 2 + 1; }, stradsap::schedule::dynamic().passes(3));
  return X[0];
}
int main() {
  Sums sums{stradsap::dvector<double>(100, 1.0)};
  std::printf("%g %g %g\\n", sums.pass(stradsap::consistency::async), sums.batches(), sums.repeated());
}
"""


class PlainLoops(unittest.TestCase):
    def functions_of_loops(self, source):
        """The loop operators and the bodies that are functions of their own."""
        with tempfile.TemporaryDirectory(prefix="st-") as folder:
            target = os.path.join(folder, "program.o")
            subprocess.run(["g++", "-std=c++20", "-O3", "-march=x86-64-v3", "-I", os.path.join(ROOT, "include"), "-c", source,
                            "-o", target], check=True)
            listed = subprocess.run(["nm", "-C", target], capture_output=True, text=True, check=True)
        names = [line.split(maxsplit=2)[-1] for line in listed.stdout.splitlines()]
        return [name for name in names if re.search(r"\b(parallel|async|sync)_for<|run_plainly|lambda\((int|long)\)", name)]

    def test_programs(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.assertEqual(self.functions_of_loops(os.path.join(ROOT, program)), [])

    def test_every_loop_operator(self):
        with tempfile.TemporaryDirectory(prefix="st-") as folder:
            source = os.path.join(folder, "ways.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(WAYS)
            self.assertEqual(self.functions_of_loops(source), [])


if __name__ == "__main__":
    unittest.main()
