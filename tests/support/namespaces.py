"""Hosts on one machine: network namespaces joined by a bridge, and a real sshd in each.

Shared by tests and by benchmarks/hosts.py.
"""

import os
import select
import shutil
import socket
import subprocess
import time

DEADLINE = 60
TC = shutil.which("tc") or "/usr/sbin/tc"


class Network:
    """A bridge of this machine with an address, and hosts behind it."""

    def __init__(self, folder, hosts=2):
        self.folder = folder
        self.hosts = hosts
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
        for host in range(self.hosts):
            ip("netns", "add", self.namespace(host))
            ip("link", "add", self.link(host), "type", "veth", "peer", "name", "eth0", "netns", self.namespace(host))
            ip("link", "set", self.link(host), "master", self.bridge(), "up")
            self.inside(host, "ip", "addr", "add", f"{self.address(host)}/24", "dev", "eth0")
            self.inside(host, "ip", "link", "set", "eth0", "up")
            self.inside(host, "ip", "link", "set", "lo", "up")

    def shape(self, rate):
        """Limits each host's link to `rate`, as of tc, in each direction; None: no limit."""
        bucket = ("root", "tbf", "rate", rate, "burst", "256kb", "latency", "50ms") if rate else ("root",)
        for host in range(self.hosts):
            verb = "add" if rate else "del"
            self.inside(host, TC, "qdisc", verb, "dev", "eth0", *bucket)
            subprocess.run([TC, "qdisc", verb, "dev", self.link(host), *bucket], check=True, capture_output=True)

    def inside(self, host, *words):
        subprocess.run(["ip", "netns", "exec", self.namespace(host), *words], check=True, capture_output=True)

    def start_servers(self):
        at = self.folder + "/"
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at + name], check=True)
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        with open(at + "sshd_config", "w", encoding="utf-8") as file:
            file.write(f"HostKey {at}host_key\nAuthorizedKeysFile {at}user_key.pub\nStrictModes no\nUsePAM no\nPidFile none\n"
                       "PermitRootLogin yes\nPasswordAuthentication yes\n")  # ssh could ask for one after a wrong key
        self.configure("ssh_config", "user_key")
        for host in range(self.hosts):
            self.servers.append(subprocess.Popen(
                ["ip", "netns", "exec", self.namespace(host), shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-f",
                 at + "sshd_config"], stderr=subprocess.DEVNULL))
            self.wait_for_server(host)

    def configure(self, name, key):
        """Writes a file for `ssh -F`, by which hosts are n0, n1, ..., and the user has this key."""
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            for host in range(self.hosts):
                file.write(f"Host n{host}\n  HostName {self.address(host)}\n")
            file.write(f"Host *\n  IdentityFile {self.folder}/{key}\n  IdentitiesOnly yes\n  IdentityAgent none\n"
                       "  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n")

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
        for host in range(self.hosts):  # processes keep a namespace: an agent behind a cut link waits a minute
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
