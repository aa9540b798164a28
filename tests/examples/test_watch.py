"""Reports, progress and the summary, of a program that stradsap-cc compiled and of a plain one."""

import csv
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

from example_case import COMPILER, DEADLINE, HERE, ROOT, ExampleTest, launch, line_of, quick_compiler
from support import LAUNCHER

SOURCE = os.path.join(HERE, "programs", "watched.cpp")
OURS = ["iter", "seconds", "seconds_compute", "seconds_wait", "seconds_plan", "bytes_sent", "staleness"]
ROW = re.compile(r"^stradsap: wait, pass \d+: \d+ %, [\d.]+ iterations/s, \d+ s left(, loss \S+)?$", re.MULTILINE)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert all(len(row) == len(rows[0]) for row in rows), rows
    return rows[0], rows[1:]


class Watch(ExampleTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(folder.cleanup)
        cls.watched = os.path.join(folder.name, "watched")
        cls.plain = os.path.join(folder.name, "plain")
        subprocess.run([*quick_compiler("-std=c++20", "-O1"), SOURCE, "-o", cls.watched], check=True, timeout=240)
        link = subprocess.run([COMPILER, "--showme:link"], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(["g++", "-std=c++20", "-O1", "-isystem", os.path.join(ROOT, "include"), SOURCE, "-o", cls.plain,
                        *link], check=True, timeout=240)

    def run_alone(self, *words, program=None, status=0, **variables):
        variables = {"STRADSAP_" + name.upper(): value for name, value in variables.items()}
        done = subprocess.run([program or self.watched, *map(str, words)], env={**self.env, **variables}, text=True,
                              capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def metrics(self, *words, **more):
        path = os.path.join(self.folder, "m.csv")
        self.run_alone(*words, metrics=path, **more)
        return rows_of(path)

    # ---- reports

    def test_each_report_is_a_row_in_both_builds(self):
        tables = {}
        for program in (self.watched, self.plain):
            header, rows = self.metrics(3, 0, program=program)
            self.assertEqual(header, [*OURS, "loss", "sum"])
            self.assertEqual([row[0] for row in rows], ["0", "1", "2"])
            seconds = [float(row[1]) for row in rows]
            self.assertEqual(seconds, sorted(seconds))
            tables[program] = [row[7:] for row in rows]
        self.assertEqual(tables[self.watched], [["1", "64"], ["0.5", "128"], ["0.3333333333333333", "192"]])
        self.assertEqual(tables[self.plain], tables[self.watched])

    def test_the_times_of_loops_are_those_since_the_last_row(self):
        _, rows = self.metrics(6, 4, threads="2")
        for row in rows:
            self.assertGreaterEqual(float(row[2]), 64 * 0.004)
        self.assertLess(float(rows[-1][2]), 6 * 64 * 0.004 / 2)  # all rows together take twice as long

    def test_a_later_name_is_a_new_column(self):
        header, rows = self.metrics(3, 0, "late")
        self.assertEqual(header[7:], ["loss", "sum", 'a "late", one'])
        self.assertEqual([row[7:] for row in rows], [["1", "64", ""], ["0.5", "128", ""], ["", "", "1"],
                                                     ["0.3333333333333333", "192", ""], ["", "", "2"]])
        self.assertEqual([row[0] for row in rows], ["0", "1", "0", "2", "1"])
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".part")], [])

    def test_ranks_write_one_file_through_the_launcher(self):
        path = os.path.join(self.folder, "m.csv")
        status, _, errors = launch("-n", "2", "--metrics", path, "--", self.watched, "2", "0", env=self.env)
        self.assertEqual((status, errors), (0, b""))
        self.assertEqual([row[7:] for row in rows_of(path)[1]], [["1", "64"], ["0.5", "128"]])

    def test_a_killed_run_leaves_whole_rows(self):
        path = os.path.join(self.folder, "m.csv")
        with subprocess.Popen([self.watched, "100000", "1"], stdout=subprocess.PIPE, env={
                **self.env, "STRADSAP_METRICS": path}) as run:
            for _ in range(3):
                run.stdout.readline()
            run.send_signal(signal.SIGKILL)
            run.stdout.read()
        header, rows = rows_of(path)
        self.assertEqual(header[7:], ["loss", "sum"])
        self.assertGreaterEqual(len(rows), 3)
        with open(path, "rb") as file:
            self.assertTrue(file.read().endswith(b"\n"))

    def test_a_pipe_gets_the_columns_of_the_first_report(self):
        done = self.run_alone(3, 0, "late", metrics="/dev/stdout")
        lines = [line for line in done.stdout.splitlines() if not line.startswith("pass")]
        self.assertEqual(lines[0], ",".join([*OURS, "loss", "sum"]))
        self.assertEqual(len(lines), 6)
        self.assertEqual(done.stderr.count("warning: /dev/stdout is no regular file"), 1, done.stderr)

    def test_a_device_that_is_a_file_is_written_and_not_replaced(self):
        path = os.path.join(self.folder, "both")
        for kind in ("other", "late"):  # a late column would rewrite a file
            with open(path, "wb") as file:
                subprocess.run([self.watched, "3", "0", kind], stdout=file, stderr=subprocess.DEVNULL, check=True,
                               timeout=DEADLINE, env={**self.env, "STRADSAP_METRICS": "/dev/stdout"})
                self.assertTrue(os.path.samestat(os.stat(path), os.fstat(file.fileno())))
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertEqual([line for line in lines if line.startswith("pass")], ["pass 0", "pass 1", "pass 2"])
            self.assertEqual([lines[0], len(lines)], [",".join([*OURS, "loss", "sum"]), 7 if kind == "other" else 9])
        self.assertEqual(os.listdir(self.folder).count("both"), 1)

    def test_a_link_and_the_mode_of_its_file_stay(self):
        path, link = (os.path.join(self.folder, name) for name in ("target.csv", "m.csv"))
        with open(path, "w", encoding="utf-8"):
            os.chmod(path, 0o604)
        os.symlink("target.csv", link)
        header, rows = self.metrics(3, 0, "late")
        self.assertEqual((header[-1], len(rows)), ('a "late", one', 5))
        self.assertEqual((os.readlink(link), os.stat(path).st_mode & 0o7777), ("target.csv", 0o604))
        self.assertEqual(rows_of(path), (header, rows))

    def test_a_pipe_that_nobody_reads_any_more_ends_the_rows_and_not_the_run(self):
        path = os.path.join(self.folder, "pipe")
        os.mkfifo(path)
        pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with subprocess.Popen([self.watched, "20", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**self.env, "STRADSAP_METRICS": path}) as run:
            self.assertEqual(run.stdout.readline(), "pass 0\n")
            self.assertTrue(os.read(pipe, 4096).startswith(b"iter,"))
            os.close(pipe)
            output, errors = run.communicate(timeout=DEADLINE)
        self.assertEqual((run.returncode, output), (0, "".join(f"pass {k}\n" for k in range(1, 20))))
        self.assertEqual(errors, f"stradsap: warning: {path}: cannot write the metrics: Broken pipe; further rows are lost\n")

    def test_a_value_that_is_no_number_has_no_sign(self):
        for program in (self.watched, self.plain):
            _, rows = self.metrics(3, 0, "nan", program=program)
            self.assertEqual([row[7] for row in rows], ["1", "0.5", "nan"])

    def test_a_file_that_cannot_be_written_is_told_at_once(self):
        done = self.run_alone(1, 0, metrics="/dev/null/m.csv", status=2)
        self.assertIn("stradsap: error: /dev/null/m.csv: cannot write the metrics: Not a directory\n", done.stderr)
        status, _, errors = launch("--metrics", "/absent/m.csv", "--", self.watched, "1", "0", env=self.env)
        self.assertEqual((status, errors.splitlines()[0]), (2, b"stradsap-run: --metrics: no directory /absent"))

    def test_a_full_disk_ends_the_rows_and_not_the_run(self):
        done = self.run_alone(2, 0, metrics="/dev/full")
        self.assertEqual(done.stdout, "pass 0\npass 1\n")
        self.assertEqual(done.stderr, "stradsap: warning: /dev/full: cannot write the metrics: No space left on "
                                      "device; further rows are lost\n")

    def test_a_name_of_the_runtime_is_refused(self):
        done = self.run_alone(1, 0, "named", status=1)
        self.assertEqual(done.stdout, "report: seconds is a column of the runtime: take another name\n")

    # ---- alarms

    def test_a_value_that_is_not_finite_is_told_once(self):
        line = line_of("watched", 'report("loss"')
        for program in (self.watched, self.plain):
            done = self.run_alone(6, 0, "nan", program=program)
            self.assertRegex(done.stderr, rf"^stradsap: warning: \S*watched.cpp:{line}: loss is nan: the model has diverged, or "
                                          r"its input has such a number\n$")

    def test_a_rising_loss_is_told_once(self):
        done = self.run_alone(9, 0, "rising")
        line = line_of("watched", 'report("loss"')
        self.assertRegex(done.stderr, rf"^stradsap: warning: \S*watched.cpp:{line}: loss has risen at 3 reports running, from 1 "
                                      r"to 4: a smaller step may help\n$")
        self.assertEqual(self.run_alone(3, 0, "rising").stderr, "")
        self.assertEqual(self.run_alone(9, 0, "rising", falling="other").stderr, "")
        self.assertIn("sum has risen", self.run_alone(9, 0, falling="error,sum").stderr)

    # ---- progress

    def on_terminal(self, command, columns=100, **variables):
        """(stdout, text on the terminal that is stderr)"""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        seen = b""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env={**self.env, **variables}) as run:
            os.close(theirs)
            end = time.monotonic() + DEADLINE
            while time.monotonic() < end:
                select.select([ours], [], [], max(0, end - time.monotonic()))
                try:
                    data = os.read(ours, 4096)
                except OSError:  # the other side is closed
                    break
                seen += data
            output = run.stdout.read()
            self.assertEqual(run.wait(DEADLINE), 0)
        os.close(ours)
        return output.decode(), seen.decode()

    def test_a_long_loop_has_a_line_on_a_terminal(self):
        output, seen = self.on_terminal([self.watched, "2", "80"], STRADSAP_THREADS="2")
        self.assertEqual(output, "pass 0\npass 1\n")
        lines = seen.split("\r\x1b[K")
        self.assertEqual((lines[0], lines[-1]), ("", ""))  # the line is gone at the end of its loop
        self.assertGreaterEqual(len(lines), 6)
        for line in filter(None, lines):
            self.assertRegex(line, ROW)
        self.assertIn("pass 1: ", lines[1])
        self.assertIn(", loss 1", lines[-2])

    def test_a_line_is_as_wide_as_the_terminal(self):
        _, seen = self.on_terminal([self.watched, "1", "60"], columns=30, STRADSAP_THREADS="2")
        self.assertEqual({len(line) for line in filter(None, seen.split("\r\x1b[K"))}, {29})

    def test_elsewhere_are_few_plain_rows(self):
        done = self.run_alone(2, 60, threads="2")
        self.assertRegex(done.stderr, rf"\A{ROW.pattern[1:-1]}\n\Z")
        path = os.path.join(self.folder, "log")
        with open(path, "wb") as file:
            subprocess.run([self.watched, "1", "60"], stdout=subprocess.DEVNULL, stderr=file, check=True, timeout=DEADLINE,
                           env={**self.env, "STRADSAP_THREADS": "2"})
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, rf"\A{ROW.pattern[1:-1]}\n\Z")
        self.assertNotIn("\r", text)

    def test_the_launcher_passes_rows_on_with_their_rank(self):
        status, _, errors = launch("-n", "2", "--threads", "1", "--", self.watched, "1", "80", env=self.env)
        self.assertEqual(status, 0)
        self.assertRegex(errors.decode(), r"\A\[0\] stradsap: wait, pass 1: \d+ %, [\d.]+ iterations/s, \d+ s left\n\Z")

    def test_the_launcher_has_the_line_on_its_terminal(self):
        output, seen = self.on_terminal([LAUNCHER, "-n", "2", "--threads", "1", "--", self.watched, "1", "80"], columns=40)
        self.assertEqual(output, "[0] pass 0\n")
        lines = seen.split("\r\x1b[K")
        self.assertEqual((lines[0], lines[-1]), ("", ""))
        self.assertGreaterEqual(len(lines), 4)
        for line in lines[1:-1]:
            self.assertRegex(line, r"\A\[0\] stradsap: wait, pass 1: \d+ %, [\d.]+ ")
            self.assertLess(len(line), 40)

    def test_one_executor_shows_its_progress_without_a_second_thread(self):
        done = self.run_alone(2, 30, "threads", threads="1")
        self.assertRegex(done.stdout, r"Threads:\t1\n\Z")  # so malloc takes no locks
        self.assertRegex(done.stderr, rf"\A{ROW.pattern[1:-1]}\n\Z")
        self.assertIn("pass 1: ", done.stderr)
        _, seen = self.on_terminal([self.watched, "2", "40"], STRADSAP_THREADS="1")
        lines = seen.split("\r\x1b[K")
        self.assertEqual((lines[0], lines[-1]), ("", ""))
        self.assertGreaterEqual(len(lines), 6)
        for line in filter(None, lines):
            self.assertRegex(line, ROW)

    def test_one_executor_with_long_iterations_has_a_thread_for_later_launches(self):
        seen = self.run_alone(2, 2000, "one", threads="1").stderr
        self.assertRegex(seen, r"\Astradsap: wait, pass 2: 1 s, loss 1\n\Z")

    def test_quiet_shows_none(self):
        self.assertEqual(self.run_alone(1, 60, threads="2", quiet="1").stderr, "")
        status, _, errors = launch("--quiet", "--threads", "2", "--", self.watched, "1", "60", env=self.env)
        self.assertEqual((status, errors), (0, b""))
        _, seen = self.on_terminal([self.watched, "1", "60"], STRADSAP_THREADS="2", STRADSAP_QUIET="1")
        self.assertEqual(seen, "")

    def test_a_short_loop_shows_none(self):
        _, seen = self.on_terminal([self.watched, "5", "1"])
        self.assertEqual(seen, "")

    # ---- summary

    def test_the_summary_has_loops_and_a_sentence(self):
        status, _, errors = launch("-n", "2", "--threads", "1", "--summary", "--", self.watched, "3", "5", env=self.env)
        self.assertEqual(status, 0, errors)
        lines = errors.decode().splitlines()
        self.assertEqual(len(lines), 3, lines)
        number = r"[\d.]+(?:e-\d+)?"
        self.assertRegex(lines[0], rf"^\[0\] stradsap: summary: the run took {number} s on 2 ranks of 1 thread; loops took")
        self.assertRegex(lines[1], rf"^\[0\] stradsap: summary: wait \(\S*watched.cpp:34\): 3 calls took {number} s: "
                                   rf"computing {number} s, waiting {number} s, planning {number} s, moving {number} s; "
                                   rf"rank [01] computes longest, 1\.\d\d times the mean; {number} \w+ sent$")
        self.assertRegex(lines[2], r"^\[0\] stradsap: summary: \d+ % of the time is ")


if __name__ == "__main__":
    sys.exit(unittest.main())
