"""Restarts after failures: the failures that cause one, the variables of the next start, and the ends of it all."""

import os
import unittest

from support import LauncherTest, ROOT, Run, WAIT_FOR_EVER, is_alive, launch, seconds_until_dead, signal

FAKE_SSH = os.path.join(ROOT, "tests", "tools", "fake_ssh")
COUNT = "$STRADSAP_RESTART_COUNT"


class RestartTest(LauncherTest):
    def setUp(self):
        super().setUp()
        self.saved = os.path.join(self.folder, "saved")

    def restarted(self, restarts, *words, env=None):
        """(status, sorted lines of output, stderr) of a run of two ranks."""
        status, output, errors = launch("-n", "2", "--max-restarts", str(restarts), *words[:-1], "sh", "-c", words[-1],
                                        env=env or self.env)
        self.assertEqual(self.run_folders(), [])
        return status, sorted(output.decode().splitlines()), errors.decode()

    def dies(self, rank, restart, how="kill -9 $$"):
        """A line of a script: this rank ends so at this start."""
        return f"[ $STRADSAP_RANK = {rank} ] && [ {COUNT} = {restart} ] && {how}"

    def saves(self, point):
        """A line of a script: rank 0 announces its folder, and completes a checkpoint."""
        return f"[ $STRADSAP_RANK = 0 ] && ln -s {self.saved} $STRADSAP_RUN_DIR/checkpoints && mkdir -p {self.saved}/{point}"

    JOINS = "touch $STRADSAP_RUN_DIR/socket"


class CureTest(RestartTest):
    def test_a_killed_rank_causes_a_new_start_of_all(self):
        for rank in (0, 1):
            status, lines, errors = self.restarted(3, f"echo start {COUNT}; {self.JOINS}; {self.dies(rank, 0)}; "
                                                      f"{self.dies(rank, 1)}; :")
            self.assertEqual((status, lines), (0, [f"[{r}] start {k}" for r in range(2) for k in range(3)]), errors)
            for k in (1, 2):
                self.assertRegex(errors, rf"stradsap-run: restart {k} of 3: rank {rank} \(pid \d+\) was killed by SIGKILL \(9\)")

    def test_faults_and_lost_peers_cause_a_restart(self):
        for how in ("kill -SEGV $$", "kill -BUS $$", "kill -TERM $$", "exit 75"):
            status, _, errors = self.restarted(1, f"{self.JOINS}; {self.dies(1, 0, how)}; :")
            self.assertEqual((status, errors.count("restart 1 of 1")), (0, 1), errors)

    def test_the_programs_own_ends_cause_none(self):
        for how, expected in (("exit 7", 7), ("exit 3", 3), ("exit 143", 143), ("kill -ABRT $$", 134)):
            status, lines, errors = self.restarted(5, f"echo start; {self.dies(1, 0, how)}; :")
            self.assertEqual((status, len(lines)), (expected, 2), errors)
            self.assertIn("no restart, since rank 1 ended by itself", errors)

    def test_a_rank_that_lost_the_one_that_ended_by_itself_is_not_the_cause(self):
        status, _, errors = self.restarted(5, f"{self.dies(1, 0, 'exit 75')}; sleep 0.3; exit 7")
        self.assertEqual(status, 7, errors)
        self.assertNotIn("restart 1", errors)

    def test_the_last_failure_decides_when_no_restart_is_left(self):
        status, lines, errors = self.restarted(2, f"echo {COUNT}; {self.dies(0, 2, 'kill -SEGV $$')}; kill -9 $$")
        self.assertEqual((status, len(lines)), (139, 6), errors)
        self.assertIn("stradsap-run: no restart is left of 2", errors)

    def test_without_the_option_nothing_is_started_again(self):
        status, output, errors = self.shell("-n", "2", f"echo start {COUNT}; [ $STRADSAP_RANK = 1 ] && kill -9 $$; {WAIT_FOR_EVER}")
        self.assertEqual((status, len(output.splitlines())), (137, 2))
        self.assertNotIn(b"restart", errors)

    def test_a_start_after_a_failure_has_new_sockets_and_the_old_processes_are_gone(self):
        status, lines, errors = self.restarted(1, f"tail -f /dev/null & echo $STRADSAP_RUN_DIR; echo $!; {self.JOINS}; "
                                                  f"[ {COUNT} = 1 ] && exit; {self.dies(1, 0)}; wait")
        self.assertEqual(status, 0, errors)
        self.assertEqual(len({line.split(" ", 1)[1] for line in lines if "/" in line}), 2)
        for line in lines:
            self.assertFalse("/" not in line and is_alive(int(line.split()[1])))


class ResumeTest(RestartTest):
    def test_the_newest_checkpoint_is_named(self):
        status, _, errors = self.restarted(2, f"{self.saves('point-00000004')}; "
                                              f"mkdir -p {self.saved}/point-00000012 {self.saved}/.point-3.part; "
                                              f"{self.dies(0, 0)}; {self.dies(0, 1)}; {self.JOINS}")
        self.assertEqual(status, 0, errors)
        self.assertRegex(errors, rf"restart 1 of 2: rank 0 .*; newest checkpoint {self.saved}/point-00000012\n")
        self.assertIn("warning: no checkpoint was completed since restart 1", errors)
        _, _, errors = self.restarted(1, "--wdir", self.folder, f"{self.saves('point-00000012')}; {self.dies(0, 0)}; {self.JOINS}")
        self.assertIn("; newest checkpoint saved/point-00000012\n", errors)

    def test_progress_is_no_reason_for_a_warning(self):
        status, _, errors = self.restarted(2, f"{self.saves('point-0000000' + COUNT)}; {self.dies(0, 0)}; {self.dies(0, 1)}; "
                                              f"{self.JOINS}")
        self.assertEqual((status, "warning" in errors), (0, False), errors)

    def test_all_starts_are_one_job_with_the_same_options(self):
        for words, resume in (((), "none"), (("--resume=" + self.folder,), self.folder), (("--resume",), "1")):
            shows = "[ $STRADSAP_RANK = 0 ] && echo $STRADSAP_JOB_ID ${STRADSAP_RESUME-none}"
            status, lines, errors = self.restarted(1, *words, f"{shows}; {self.dies(0, 0)}; {self.JOINS}")
            self.assertEqual((status, len(lines), len(set(lines))), (0, 2, 1), errors)
            self.assertTrue(lines[0].endswith(" " + resume), lines)

    def test_rows_of_metrics_of_earlier_starts_stay(self):
        path = os.path.join(self.folder, "m.csv")
        status, lines, errors = self.restarted(1, "--metrics", path, f"[ $STRADSAP_RANK = 0 ] && echo $STRADSAP_METRICS; "
                                               f"touch $STRADSAP_METRICS; {self.dies(0, 0)}; {self.JOINS}")
        self.assertEqual((status, lines), (0, [f"[0] {path}", f"[0] {path}.1"]), errors)

    def test_a_file_as_input_is_read_again(self):
        path = self.program("input", "one\ntwo\n", 0o644)
        with open(path, "rb") as file:
            script = f"{self.JOINS}; [ $STRADSAP_RANK = 0 ] && cat; {self.dies(0, 0)}; :"
            with Run("-n", "2", "--max-restarts", "1", "sh", "-c", script, env=self.env, stdin=file) as run:
                status, output, errors = run.finish()
        self.assertEqual((status, output), (0, "[0] one\n[0] two\n" * 2), errors)


class EndTest(RestartTest):
    def test_a_signal_to_the_launcher_ends_the_run_and_its_restarts(self):
        for name in ("INT", "TERM"):
            script = f"{self.dies(1, 0)}; echo ready; {WAIT_FOR_EVER}"
            with Run("-n", "2", "--max-restarts", "100", "sh", "-c", script, env=self.env) as run:
                lines = [run.read_line() for _ in range(2)]
                while sorted(lines[-2:]) != ["[0] ready", "[1] ready"]:
                    lines.append(run.read_line())
                run.signal(getattr(signal, "SIG" + name))
                status, _, errors = run.finish()
            self.assertEqual(status, 128 + getattr(signal, "SIG" + name), errors)
            self.assertEqual(errors.count("restart 1 of 100"), 1)
            self.assertNotIn("restart 2", errors)
            self.assertEqual(self.run_folders(), [])

    def test_a_signal_while_the_ranks_end_causes_no_restart(self):
        script = f"trap '' TERM; {self.dies(1, 0)}; echo ready; while :; do tail -f /dev/null; done"
        with Run("-n", "2", "--max-restarts", "100", "--kill-grace", "20", "sh", "-c", script, env=self.env) as run:
            run.read_line()
            run.signal(signal.SIGINT)
            status, _, errors = run.finish()
        self.assertEqual(status, 130)  # also if the death was noticed before the signal
        self.assertNotIn("restart 1", errors)

    def test_a_time_out_counts_all_starts(self):
        status, _, errors = self.restarted(1000000, "--timeout", "1", f"{self.JOINS}; sleep 0.1; kill -9 $$")
        self.assertEqual(status, 124, errors)
        self.assertIn("time-out: not done after 1 s", errors)

    def test_output_before_a_restart_arrives_whole_though_its_reader_is_slow(self):
        # More than its pipe and the launcher's queue hold: the end is in rank 0's own pipe when it dies.
        script = f"{self.JOINS}; [ $STRADSAP_RANK = 0 ] && seq 100001 260000; {self.dies(0, 0)}; :"
        with Run("-n", "2", "--max-restarts", "1", "--no-prefix", "sh", "-c", script, env=self.env) as run:
            announced = run.process.stderr.readline()
            status, output, errors = run.finish()
        self.assertEqual(status, 0, errors)
        self.assertIn(b"restart 1 of 1", announced)
        self.assertTrue(output == "".join(f"{n}\n" for n in range(100001, 260001)) * 2)

    def test_a_killed_launcher_leaves_no_rank_of_a_later_start(self):
        script = f"[ {COUNT} = 1 ] && echo $$; {self.dies(1, 0)}; {WAIT_FOR_EVER}"
        with Run("-n", "2", "--max-restarts", "9", "sh", "-c", script, env=self.env) as run:
            pids = [int(run.read_line().split()[1]) for _ in range(2)]
            run.process.kill()
            run.process.wait()
            for pid in pids:
                self.assertIsNotNone(seconds_until_dead(pid))


class UsageTest(RestartTest):
    def test_wrong_numbers_are_refused(self):
        for words, message in ((["--max-restarts", "-1"], "--max-restarts: -1 is not between"),
                               (["--max-restarts", "1", "-n", "2", "--min-ranks", "3"], "--min-ranks is 3, and the run has 2 ranks"),
                               (["-x", "STRADSAP_RESTART_COUNT=1"], "is set by stradsap-run itself")):
            status, _, errors = launch(*words, "true", env=self.env)
            self.assertEqual((status, message in errors.decode()), (2, True), errors)
        errors = launch("--min-ranks", "1", "true", env=self.env)[2]
        self.assertIn(b"--min-ranks has no effect without --max-restarts", errors)


class HostsTest(RestartTest):
    """A script stands in for ssh, as in launcher_hosts_test.py."""

    def setUp(self):
        super().setUp()
        self.env.update(STRADSAP_SSH=FAKE_SSH, STRADSAP_LAUNCHER="ssh", STRADSAP_INTERFACE="lo")

    def on_hosts(self, hosts, *words):
        status, output, errors = launch("-H", hosts, *words[:-1], "sh", "-c", words[-1], env=self.env)
        self.assertEqual(self.run_folders(), [])
        return status, sorted(output.decode().splitlines()), errors.decode()

    KILL_AGENT = "kill -9 $PPID"
    SHOW = f"echo {COUNT}: $STRADSAP_WORLD_SIZE $HOSTNAME"

    def kills_agent_of(self, host, restart=0):
        return f"[ $HOSTNAME = {host} ] && [ {COUNT} = {restart} ] && {{ sleep 0.2; {self.KILL_AGENT}; }}"

    def test_a_lost_host_is_tried_again(self):
        status, lines, errors = self.on_hosts("a,b", "--max-restarts", "1",
                                              f"{self.SHOW}; {self.kills_agent_of('b')}; [ {COUNT} = 1 ] || {WAIT_FOR_EVER}")
        self.assertEqual((status, lines), (0, ["[0] 0: 2 a", "[0] 1: 2 a", "[1] 0: 2 b", "[1] 1: 2 b"]), errors)
        self.assertRegex(errors, r"restart 1 of 1: rank 1 \(pid \d+ on host b\) is lost, because host b was lost: "
                                 r"its agent ended with status 137: Killed, after")

    def test_ranks_of_a_lost_host_are_left_out_if_enough_are_left(self):
        for lost, left in (("b", ["[0] 1: 2 a", "[1] 1: 2 c"]), ("a", ["[0] 1: 2 b", "[1] 1: 2 c"])):
            status, lines, errors = self.on_hosts("a,b,c", "--max-restarts", "1", "--min-ranks", "2",
                                                  f"{self.SHOW}; {self.kills_agent_of(lost)}; [ {COUNT} = 1 ] || {WAIT_FOR_EVER}")
            self.assertEqual((status, [line for line in lines if " 1: " in line]), (0, left), errors)
            self.assertIn(f"restart 1 of 1 on 2 ranks, without {lost}: rank ", errors)

    def test_a_host_is_not_left_out_if_too_few_ranks_would_be_left(self):
        status, lines, errors = self.on_hosts("a,b", "--max-restarts", "1", "--min-ranks", "2",
                                              f"{self.SHOW}; {self.kills_agent_of('b')}; [ {COUNT} = 1 ] || {WAIT_FOR_EVER}")
        self.assertEqual((status, len(lines)), (0, 4), errors)

    def down_after_the_first_start(self, host):
        """An ssh that reaches this host once."""
        mark = os.path.join(self.folder, "reached")
        self.env["STRADSAP_SSH"] = self.program("ssh_once", f"""#!/bin/sh
            case "$*" in *" {host} "*)
              [ -e {mark} ] && {{ echo "ssh: connect to host {host}: No route to host" >&2; exit 255; }}
              touch {mark} ;;
            esac
            exec {FAKE_SSH} "$@"
            """)

    def test_a_host_that_stays_away_uses_up_the_restarts(self):
        self.down_after_the_first_start("b")
        status, lines, errors = self.on_hosts("a,b", "--max-restarts", "2",
                                              f"{self.SHOW}; {self.kills_agent_of('b')}; {WAIT_FOR_EVER}")
        self.assertEqual((status, len(lines)), (3, 2), errors)
        self.assertIn("restart 2 of 2: cannot start on host b: its agent ended with status 255: ssh: connect to host b: No route",
                      errors)
        self.assertIn("no restart is left of 2", errors)

    def test_a_host_that_stays_away_is_left_out_of_the_same_restart(self):
        self.down_after_the_first_start("b")
        status, lines, errors = self.on_hosts("a,b", "--max-restarts", "1", "--min-ranks", "1",
                                              f"{self.SHOW}; [ {COUNT} = 0 ] && [ $HOSTNAME = a ] && {{ sleep 0.2; kill -9 $$; }}; "
                                              f"[ {COUNT} = 1 ] || {WAIT_FOR_EVER}")
        self.assertEqual((status, [line for line in lines if " 1: " in line]), (0, ["[0] 1: 1 a"]), errors)

    def test_the_first_start_needs_all_hosts(self):
        status, lines, errors = self.on_hosts("a,down-1", "--max-restarts", "3", "--min-ranks", "1", self.SHOW)
        self.assertEqual((status, lines), (3, []), errors)

    def test_checkpoints_on_the_host_of_rank_0_are_known_to_the_launcher(self):
        status, lines, errors = self.on_hosts("a,b", "--max-restarts", "1",
                                              f"{self.saves('point-00000007')}; {self.dies(0, 0)}; :")
        self.assertEqual((status, lines), (0, []), errors)
        self.assertIn(f"newest checkpoint {self.saved}/point-00000007", errors)

    def test_an_interrupt_while_agents_start_ends_the_run(self):
        with Run("-H", "a,mute", "--start-timeout", "25", "--max-restarts", "3", "true", env=self.env) as run:
            while not self.agents_of(run.pid):
                pass
            run.signal(signal.SIGTERM)
            status, _, errors = run.finish()
        self.assertEqual(status, 143, errors)
        self.assertIn("stopped by SIGTERM", errors)

    @staticmethod
    def agents_of(launcher):
        with open(f"/proc/{launcher}/task/{launcher}/children", encoding="ascii") as file:
            return len(file.read().split()) >= 2


if __name__ == "__main__":
    unittest.main()
