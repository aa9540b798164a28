"""Shared by the tests of tests/runtime/programs: how to run the programs, and on which ranks and threads."""

import json
import os
import select
import subprocess
import tempfile
import unittest

BIN = os.environ["TEST_BIN"]
SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 1)]  # ranks, threads of each
STRAY_SHAPES = [(1, 1), (2, 1), (2, 2)]
# A sanitizer checks how a result is made; other runs check that it is the same on all shapes. Alone, no two threads meet.
SANITIZED = os.environ.get("TEST_SANITIZED", "")
if SANITIZED:
    SHAPES = STRAY_SHAPES = [(2, 2)]
elif os.environ.get("TEST_FEW_SHAPES"):  # of tools/mutate, and of tools/test without --soak
    SHAPES, STRAY_SHAPES = [(1, 2), (2, 2)], [(2, 1)]
about_plans = unittest.skipIf(SANITIZED, "how a loop is planned is known, and other tests here run such plans")


def start_endless(case, launcher, environment):
    """A run of program_endless in the midst of its loops; it ends with the test `case`."""
    one = subprocess.Popen([*launcher, f"{BIN}/program_endless"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env=environment)
    case.addCleanup(one.communicate)
    case.addCleanup(one.kill)
    ready, _, _ = select.select([one.stdout], [], [], 60)
    case.assertTrue(ready, "the program has not begun")
    case.assertEqual(one.stdout.readline(), "[0] pass 10\n")
    return one


def run(name, ranks, threads, *args, options=(), stdin=None):
    """One rank needs no launcher; the launcher's start takes as long as most of these programs."""
    shape = () if "--serial" in options else ("-n", str(ranks), "--threads", str(threads))
    launched = [f"{BIN}/stradsap-run", *shape, *options, "--no-prefix"] if ranks > 1 or options else []
    done = subprocess.run([*launched, f"{BIN}/program_{name}", *args], capture_output=True, text=True, timeout=120,
                          errors="surrogateescape", stdin=stdin, env={**os.environ, "STRADSAP_THREADS": str(threads)})
    if done.returncode < 0:
        done.returncode = 128 - done.returncode  # a signal, in the launcher's notation
    return done


class ProgramsCase(unittest.TestCase):
    maxDiff = 2000

    def same_everywhere(self, name, *args, options=()):
        """The output on the first shape, after a comparison with all others."""
        outputs = {}
        for ranks, threads in SHAPES:
            done = run(name, ranks, threads, *args, options=options)
            self.assertEqual(done.returncode, 0, f"{name} on {ranks}x{threads}: {done.stderr}")
            outputs[ranks, threads] = done.stdout
        for shape, output in outputs.items():
            self.assertEqual(output, outputs[SHAPES[0]], f"{name} on {shape} ranks x threads")
        return outputs[SHAPES[0]]

    def assert_mostly(self, seen, message):
        """`seen` holds in two of three runs: other work of the machine may disturb one."""
        results = [seen(), seen()]
        if results[0] != results[1]:
            results.append(seen())
        self.assertGreaterEqual(sum(results), 2, message)

    def statistics(self, name, ranks, threads, *args, options=()):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stats.json")
            done = run(name, ranks, threads, *args, options=["--stats", path, *options])
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                return json.load(file)
