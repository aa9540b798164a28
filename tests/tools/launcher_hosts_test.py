"""Runs over several hosts. A script stands in for ssh: each host has an agent, a folder and ranks of its own, all on this machine."""

import os
import unittest

from support import LauncherTest, ROOT, Run, WAIT_FOR_EVER, is_alive, launch, seconds_until_dead, signal, subprocess, sys

FAKE_SSH = os.path.join(ROOT, "tests", "tools", "fake_ssh")
SECONDS_ALLOWED = 5.0


class HostsTest(LauncherTest):
    def setUp(self):
        super().setUp()
        self.env.update(STRADSAP_SSH=FAKE_SSH, STRADSAP_LAUNCHER="ssh", STRADSAP_INTERFACE="lo")

    def lines(self, *words):
        """The sorted lines of a run that succeeds."""
        status, output, errors = self.shell(*words)
        self.assertEqual(status, 0, errors)
        return sorted(output.decode().splitlines())

    def hostfile(self, text, name="hosts"):
        return self.program(name, text, 0o644)

    def waiting(self, *options, script="echo ready $$ $PPID"):
        run = Run("-H", "a,b", *options, "--", "sh", "-c", f"{script}; {WAIT_FOR_EVER}", env=self.env)
        self.addCleanup(run.__exit__)
        return run, dict(line.split(" ", 1) for line in (run.read_line(), run.read_line()))


class PlacementTest(HostsTest):
    SHOW = "echo $STRADSAP_NODE_RANK $STRADSAP_LOCAL_RANK of $STRADSAP_LOCAL_SIZE, $STRADSAP_WORLD_SIZE on $HOSTNAME"

    def test_ranks_fill_the_slots_of_the_hosts_in_order(self):
        self.assertEqual(self.lines("-H", "a:2,b", self.SHOW),
                         ["[0] 0 0 of 2, 3 on a", "[1] 0 1 of 2, 3 on a", "[2] 1 0 of 1, 3 on b"])

    def test_fewer_ranks_leave_hosts_out_and_more_are_spread(self):
        self.assertEqual(self.lines("-H", "a:2,b:2", "-n", "2", "echo $HOSTNAME"), ["[0] a", "[1] a"])
        self.assertEqual(self.lines("-H", "a,b", "-n", "3", "echo $HOSTNAME"), ["[0] a", "[1] a", "[2] b"])
        self.env["STRADSAP_NPROC"] = "1"
        self.assertEqual(self.lines("-H", "a,b", "echo $HOSTNAME"), ["[0] a", "[1] b"])

    def test_a_host_file_has_three_forms_of_lines(self):
        path = self.hostfile("\ufeff# the rack\na slots=2  # two\n\nb:1\nnode[08-10]\n")
        self.assertEqual(self.lines("--hostfile", path, "echo $HOSTNAME"),
                         ["[0] a", "[1] a", "[2] b", "[3] node08", "[4] node09", "[5] node10"])

    def test_wrong_lists_are_refused_and_named(self):
        for words, message in ((["-H", "a:0"], "'0' is no number of ranks for a"), (["-H", "a,,b"], "'' is no name of a host"),
                               (["--hosts=-oProxyCommand=x"], "'-oProxyCommand=x' is no name of a host"),
                               (["-H", "n[3-1]"], "'3-1' in 'n[3-1]' is no range"),
                               (["--hostfile", self.hostfile("a\nb slots=x\n", "h1")], "h1:2: 'x' is no number of ranks for b"),
                               (["--hostfile", self.hostfile("a port=3\n", "h2")], "h2:1: 'port=3' is not slots=N"),
                               (["--hostfile", self.hostfile("#\n", "h3")], "names no host"),
                               (["-H", "a", "--hostfile", self.hostfile("b")], "--hosts and --hostfile: one of them"),
                               (["-H", "a", "--launcher", "local"], "--launcher local cannot start ranks on other hosts"),
                               (["-H", "a", "--launcher", "pmi"], "'pmi' is none of auto, local, ssh, slurm and mpi"),
                               (["-H", "a", "--interface", "0.0.0.0"], "0.0.0.0 is every interface"),
                               (["-H", "a", "--interface", "::"], ":: is every interface"),
                               (["-H", "a", "--port-range", "9-5"], "'9-5' is no range of ports"),
                               (["-H", "a:3,b", "--port-range", "5-6"], "5-6 has 2 ports, and host a gets 3 ranks"),
                               (["-H", "a", "--simulate", "2x1"], "are for ranks of this machine"), ([], "--launcher ssh needs hosts")):
            status, _, errors = launch(*words, "true", env=self.env)
            self.assertEqual((status, message in errors.decode()), (2, True), errors)

    def test_this_machine_needs_no_ssh(self):
        self.env.update(STRADSAP_LAUNCHER="auto", STRADSAP_SSH="false")
        self.assertEqual(self.lines("-H", "localhost:2", "echo $STRADSAP_NODE_RANK"), ["[0] ", "[1] "])

    def test_show_config_names_values_and_their_sources(self):
        status, output, _ = launch("--show-config", "-H", "a:2,b", "--seed", "3", env=self.env)
        self.assertEqual(status, 0)
        lines = output.decode().splitlines()
        for line in ("--hosts=a:2,b:1  (option)", "--seed=3  (option)", "--ssh=" + FAKE_SSH + "  (variable STRADSAP_SSH)",
                     "--kill-grace=5.0  (default)"):
            self.assertIn(line, lines)


class ExactTest(HostsTest):
    def test_arguments_and_variables_arrive_byte_for_byte(self):
        program = self.program("show", '#!/bin/sh\nprintf "%s|" "$A" "$@"\n')
        words = ["a b", "$c", "'\"`\\", "\n", b"\xff\xfe", ""]
        env = {**self.env, "A": "x y$z\"q'"}
        status, output, errors = launch("-H", "a", "-x", "A", "--no-prefix", program, *words, env=env)
        self.assertEqual((status, output), (0, b"x y$z\"q'|a b|$c|'\"`\\|\n|\xff\xfe||"), errors)

    def test_the_environment_is_the_launchers_but_for_what_describes_a_host(self):
        self.env.update(CHOSEN="yes", HOSTNAME="here", SSH_CONNECTION="1 2 3 4")
        self.assertEqual(self.lines("-H", "a", "echo $CHOSEN $HOSTNAME $SSH_CONNECTION ${STRADSAP_SSH-unset}"), ["[0] yes a unset"])

    def test_the_working_directory_is_the_launchers_or_that_of_wdir(self):
        for words, folder in (([], self.folder), (["--wdir", "/"], "/")):
            _, output, _ = launch("-H", "a,b", *words, "sh", "-c", "pwd -P", env=self.env, cwd=self.folder)
            self.assertEqual(sorted(output.decode().splitlines()), [f"[{r}] {os.path.realpath(folder)}" for r in range(2)])

    def test_input_reaches_rank_0_whole_and_no_other(self):
        text = b"".join(b"%d\n" % n for n in range(100000))
        script = "[ $STRADSAP_RANK = 0 ] && exec cat || exec wc -c"
        status, output, _ = launch("-H", "a,b", "--", "sh", "-c", script, env=self.env, input_bytes=text)
        lines = output.splitlines()
        self.assertEqual(status, 0)
        self.assertEqual([line for line in lines if line.startswith(b"[0] ")], [b"[0] " + one for one in text.splitlines()])
        self.assertIn(b"[1] 0", lines)

    def test_much_output_arrives_in_whole_lines(self):
        status, output, _ = self.shell("-H", "a:2,b", "seq 60000")
        lines = output.decode().splitlines()
        for rank in range(3):
            mine = [line.split()[1] for line in lines if line.startswith(f"[{rank}] ")]
            self.assertEqual(mine, [str(n) for n in range(1, 60001)])
        self.assertEqual((status, len(lines)), (0, 180000))

    def test_output_of_each_rank_goes_to_a_file_here_too(self):
        folder = os.path.join(self.folder, "out")
        status, output, errors = self.shell("-H", "a:2,b", "-o", folder, "echo out $STRADSAP_RANK $HOSTNAME; printf err >&2")
        self.assertEqual((status, sorted(output.decode().splitlines())), (0, ["[0] out 0 a", "[1] out 1 a", "[2] out 2 b"]), errors)
        self.assertEqual(sorted(os.listdir(folder)), ["rank.0", "rank.1", "rank.2"])
        for rank in range(3):
            for name, text in (("stdout", f"out {rank} {'aab'[rank]}\n"), ("stderr", "err")):
                with open(os.path.join(folder, f"rank.{rank}", name), encoding="utf-8") as file:
                    self.assertEqual(file.read(), text)

    def test_what_a_login_prints_does_no_harm(self):
        self.assertEqual(self.lines("-H", "chatty", "echo fine"), ["[0] fine"])


class EndingTest(HostsTest):
    def test_the_status_of_the_first_rank_to_fail_is_passed_on_with_its_host(self):
        status, _, errors = self.shell("-H", "a,b", f"[ $STRADSAP_RANK = 1 ] && {{ echo why >&2; exit 7; }}; {WAIT_FOR_EVER}")
        self.assertEqual(status, 7)
        self.assertRegex(errors.decode(), r"rank 1 \(pid \d+ on host b\) ended with status 7")
        self.assertIn("stopped because of it: rank 0", errors.decode())
        self.assertTrue(errors.decode().rstrip().endswith("| why"))

    def test_a_killed_rank_gives_137(self):
        run, pids = self.waiting()
        os.kill(int(pids["[1]"].split()[1]), signal.SIGKILL)
        status, _, errors = run.finish()
        self.assertEqual(status, 137)
        self.assertRegex(errors, r"rank 1 \(pid \d+ on host b\) was killed by SIGKILL")

    def test_hosts_that_cannot_start_are_all_named_with_the_words_of_ssh(self):
        status, output, errors = self.shell("-H", "a,down-1,down-2", "echo never")
        self.assertEqual((status, output), (3, b""))
        for host in ("down-1", "down-2"):
            self.assertIn(f"cannot start on host {host}: its agent ended with status 255: ssh: Could not resolve hostname {host}",
                          errors.decode())

    def test_a_host_that_does_not_answer_is_named(self):
        status, output, errors = self.shell("-H", "a,mute", "--start-timeout", "1", "echo never")
        self.assertEqual((status, output), (3, b""))
        self.assertIn(b"cannot start on host mute: no answer within 1 s", errors)

    def test_a_program_or_folder_that_a_host_lacks_is_named(self):
        status, _, errors = launch("-H", "a,b", "/no/such/program", env=self.env)
        self.assertEqual(status, 3)
        self.assertIn(b"cannot start on host b: cannot start /no/such/program: no such file", errors)
        status, _, errors = launch("-H", "a", "--wdir", "/no/such/folder", "true", env=self.env)
        self.assertEqual(status, 3)
        self.assertIn(b"cannot start on host a: no such directory: /no/such/folder", errors)
        status, _, errors = launch("-H", "a,b", "--interface", "10.11.12.0/30", "true", env=self.env)
        self.assertEqual(status, 3)
        self.assertIn(b"cannot start on host b: no address in 10.11.12.0/30; there are lo 127.0.0.1", errors)

    def test_ranks_of_hosts_ignore_no_signal(self):
        for line in self.lines("-H", "a,b", "grep SigIgn /proc/self/status"):
            self.assertEqual(int(line.split()[-1], 16) & 3, 0, line)  # HUP, INT

    def test_signals_reach_ranks_of_all_hosts(self):
        for name, status in (("USR1", 0), ("TERM", 143)):
            run, _ = self.waiting(script=f"trap 'echo got {name}; exit 0' {name}; tail -f /dev/null & echo ready; wait; exit")
            run.signal(getattr(signal, "SIG" + name))
            ended, output, _ = run.finish()
            self.assertEqual((ended, sorted(output.splitlines())), (status, [f"[0] got {name}", f"[1] got {name}"]))

    def test_a_time_out_is_124(self):
        status, _, errors = self.shell("-H", "a,b", "--timeout", "0.5", WAIT_FOR_EVER)
        self.assertEqual(status, 124)
        self.assertIn(b"still running: rank 0, 1", errors)

    def test_ranks_do_not_outlive_a_killed_launcher(self):
        run, pids = self.waiting()
        run.signal(signal.SIGKILL)
        run.process.wait()
        for fields in pids.values():
            for pid in fields.split()[1:]:
                self.assertLess(seconds_until_dead(int(pid)) or 0.0, SECONDS_ALLOWED)
                self.assertFalse(is_alive(int(pid)))

    def test_the_folders_of_all_hosts_are_gone_afterwards(self):
        self.shell("-H", "a,b", "touch $STRADSAP_RUN_DIR/x; exit 1")
        self.assertEqual(self.run_folders(), [])

    def test_a_killed_agent_ends_the_run_and_its_host_is_named(self):
        run, pids = self.waiting()
        os.kill(int(pids["[1]"].split()[2]), signal.SIGKILL)
        status, _, errors = run.finish()
        self.assertEqual(status, 75)
        self.assertRegex(errors, r"rank 1 \(pid \d+ on host b\) is lost, because host b was lost: its agent ended")
        self.assertFalse(any(is_alive(int(fields.split()[1])) for fields in pids.values()))

    def test_frames_that_an_agent_does_not_know_end_it_with_a_message(self):
        begin = "import sys; sys.path.insert(0, sys.argv[1]); from launcher.agent import main; main()"
        for header, words in ((b'{"a": 1}', b"the launcher sent a frame without a kind\n"), (b"[]", b"the launcher sent a frame without a kind\n"),
                              (b'{"kind": "signal"}', b"the launcher sent a frame with other fields (KeyError('rank'))\n")):
            frame = len(header).to_bytes(4, "big") + bytes(4) + header + b"\n"
            done = subprocess.run([sys.executable, "-c", begin, os.path.join(ROOT, "tools")], input=frame, capture_output=True,
                                  timeout=60, check=False, env=self.env)
            self.assertEqual((done.returncode, done.stderr), (0, words))

    def test_a_silent_agent_ends_the_run_after_the_hang_time_out(self):
        run, pids = self.waiting("--hang-timeout", "1")
        agent = int(pids["[1]"].split()[2])
        os.kill(agent, signal.SIGSTOP)
        status, _, errors = run.finish()
        self.assertEqual(status, 75)
        self.assertIn("host b was lost: its agent has been silent for 1 s", errors)
        self.assertLess(seconds_until_dead(int(pids["[1]"].split()[1])) or 0.0, SECONDS_ALLOWED)


if __name__ == "__main__":
    unittest.main()
