"""The end of runs: the status, the report, the order in which processes are stopped, the removal of the run's folder."""

import os
import re
import socket
import time
import unittest

from support import LauncherTest, Run, WAIT_FOR_EVER, is_alive, launch, signal

# Ends after the other rank, the only other child of the launcher, and once the launcher, woken by that, waits again.
AWAIT_PEER = ("import os,select,time; me=os.getppid(); launcher=int(open(f\"/proc/{me}/stat\").read().split()[3]); until=time.monotonic()+1\n"
              "def others(): return [int(p) for p in open(f\"/proc/{launcher}/task/{launcher}/children\").read().split() if int(p)!=me]\n"
              "while not others() and time.monotonic()<until: os.sched_yield()\n"
              "[select.select([os.pidfd_open(p)],[],[]) for p in others() if os.path.exists(f\"/proc/{p}\")]\n"
              "while open(f\"/proc/{launcher}/stat\").read().rpartition(\")\")[2].split()[0] != \"S\": os.sched_yield()")

# Reads the number of a process from a named pipe and returns when that process has ended.
AWAIT_END = "import os,select,sys; select.select([os.pidfd_open(int(open(sys.argv[1]).read()))], [], [])"

# More than a pipe holds. It is written once the launcher has started all ranks, so the launcher sees their ends in order.
TALK = "seq 30000"

RANK_1 = '[ "$STRADSAP_RANK" = 1 ] && '


class StatusTest(LauncherTest):
    def test_success_is_0_and_says_nothing(self):
        self.assertEqual(self.shell("true"), (0, b"", b""))

    def test_the_status_of_a_failing_rank_is_passed_on(self):
        for status in (1, 42, 255):
            self.assertEqual(self.shell(f"exit {status}")[0], status)

    def test_a_killed_rank_gives_128_plus_the_signal(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGUSR1):
            status, _, errors = self.shell(f"kill -{int(number)} $$")
            self.assertEqual(status, 128 + number)
            self.assertIn(f"rank 0 (pid ".encode(), errors)
            self.assertIn(f"was killed by {number.name} ({int(number)})".encode(), errors)

    def test_the_first_rank_to_fail_in_time_decides(self):
        # Rank 0 fails at once, because rank 2 did: often the launcher sees both ends together.
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        status, _, errors = self.shell("-n", "3", f"""
            case $STRADSAP_RANK in
              0) python3 -S -c '{AWAIT_END}' {fifo}; exit 7 ;;
              1) exit 0 ;;
              2) {TALK}; echo $$ >{fifo}; exit 9 ;;
            esac""")
        self.assertEqual(status, 9)
        self.assertRegex(errors.decode(), r"rank 2 \(pid \d+\) ended with status 9 after \d+\.\d\d s")
        self.assertIn("then rank 0 ended with status 7", errors.decode())

    def test_the_report_comes_last_and_quotes_the_last_words(self):
        status, _, errors = self.shell("-n", "2", f"{RANK_1}{{ seq 1 30 >&2; kill -9 $$; }}; {WAIT_FOR_EVER}")
        self.assertEqual(status, 137)
        report = errors.decode().split("stradsap-run: rank 1")[1].splitlines()
        self.assertIn("SIGKILL", report[0])
        self.assertEqual(report[1], "stradsap-run: stopped because of it: rank 0")
        quoted = [line.split("| ")[1] for line in report if "| " in line]
        self.assertEqual(quoted, [str(n) for n in range(11, 31)])
        self.assertTrue(report[-1].endswith("| 30"))

    def test_a_rank_that_ignores_term_is_killed_and_the_run_ends_in_time(self):
        start = time.monotonic()
        status, _, errors = self.shell("-n", "2", "--kill-grace", "0.5",
                                       f"trap '' TERM; {RANK_1}exit 5; while :; do tail -f /dev/null; done")
        self.assertEqual(status, 5)
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn(b"stopped because of it: rank 0", errors)

    def test_ranks_that_notice_the_loss_have_time_to_say_so(self):
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        status, _, errors = self.shell("-n", "2", f"""
            {RANK_1}{{ {TALK}; echo $$ >{fifo}; exit 3; }}
            python3 -S -c '{AWAIT_END}' {fifo}; echo lost my peer >&2; exit 4""")
        self.assertEqual(status, 3)
        self.assertIn(b"[0] lost my peer", errors)
        self.assertNotIn(b"stopped because", errors)


class StartTest(LauncherTest):
    def test_what_cannot_be_started_is_3_and_named(self):
        no_code = self.program("no_code", "", 0o755)
        for program, words in (
                ("./missing", "no such file"), ("no-such-program", "not found in PATH"),
                ("doctr", "did you mean doctor?"), (self.folder, "is a directory"),
                (self.program("plain", "text", 0o644), "not executable"), (no_code, "Exec format error")):
            status, output, errors = launch("-n", "2", program, env=self.env)
            self.assertEqual((status, output), (3, b""), program)
            self.assertIn(words, errors.decode())
            self.assertIn(os.path.basename(program), errors.decode())
        self.assertEqual(self.run_folders(), [])

    def test_a_missing_working_directory_is_3(self):
        status, _, errors = launch("--wdir", "/no/such/place", "true", env=self.env)
        self.assertEqual(status, 3)
        self.assertIn(b"/no/such/place", errors)


class TimeOutTest(LauncherTest):
    def test_a_time_out_is_124_names_the_running_ranks_and_leaves_none(self):
        status, output, errors = self.shell("-n", "2", "--timeout", "0.5", f"echo $$; {RANK_1}exit 0; {WAIT_FOR_EVER}")
        self.assertEqual(status, 124)
        self.assertIn(b"time-out: not done after 0.5 s; still running: rank 0", errors)
        for line in output.split(b"\n")[:-1]:
            self.assertFalse(is_alive(int(line.split()[1])))

    def test_a_run_that_is_done_in_time_is_not_touched(self):
        self.assertEqual(self.shell("--timeout", "25", "exit 6")[0], 6)


class SignalTest(LauncherTest):
    def started(self, script, *options):
        """A run of ranks that have installed their traps and reported it."""
        run = Run("-n", "2", *options, "--", "bash", "-c", script, env=self.env)
        self.addCleanup(run.__exit__)
        self.assertEqual(sorted([run.read_line(), run.read_line()]), ["[0] ready", "[1] ready"])
        return run

    # A bash trap runs between commands, so the program waits in `wait`, which a trapped signal interrupts.
    WAITING = "tail -f /dev/null & child=$!; echo ready; wait"

    def test_int_term_and_hup_reach_every_rank_and_decide_the_status(self):
        for name in ("INT", "TERM", "HUP"):
            run = self.started(f"trap 'echo got {name}; kill $child; exit 0' {name}; {self.WAITING}")
            run.signal(getattr(signal, "SIG" + name))
            status, output, errors = run.finish()
            self.assertEqual(status, 128 + getattr(signal, "SIG" + name))
            self.assertEqual(sorted(output.splitlines()), [f"[0] got {name}", f"[1] got {name}"])
            self.assertIn(f"stopped by SIG{name}", errors)

    def test_usr1_and_usr2_are_forwarded_and_the_run_goes_on(self):
        for name in ("USR1", "USR2"):
            run = self.started(f"trap 'echo got {name}; kill $child; exit 0' {name}; {self.WAITING}")
            run.signal(getattr(signal, "SIG" + name))
            status, output, _ = run.finish()
            self.assertEqual((status, sorted(output.splitlines())), (0, [f"[0] got {name}", f"[1] got {name}"]))

    def test_a_second_interrupt_kills_at_once(self):
        run = self.started("trap 'echo got it' INT TERM; echo ready; while :; do tail -f /dev/null; done",
                           "--kill-grace", "25")
        run.signal(signal.SIGINT)
        self.assertRegex(run.read_line(), "got it")
        start = time.monotonic()
        run.signal(signal.SIGINT)
        status, _, _ = run.finish()
        self.assertEqual(status, 130)
        self.assertLess(time.monotonic() - start, 5)

    def test_ranks_that_ignore_the_interrupt_are_killed_after_the_grace(self):
        run = self.started("trap '' INT TERM; echo ready; while :; do tail -f /dev/null; done", "--kill-grace", "0.2")
        run.signal(signal.SIGINT)
        self.assertEqual(run.finish()[0], 130)


class RunFolderTest(LauncherTest):
    SHOW = 'stat -c "%a %n" "$STRADSAP_RUN_DIR"'

    def test_the_folder_is_private_short_and_gone_afterwards(self):
        status, output, _ = self.shell("-n", "2", self.SHOW + "; touch $STRADSAP_RUN_DIR/$STRADSAP_RANK.sock")
        self.assertEqual(status, 0)
        modes, paths = zip(*(line.split()[1:] for line in output.decode().splitlines()))
        self.assertEqual((set(modes), len(set(paths))), ({"700"}, 1))
        self.assertTrue(paths[0].startswith(self.base))
        self.assertEqual(self.run_folders(), [])

    def test_it_is_gone_after_failures_and_signals_too(self):
        self.shell("-n", "2", "touch $STRADSAP_RUN_DIR/x; exit 1")
        self.assertEqual(self.run_folders(), [])
        with Run("sh", "-c", f"echo ready; {WAIT_FOR_EVER}", env=self.env) as run:
            run.read_line()
            self.assertEqual(len(self.run_folders()), 1)
            run.signal(signal.SIGTERM)
            run.finish()
        self.assertEqual(self.run_folders(), [])

    def test_a_base_that_is_too_long_for_sockets_is_passed_over(self):
        long = os.path.join(self.base, "x" * 80)
        os.mkdir(long)
        status, output, _ = launch("sh", "-c", "echo $STRADSAP_RUN_DIR", env={**self.env, "XDG_RUNTIME_DIR": long,
                                                                               "TMPDIR": self.base})
        self.assertEqual(status, 0)
        self.assertTrue(re.fullmatch(re.escape(f"[0] {self.base}/") + r"stradsap-run\.\w+\n", output.decode()))

    def test_a_rank_that_only_noticed_a_loss_is_not_the_cause(self):
        late = f"if [ $STRADSAP_RANK = 1 ]; then exit 75; fi; python3 -c '{AWAIT_PEER}'; kill -9 $$"
        status, _, errors = launch("-n", "2", "sh", "-c", late, env=self.env)
        self.assertEqual(status, 137, errors)
        self.assertRegex(errors.decode(), r"rank 0 \(pid \d+\) was killed by SIGKILL")
        self.assertRegex(errors.decode(), r"then rank 1 ended with status 75, \d+\.\d\d s before that process had gone")

    def test_a_program_that_does_not_join_the_run_is_warned_about(self):
        status, _, errors = launch("-n", "2", "sh", "-c", "echo hi", env=self.env)
        self.assertEqual(status, 0)
        self.assertIn("warning: no rank joined the run, so each of 2 processes ran the whole program", errors.decode())
        self.assertNotIn("joined", launch("sh", "-c", "echo hi", env=self.env)[2].decode())
        joins = "touch $STRADSAP_RUN_DIR/socket; rm $STRADSAP_RUN_DIR/socket"
        self.assertNotIn("joined", launch("-n", "2", "sh", "-c", joins, env=self.env)[2].decode())

    def test_folders_of_dead_launchers_are_removed_and_of_living_ones_kept(self):
        stale = os.path.join(self.base, "stradsap-run.0123abcd")
        os.mkdir(stale, 0o700)
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(os.path.join(stale, "rank.0"))
        os.mkfifo(os.path.join(stale, "rank.0.doorbell"))
        results = os.path.join(self.base, "stradsap-run.4567abcd")
        os.mkdir(results, 0o700)
        with open(os.path.join(results, "model.txt"), "w", encoding="utf-8"):
            pass
        with Run("sh", "-c", f"echo $STRADSAP_RUN_DIR; {WAIT_FOR_EVER}", env=self.env) as run:
            own = run.read_line().split()[1]
            kept = sorted([os.path.basename(own), os.path.basename(results)])
            self.assertEqual(sorted(self.run_folders()), kept)
            self.assertEqual(self.shell("true")[0], 0)
            self.assertEqual(sorted(self.run_folders()), kept)
        self.assertTrue(os.path.exists(os.path.join(results, "model.txt")), "a user's file was removed")

    def test_jobs_at_the_same_time_do_not_meet(self):
        show = f"echo $STRADSAP_JOB_ID $STRADSAP_RUN_DIR; {WAIT_FOR_EVER}"
        runs = [Run("-n", "2", "sh", "-c", show, env=self.env) for _ in range(3)]
        for run in runs:
            self.addCleanup(run.__exit__)
        seen = [{run.read_line().split(None, 1)[1] for _ in range(2)} for run in runs]
        self.assertEqual([len(names) for names in seen], [1, 1, 1])
        self.assertEqual(len(set.union(*seen)), 3)
        runs[0].signal(signal.SIGTERM)
        self.assertEqual(runs[0].finish()[0], 143)
        self.assertEqual(len(self.run_folders()), 2)
        self.assertTrue(all(run.process.poll() is None for run in runs[1:]))


if __name__ == "__main__":
    unittest.main()
