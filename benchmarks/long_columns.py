"""Times a lasso with columns of 100,000 rows, by the dynamic scheduler: one update after the other, and in sets.

"busiest" is the CPU time of the busiest thread, and "all" that of all threads, in the run with the least of the former.
Both do not depend on other work of the machine, as seconds do.
"""

import argparse
import os
import re
import subprocess

from build import compile_if_stale, inputs_of_ours
from measure import Failure

SIDES = {"one after the other, 1 thread": (0, 1), "in sets, 1 thread": (1, 1), "in sets, 2 threads": (1, 2)}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run long_columns", description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--penalty", type=float, default=0.002, help="as a part of the least that makes all coefficients zero")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/long_columns.json")
    return parser.parse_args(arguments)


def measured(program, sets, threads, penalty):
    """(busiest, all, seconds, updates)"""
    done = subprocess.run([program, "--sets", str(sets), "--penalty", str(penalty)], capture_output=True, text=True,
                          env={**os.environ, "STRADSAP_THREADS": str(threads)})
    found = re.match(r"updates=(\d+) seconds=(\S+) busiest=(\S+) all=(\S+) ", done.stdout)
    if done.returncode != 0 or not found:
        raise Failure(f"{program}: status {done.returncode}\n{done.stderr}")
    return float(found[3]), float(found[4]), float(found[2]), int(found[1])


def run(root, options):
    """Head and lines of a table."""
    source = os.path.join(root, "benchmarks", "sets", "long_columns.cpp")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    lines = []
    for flags in (["-O3", "-march=native"], ["-O3", "-march=native", "-ffast-math"]):
        program = os.path.join(root, "build", "sets", f"long_columns{len(flags)}")
        compile_if_stale(lambda target, flags=flags: [compiler, "-std=c++20", *flags, source, "-o", target], program,
                         [source] + inputs_of_ours())
        runs = {side: [] for side in SIDES}
        for _ in range(options.runs):
            for side, (sets, threads) in SIDES.items():
                runs[side].append(measured(program, sets, threads, options.penalty))
        first = min(runs[next(iter(SIDES))])[0]
        for side, all_runs in runs.items():
            busiest, all_threads, _, updates = min(all_runs)
            lines.append([" ".join(flags[2:]) or "strict", side, str(updates), f"{busiest:.4f}", f"{busiest / first:.3f}",
                          f"{all_threads:.4f}", f"{min(one[2] for one in all_runs):.4f}"])
    return ["flags", "updates", "number", "busiest", "of the first", "all", "least seconds"], lines
