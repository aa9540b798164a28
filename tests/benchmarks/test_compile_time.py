"""benchmarks/run compile_time: its table, and its message when a compilation fails."""

import contextlib
import io
import os
import re
import tempfile
import unittest

import support

driver = support.load_driver()
PROGRAM = """#include <stradsap/stradsap.hpp>
int main() {
  stradsap::dvector<int> rows(9);
  stradsap::parallel_for(rows.size(), [&rows](int64_t j) { rows[j] = 1; }, stradsap::consistency::async);
}
"""


class CompileTime(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.source = os.path.join(held.name, "a.cpp")

    def measure(self, text):
        with open(self.source, "w") as file:
            file.write(text)
        out, words = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(words):
            status = driver.main(["compile_time", "--source", self.source, "--runs", "1", "--flags=-std=c++20"])
        return status, out.getvalue(), words.getvalue()

    def test_the_parts_add_up_and_the_ratio_is_of_the_two_sides(self):
        status, out, words = self.measure(PROGRAM)
        self.assertEqual(status, 0, words)
        seconds = {title.strip(): float(value) for title, value in re.findall(r"(?m)^(.{48}) +([\d.]+) +[\d.]+$", out)}
        whole, plain = seconds["stradsap-cc"], seconds["plain g++"]
        parts = seconds["reading: parse and analysis"] + seconds["g++ on the rewritten text"]
        self.assertAlmostEqual(parts, whole, delta=0.25 * whole)
        self.assertAlmostEqual(float(re.search(r"ratio ([\d.]+)", out).group(1)), whole / plain, delta=0.05)

    def test_a_source_that_does_not_compile_ends_with_its_error(self):
        status, _, words = self.measure("int main() { return nobody; }")
        self.assertEqual(status, 1)
        self.assertIn("nobody", words)


if __name__ == "__main__":
    unittest.main()
