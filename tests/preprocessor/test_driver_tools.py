"""Tools for a running program: debuggers, sanitizers, coverage, and the message of a fault. On workers too."""

import os
import re
import shutil
import subprocess
import unittest

from driver_case import DriverCase, main

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

# the first call of each thread waits for a second thread's; relaxed, so that the threads meet without synchronizing
MEET = """#include <atomic>
#include <chrono>
#include <thread>
inline void meet() {
  static std::atomic<int> threads = 0;
  thread_local bool came = false;
  if (came) return;
  came = true;
  threads.fetch_add(1, std::memory_order_relaxed);
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (threads.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < last) std::this_thread::yield();
}
"""

LOOPS = """#include <string>
#include <stradsap/stradsap.hpp>
struct Row {
  int key;
  double value;
};
int main() {
  namespace models = stradsap::consistency;
  stradsap::dvector<Row> rows(4000), cols(300);
  stradsap::dvector<int> next(500);
  stradsap::dmap<std::string, int> words;
  for (int i = 0; i < 4000; ++i) rows[i].key = i * 7919 % 300;
  double sum = 0;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(rows.size(), [&rows, &sum](std::int64_t j) { rows[j].value = j; sum += 1; }, models::async);
    stradsap::parallel_for(rows.size(), [&rows, &cols](std::int64_t j) {
      Row& col = cols[rows[j].key];
      col.value = 0.5 * col.value + rows[j].value;
    }, models::async);
    stradsap::parallel_for(rows.size(), [&rows, &cols](std::int64_t j) {
      cols[(rows[j].key + 1) % 300].value -= 0.1 * cols[rows[j].key].value;
    }, models::ordered);
    stradsap::parallel_for(rows.size(), [&rows, &cols](std::int64_t j) { cols[rows[j].key].value += 1; },
                           models::sync(1000));
    stradsap::parallel_for(rows.size(), [&rows, &words](std::int64_t j) { words[std::to_string(rows[j].key)] += 1; },
                           models::async);
    stradsap::parallel_for(next.size(), [&next](std::int64_t j) { next[(next[j] + 3 * j) % 500] += 1; }, models::async);
  }
  return sum == 8000 && words.size() == 300 ? 0 : 1;
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


class Tools(DriverCase):
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
            self.assertLessEqual(lines, 48, done.stdout)

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

    def needs_instrumented_library(self):
        if not (self.library().parent / "libstradsap_tsan.a").exists():
            self.skipTest("there is no libstradsap_tsan.a")

    def test_correct_loops_are_clean_under_the_thread_sanitizer(self):
        self.needs_instrumented_library()
        self.write("a.cpp", LOOPS)
        for native in self.natives():
            self.build("a", "-g", "-O1", "-fsanitize=thread", "a.cpp", native=native)
            done = self.on(2, 2, "./a")
            self.assertEqual((done.returncode, re.findall("(?m)^.*Sanitizer.*$", done.stderr)), (0, []), done.stderr[:4000])

    def test_a_race_of_the_users_own_is_named_on_workers_too(self):
        self.needs_instrumented_library()
        self.write("meet.hpp", MEET)
        self.write("a.cpp", CALLS)
        self.write("b.cpp", CALLED.replace("<cstdlib>", '"meet.hpp"').replace("++calls", "meet(), ++calls"))
        self.build("a", "-g", "-O1", "-fsanitize=thread", "-DRACES", "a.cpp", "b.cpp")
        done = self.on(2, 2, "./a")
        self.assertEqual(done.returncode, 66, done.stderr[:4000])
        for rank in range(2):
            self.assertRegex(done.stderr, rf"(?m)^\[{rank}\] .*ThreadSanitizer: data race")
            self.assertRegex(done.stderr, rf"(?m)^\[{rank}\] +#0 add\(double\) \S*b\.cpp:6")

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
