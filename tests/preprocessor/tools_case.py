"""Shared by the tests of tools for a running program."""

import os
import shutil
import subprocess

from driver_case import DriverCase

CALLS = """#include <stradsap/stradsap.hpp>
double add(double x);
int main() {
  stradsap::dvector<double> x(200000);
  double sum = 0;
  stradsap::parallel_for(x.size(), [&x, &sum](std::int64_t j) {
    x[j] = static_cast<double>(j);
    sum += add(x[j]);
  }, stradsap::consistency::async);
  return sum > 0 ? 0 : 1;
}
"""
CALLED = """#include <cstdlib>
static long calls = 0;
static void* volatile kept;
double add(double x) {
#ifdef RACES
  ++calls;
#endif
#ifdef LEAKS
  if (x == 190000) kept = std::malloc(77);
  if (x == 190000) kept = nullptr;
#endif
  return x + 1;
}
"""


class ToolsCase(DriverCase):
    def setUp(self):
        super().setUp()
        self.needs_library()
        self.launcher = str(self.library().parent.parent / "bin" / "stradsap-run")

    def build(self, output, *arguments, native="g++"):
        self.cc(*arguments, "-o", output, environment={"CXX": native})

    def on(self, ranks, threads, *command):
        variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
        return subprocess.run([self.launcher, "-n", str(ranks), "--threads", str(threads), *command], cwd=self.folder,
                              env=variables, capture_output=True, text=True, timeout=240, check=False)

    def natives(self):
        return [name for name in ("g++", "clang++-19") if shutil.which(name)]
