"""Runs on hosts with networks of their own: network namespaces joined by a bridge, and a real sshd in each
(tests/support/namespaces.py).

Skipped, with the reason in ctest's summary, where namespaces are not permitted or sshd is missing
(tools/install-deps --cluster-tests).
"""

import os
import re
import select
import subprocess
import sys
import tempfile
import time
import unittest

from programs_case import BIN, run, start_endless

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "support"))
from namespaces import DEADLINE, Network, obstacle  # noqa: E402

HOSTS = 2
SKIPPED = 77


class NamespacesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sap-")
        cls.addClassCleanup(folder.cleanup)
        cls.network = Network(folder.name)
        cls.addClassCleanup(cls.network.remove)
        cls.network.make()
        cls.network.start_servers()
        cls.environment = {**os.environ, "STRADSAP_SSH": f"ssh -F {folder.name}/ssh_config"}

    def words(self, program, *options):
        return [f"{BIN}/stradsap-run", "-H", "n0,n1", "--threads", "1", *options, f"{BIN}/program_{program}"]

    def started(self, *options):
        return start_endless(self, self.words("endless", *options)[:-1], self.environment)

    def processes(self):
        """The ranks that run in the namespaces."""
        found = []
        for host in range(HOSTS):
            listed = subprocess.run(["ip", "netns", "pids", self.network.namespace(host)], capture_output=True, text=True, check=True)
            for pid in listed.stdout.split():
                try:
                    if os.readlink(f"/proc/{pid}/exe").endswith("program_endless"):
                        found.append(int(pid))
                except OSError:
                    pass
        return found

    def wait_until_gone(self):
        for pid in self.processes():
            try:
                event = os.pidfd_open(pid)
            except ProcessLookupError:
                continue
            ready, _, _ = select.select([event], [], [], DEADLINE)
            os.close(event)
            self.assertTrue(ready, f"rank {pid} is still alive")

    def test_programs_print_the_same_as_on_one_host(self):
        for name in ("factorization", "word_count"):
            done = subprocess.run(self.words(name, "--no-prefix"), capture_output=True, text=True, timeout=120, env=self.environment)
            self.assertEqual((done.returncode, done.stdout), (0, run(name, 1, 1).stdout), done.stderr)

    def test_ranks_listen_at_the_address_that_ssh_reached_and_in_the_range_of_ports(self):
        self.started("--port-range", "41000-41010")
        for host in range(HOSTS):
            listed = subprocess.run(["ip", "netns", "exec", self.network.namespace(host), "ss", "-ltnpH"], capture_output=True,
                                    text=True, check=True).stdout
            ours = [line.split()[3] for line in listed.splitlines() if "program_endless" in line or "endless" in line]
            self.assertEqual(len(ours), 1, listed)
            self.assertRegex(ours[0], re.escape(self.network.address(host)) + r":410(0\d|10)$")

    def test_a_cut_link_ends_the_run_on_both_sides(self):
        for host in range(HOSTS):
            one = self.started("--hang-timeout", "2")
            self.network.cut(host)
            try:
                _, errors = one.communicate(timeout=DEADLINE)
                self.assertEqual(one.returncode, 75, errors)
                self.assertRegex(errors, rf"host n{host} was lost|silent for 2 s")
                self.wait_until_gone()
            finally:
                self.network.mend(host)

    def test_a_user_whom_no_host_admits_is_told_so_and_not_asked_for_a_password(self):
        folder = self.network.folder
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/wrong_key"], check=True)
        self.network.configure("wrong_config", "wrong_key")
        asks = f"{folder}/asks"  # ssh has no terminal, but could open a window
        with open(asks, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntouch {folder}/asked\n")
        os.chmod(asks, 0o755)
        done = subprocess.run(self.words("word_count"), capture_output=True, text=True, timeout=30, check=False,
                              env={**self.environment, "STRADSAP_SSH": f"ssh -F {folder}/wrong_config", "DISPLAY": ":0",
                                   "SSH_ASKPASS": asks, "SSH_ASKPASS_REQUIRE": "force"})
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        for host in range(HOSTS):
            self.assertRegex(done.stderr, rf"cannot start on host n{host}: its agent ended with status 255: .*Permission denied")
        self.assertFalse(os.path.exists(f"{folder}/asked"))

    def test_a_cut_link_is_noticed_soon_if_the_run_may_restart(self):
        best = DEADLINE
        for host in range(HOSTS):
            one = self.started("--max-restarts", "1")
            self.network.cut(host)
            try:
                begin, errors = time.monotonic(), ""
                while "its host does not answer" not in errors and time.monotonic() < begin + DEADLINE:
                    if select.select([one.stderr], [], [], 0.1)[0]:
                        errors += os.read(one.stderr.fileno(), 65536).decode()
                seconds = time.monotonic() - begin
                self.assertRegex(errors, rf"lost rank {host}: its|rank {host} is lost: its host does not answer")
                print(f"host {host}, cut off: noticed after {seconds:.1f} s")
                self.assertLess(seconds, 5)
                best = min(best, seconds)
            finally:
                one.kill()
                self.network.mend(host)
            self.wait_until_gone()
        self.assertLess(best, 2)  # other work of the machine may delay one

    def test_a_killed_launcher_leaves_no_rank(self):
        one = self.started()
        self.assertEqual(len(self.processes()), HOSTS)
        one.kill()
        self.wait_until_gone()


if __name__ == "__main__":
    reason = obstacle()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
