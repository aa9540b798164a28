"""Shared by the tests of whole programs: paths of programs, ratings for them, runs that must leave nothing behind."""

import collections
import contextlib
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("TEST_ROOT", os.path.dirname(os.path.dirname(HERE)))
PROGRAMS = os.environ.get("TEST_PROGRAMS", os.path.join(ROOT, "build", "release", "tests", "examples"))
sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("tools", "support")]

from precompiled import first_include  # noqa: E402
from support import BIN, DEADLINE, LauncherTest, Run, launch, seconds_until_dead  # noqa: E402

COMPILER = os.path.join(BIN, "stradsap-cc")
SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 2)]  # ranks, threads of each
PASS = re.compile(r"^iter=(\d+) seconds=\d+\.\d{6} rmse=(\d+\.\d{4}) test_rmse=(\d+\.\d{4})$", re.MULTILINE)
HASH = re.compile(r"^model_hash=([0-9a-f]{16})\n\Z", re.MULTILINE)

Done = collections.namedtuple("Done", "status output errors")
Model = collections.namedtuple("Model", "passes hash")  # passes: (number, rmse, test_rmse), as printed


def program(name):
    return os.path.join(PROGRAMS, name)


def quick_compiler(*flags):
    """stradsap-cc with these flags, and with its header precompiled: see tests/support/precompiled.py."""
    return [COMPILER, *flags, *first_include(PROGRAMS, COMPILER, *flags)]


def line_of(name, text):
    """The place of the one line with this text in a small program of these tests."""
    with open(os.path.join(HERE, "programs", name + ".cpp"), encoding="utf-8") as file:
        (number,) = [number for number, line in enumerate(file, 1) if text in line]
    return number


def cores():
    return len(os.sched_getaffinity(0))


def processes_of(mark):
    """{pid: environment} of the processes that started with these bytes somewhere in their environment."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                environment = file.read()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # ended meanwhile, or another user's
        if mark in environment:
            found[int(name)] = dict(entry.partition(b"=")[::2] for entry in environment.split(b"\0"))
    return found


class ExampleTest(LauncherTest):
    """Runs programs under the launcher. Each run must leave no process and no folder, even if it failed."""

    def words(self, name, *arguments, ranks=1, threads=1, options=()):
        shape = () if "--serial" in options else ("-n", str(ranks), "--threads", str(threads))
        return [*shape, *options, "--", program(name), *arguments]

    def run_program(self, name, *arguments, **shape):
        status, output, errors = launch("--no-prefix", *self.words(name, *arguments, **shape), env=self.env)
        self.assert_nothing_left()
        return Done(status, output.decode(), errors.decode())

    def start_program(self, name, *arguments, **shape):
        """Starts a run that takes input. Its lines keep their `[rank] `."""
        run = Run(*self.words(name, *arguments, **shape), env=self.env)
        self.addCleanup(run.__exit__)
        self.addCleanup(self.kill_what_is_left)  # runs first: the end of a run is read until no process holds its pipes
        return run

    def kill_what_is_left(self):
        """Ends the processes that a failed test left. A test that waits for its own failure would hide it."""
        for pid in self.processes_of_runs():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes_of_runs(self):
        return processes_of(os.fsencode(self.base))

    def assert_nothing_left(self):
        for pid in self.processes_of_runs():
            seconds = seconds_until_dead(pid)
            self.assertTrue(seconds is not None and seconds < 5, f"process {pid} outlived its run")
        self.assertEqual(self.run_folders(), [])

    def make_ratings(self, users=600, items=400, count=40000):
        """The options that name a training and a test file, generated from a planted model."""
        folder = os.path.join(self.folder, f"ratings-{count}")
        subprocess.run([os.path.join(BIN, "make-data"), "ratings", "--users", str(users), "--items", str(items),
                        "--count", str(count), "--seed", "7", "--out", folder],
                       check=True, capture_output=True, timeout=DEADLINE)
        return ["--ratings", os.path.join(folder, "train.txt"), "--test", os.path.join(folder, "test.txt")]

    # --- models that the example and its original print ---

    def model(self, done, epochs):
        """The output of a run, after a check that it is complete and has nothing else."""
        self.assertEqual(done.status, 0, done.errors)
        found = Model(PASS.findall(done.output), HASH.search(done.output))
        self.assertIsNotNone(found.hash, done.output)
        self.assertEqual([int(number) for number, _, _ in found.passes], list(range(epochs)), done.output)
        self.assertEqual(done.output.count("\n"), epochs + 1, done.output)
        return found._replace(hash=found.hash.group(1))

    passes_option = "--epochs"

    def options_of_fit(self, data, epochs, rank):
        return [*data, "--rank", str(rank), self.passes_option, str(epochs), "--hash"]

    def fit(self, name, data, epochs, rank=16, **shape):
        return self.model(self.run_program(name, *self.options_of_fit(data, epochs, rank), **shape), epochs)

    def fit_original(self, data, epochs, rank=16, name="sequential"):
        """The model of a program that runs without the launcher."""
        done = subprocess.run([program(name), *self.options_of_fit(data, epochs, rank)],
                              env=self.env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.stderr, "")
        return self.model(Done(done.returncode, done.stdout, done.stderr), epochs)

    def assert_close(self, found, original, epochs):
        """The test error after `epochs` passes is at most 1 % above the original's."""
        mine, wanted = (float(model.passes[epochs - 1][2]) for model in (found, original))
        self.assertLessEqual(mine, 1.01 * wanted, f"test_rmse after {epochs} passes")
        self.assertLess(wanted, 0.97 * float(original.passes[0][2]), "the original learned next to nothing")
