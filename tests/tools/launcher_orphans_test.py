"""No rank outlives its run: not after kill -9 of the launcher, not under a wrapper, not in the background."""

import os
import unittest

from support import LauncherTest, Run, WAIT_FOR_EVER, is_alive, launch, seconds_until_dead, signal

SECONDS_ALLOWED = 5.0


class OrphanTest(LauncherTest):
    def killed(self, script, lines):
        """Kills the launcher with -9 once `lines` processes have printed their number. Returns the numbers."""
        with Run("-n", "2", "--no-prefix", "--", "bash", "-c", script, env=self.env) as run:
            pids = [int(run.read_line()) for _ in range(lines)]
            self.assertTrue(all(is_alive(pid) for pid in pids))
            run.signal(signal.SIGKILL)
            run.process.wait()
            for pid in pids:
                seconds = seconds_until_dead(pid)
                self.assertIsNotNone(seconds, f"process {pid} is still alive")
                self.assertLess(seconds, SECONDS_ALLOWED)

    def test_ranks_die_with_a_killed_launcher(self):
        self.killed(f"echo $$; {WAIT_FOR_EVER}", 2)

    def test_so_do_programs_under_a_wrapper_that_ignore_polite_signals(self):
        self.killed("bash -c 'trap \"\" TERM HUP INT; echo $$; while :; do tail -f /dev/null; done'; true", 2)

    def test_the_folder_of_a_killed_launcher_is_removed(self):
        with Run("sh", "-c", f"touch $STRADSAP_RUN_DIR/x; echo $$; {WAIT_FOR_EVER}", env=self.env) as run:
            run.read_line()
            run.signal(signal.SIGKILL)
            run.process.wait()
            # Either one may remove it: the guard of the killed launcher, or the next launcher.
            launch("true", env=self.env)
        self.assertEqual(self.run_folders(), [])

    def test_what_a_rank_left_in_the_background_ends_with_the_run(self):
        status, output, _ = self.shell("tail -f /dev/null & echo $!")
        self.assertEqual(status, 0)
        self.assertFalse(is_alive(int(output.split()[1])))

    def test_a_daemon_that_escaped_cannot_hold_the_launcher(self):
        # the rank ends only after the daemon has a session of its own; without one, the daemon would end with the others
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        status, output, _ = self.shell(f"setsid sh -c 'echo $$ >{pipe}; exec tail -f /dev/null' & read pid <{pipe}; "
                                       "echo $pid")
        pid = int(output.split()[1])
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        self.assertEqual(status, 0)

    def test_the_children_of_the_launcher_are_its_ranks(self):
        with Run("-n", "2", "--no-prefix", "sh", "-c", f"echo $$; {WAIT_FOR_EVER}", env=self.env) as run:
            ranks = sorted(int(run.read_line()) for _ in range(2))
            with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as file:
                self.assertEqual(sorted(int(pid) for pid in file.read().split()), ranks)


if __name__ == "__main__":
    unittest.main()
