"""Containers that loops fetch page by page (--replicate): the same bits, in less memory, and no wait without an end."""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
import unittest

from programs_case import BIN, ProgramsCase, run

PAGED = ("--replicate", "1M", "--in-place", "never")


def refusal():
    """The reason why this system has no missing pages, or None."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(323, os.O_CLOEXEC | os.O_NONBLOCK)
    if descriptor < 0 and not os.access("/dev/userfaultfd", os.R_OK | os.W_OK):
        return f"userfaultfd: {os.strerror(ctypes.get_errno())}"
    if descriptor >= 0:
        os.close(descriptor)
    return None


def peak(*options, way, elements):
    """Kilobytes of the rank with the most, and the output."""
    command = [f"{BIN}/stradsap-run", "-n", "4", "--threads", "1", "--no-prefix", "--in-place", "never", *options,
               f"{BIN}/program_paged", way, str(elements), "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as all_ranks:
        output = all_ranks.stdout.read()
        _, status, used = os.wait4(all_ranks.pid, 0)
        all_ranks.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_maxrss, (all_ranks.returncode, output)


MEASURE = """
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(os.environ["STRADSAP_RANK"], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""


def peaks_of_others(*options, way, elements):
    """Kilobytes of each rank but rank 0, of elements with initial values."""
    done = subprocess.run([f"{BIN}/stradsap-run", "-n", "4", "--threads", "1", "--no-prefix", "--in-place", "never", *options, sys.executable,
                           "-c", MEASURE, f"{BIN}/program_paged", way, str(elements), "1", "started"],
                          capture_output=True, text=True, timeout=120, check=True)
    pairs = [line.split() for line in done.stdout.splitlines()]
    return [int(kilobytes) for rank, kilobytes in pairs if rank != "0"]


class Paged(ProgramsCase):
    def test_the_bits_are_those_of_whole_copies(self):
        for way in ("own", "any", "order", "output", "throws"):
            wanted = run("paged", 1, 1, way)
            self.assertEqual(wanted.returncode, 0, wanted.stderr)
            for ranks, threads, more in ((2, 2, ()), (4, 1, ("--shared-memory", "0") if way == "any" else ())):
                done = run("paged", ranks, threads, way, options=[*PAGED, *more])
                self.assertEqual((done.returncode, done.stdout), (0, wanted.stdout), f"{way} on {ranks}x{threads}: {done.stderr}")
                self.assertNotIn("copied whole", done.stderr)

    def test_a_rank_receives_and_keeps_what_it_reads(self):
        def received(*options):
            ranks = self.statistics("paged", 4, 1, "own", "2000001", "1", options=["--in-place", "never", *options])["ranks"]
            return [rank["bytes_received"] for rank in ranks]
        size = 12 * 2_000_001
        self.assertGreater(min(received()), 0.7 * size)
        self.assertLess(max(received("--replicate", "1M")), 0.3 * size)
        elements = 8_000_001
        whole, output = peak(way="own", elements=elements)
        paged, same_output = peak("--replicate", "16M", way="own", elements=elements)
        self.assertEqual((output[0], output), (0, same_output))
        self.assertLess(paged, whole - 0.6 * 12 * elements / 1024, "kilobytes")

    def test_elements_with_initial_values_come_page_by_page_too(self):
        size = ("700001", "4", "started")
        for way in ("any", "own", "fresh"):
            wanted = run("paged", 1, 1, way, *size)
            done = run("paged", 3, 2, way, *size, options=PAGED)
            self.assertEqual((done.returncode, done.stdout), (0, wanted.stdout), f"{way}: {done.stderr}")
        elements = 8_000_001  # rank 0 has made all of them
        whole, paged = (peaks_of_others(*options, way="own", elements=elements) for options in ((), ("--replicate", "16M")))
        self.assertLess(max(paged), min(whole) - 0.5 * 12 * elements / 1024, "kilobytes")

    def test_smaller_containers_are_copied_whole(self):
        def received(limit):
            ranks = self.statistics("paged", 2, 1, "own", "700001", "1", options=["--in-place", "never", "--replicate", limit])["ranks"]
            return ranks[1]["bytes_received"]
        self.assertGreater(received("8204K"), 1.2 * received("8203K"))  # 12 * 700001 bytes are 8203.1 K

    def test_an_owner_whose_threads_all_compute_answers(self):
        def is_quick():
            ranks = self.statistics("paged", 2, 1, "busy", "700001", "1", options=PAGED)["ranks"]
            self.assertGreater(ranks[0]["seconds_compute"], 1.4)
            return ranks[1]["seconds_compute"] < 1  # with its waits for pages of rank 0
        self.assert_mostly(is_quick, "rank 1 waited for the body of rank 0")

    def test_a_fault_of_a_body_is_reported_as_such(self):
        done = run("paged", 2, 2, "fault", options=PAGED)
        self.assertEqual(done.returncode, 128 + signal.SIGSEGV, done.stderr)
        self.assertRegex(done.stderr, r"error: SIGSEGV at address 0x0 on rank \d in the loop at paged.cpp:2")

    def test_a_lost_owner_ends_the_run(self):
        with subprocess.Popen([f"{BIN}/stradsap-run", "-n", "3", "--threads", "2", *PAGED, f"{BIN}/program_paged", "endless"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
            self.addCleanup(one.kill)
            ready, _, _ = select.select([one.stdout], [], [], 60)
            self.assertTrue(ready, "the program has not begun")
            self.assertEqual(one.stdout.readline(), "[0] pass 10\n")
            ranks = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_rank(pid, one.pid)]
            self.assertEqual(len(ranks), 3)
            os.kill(max(ranks), signal.SIGKILL)
            start = time.monotonic()
            _, errors = one.communicate(timeout=60)
            self.assertEqual(one.returncode, 137, errors)
            self.assertLess(time.monotonic() - start, 10, errors)

    def test_the_option_takes_bytes(self):
        done = run("paged", 2, 1, options=["--replicate", "much"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("'much' is no number of bytes such as 64M", done.stderr)
        alone = subprocess.run([f"{BIN}/program_paged"], capture_output=True, text=True, timeout=60, check=False,
                               env={**os.environ, "STRADSAP_REPLICATE": "64X"})
        self.assertNotEqual(alone.returncode, 0)
        self.assertIn("STRADSAP_REPLICATE=64X: expected bytes, such as 64M", alone.stderr)


def is_rank(pid, launcher):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            name, _, rest = file.read().rpartition(")")
        return name.endswith("program_paged") and int(rest.split()[1]) == launcher
    except OSError:
        return False


if __name__ == "__main__":
    reason = refusal()
    if reason:
        print(f"SKIPPED: {reason}", file=sys.stderr)
        sys.exit(77)
    unittest.main()
