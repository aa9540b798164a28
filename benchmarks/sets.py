"""Counts the updates that a lasso takes when P of them run side by side: sets of the dynamic scheduler that check
dependences, the same with one and four more sets in flight, with draws by squared changes, sets unchecked, rounds of random columns (Shotgun), and rounds of columns in their order.

P updates in P shards miss the changes of each other, as those of P workers would. The count is the least that reaches 1.0001 times
the optimum, calls of the body that were undone included. With --plot, it draws the objective against updates instead.
"""

import argparse
import json
import math
import os
import re
import subprocess
import tempfile

from build import call, compile_if_stale, inputs_of_ours
from measure import Failure

SIZES = (1, 8, 32, 128)
SIDES = ("ours", "ours, depth 1", "ours, depth 4", "drawn", "unchecked", "random", "cyclic")
MOST = 1 << 20  # updates
CURVES = {"sweeps": "ours", "priority": "drawn", "random": "random", "cyclic": "cyclic"}  # of a plot


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run sets", description=__doc__.split("\n\n")[0])
    parser.add_argument("--correlation", metavar="C,...", default="0.4,0.8", help="of the columns in a group (0.4,0.8)")
    parser.add_argument("--plot", metavar="F.svg", help="draw objectives against updates, for the last correlation")
    parser.add_argument("--side-by-side", type=int, default=1, metavar="P", help="updates side by side in the plot (1)")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/sets.json")
    options = parser.parse_args(arguments)
    options.correlations = [float(word) for word in options.correlation.split(",")]
    options.runs = 1  # a second one has the same counts
    options.figures = "counts, which are the same on any machine"
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


    def curve(self, side, size, most):
        """CSV: updates, and how far the objective is above the optimum, as a part of it."""
        lines, updates = ["updates,above_optimum"], max(size, 128)
        while updates <= most:
            objective = self.run(side, size, updates)[0]
            if not math.isfinite(objective):
                break
            lines.append(f"{updates},{max(objective / self.optimum - 1, 1e-9):.6g}")
            updates = max(updates + size, int(1.15 * updates))
        return "\n".join(lines) + "\n"


def plot(root, problem, options, most=1 << 17):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, side in CURVES.items():
            files.append(os.path.join(folder, name + ".csv"))
            with open(files[-1], "w", encoding="ascii") as file:
                file.write(problem.curve(side, options.side_by_side, most))
        call([os.path.join(root, "tools", "plot"), *files, "--against", "updates", "--log", "-o", os.path.abspath(options.plot)])


def run(root, options):
    """Head and lines of a table; none for a plot."""
    source = os.path.join(root, "benchmarks", "sets", "sets.cpp")
    program = os.path.join(root, "build", "sets", "sets")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    compile_if_stale(lambda target: [compiler, "-std=c++20", "-O3", "-march=native", source, "-o", target], program,
                     [source] + inputs_of_ours())
    if options.plot:
        plot(root, Problem(program, options.correlations[-1]), options)
        return [], []
    lines = []
    for correlation in options.correlations:
        problem = Problem(program, correlation)
        for size in SIZES:
            counts = [problem.calls(side, size) for side in SIDES]
            lines.append([str(correlation), str(size), *("diverges" if count is None else f"{count:,}" for count in counts)])
    return ["correlation", "side by side", *SIDES], lines
