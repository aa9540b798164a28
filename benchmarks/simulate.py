"""Compares the predictions of `stradsap-run --simulate` with real runs on this machine, for each shape in turn.

Only training loops are compared: the seconds of a pass that the program prints, and the predicted seconds of the launches
of a pass. The first pass does not count, because it includes planning.
"""

import argparse
import json
import os
import statistics
import tempfile

from measure import Failure, execute
from ratings import read_pass_seconds

SHAPES = ((1, 1), (1, 2), (2, 1), (2, 2))  # ranks, threads
TRAINING_LOOPS = {"sgd_mf": 1, "cd_mf": 2}  # the number of training loops, which come first in the program


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run simulate", description=__doc__.split("\n\n")[0])
    parser.add_argument("workload", choices=sorted(TRAINING_LOOPS))
    parser.add_argument("--data", default="gen1m", help="gen1m, gen10m, or a training file (gen1m)")
    parser.add_argument("--test", help="test file; default: test.txt beside the training file")
    parser.add_argument("--k", type=int, default=64, help="numbers a row (64)")
    parser.add_argument("--passes", type=int, default=10, help="passes a run (10)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each shape (3)")
    parser.add_argument("--link", default="20Gbit,30us", help="between two ranks of this machine (20Gbit,30us)")
    parser.add_argument("--no-build", action="store_true", help="use the tools and binaries that are there")
    options = parser.parse_args(arguments)
    options.sides, options.fast_math = ["stradsap"], False
    return options


class Trial:
    """Runs the workload's program under the launcher."""

    def __init__(self, root, workload, binary, data, options):
        self._launcher = os.path.join(root, "build", "release", "bin", "stradsap-run")
        self._workload, self._options = workload, options
        train, test = data
        self._program = [binary, "--ratings", train, "--test", test, "--rank", str(options.k), workload.pass_option,
                         str(options.passes)]

    def _launch(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            done = execute([self._launcher, *words, "--no-prefix", "--stats", stats, "--", *self._program])
            with open(stats) as file:
                return done.stdout, json.load(file)["loops"]

    def real(self, ranks, threads):
        """Seconds of a pass."""
        text, _ = self._launch("-n", str(ranks), "--threads", str(threads))
        seconds = read_pass_seconds(text)
        if len(seconds) != self._options.passes or len(seconds) < 2:
            raise Failure(f"expected {self._options.passes} passes, at least 2, the output has {len(seconds)}:\n{text}")
        return statistics.median(seconds[1:])

    def predicted(self, ranks, threads, here):
        """Seconds of a pass, and the bytes it moves, from a run on `here` threads."""
        _, loops = self._launch("--simulate", f"{ranks}x{threads},{self._options.link}", "--threads", str(here))
        return read_prediction(loops, self._workload.name, self._options.passes)


def read_prediction(loops, workload, passes):
    """Seconds of a pass, and the bytes it moves, from the loops of the statistics."""
    training = [(loop["simulated"], loop["calls"] / passes) for loop in loops[:TRAINING_LOOPS[workload]]]
    return (sum(found["seconds"] * calls for found, calls in training),
            sum(found["bytes_moved"] * calls for found, calls in training))


def spread(values):
    return f"{statistics.median(values):8.4f} {min(values):.4f}-{max(values):.4f}"


def run(trial, gate, say, options, place):
    real, predicted, moved, ungated = {}, {}, {}, 0
    for number in range(options.runs):
        for ranks, threads in SHAPES:
            ungated += not gate.wait(min(ranks * threads, len(os.sched_getaffinity(0))))[1]
            real.setdefault((ranks, threads), []).append(trial.real(ranks, threads))
            for here in (1, 2):
                ungated += not gate.wait(here)[1]
                seconds, moved[ranks, threads] = trial.predicted(ranks, threads, here)
                predicted.setdefault((ranks, threads, here), []).append(seconds)
            say(f"run {number + 1}/{options.runs}  {ranks}x{threads}")
    print(f"Simulation of {options.workload}: {options.data}, K = {options.k}, {options.passes} passes, median of "
          f"{options.runs} runs, {options.link}")
    print("{}; commit {}{}".format(*place, f"; {ungated} runs ungated" if ungated else ""))
    print(f"{'ranks x threads':16}{'real s/pass':>22}{'predicted on 1 thread':>24}{'on 2 threads':>24}{'MB moved':>10}")
    for shape in SHAPES:
        print("{} x {:12}".format(*shape), f"{spread(real[shape]):>22}", *(f"{spread(predicted[*shape, here]):>23}" for here in (1, 2)),
              f"{moved[shape] / 1e6:9.2f}")
