"""Runs on hosts with networks of their own: network namespaces joined by a bridge, and a real sshd in each.

Skipped, with the reason in ctest's summary, where namespaces are not permitted or sshd is missing
(tools/install-deps --cluster-tests).
"""

import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from programs_case import BIN, run, start_endless

HOSTS = 2
DEADLINE = 60
SKIPPED = 77


class Network:
    """A bridge of this machine with an address, and hosts behind it."""

    def __init__(self, folder):
        self.folder = folder
        self.tag = f"sap{os.getpid() % 100000}"
        self.subnet = f"10.{213 + os.getpid() // 256 % 8}.{os.getpid() % 256}"
        self.servers = []

    def bridge(self):
        return self.tag + "b"

    def link(self, host):
        return f"{self.tag}v{host}"

    def namespace(self, host):
        return f"{self.tag}n{host}"

    def address(self, host):
        return f"{self.subnet}.{10 + host}"

    def make(self):
        ip("link", "add", self.bridge(), "type", "bridge")
        ip("addr", "add", f"{self.subnet}.1/24", "dev", self.bridge())
        ip("link", "set", self.bridge(), "up")
        for host in range(HOSTS):
            ip("netns", "add", self.namespace(host))
            ip("link", "add", self.link(host), "type", "veth", "peer", "name", "eth0", "netns", self.namespace(host))
            ip("link", "set", self.link(host), "master", self.bridge(), "up")
            self.inside(host, "ip", "addr", "add", f"{self.address(host)}/24", "dev", "eth0")
            self.inside(host, "ip", "link", "set", "eth0", "up")
            self.inside(host, "ip", "link", "set", "lo", "up")

    def inside(self, host, *words):
        subprocess.run(["ip", "netns", "exec", self.namespace(host), *words], check=True, capture_output=True)

    def start_servers(self):
        at = self.folder + "/"
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at + name], check=True)
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        with open(at + "sshd_config", "w", encoding="utf-8") as file:
            file.write(f"HostKey {at}host_key\nAuthorizedKeysFile {at}user_key.pub\nStrictModes no\nUsePAM no\nPidFile none\n"
                       "PermitRootLogin yes\nPasswordAuthentication no\n")
        with open(at + "ssh_config", "w", encoding="utf-8") as file:
            for host in range(HOSTS):
                file.write(f"Host n{host}\n  HostName {self.address(host)}\n")
            file.write(f"Host *\n  IdentityFile {at}user_key\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
                       "  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n")
        for host in range(HOSTS):
            self.servers.append(subprocess.Popen(
                ["ip", "netns", "exec", self.namespace(host), shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-f",
                 at + "sshd_config"], stderr=subprocess.DEVNULL))
            self.wait_for_server(host)

    def wait_for_server(self, host):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            try:
                socket.create_connection((self.address(host), 22), timeout=1).close()
                return
            except OSError:
                select.select([], [], [], 0.02)
        raise AssertionError("no sshd")

    def cut(self, host):
        ip("link", "set", self.link(host), "down")

    def mend(self, host):
        ip("link", "set", self.link(host), "up")

    def remove(self):
        for server in self.servers:
            server.kill()
            server.wait()
        for host in range(HOSTS):  # processes keep a namespace: an agent behind a cut link waits a minute
            listed = subprocess.run(["ip", "netns", "pids", self.namespace(host)], capture_output=True, text=True, check=False)
            for pid in listed.stdout.split():
                subprocess.run(["kill", "-9", pid], check=False, capture_output=True)
            subprocess.run(["ip", "link", "del", self.link(host)], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "del", self.namespace(host)], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", self.bridge()], check=False, capture_output=True)


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def obstacle():
    """The reason why these tests cannot run here, or None."""
    if shutil.which("sshd") is None and not os.path.exists("/usr/sbin/sshd"):
        return "sshd is not installed (tools/install-deps --cluster-tests)"
    name = f"sap{os.getpid()}try"
    try:
        ip("netns", "add", name)
        ip("link", "add", name[:12] + "v", "type", "veth", "peer", "name", "eth0", "netns", name)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"network namespaces are not permitted here: {getattr(error, 'stderr', error)}"
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
    return None


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

    def test_a_cut_link_is_noticed_soon_if_the_run_may_restart(self):
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
            finally:
                one.kill()
                self.network.mend(host)
            self.wait_until_gone()

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
