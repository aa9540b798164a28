"""Tools for a running program: debuggers, the address sanitizer, coverage, and the message of a fault. On workers too."""

import re
import shutil
import unittest

from driver_case import main
from tools_case import CALLED, CALLS, ToolsCase

# a null pointer's element, from line 5
FAULT = """#include <stradsap/stradsap.hpp>
#include <string>

static double read(long at) {
  return *reinterpret_cast<const volatile double*>(at);
}

int main(int argc, char** argv) {
  stradsap::dvector<double> x(1000);
  stradsap::dmap<std::string, int> words;
  const std::int64_t bad = argc > 1 ? std::stol(argv[1]) : -1;
  double sum = 0;
  stradsap::parallel_for(x.size(), [bad, &x, &words, &sum](std::int64_t j) {
    x[j] = 1;
    words["word"] += 1;
    if (j == bad) x[j] += read(8);
    sum += x[j];
  }, stradsap::consistency::async);
  return sum == 1000 ? 0 : 1;
}
"""

ASSIGNS = """#include <stradsap/stradsap.hpp>
#include <cstdio>
#include <string>
#include <utility>
struct Row {
  double a;
  double b;
};
int main(int, char** argv) {
  const std::string what = argv[1];
  stradsap::dvector<double> x(100);
  stradsap::dmap<int, double> keys;
  stradsap::dvector<Row> rows(100);
  const std::int64_t apart = what == "apart" ? 50 : 0;
  const auto model = stradsap::consistency::sync(100);
  if (what == "added") {
    stradsap::parallel_for(100, [&x](std::int64_t j) { x[j % 50] += static_cast<double>(j); }, model);
  } else if (what == "members") {
    stradsap::parallel_for(100, [&rows](std::int64_t j) {
      if (j < 50) rows[j % 50].a = 1; else rows[j % 50].b = 2;
    }, model);
  } else if (what == "keys") {
    stradsap::parallel_for(100, [&keys](std::int64_t j) { keys[static_cast<int>(j)] = 1; }, model);
  } else {
    stradsap::parallel_for(100, [&x, apart](std::int64_t j) {
      if (j < 50)
        x[j] = 1;
      else
        x[j % 50 + apart] = 2;
    }, model);
  }
  std::printf("%g\\n", std::as_const(x)[0]);
}
"""


class Tools(ToolsCase):
    def test_a_fault_names_the_line_of_the_user(self):
        self.write("src/a.cpp", FAULT)
        for native in self.natives():
            self.build("a", "-g", "-O1", "src/a.cpp", native=native)
            done = self.on(2, 2, "./a", "777")
            self.assertEqual(done.returncode, 139, done.stderr)
            said = [line[4:] for line in done.stderr.splitlines() if line.startswith("[1] ")]
            self.assertEqual(said[:2], ["src/a.cpp:5: error: SIGSEGV at address 0x8 on rank 1 in the loop at src/a.cpp:13",
                                        "src/a.cpp:16: note: called from here"])
        self.build("plain", "src/a.cpp")
        done = self.on(1, 1, "./plain", "777")
        self.assertEqual(done.returncode, 139)
        self.assertIn("src/a.cpp:13: error: SIGSEGV at address 0x8 on rank 0 in the loop at src/a.cpp:13: "
                      "compile with -g to see the line\n", done.stderr)

    def test_a_full_stack_is_a_fault_with_a_line(self):
        self.write("a.cpp", FAULT.replace("return *reint", "if (at != 0) return read(at + 1) + at;\n  return *reint"))
        self.build("a", "-g", "-O0", "a.cpp")
        done = self.on(1, 2, "./a", "777")
        self.assertEqual(done.returncode, 139)
        self.assertRegex(done.stderr, r"(?m)^\[0\] a\.cpp:[45]: error: SIGSEGV at address 0x")

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_a_backtrace_of_a_body_fits_a_screen(self):
        self.write("a.cpp", FAULT)
        for optimised in ("-O0", "-O2"):
            self.build("a", "-g", optimised, "a.cpp")
            # on one thread: otherwise a thread other than main's may reach it first
            steps = ("set environment STRADSAP_THREADS 1", "break a.cpp:14", "run", "backtrace")
            done = self.run_in_folder("gdb", "-batch", *(word for step in steps for word in ("-ex", step)), "./a")
            frames = [line for line in done.stdout.splitlines() if re.match(r"#\d", line)]
            self.assertRegex(frames[0], r"operator\(\).* at a\.cpp:1[4-7]$")
            self.assertRegex(frames[-1], r"main.* at a\.cpp:13$")
            lines = sum(1 + len(frame) // 80 for frame in frames)
            self.assertLessEqual(lines, 56, done.stdout)

    def test_workers_write_what_coverage_counts(self):
        self.write("a.cpp", CALLS)
        self.write("b.cpp", CALLED)
        for native in self.natives():
            self.build("a", "--coverage", "a.cpp", "b.cpp", native=native)
            self.assertLessEqual({"a-a.gcno", "a-b.gcno"}, set(self.files()))
            self.assertEqual(self.on(2, 1, "./a").returncode, 0)
            gcov = ["gcov"] if native == "g++" else ["llvm-cov-19", "gcov"]
            if shutil.which(gcov[0]):
                self.run_in_folder(*gcov, "a-b.gcda")
                self.assertRegex((self.folder / "b.cpp.gcov").read_text(), r"200000: +12:")
            for name in ("a-a.gcda", "a-b.gcda"):
                (self.folder / name).unlink()

    def test_a_leak_of_a_worker_is_told_and_nothing_else(self):
        self.write("a.cpp", CALLS)
        self.write("b.cpp", CALLED)
        for native in self.natives():
            self.build("leaks", "-g", "-fsanitize=address", "-DLEAKS", "a.cpp", "b.cpp", native=native)
            done = self.on(2, 2, "./leaks")
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"(?m)^\[1\] .*LeakSanitizer: detected memory leaks")
            self.assertRegex(done.stderr, r"(?m)^\[1\] .* in add.* \S*b\.cpp:9")
        self.build("clean", "-g", "-fsanitize=address", "a.cpp", "b.cpp")
        done = self.on(2, 2, "./clean")
        self.assertEqual((done.returncode, re.findall("Sanitizer.*", done.stderr)), (0, []))

    def test_iterations_of_sync_that_assign_one_element_are_told(self):
        self.write("a.cpp", ASSIGNS)
        self.build("a", "--check", "a.cpp")
        for what in ("added", "members", "keys", "apart"):
            done = self.on(2, 2, "--check", "conflicts", "./a", what)
            self.assertEqual(done.returncode, 0, what + done.stderr)
        for ranks, threads in ((1, 1), (2, 2)):
            self.assertIn("2\n", self.on(ranks, threads, "./a", "same").stdout)  # the last of the two
            done = self.on(ranks, threads, "--check", "conflicts", "./a", "same")
            self.assertEqual(done.returncode, 134, done.stderr)
            self.assertIn("[0] a.cpp:29: error: iteration 50 (a.cpp:29) assigns element 0 of `x`, and so does iteration 0 "
                          "(a.cpp:27) of the same batch another value: the last shard's stays\n", done.stderr)


if __name__ == "__main__":
    main()
