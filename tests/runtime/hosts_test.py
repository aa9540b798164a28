"""Programs on several hosts print the same as on one, and end with an error when a rank or a host is lost.

A script stands in for ssh (tests/tools/fake_ssh): ranks of different hosts are on this machine and use tcp over 127.0.0.1.
tests/runtime/namespaces_test.py has hosts with networks of their own, and ssh.
"""

import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from programs_case import BIN, run, start_endless

FAKE_SSH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools", "fake_ssh")
ENVIRONMENT = {**os.environ, "STRADSAP_SSH": FAKE_SSH, "STRADSAP_LAUNCHER": "ssh", "STRADSAP_INTERFACE": "lo",
               "XDG_RUNTIME_DIR": "/tmp"}
DEADLINE = 60


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def is_below(pid, ancestor):
    while pid > 1 and pid != ancestor:
        pid = parent_of(pid)
    return pid == ancestor


def processes_below(ancestor):
    """The process itself, and all that it has started, directly or not."""
    found = []
    for pid in (int(name) for name in os.listdir("/proc") if name.isdecimal()):
        try:
            if is_below(pid, ancestor):
                found.append(pid)
        except OSError:
            pass  # it has ended meanwhile
    return found


def read_of(pid, name):
    with open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read()


def listeners_below(ancestor):
    """[(address, port)] at which these processes listen, by the numbers of their sockets."""
    sockets = set()
    for pid in processes_below(ancestor):
        with contextlib.suppress(OSError):  # it has ended, or closed one, meanwhile
            for name in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(FileNotFoundError):
                    sockets.add(os.readlink(f"/proc/{pid}/fd/{name}"))
    found = []
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        if not os.path.exists(f"/proc/net/{table}"):
            continue
        with open(f"/proc/net/{table}", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        for row in rows:
            if row[3] == "0A" and f"socket:[{row[9]}]" in sockets:  # it listens
                address, port = row[1].split(":")
                words = [bytes.fromhex(address[at:at + 8])[::-1] for at in range(0, len(address), 8)]  # of this machine's order
                found.append((socket.inet_ntop(family, b"".join(words)), int(port, 16)))
    return found


def run_on(hosts, name, *args, options=()):
    return subprocess.run([f"{BIN}/stradsap-run", "-H", hosts, "--no-prefix", *options, f"{BIN}/program_{name}", *args],
                          capture_output=True, text=True, timeout=120, env=ENVIRONMENT)


class SameTest(unittest.TestCase):
    def test_programs_print_the_same_on_one_host_and_on_several(self):
        for name, *args in (("factorization",), ("waves", "async"), ("batches",), ("word_count",)):
            wanted = run(name, 1, 2, *args)
            self.assertEqual(wanted.returncode, 0, wanted.stderr)
            for hosts, options in (("a,b", ["--threads", "1"]), ("a:2,b", ["--threads", "1"]), ("a,b", ["--threads", "2"])):
                done = run_on(hosts, name, *args, options=options)
                self.assertEqual((done.returncode, done.stdout), (0, wanted.stdout), f"{name} on {hosts}: {done.stderr}")

    def test_encryption_changes_no_result(self):
        done = run_on("a,b", "factorization", options=["--encrypt", "0", "--threads", "1"])
        self.assertEqual((done.returncode, done.stdout), (0, run("factorization", 1, 1).stdout), done.stderr)
        self.assertIn("neither encrypted nor authenticated (--encrypt 0)", done.stderr)

    def test_one_host_needs_no_network(self):
        done = run_on("a:2", "factorization", options=["--interface", "no-such-interface", "--threads", "1"])
        self.assertEqual((done.returncode, done.stdout), (0, run("factorization", 1, 1).stdout), done.stderr)


class BuildTest(unittest.TestCase):
    def test_ranks_of_different_builds_refuse_to_meet(self):
        script = f"[ $STRADSAP_RANK = 1 ] && exec {BIN}/program_batches; exec {BIN}/program_word_count"
        for shape in (("-n", "2", "--launcher", "local"), ("-H", "a,b")):
            done = subprocess.run([f"{BIN}/stradsap-run", *shape, "--threads", "1", "sh", "-c", script], capture_output=True, text=True,
                                  timeout=DEADLINE, env=ENVIRONMENT)
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertRegex(done.stderr, r"rank \d is another build of the program: its build id is [0-9a-f]+, ours [0-9a-f]+")


class ListenerTest(unittest.TestCase):
    def listeners(self, *options):
        return listeners_below(start_endless(self, [f"{BIN}/stradsap-run", "--threads", "1", *options], ENVIRONMENT).pid)

    def test_a_local_run_has_no_listener_and_ranks_of_hosts_have_one_each(self):
        self.assertEqual(self.listeners("-n", "2", "--launcher", "local"), [])
        self.assertEqual([address for address, _ in self.listeners("-H", "a,b")], ["127.0.0.1"] * 2)

    @unittest.skipUnless(has_ipv6(), "this machine has no IPv6")
    def test_ranks_of_hosts_meet_by_ipv6_too(self):
        self.assertEqual([address for address, _ in self.listeners("-H", "a,b", "--interface", "::1")], ["::1"] * 2)
        done = run_on("a,b", "word_count", options=["--interface", "::1", "--threads", "1"])
        self.assertEqual((done.returncode, done.stdout), (0, run("word_count", 1, 1).stdout), done.stderr)

    def test_strangers_are_counted_and_the_first_failed_handshake_is_a_warning(self):
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL".ljust(23, b"\0") + bytes(32)  # of ZeroMQ, without encryption
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stats.json")
            one = subprocess.Popen([f"{BIN}/stradsap-run", "-H", "a,b", "--threads", "1", "--in-place", "never", "--stats", path,
                                    f"{BIN}/program_signals"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
            self.addCleanup(one.communicate)
            self.addCleanup(one.kill)
            self.assertEqual(one.stdout.readline(), "[0] counted 0\n")
            for address, port in listeners_below(one.pid):
                for words in (b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n", greeting):
                    with socket.create_connection((address, port), timeout=DEADLINE) as stranger:
                        stranger.sendall(words)
                        self.ended(stranger)
            one.send_signal(signal.SIGUSR1)
            self.assertEqual(one.stdout.readline(), "[0] counted 1\n")  # the loops go on
            one.send_signal(signal.SIGTERM)
            output, errors = one.communicate(timeout=DEADLINE)
            self.assertEqual((one.returncode, output), (143, "[0] saved 499500\n"), errors)
            with open(path, encoding="utf-8") as file:
                self.assertEqual([rank["refused_connections"] for rank in json.load(file)["ranks"]], [3, 3])
        self.assertEqual(len(re.findall(r"rank \d has refused a connection to tcp://127.0.0.1:\d+", errors)), 2, errors)

    @staticmethod
    def ended(stranger):
        """Reads until the rank closes the connection."""
        try:
            while stranger.recv(4096):
                pass
        except ConnectionResetError:
            pass


class LossTest(unittest.TestCase):
    def started(self, *options):
        """A run on two hosts in the middle of its loops, and the processes of its ranks."""
        return start_endless(self, [f"{BIN}/stradsap-run", "-H", "a,b", "--threads", "1", *options], ENVIRONMENT)

    def ranks_of(self, one):
        found = {}
        for pid in processes_below(one.pid):
            try:
                pairs = dict(pair.split(b"=", 1) for pair in read_of(pid, "environ").split(b"\0") if b"=" in pair)
                if os.readlink(f"/proc/{pid}/exe").endswith("program_endless"):
                    found[int(pairs[b"STRADSAP_RANK"])] = pid
            except OSError:
                continue
        return found

    def finish(self, one):
        begin = time.monotonic()
        _, errors = one.communicate(timeout=DEADLINE)
        return one.returncode, errors, time.monotonic() - begin

    def test_a_killed_rank_of_another_host_ends_the_run_with_its_signal(self):
        for rank in (0, 1):
            one = self.started()
            os.kill(self.ranks_of(one)[rank], signal.SIGKILL)
            status, errors, _ = self.finish(one)
            self.assertEqual(status, 137, errors)
            self.assertRegex(errors, rf"rank {rank} \(pid \d+ on host {'ab'[rank]}\) was killed by SIGKILL")

    def test_a_stopped_rank_of_another_host_is_lost_after_the_hang_time_out(self):
        one = self.started("--hang-timeout", "1")
        os.kill(self.ranks_of(one)[1], signal.SIGSTOP)
        status, errors, _ = self.finish(one)
        self.assertEqual(status, 75, errors)
        self.assertRegex(errors, r"rank 1.*silent for 1 s")

    def test_a_stopped_rank_of_another_host_is_not_cut_off(self):
        one = self.started("--max-restarts", "1")
        rank = self.ranks_of(one)[1]
        os.kill(rank, signal.SIGSTOP)
        end, seen = time.monotonic() + 3, b""
        while (left := end - time.monotonic()) > 0:
            if select.select([one.stderr], [], [], left)[0]:
                seen += os.read(one.stderr.fileno(), 65536)
                self.assertNotIn(b"lost", seen)
        os.kill(rank, signal.SIGCONT)
        one.send_signal(signal.SIGINT)
        status, errors, _ = self.finish(one)
        self.assertEqual(status, 130, errors)
        self.assertNotIn("lost", errors)

    def test_a_killed_agent_ends_the_run_and_its_ranks(self):
        one = self.started()
        ranks = self.ranks_of(one)
        os.kill(parent_of(ranks[1]), signal.SIGKILL)
        status, errors, _ = self.finish(one)
        self.assertEqual(status, 75, errors)
        self.assertIn("host b was lost: its agent ended", errors)
        for pid in ranks.values():
            self.assertFalse(os.path.exists(f"/proc/{pid}/exe") and os.readlink(f"/proc/{pid}/exe").endswith("endless"))

    def words_of_run(self, *options):
        """All words on command lines and in the environment of the launcher, its agents and ranks, and of its messages."""
        one = self.started(*options)
        texts = []
        processes = processes_below(one.pid)
        self.assertGreaterEqual(len(processes), 5)  # the launcher, two agents, two ranks
        for pid in processes:
            try:
                texts += [read_of(pid, "cmdline"), read_of(pid, "environ")]
            except OSError:
                pass  # it has ended meanwhile
        one.send_signal(signal.SIGINT)
        output, errors = one.communicate(timeout=DEADLINE)
        return set(re.split(rb"[\0\s\"',;|]+", b"\0".join(texts) + b"\0" + (output + errors).encode()))

    def test_keys_are_neither_on_command_lines_nor_in_the_environment_nor_in_messages(self):
        key = re.compile(rb"(.*[=:])?([0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}|[0-9a-fA-F]{64}|[0-9a-zA-Z+/]{43}=?)")  # Z85, hex, base64
        secrets = [word for word in self.words_of_run() - self.words_of_run("--encrypt", "0") if key.fullmatch(word)]
        self.assertEqual([word for word in secrets if b"/run" not in word and not os.path.isabs(word.rpartition(b"=")[2])], [])

    def test_a_rank_that_does_not_come_is_named_with_its_host(self):
        script = f"[ $STRADSAP_RANK = 1 ] && exec tail -f /dev/null; exec {BIN}/program_word_count"
        done = subprocess.run([f"{BIN}/stradsap-run", "-H", "a,b", "--start-timeout", "2", "sh", "-c", script],
                              capture_output=True, text=True, timeout=DEADLINE, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no endpoint from rank 1 (host b) within 2 s", done.stderr)


if __name__ == "__main__":
    unittest.main()
