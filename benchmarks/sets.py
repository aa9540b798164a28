"""Counts the updates that a lasso takes when P of them run side by side: sets of the dynamic scheduler that check
dependences, the same with one and four more sets in flight, with draws by squared changes, sets unchecked, rounds of random columns (Shotgun), and rounds of columns in their order.

P updates in P shards miss the changes of each other, as those of P workers would. The count is the least that reaches 1.0001 times
the optimum, calls of the body that were undone included.
"""

import argparse
import json
import math
import os
import re
import subprocess
import tempfile

from build import compile_if_stale, inputs_of_ours
from measure import Failure

SIZES = (1, 8, 32, 128)
SIDES = ("ours", "ours, depth 1", "ours, depth 4", "drawn", "unchecked", "random", "cyclic")
MOST = 1 << 20  # updates


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run sets", description=__doc__.split("\n\n")[0])
    parser.add_argument("--correlation", type=float, default=0.8, help="of the columns in a group (0.8)")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/sets.json")
    options = parser.parse_args(arguments)
    options.runs = 1  # a second one has the same counts
    return options


class Problem:
    def __init__(self, program, correlation):
        self._program, self._correlation = program, correlation
        self.optimum = self.run("ours", 1, MOST)[0]

    def run(self, side, size, updates):
        """(objective, calls of the body) after so many updates."""
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            name, depth = side.split(", depth ") if ", depth " in side else (side, "0")
            command = [self._program, "--side", name, "--depth", depth, "--size", str(size), "--updates", str(updates), "--correlation",
                       str(self._correlation)]
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "STRADSAP_STATS": stats})
            found = re.fullmatch(r"updates=(\d+) objective=(\S+)\n", done.stdout)
            if done.returncode != 0 or not found:
                raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
            undone = 0
            if os.path.exists(stats):
                with open(stats, encoding="utf-8") as file:
                    undone = sum(loop["undone"] for loop in json.load(file)["loops"])
            return float(found[2]), int(found[1]) + undone

    def calls(self, side, size):
        """Calls of the body until the lasso is solved; None if it diverges."""
        def is_solved(updates):
            objective = self.run(side, size, updates)[0]
            return math.isfinite(objective) and objective <= 1.0001 * self.optimum
        low, high = 0, 1024
        while not is_solved(high):
            low, high = high, 2 * high
            if high > MOST or not math.isfinite(self.run(side, size, high)[0]):
                return None
        while high - low > max(size, high // 100):
            middle = (low + high) // 2
            low, high = (low, middle) if is_solved(middle) else (middle, high)
        return self.run(side, size, high)[1]


def run(root, options):
    """Head and lines of a table."""
    source = os.path.join(root, "benchmarks", "sets", "sets.cpp")
    program = os.path.join(root, "build", "sets", "sets")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    compile_if_stale(lambda target: [compiler, "-std=c++20", "-O3", "-march=native", source, "-o", target], program,
                     [source] + inputs_of_ours())
    problem = Problem(program, options.correlation)
    lines = []
    for size in SIZES:
        counts = [problem.calls(side, size) for side in SIDES]
        lines.append([str(size), *("diverges" if count is None else str(count) for count in counts)])
    return ["side by side", *SIDES], lines
