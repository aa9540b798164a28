"""Times a lasso with columns of 100,000 rows, by the dynamic scheduler: one update after the other, and in sets.

"busiest" is the CPU time of the busiest thread of rank 0, and "all" that of all its threads, in the run with the least of the
former. Both do not depend on other work of the machine, as seconds do. With --latency: updates a second of two ranks of which
messages take so long, by the depth of the pipeline.
"""

import argparse
import os
import re
import subprocess

from build import compile_if_stale, inputs_of_ours
from measure import Failure

SIDES = {  # ranks, threads, and options of the program
    "one after the other, 1 thread": (1, 1, ("--sets", "0")),
    "in sets, 1 thread": (1, 1, ()),
    "in sets, 2 threads": (1, 2, ()),
    "in sets, 2 ranks": (2, 1, ()),
    "in sets, 2 ranks, depth 1": (2, 1, ("--depth", "1")),
}
LATENT = ("--rows", "20000", "--columns", "1000", "--correlation", "0.1", "--size", "16")
LATENT_SIDES = {f"depth {depth}": (2, 1, ("--depth", str(depth), *LATENT)) for depth in (0, 1, 2, 4)}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run long_columns", description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--penalty", type=float, default=0.002, help="as a part of the least that makes all coefficients zero")
    parser.add_argument("--latency", type=int, default=0, help="of messages between two ranks, in microseconds")
    parser.add_argument("--solves", type=int, default=2, help="solves in a row, of which the last is timed (2)")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/long_columns.json; with "
                        "--latency to latency.json, with --solves N to long_columns-N.json")
    options = parser.parse_args(arguments)
    options.table = "latency" if options.latency else "long_columns" if options.solves == 2 else f"long_columns-{options.solves}"
    options.figures = f"least of {options.runs} runs"
    return options


def about(options):
    latency = f", messages between two ranks take {options.latency} us" if options.latency else ""
    return f"penalty {options.penalty} of the greatest{latency}"


def measured(root, program, side, options):
    """(busiest, all, seconds, updates)"""
    ranks, threads, words = side
    launcher = [os.path.join(root, "tools", "stradsap-run"), "-n", str(ranks), "--threads", str(threads), "--no-prefix", "--quiet"]
    if options.latency:
        launcher += ["--latency", str(options.latency)]
    command = launcher + [program, "--solves", str(options.solves), "--penalty", str(options.penalty), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.match(r"updates=(\d+) seconds=(\S+) busiest=(\S+) all=(\S+) ", done.stdout)
    if done.returncode != 0 or not found:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return float(found[3]), float(found[4]), float(found[2]), int(found[1])


def lines_of(name, runs):
    """Of all runs of each side."""
    first = min(runs[next(iter(runs))])[0]
    for side, all_runs in runs.items():
        busiest, all_threads, _, updates = min(all_runs)
        yield [name, side, str(updates), f"{busiest:.4f}", f"{busiest / first:.3f}", f"{all_threads:.4f}",
               f"{min(one[2] for one in all_runs):.4f}"]


def latent_lines_of(name, runs):
    """Updates a second are those of the fastest run."""
    seconds = {side: min(one[2] for one in all_runs) for side, all_runs in runs.items()}
    rates = {side: max(one[3] / one[2] for one in all_runs) for side, all_runs in runs.items()}
    first = rates[next(iter(rates))]
    for side, rate in rates.items():
        yield [name, side, str(runs[side][0][3]), f"{rate:.0f}", f"{rate / first:.2f}", f"{seconds[side]:.3f}"]


def run(root, options):
    """Head and lines of a table."""
    source = os.path.join(root, "benchmarks", "sets", "long_columns.cpp")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    sides = LATENT_SIDES if options.latency else SIDES
    lines = []
    for flags in (["-O3", "-march=native"], ["-O3", "-march=native", "-ffast-math"]):
        program = os.path.join(root, "build", "sets", f"long_columns{len(flags)}")
        compile_if_stale(lambda target, flags=flags: [compiler, "-std=c++20", *flags, source, "-o", target], program,
                         [source] + inputs_of_ours())
        runs = {side: [] for side in sides}
        for _ in range(options.runs):
            for side, how in sides.items():
                runs[side].append(measured(root, program, how, options))
        name = " ".join(flags[2:]) or "strict"
        lines += latent_lines_of(name, runs) if options.latency else lines_of(name, runs)
    if options.latency:
        return ["flags", f"latency {options.latency} us", "updates", "number a second", "times the first", "least seconds"], lines
    return ["flags", "updates", "number", "busiest", "of the first", "all", "least seconds"], lines
