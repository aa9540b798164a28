"""Runs that do not go on: the report names the awaited rank, the loop and the lines of all threads. And signals to ranks."""

import os
import re
import select
import signal
import subprocess
import unittest

from programs_case import BIN, start_endless

DEADLINE = 60


def stuck(kind, *options, ranks=2, threads=1, environment=None):
    words = [f"{BIN}/stradsap-run", "-n", str(ranks), "--threads", str(threads), "--no-prefix", *options,
             f"{BIN}/program_stuck", kind]
    return subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False, env=environment)


def line_of(text):
    """The number of the last line of stuck.cpp with this text."""
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "programs", "stuck.cpp"), encoding="utf-8") as file:
        return max(number for number, line in enumerate(file, 1) if text in line)


class HangTest(unittest.TestCase):
    def test_the_report_names_the_awaited_rank_and_the_lines_of_all(self):
        for kind, text, function in (("endless", "while (goes_on)", ""), ("read", "(void)!read(", "read"),
                                     ("mutex", "never_unlocked.lock()", "pthread_mutex_lock")):
            done = stuck(kind, "--hang-timeout", "1", "--in-place", "never")
            self.assertEqual(done.returncode, 124, done.stderr)
            found = re.search(r"error: no progress for \d+ s: .*; waiting for: rank (\d)\n", done.stderr)
            self.assertTrue(found, done.stderr)
            awaited = int(found.group(1))
            blocks = {}  # the lines below the name of each rank
            for rank in range(2):
                block = re.search(rf"\n  rank {rank} \(process \d+ on \S+\), in the loop at stuck.cpp:41:\n((?:    .*\n)+)", done.stderr)
                self.assertTrue(block, done.stderr)
                blocks[rank] = block.group(1)
            self.assertRegex(blocks[1 - awaited], rf"^    waits for rank {awaited}: \S")
            self.assertNotIn("waits for", blocks[awaited], done.stderr)
            within = f", in {function}" if function else ""
            self.assertRegex(blocks[awaited], rf"^    main thread: \S*stuck.cpp:{line_of(text)}{within}, called from \S*stuck.cpp:\d+")
            self.assertIn("its report is above", done.stderr)
            self.assertNotIn("stops: it lost rank 0", done.stderr)

    def test_a_rank_that_does_not_come_is_named(self):
        script = f"[ $STRADSAP_RANK = 2 ] && exec tail -f /dev/null; exec {BIN}/program_word_count"
        done = subprocess.run([f"{BIN}/stradsap-run", "-n", "3", "--threads", "1", "--start-timeout", "3", "sh", "-c", script],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no hello from rank 2 within 3 s", done.stderr)

    def test_the_report_of_a_single_rank_is_printed_once(self):
        done = stuck("endless", "--hang-timeout", "1", ranks=1)
        self.assertEqual((done.returncode, done.stderr.count("no progress for")), (124, 1), done.stderr)
        self.assertIn("its report is above", done.stderr)

    def test_the_wait_names_elements_and_blocks(self):
        done = stuck("endless", "--hang-timeout", "1", "--in-place", "never")
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertRegex(done.stderr, r"waits for rank \d: block \d+ of \d+ needs elements \d+ to \d+ of `[xy]`")

    def test_one_rank_is_watched_too(self):
        for threads in (1, 2):
            done = stuck("endless", "--hang-timeout", "1", ranks=1, threads=threads)
            self.assertEqual(done.returncode, 124, done.stderr)
            self.assertRegex(done.stderr, r"waiting for: rank 0\n  rank 0 .*in the loop at stuck.cpp:41:\n")

    def test_a_program_without_the_launcher_reports_too(self):
        environment = {**os.environ, "STRADSAP_HANG_TIMEOUT": "1", "STRADSAP_THREADS": "2"}
        done = subprocess.run([f"{BIN}/program_stuck", "endless"], capture_output=True, text=True, timeout=DEADLINE, check=False,
                              env=environment)
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertRegex(done.stderr, r"error: no progress for 1 s")

    def test_a_long_body_is_no_hang_by_default(self):
        done = stuck("long")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("no progress", done.stderr)
        done = stuck("long", "--hang-timeout", "20")
        self.assertEqual((done.returncode, stuck("none").stdout), (0, done.stdout), done.stderr)

    def test_few_long_iterations_in_program_order_are_progress(self):
        for ranks in (1, 2):
            done = stuck("slow", "--hang-timeout", "1", ranks=ranks)
            self.assertEqual((done.returncode, done.stdout), (0, "slow\n"), done.stderr)

    def test_no_time_out_reports_nothing(self):
        done = stuck("endless", "--hang-timeout", "0", "--timeout", "3", "--kill-grace", "0.5")
        self.assertEqual(done.returncode, 124)
        self.assertNotIn("no progress", done.stderr)

    def test_a_rank_that_is_stopped_is_lost_and_named(self):
        done = stuck("stop", "--hang-timeout", "1", "--kill-grace", "0.5", "--in-place", "never")  # rank 1 stops, after all have met
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertRegex(done.stderr, r"silent for 1 s")
        self.assertRegex(done.stderr, r"rank \d \(pid \d+\) does not run: it was stopped, as by SIGSTOP")

    def test_a_run_that_makes_progress_is_left_alone(self):
        one = start_endless(self, [f"{BIN}/stradsap-run", "-n", "2", "--threads", "1", "--hang-timeout", "1"], None)
        for _ in range(300):  # lines of output, each after ten passes
            ready, _, _ = select.select([one.stdout], [], [], DEADLINE)
            self.assertTrue(ready)
            self.assertTrue(one.stdout.readline())
        self.assertIsNone(one.poll())


class SignalsTest(unittest.TestCase):
    def start(self, *options):
        one = subprocess.Popen([f"{BIN}/stradsap-run", "-n", "3", "--threads", "1", *options, f"{BIN}/program_signals"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(one.communicate)
        self.addCleanup(one.kill)
        self.assertEqual(self.line(one), "[0] counted 0\n")
        return one

    def line(self, one):
        ready, _, _ = select.select([one.stdout], [], [], DEADLINE)
        self.assertTrue(ready, "no further line")
        return one.stdout.readline()

    def test_handlers_of_main_run_on_rank_0_and_the_others_go_on(self):
        for last in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            one = self.start()
            for seen, number in enumerate((signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1), 1):
                one.send_signal(number)
                self.assertEqual(self.line(one), f"[0] counted {seen}\n")
            one.send_signal(last)
            self.assertEqual(self.line(one), "[0] saved 499500\n")
            output, errors = one.communicate(timeout=DEADLINE)
            self.assertEqual((one.returncode, output), (128 + last, ""), errors)
            self.assertRegex(errors, rf"^(stradsap-run: warning: oversubscribed.*\n)?stradsap-run: stopped by {last.name}\n$")

    def test_a_run_that_starts_ends_at_once(self):
        for delay in range(20, 200, 15):
            one = subprocess.Popen([f"{BIN}/stradsap-run", "-n", "3", "--threads", "1", "--kill-grace", "50",
                                    f"{BIN}/program_endless"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.addCleanup(one.communicate)
            self.addCleanup(one.kill)
            select.select([], [], [], delay / 1000)
            one.send_signal(signal.SIGTERM)
            _, errors = one.communicate(timeout=DEADLINE / 2)
            self.assertIn(one.returncode, (143, -signal.SIGTERM), errors)  # before or after the launcher has handlers

    def test_without_a_handler_the_run_ends_at_once_and_quietly(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            one = start_endless(self, [f"{BIN}/stradsap-run", "-n", "3", "--threads", "1", "--kill-grace", "50"], None)
            one.send_signal(number)
            _, errors = one.communicate(timeout=DEADLINE)
            self.assertEqual(one.returncode, 128 + number)
            self.assertNotIn("lost rank 0", errors)
            self.assertIn(f"stopped by {number.name}", errors)


@unittest.skipUnless(os.path.exists("/usr/bin/gdb"), "gdb is not installed")
class DebugTest(unittest.TestCase):
    def test_a_rank_waits_for_a_debugger_and_then_goes_on(self):
        one = subprocess.Popen([f"{BIN}/stradsap-run", "-n", "2", "--threads", "1", "--debug-rank", "1", f"{BIN}/program_stuck", "none"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(one.communicate)
        self.addCleanup(one.kill)
        ready, _, _ = select.select([one.stderr], [], [], DEADLINE)
        self.assertTrue(ready, "no command")
        found = re.fullmatch(r"\[1\] stradsap: rank 1 on host \S+ waits for a debugger: gdb -p (\d+)\n", one.stderr.readline())
        self.assertTrue(found)
        gdb = subprocess.run(["gdb", "-nx", "-batch", "-ex", "handle all nostop noprint pass", "-ex", "continue", "-p", found.group(1)],
                             capture_output=True, text=True, timeout=DEADLINE, check=False)
        if "ptrace: Operation not permitted" in gdb.stderr:
            self.skipTest("this container permits no debugger")
        self.assertEqual(gdb.returncode, 0, gdb.stderr)
        output, errors = one.communicate(timeout=DEADLINE)
        self.assertEqual((one.returncode, output), (0, "[0] " + stuck("none").stdout), errors)


if __name__ == "__main__":
    unittest.main()
