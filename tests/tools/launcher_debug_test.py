"""--debug-rank and --debugger: the ranks that wait for a debugger, and those that are started under one."""

import os
import pty
import select
import subprocess
import time
import unittest

from support import DEADLINE, LAUNCHER, LauncherTest, Run, WAIT_FOR_EVER, launch

SHOW = 'echo "$STRADSAP_DEBUG_RANK,$STRADSAP_HANG_TIMEOUT,$STRADSAP_START_TIMEOUT"'


class DebugTest(LauncherTest):
    def test_ranks_are_told_to_wait_and_a_stopped_one_is_not_silent(self):
        self.assertEqual(self.shell("-n", "2", "--debug-rank", "1", "--no-prefix", SHOW)[1], b"1,0,\n1,0,\n")
        self.assertEqual(self.shell("-n", "1", "--debug-rank", "0", "--hang-timeout", "9", "--no-prefix", SHOW)[1], b"0,9,\n")

    def test_a_debugger_is_a_command_before_the_program(self):
        debugger = self.program("debugger", '#!/bin/sh\necho "debugs $1 $2 $3"\nshift; exec "$@"\n')
        status, output, errors = launch("-n", "2", "--debug-rank", "1", "--debugger", f"{debugger} --args", "--", "sh", "-c",
                                        SHOW, env=self.env)
        self.assertEqual(status, 0, errors)
        lines = sorted(output.decode().splitlines())
        self.assertEqual(lines[0], "[0] ,0,86400")
        self.assertRegex(lines[2], r"^\[1\] debugs --args /\S*/sh -c$")
        self.assertEqual(lines[1], "[1] ,0,86400")

    def test_wrong_ranks_are_refused(self):
        for words, message in ((["--debug-rank", "x"], b"'x' is no list of ranks"),
                               (["-n", "2", "--debug-rank", "0,2"], b"there is no rank 2, only 0 to 1"),
                               (["--debugger", "gdb"], b"--debugger is for the ranks of --debug-rank"),
                               (["-H", "a", "--launcher", "ssh", "--debug-rank", "0", "--debugger", "gdb"],
                                b"--debugger starts ranks of this machine")):
            status, _, errors = launch(*words, "true", env=self.env)
            self.assertEqual(status, 2)
            self.assertIn(message, errors)

    def test_a_debugger_has_the_terminal_and_ctrl_c(self):
        debugger = self.program("debugger", "#!/bin/sh\ntrap 'echo interrupted' INT\necho asks; until read line; do :; done; echo \"got $line\"; exit 7\n")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        words = [LAUNCHER, "-n", "2", "--debug-rank", "0", "--debugger", debugger, "--", "sh", "-c", WAIT_FOR_EVER]
        # the launcher leads the terminal's session, as under a shell
        run = subprocess.Popen(["setsid", "--ctty", "--wait", *words], env=self.env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.addCleanup(run.kill)
        seen = self.read_until(ours, b"asks", b"")
        os.write(ours, b"\x03")
        seen = self.read_until(ours, b"interrupted", seen)
        self.assertIsNone(run.poll())
        os.write(ours, b"run\n")
        seen = self.read_until(ours, b"got run", seen)
        self.assertEqual(run.wait(DEADLINE), 7, seen)

    def read_until(self, descriptor, text, seen):
        """`seen` and all that comes until `text` is there."""
        end = time.monotonic() + DEADLINE
        while text not in seen:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
            self.assertTrue(ready, f"only {seen!r}")
            seen += os.read(descriptor, 4096)
        return seen


class StoppedTest(LauncherTest):
    def test_the_report_names_ranks_that_were_stopped(self):
        run = Run("-n", "2", "--timeout", "1", "--kill-grace", "0.2", "--", "sh", "-c",
                  f'[ "$STRADSAP_RANK" = 1 ] && kill -STOP $$; {WAIT_FOR_EVER}', env=self.env)
        self.addCleanup(run.__exit__)
        status, _, errors = run.finish()
        self.assertEqual(status, 124)
        self.assertRegex(errors, r"rank 1 \(pid \d+\) does not run: it was stopped, as by SIGSTOP or a debugger")
        self.assertNotRegex(errors, r"rank 0 .*does not run")

    def test_those_of_other_hosts_too(self):
        env = {**self.env, "STRADSAP_SSH": os.path.join(os.path.dirname(__file__), "fake_ssh")}
        run = Run("-H", "a,b", "--launcher", "ssh", "--interface", "lo", "--timeout", "4", "--kill-grace", "0.2", "--", "sh", "-c",
                  f'[ "$STRADSAP_RANK" = 1 ] && kill -STOP $$; {WAIT_FOR_EVER}', env=env)
        self.addCleanup(run.__exit__)
        status, _, errors = run.finish()
        self.assertEqual(status, 124)
        self.assertRegex(errors, r"rank 1 \(pid \d+ on host b\) does not run: it was stopped")


if __name__ == "__main__":
    unittest.main()
