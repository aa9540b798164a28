"""A rank that the kernel may have killed for lack of memory: files of the test stand in for those of the kernel."""

import os
import unittest

from support import LauncherTest, ROOT, subprocess, sys

# The launcher, with the files of a folder in place of the kernel's.
START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from launcher import main, memory_kills
folder = sys.argv.pop(1)
memory_kills.OWN, memory_kills.GROUPS, memory_kills.MACHINE = folder + "/own", folder, folder + "/vmstat"
sys.exit(main.main(sys.argv[1:]))
"""


class MemoryKillsTest(LauncherTest):
    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def report(self, script, *options):
        """The first line of the report on a run of the script."""
        words = [sys.executable, "-B", "-c", START, os.path.join(ROOT, "tools"), self.folder, *options, "--", "sh", "-c", script]
        done = subprocess.run(words, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 137, done.stderr)
        return next(line for line in done.stderr.splitlines() if "was killed by" in line)

    def test_a_kill_that_the_group_has_counted_is_explained(self):
        self.write("own", "0::/job/step\n")
        events = self.write("job/step/memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 0\n")
        self.write("job/step/memory.max", "536870912\n")
        self.assertNotIn("memory", self.report("kill -9 $$"))
        self.assertRegex(self.report(f"echo oom_kill 3 >{events}; kill -9 $$"),
                         r"rank 0 \(pid \d+\) was killed by SIGKILL \(9\), perhaps for lack of memory: the kernel has killed "
                         r"1 process of control group /job/step, which may use 512 MiB, after \d")

    def test_so_does_version_1_and_a_container_sees_its_group_at_the_top(self):
        self.write("own", "4:memory:/docker/0123\n2:cpu:/\n0::/\n")
        control = self.write("memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
        self.write("memory/memory.limit_in_bytes", "9223372036854771712\n")
        self.assertIn("has killed 2 processes of control group /docker/0123, after", self.report(f"echo oom_kill 2 >{control}; kill -9 $$"))

    def test_without_a_group_the_machine_counts(self):
        vmstat = self.write("vmstat", "nr_free_pages 1\noom_kill 7\n")
        self.assertIn("has killed 1 process of this machine, after", self.report(f"echo oom_kill 8 >{vmstat}; kill -9 $$"))


if __name__ == "__main__":
    unittest.main()
