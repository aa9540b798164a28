"""A run under --max-restarts has the bits of an undisturbed one, whichever rank is killed (programs/checkpoints.cpp).

With TEST_STORM_SECONDS a random rank is killed every 15 s for so long; else a few are killed, at lines of the output.
"""

import os
import random
import re
import select
import signal
import statistics
import subprocess
import tempfile
import time
import unittest

from checkpoints_case import CheckpointsTest
from example_case import ROOT, cores
from namespaces import Network, obstacle

FAKE_SSH = os.path.join(ROOT, "tests", "tools", "fake_ssh")
STORM_SECONDS = float(os.environ.get("TEST_STORM_SECONDS", "0"))
BETWEEN_KILLS = float(os.environ.get("TEST_BETWEEN_KILLS", "15"))  # seconds
RESTARTED = r"stradsap-run: restart \d+ of"
LONG_SECONDS = 1800  # a test that takes longer hangs


class Reader:
    """Reads the output of a run line by line, and the lines of the launcher beside it."""

    def __init__(self, process):
        self._streams = {process.stdout: b"", process.stderr: b""}
        self._process = process
        self.errors = ""

    def lines(self, until):
        """Yields each line of stdout, None about each tenth of a second, and returns at the end of both streams."""
        open_streams = dict(self._streams)
        while open_streams and time.monotonic() < until:
            ready = select.select(list(open_streams), [], [], 0.1)[0]
            for stream in ready:
                data = os.read(stream.fileno(), 65536)
                if not data:
                    del open_streams[stream]
                    continue
                if stream is self._process.stderr:
                    self.errors += data.decode()
                    continue
                *whole, self._streams[stream] = (self._streams[stream] + data).split(b"\n")
                for line in whole:
                    yield line.decode()
            yield None


class Restarts(CheckpointsTest):
    def undisturbed(self, epochs):
        words = [self.binary, "-", str(epochs), "1", "run"]
        return subprocess.run(words, env={**self.env, "STRADSAP_THREADS": "1"}, capture_output=True, text=True, check=True).stdout

    def run_it(self, mode, at, *options, every=2, epochs=9, ranks=2, binary=None):
        return self.run_program(binary or self.binary, self.saved, str(epochs), str(every), mode, str(at), ranks=ranks,
                                options=options)

    # --- the driver ---

    def test_a_killed_driver_goes_on_from_its_checkpoint(self):
        wanted = self.undisturbed(9)
        for ranks in (1, 2):
            done = self.run_it("once", 5, "--max-restarts", "3", ranks=ranks)
            self.assertEqual((done.status, done.output), (0, wanted), done.errors)
            self.assertRegex(done.errors, r"restart 1 of 3: rank 0 \(pid \d+\) was killed by SIGKILL \(9\) after [\d.]+ s; "
                                          rf"newest checkpoint {self.saved}/point-00000004\n")
            self.assertIn(f"goes on from {self.saved}/point-00000004", done.errors)
            subprocess.run(["rm", "-r", self.saved], check=True)

    def test_a_run_that_dies_before_its_first_checkpoint_starts_again(self):
        done = self.run_it("once", 1, "--max-restarts", "1")
        self.assertEqual((done.status, done.output), (0, self.undisturbed(9)), done.errors)
        self.assertIn("no checkpoint so far", done.errors)

    def test_a_run_that_always_dies_ends_with_its_last_failure(self):
        done = self.run_it("kill", 5, "--max-restarts", "2")
        self.assertEqual((done.status, done.output), (137, ""), done.errors)
        self.assertEqual(done.errors.count(f"goes on from {self.saved}/point-00000004"), 3)  # and in the last words
        self.assertIn("warning: no checkpoint was completed since restart 1", done.errors)
        self.assertIn("no restart is left of 2", done.errors)

    def test_a_torn_checkpoint_gives_way_to_the_one_before_it(self):
        script = self.program("tears", f"""#!/bin/sh
            newest={self.saved}/point-00000004/state
            [ $STRADSAP_RESTART_COUNT = 1 ] && [ $STRADSAP_RANK = 0 ] && echo x >> $newest
            exec {self.binary} "$@"
            """)
        done = self.run_it("once", 5, "--max-restarts", "1", binary=script)
        self.assertEqual((done.status, done.output), (0, self.undisturbed(9)), done.errors)
        self.assertRegex(done.errors, r"point-00000004/state: has \d+ bytes, expected \d+: the checkpoint before it is used")
        self.assertIn(f"goes on from {self.saved}/point-00000002", done.errors)

    def test_refused_input_is_not_tried_again(self):
        self.assertEqual(self.run_it("kill", 4).status, 137)
        done = self.run_it("run", -1, "--max-restarts", "5")
        self.assertEqual((done.status, done.output), (1, ""), done.errors)
        self.assertIn("has checkpoints of an earlier run", done.errors)
        self.assertIn("no restart, since rank 0 ended by itself", done.errors)

    def test_a_resumed_run_restarts_from_its_own_checkpoints(self):
        self.assertEqual(self.run_it("kill", 4).status, 137)
        done = self.run_it("once", 7, "--max-restarts", "1", "--resume")
        self.assertEqual((done.status, done.output), (0, self.undisturbed(9)), done.errors)
        self.assertIn(f"newest checkpoint {self.saved}/point-00000006", done.errors)

    def test_a_run_that_goes_on_from_another_folder_restarts_from_its_own(self):
        self.assertEqual(self.run_it("kill", 4).status, 137)
        old = os.path.join(self.folder, "old")
        for at, point in ((7, os.path.join(self.saved, "point-00000006")), (5, os.path.join(old, "point-00000004"))):
            if not os.path.exists(old):
                os.rename(self.saved, old)
            done = self.run_it("once", at, "--max-restarts", "1", "--resume=" + old)
            self.assertEqual((done.status, done.output), (0, self.undisturbed(9)), done.errors)
            self.assertIn(f"goes on from {point}", done.errors.split("restart 1 of 1")[1])
            subprocess.run(["rm", "-r", self.saved], check=True)

    def test_a_run_that_dies_before_it_names_its_folder_does_not_go_on_from_an_earlier_run(self):
        self.assertEqual(self.run_it("kill", 4).status, 137)
        script = self.program("dies", f"""#!/bin/sh
            [ $STRADSAP_RESTART_COUNT = 0 ] && kill -9 $$
            exec {self.binary} "$@"
            """)
        done = self.run_it("run", -1, "--max-restarts", "1", binary=script)
        self.assertEqual((done.status, done.output), (1, ""), done.errors)
        self.assertIn("has checkpoints of an earlier run", done.errors)

    def test_sigterm_saves_and_ends_a_run_with_restarts_left(self):
        run = self.start_program(self.binary, self.saved, "1000000", "1000000", "talk", ranks=2,
                                 options=("--kill-grace", "25", "--max-restarts", "9"))
        self.assertEqual(run.read_line(), "[0] epoch 0")
        run.signal(signal.SIGTERM)
        status, _, errors = run.finish()
        self.assertEqual((status, len(os.listdir(self.saved))), (143, 1), errors)
        self.assertNotIn("restart 1", errors)

    # --- any rank, again and again ---

    def kill_one(self, rank):
        """Kills a rank. Returns whether it ran."""
        try:
            os.kill(self.ranks_now()[rank], signal.SIGKILL)
        except (KeyError, ProcessLookupError):
            return False
        return True

    def start(self, epochs, ranks, *options):
        run = self.start_program(self.binary, self.saved, str(epochs), "1", "talk", ranks=ranks,
                                 options=("--max-restarts", "1000", *options))
        return run, Reader(run.process)

    def storm(self, epochs, ranks, choose):
        """Runs the program while `choose(lines since the last kill, kills)` names a rank to kill, or None; then checks
        the bits of as many epochs as the run made. Prints the share of time that was of use: that of each epoch, once,
        of all. Returns the number of kills."""
        run, reader = self.start(epochs, ranks, "--threads", "1")
        begin = killed = last = time.monotonic()
        lines, since, kills, gaps, recoveries = [], 0, 0, [], []
        for line in reader.lines(begin + LONG_SECONDS):
            now = time.monotonic()
            if line is not None:
                lines.append(line)
                since += 1
                if len(re.findall(RESTARTED, reader.errors)) > len(recoveries):
                    recoveries.append(now - killed)
                elif since > 1:
                    gaps.append(now - last)
                last = now
            victim = choose(since, kills)
            if victim is not None and self.kill_one(victim % ranks):
                kills, since, killed = kills + 1, 0, time.monotonic()
        total, made = time.monotonic() - begin, re.search(r"epochs=(\d+)", lines[-1])
        self.assertTrue(made, reader.errors)
        epochs = int(made[1])
        self.check_bits(run, reader, lines, epochs)
        restarts = len(re.findall(RESTARTED, reader.errors))
        self.assertLessEqual(restarts, kills)  # the last death may come when all is done
        useful = epochs * statistics.median(gaps)
        print(f"{kills} kills in {total:.0f} s, {restarts} restarts, goodput {100 * useful / total:.0f} % of the time; "
              f"from a kill to the next epoch {statistics.median(recoveries):.2f} s (median), {max(recoveries):.2f} s at most")
        return kills

    def check_bits(self, run, reader, lines, epochs):
        self.assertEqual(run.process.wait(timeout=60), 0, reader.errors)
        self.assertEqual(lines[-1].removeprefix("[0] ") + "\n", self.undisturbed(epochs), reader.errors)
        done = {int(line.split()[-1]) for line in lines if line.startswith("[0] epoch ")}
        self.assertEqual(done, set(range(epochs)))  # no line is lost
        self.assert_nothing_left()

    def test_random_ranks_are_killed_and_the_bits_stay(self):
        for seed, ranks, kills in ((1, 2, 3), (2, 4, 3)):
            draw = random.Random(seed)
            victims = [(draw.randint(2, 6), victim) for victim in (0, *(draw.randrange(ranks) for _ in range(kills - 1)))]

            def choose(since, killed, victims=victims):
                return victims[killed][1] if killed < len(victims) and since >= victims[killed][0] else None

            self.assertEqual(self.storm(40, ranks, choose), kills)
            subprocess.run(["rm", "-r", self.saved], check=True)

    @unittest.skipUnless(STORM_SECONDS, "a soak")
    def test_a_storm(self):
        seed = int(os.environ.get("TEST_SEED", "1"))
        over = os.path.join(self.folder, "over")
        self.env["STORM_OVER"] = over
        draw, begin = random.Random(seed), time.monotonic()
        due = begin + BETWEEN_KILLS

        def choose(*_):
            nonlocal due
            now = time.monotonic()
            if now > begin + STORM_SECONDS:
                with open(over, "w", encoding="utf-8"):
                    pass
            elif now > due:
                due += BETWEEN_KILLS
                return draw.randrange(12)  # of 2, 3 or 4 ranks
            return None

        print(f"seed {seed}")
        self.assertGreaterEqual(self.storm(1000000, min(4, 2 * cores()), choose), STORM_SECONDS / BETWEEN_KILLS - 2)

    # --- hosts ---

    def test_a_lost_host_shrinks_the_run_and_keeps_its_bits(self):
        self.env.update(STRADSAP_SSH=FAKE_SSH, STRADSAP_LAUNCHER="ssh", STRADSAP_INTERFACE="lo")
        wanted = self.undisturbed(20)
        for lost in (1, 0):
            run = self.start_program(self.binary, self.saved, "20", "1", "talk", ranks=3,
                                     options=("-H", "a,b,c", "--max-restarts", "1", "--min-ranks", "2"))
            while run.read_line() != "[0] epoch 4":
                pass
            os.kill(self.parent_of(self.ranks_now()[lost]), signal.SIGKILL)  # the agent
            status, output, errors = run.finish()
            self.assertEqual(status, 0, errors)
            self.assertEqual(output.splitlines()[-1].removeprefix("[0] ") + "\n", wanted)
            self.assertIn(f"restart 1 of 1 on 2 ranks, without {'abc'[lost]}: rank {lost} ", errors)
            self.assert_nothing_left()
            subprocess.run(["rm", "-r", self.saved], check=True)

    def test_a_host_that_vanishes_shrinks_the_run_and_keeps_its_bits(self):
        reason = obstacle()
        if reason:
            print(f"SKIPPED: {reason}")
            self.skipTest(reason)
        folder = tempfile.TemporaryDirectory(prefix="sap-")
        self.addCleanup(folder.cleanup)
        network = Network(folder.name)
        self.addCleanup(network.remove)
        network.make()
        network.start_servers()
        self.env.update(STRADSAP_SSH=f"ssh -F {folder.name}/ssh_config")
        run = self.start_program(self.binary, self.saved, "20", "1", "talk", ranks=2,
                                 options=("-H", "n0,n1", "--max-restarts", "1", "--min-ranks", "1", "--start-timeout", "15"))
        while run.read_line() != "[0] epoch 4":
            pass
        network.cut(1)
        status, output, errors = run.finish()
        self.assertEqual(status, 0, errors)
        self.assertEqual(output.splitlines()[-1].removeprefix("[0] ") + "\n", self.undisturbed(20))
        self.assertRegex(errors, "rank 1 is lost: its host does not answer; the run ends\n.*restart 1 of 1 on 1 rank, without n1: rank 0 ")
        self.assertRegex(errors, f"goes on from {self.saved}/point-")

    @staticmethod
    def parent_of(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])


if __name__ == "__main__":
    unittest.main()
