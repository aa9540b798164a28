"""Ranks die at any message, and messages go wrong: each run of programs/checkpoints.cpp ends in time, with the bits of an
undisturbed one or with an error that names a rank; after a death the next start goes on to the same bits.

A seed decides each schedule (support/faulty_runs.cpp). TEST_SCHEDULES is their number for each test, TEST_SEED the first one.
"""

import collections
import os
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

from checkpoints_case import CheckpointsTest
from example_case import ROOT, cores

SCHEDULES = int(os.environ.get("TEST_SCHEDULES", "250"))
FIRST_SEED = int(os.environ.get("TEST_SEED", "1"))
EPOCHS = 3
SECONDS = 20  # a run that takes longer hangs
LOST_PEER, START_FAILED = 75, 3
MODES = ("run", "fast")
RANKS = (2, 3, 4)
DEATHS, ACCIDENTS = ("before", "after", "timer"), ("drop", "twice", "swap", "late", "cut")

Schedule = collections.namedtuple("Schedule", "seed mode ranks threads memory kind rank at deaths")
End = collections.namedtuple("End", "statuses hangs output errors")


class Runs:
    """Starts runs of the program in one mode, from one process."""

    def __init__(self, binary, faulty, mode):
        words = [binary, "saved", str(EPOCHS), "1", mode]
        env = {**os.environ, "LD_PRELOAD": faulty, "FAULTY_RUNS": "1", "STRADSAP_START_TIMEOUT": "3", "STRADSAP_JOB_ID": "j"}
        self._server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def close(self):
        self._server.communicate()

    def run(self, folder, ranks, threads, memory, **variables):
        os.mkdir(folder, 0o700)
        variables = {"RUN_DIR": folder, "CHECKPOINT_DIR": os.path.join(os.path.dirname(folder), "saved"), "THREADS": threads,
                     "SHARED_MEMORY": memory, **variables}
        fields = [f"{name if name.startswith('FAULT_') else 'STRADSAP_' + name}={value}" for name, value in variables.items()]
        self._server.stdin.write("\t".join([str(SECONDS), str(ranks), folder, *fields]) + "\n")
        self._server.stdin.flush()
        words = self._server.stdout.readline().split()
        statuses = [os.waitstatus_to_exitcode(int(word)) for word in words[:ranks]]
        return End(statuses, words[ranks:] == ["hang"], self._read(folder, "out", ranks)[0], self._read(folder, "err", ranks))

    @staticmethod
    def _read(folder, name, ranks):
        texts = []
        for rank in range(ranks):
            with open(os.path.join(folder, f"{name}.{rank}"), encoding="utf-8") as file:
                texts.append(file.read())
        return texts


class FaultyRuns(CheckpointsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.faulty = os.path.join(cls.built.name, "faulty_runs.so")
        subprocess.run(["g++", "-std=c++20", "-shared", "-fPIC", "-O1",
                        os.path.join(ROOT, "tests", "support", "faulty_runs.cpp"), "-o", cls.faulty, "-ldl"], check=True)
        cls.scratch = tempfile.TemporaryDirectory(prefix="st-", dir="/dev/shm")
        cls.addClassCleanup(cls.scratch.cleanup)

    def in_parallel(self, schedules, check):
        """Calls check(schedule, runs, folder) for all; it returns a fault or None. Fails with the first faults."""
        left, faults, lock = list(reversed(schedules)), [], threading.Lock()

        def work():
            servers = {mode: Runs(self.binary, self.faulty, mode) for mode in MODES}
            while True:
                with lock:
                    if not left or len(faults) >= 5:
                        break
                    schedule = left.pop()
                folder = os.path.join(self.scratch.name, str(schedule.seed))
                os.mkdir(folder)
                fault = check(schedule, servers[schedule.mode], folder)
                shutil.rmtree(folder, ignore_errors=True)
                if fault:
                    with lock:
                        faults.append(f"{schedule}: {fault}")
                        print(faults[-1], file=sys.stderr, flush=True)  # a run of hours tells at once
            for server in servers.values():
                server.close()

        workers = [threading.Thread(target=work) for _ in range(2 * cores() + 1)]  # a run waits most of its time
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        self.assertEqual(faults, [], "\n".join(faults))

    def undisturbed(self):
        """{mode: output}, and {(mode, ranks): messages of each rank}."""
        outputs, counts = {}, {}
        for mode in MODES:
            server = Runs(self.binary, self.faulty, mode)
            for ranks in RANKS:
                folder = os.path.join(self.scratch.name, f"undisturbed-{mode}-{ranks}")
                os.mkdir(folder)
                end = server.run(os.path.join(folder, "start"), ranks, 1, 0, FAULT_COUNT=1)
                self.assertEqual(end.statuses, [0] * ranks, end.errors)
                self.assertEqual(outputs.setdefault(mode, end.output), end.output)
                counts[mode, ranks] = [self._count(folder, rank) for rank in range(ranks)]
                shutil.rmtree(folder)
            server.close()
        return outputs, counts

    @staticmethod
    def _count(folder, rank):
        with open(os.path.join(folder, "start", f"count.{rank}"), "rb") as file:
            return struct.unpack("Q", file.read())[0]

    def schedules(self, kinds, counts):
        return [self.schedule(seed, kinds, counts) for seed in range(FIRST_SEED, FIRST_SEED + SCHEDULES)]

    @staticmethod
    def schedule(seed, kinds, counts):
        draw = random.Random(seed)
        mode, ranks, kind = draw.choice(MODES), draw.choice(RANKS), draw.choice(kinds)
        rank = draw.randrange(1 if kind == "cut" else 0, ranks)  # the higher rank connects
        at = draw.randrange(60_000) if kind == "timer" else draw.randint(1, counts[mode, ranks][rank])
        return Schedule(seed, mode, ranks, draw.choice((1, 1, 2)), int(kind == "timer"), kind, rank, at, draw.choice((1, 1, 1, 2)))

    @staticmethod
    def last_messages(counts):
        """Each of the last messages of a rank is lost, some of them when the driver has ended the run."""
        return [Schedule(f"{rank}-{back}", "run", 3, 1, 0, "drop", rank, counts["run", 3][rank] - back, 1)
                for rank in (1, 2) for back in range(6)]

    @staticmethod
    def start(s, runs, folder, count=0):
        """The start of a run, or its restart `count`, with the fault."""
        return runs.run(os.path.join(folder, str(count)), s.ranks, s.threads, s.memory, FAULT_RANK=s.rank, FAULT_KIND=s.kind,
                        FAULT_AT=s.at, FAULT_MS=30 + s.at % 2, RESTART_COUNT=count)

    def test_a_rank_that_dies_at_any_message_costs_no_bits(self):
        outputs, counts = self.undisturbed()
        died = []

        def check(s, runs, folder):
            for count in range(s.deaths):
                end = self.start(s, runs, folder, count)
                if end.hangs or end.output not in ("", outputs[s.mode]):
                    return f"start {count}: {end}"
                if not any(end.statuses):  # the rank ended before
                    return None if end.output == outputs[s.mode] else f"wrong: {end}"
                died.append(s)
                others = set(end.statuses[:s.rank] + end.statuses[s.rank + 1:])
                if end.statuses[s.rank] not in (0, -signal.SIGKILL) or not others <= {0, LOST_PEER, START_FAILED}:
                    return f"start {count}: {end}"
            end = runs.run(os.path.join(folder, "last"), s.ranks, s.threads, s.memory, RESTART_COUNT=s.deaths)
            return f"the restart: {end}" if end.hangs or any(end.statuses) or end.output != outputs[s.mode] else None

        self.in_parallel(self.schedules(DEATHS, counts), check)
        self.assertGreater(len(died), SCHEDULES // 2)

    def test_a_message_that_goes_wrong_is_harmless_or_an_error_that_names_a_rank(self):
        outputs, counts = self.undisturbed()
        ends = collections.Counter()

        def check(s, runs, folder):
            end = self.start(s, runs, folder)
            if end.hangs:
                return f"hangs: {end}"
            if not any(end.statuses):
                ends[s.kind, "harmless"] += 1
                return None if end.output == outputs[s.mode] else f"wrong: {end}"
            if s.kind == "late":
                return f"a late message is an error: {end}"
            if not set(end.statuses) <= {0, LOST_PEER, START_FAILED}:
                return f"ends: {end}"
            if not any(re.search(r"stradsap: error: .*rank \d", text) for text in end.errors):
                return f"names no rank: {end}"
            ends[s.kind, "an error"] += 1
            return None if end.output in ("", outputs[s.mode]) else f"wrong: {end}"

        self.in_parallel(self.last_messages(counts) + self.schedules(ACCIDENTS, counts), check)
        print(dict(sorted(ends.items())))
        self.assertGreater(ends["drop", "an error"], 0)

    # --- a slow rank ---

    def test_a_rank_that_is_stopped_makes_no_other_rank_keep_more_and_more(self):
        for memory in "10":
            run = self.start_program(self.binary, "-", "1000000", "1", "talk", ranks=3,
                                     options=("--shared-memory", memory, "--hang-timeout", "0"))
            while run.read_line() != "[0] epoch 20":
                pass
            ranks = self.ranks_now()
            before = {rank: self.resident(pid) for rank, pid in ranks.items()}
            os.kill(ranks[2], signal.SIGSTOP)
            while select.select([run.process.stdout], [], [], 1)[0]:  # until the driver waits for it
                os.read(run.process.stdout.fileno(), 65536)
            grown = {rank: self.resident(ranks[rank]) - before[rank] for rank in (0, 1)}
            print(f"memory that ranks have got while another one was stopped: {grown} KiB")
            self.assertLess(max(grown.values()), 8 << 10)
            os.kill(ranks[2], signal.SIGCONT)
            self.assertTrue(select.select([run.process.stdout], [], [], 20)[0], "the run does not go on")
            run.process.kill()
            run.process.communicate()

    @staticmethod
    def resident(pid):
        """KiB."""
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


if __name__ == "__main__":
    unittest.main()
