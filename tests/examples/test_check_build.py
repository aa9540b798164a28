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

STEP = """#include <stradsap/stradsap.hpp>
int main() {
  constexpr long n = 100000;
  stradsap::dvector<long> P(n);
  stradsap::async_for(n, [&P](long j) {
    P[j * 7 % n] = j;
  });
}
"""

POINTER = """#include <sanitizer/asan_interface.h>
#include <stradsap/stradsap.hpp>
int main() {
  stradsap::dvector<long> P(1000);
  stradsap::async_for(100, [&P](long j) {
    long* const p = &P[j * 7];
    *p = j;
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


class WrongText(ExampleTest):
    """Programs with a fault in the text that stradsap-cc made."""

    def ask(self, question):
        return subprocess.run([COMPILER, question], capture_output=True, text=True, timeout=DEADLINE, check=True).stdout.split()

    def build(self, program, old, new, *options):
        """A check build, with `new` for `old` in the text."""
        plain, rewritten = (os.path.join(self.folder, name) for name in ("scatter.cpp", "scatter.sap.cpp"))
        with open(plain, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([COMPILER, "--emit-source", plain, "-o", rewritten], check=True, timeout=DEADLINE)
        with open(rewritten, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count(old), 1)
        with open(rewritten, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        binary = os.path.join(self.folder, "scatter")
        subprocess.run(["g++", *self.ask("--showme:compile"), "-std=c++20", "-DSTRADSAP_CHECKED", "-g1", *options, rewritten,
                        *self.ask("--showme:link"), "-o", binary], check=True, timeout=DEADLINE)
        return binary

    def run_alone(self, binary, **variables):
        return subprocess.run([binary], env={**self.env, **variables}, capture_output=True, text=True, timeout=DEADLINE, check=False)

    def build_with(self, mode):
        """SCATTER with another mode of its container."""
        return self.run_alone(self.build(SCATTER, 'container<99, "P">', f'container<{mode}, "P">'))

    def poisoned(self, old, new):
        """The report of AddressSanitizer on POINTER with `new` for `old`."""
        done = self.run_alone(self.build(POINTER, old, new, "-fsanitize=address"), STRADSAP_THREADS="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("use-after-poison", done.stderr)
        return done.stderr

    def assert_poisoned(self, old, new, found):
        """The message names the line of the access, which is not the line that asks for the element."""
        self.assertRegex(self.poisoned(old, new),
                         rf"(?m)^\S*scatter.cpp:7: error: iteration \d+ touches element \d+ of `P` {found}, and its read and write "
                         r"sets do not hold it: write P\.span\(first, n\)$")

    def test_a_pointer_beyond_the_element_that_was_asked_for(self):
        self.assert_poisoned("*p = j;", "p[100] = j;", r"through a pointer to element \d+ \(line 6\)")

    def test_a_pointer_of_an_earlier_iteration(self):
        self.assert_poisoned("long* const p", "static long* const p", "through a pointer")

    def test_poison_after_the_loop_is_no_iterations(self):
        own = "long* own = new long[8]; ASAN_POISON_MEMORY_REGION(own, 64); own[3] = 1;"
        errors = self.poisoned(");\n}\n", f");\n{own}\n}}\n")
        self.assertNotIn("iteration", errors)
        self.assertTrue(errors.endswith("ABORTING\n"), errors)  # and nothing fails in the report

    def test_a_pointer_to_what_another_rank_holds(self):
        binary = self.build(STEP, "P[j * 7 % n] = j;", "(&P[j * 7 % n])[j * 7 % n < n / 2 ? n / 2 : -n / 2] = j;")
        launcher = os.path.join(os.path.dirname(COMPILER), "stradsap-run")
        done = subprocess.run([launcher, "--no-prefix", "-n", "2", "--", binary], env=self.env, capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 128 + 11, done.stderr)
        self.assertRegex(done.stderr, r"scatter.cpp:6: error: iteration \d+ touches element \d+ of `P` through a pointer, and "
                                      r"this rank does not hold it: write P\.span\(first, n\)\n")

    def test_a_fault_outside_all_containers_has_one_line(self):
        binary = self.build(STEP, "P[j * 7 % n] = j;", "P[j * 7 % n] = j; if (j == 50) *reinterpret_cast<volatile long*>(8) = j;")
        done = subprocess.run([binary], env=self.env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, -11, done.stderr)
        self.assertRegex(done.stderr, r"^\S*scatter.cpp:6: error: SIGSEGV at address 0x8 on rank 0 in the loop at \S*scatter.cpp:5\n")
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)

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
