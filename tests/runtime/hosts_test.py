"""Programs on several hosts print the same as on one, and end with an error when a rank or a host is lost.

A script stands in for ssh (tests/tools/fake_ssh): ranks of different hosts are on this machine and use tcp over 127.0.0.1.
tests/runtime/namespaces_test.py has hosts with networks of their own, and ssh.
"""

import os
import re
import select
import signal
import subprocess
import time
import unittest

from programs_case import BIN, run, start_endless

FAKE_SSH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools", "fake_ssh")
ENVIRONMENT = {**os.environ, "STRADSAP_SSH": FAKE_SSH, "STRADSAP_LAUNCHER": "ssh", "STRADSAP_INTERFACE": "lo",
               "XDG_RUNTIME_DIR": "/tmp"}
DEADLINE = 60


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


class LossTest(unittest.TestCase):
    def started(self, *options):
        """A run on two hosts in the middle of its loops, and the processes of its ranks."""
        return start_endless(self, [f"{BIN}/stradsap-run", "-H", "a,b", "--threads", "1", *options], ENVIRONMENT)

    def ranks_of(self, one):
        found = {}
        for pid in (name for name in os.listdir("/proc") if name.isdecimal()):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    pairs = dict(pair.split(b"=", 1) for pair in file.read().split(b"\0") if b"=" in pair)
                is_program = os.readlink(f"/proc/{pid}/exe").endswith("program_endless")
            except OSError:
                continue
            if is_program and self.is_below(int(pid), one.pid):
                found[int(pairs[b"STRADSAP_RANK"])] = int(pid)
        return found

    @staticmethod
    def is_below(pid, ancestor):
        while pid > 1 and pid != ancestor:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        return pid == ancestor

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
        with open(f"/proc/{ranks[1]}/stat", encoding="utf-8") as file:
            agent = int(file.read().rpartition(")")[2].split()[1])
        os.kill(agent, signal.SIGKILL)
        status, errors, _ = self.finish(one)
        self.assertEqual(status, 75, errors)
        self.assertIn("host b was lost: its agent ended", errors)
        for pid in ranks.values():
            self.assertFalse(os.path.exists(f"/proc/{pid}/exe") and os.readlink(f"/proc/{pid}/exe").endswith("endless"))

    def test_keys_are_neither_on_command_lines_nor_in_the_environment(self):
        one = self.started()
        secret = re.compile(rb"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}")  # Z85
        for pid in self.ranks_of(one).values():
            with open(f"/proc/{pid}/environ", "rb") as file:
                values = [pair.split(b"=", 1)[1] for pair in file.read().split(b"\0") if pair.startswith(b"STRADSAP_")]
            self.assertFalse([value for value in values if secret.fullmatch(value)])

    def test_a_rank_that_does_not_come_is_named_with_its_host(self):
        script = f"[ $STRADSAP_RANK = 1 ] && exec tail -f /dev/null; exec {BIN}/program_word_count"
        done = subprocess.run([f"{BIN}/stradsap-run", "-H", "a,b", "--start-timeout", "2", "sh", "-c", script],
                              capture_output=True, text=True, timeout=DEADLINE, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no endpoint from rank 1 (host b) within 2 s", done.stderr)


if __name__ == "__main__":
    unittest.main()
