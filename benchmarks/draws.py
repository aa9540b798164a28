"""Counts the draws of the dynamic scheduler in proportion to priorities, each with a change of a priority, that a second of
processor time has; beside a linear scan.
"""

import argparse
import os
import subprocess

from build import call
from measure import Failure


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run draws", description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="runs, of which the table has the best figures (3)")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/draws.json")
    options = parser.parse_args(arguments)
    options.figures = f"best of {options.runs} runs"
    return options


def measured(program):
    """Steps a second by number of iterations: (ours, scan)."""
    done = subprocess.run([program], capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    if done.returncode != 0 or not rows or any(len(row) != 3 for row in rows):
        raise Failure(f"{program}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return {int(n): (float(ours), float(scan)) for n, ours, scan in rows}


def run(root, options):
    """Head and lines of a table."""
    call([os.path.join(root, "tools", "build"), "release", "priority_draws"])
    program = os.path.join(root, "build", "release", "bin", "priority_draws")
    runs = [measured(program) for _ in range(options.runs)]
    best = {n: [max(one[n][side] for one in runs) for side in (0, 1)] for n in runs[0]}
    first = best[min(best)]
    lines = [[f"{n:,}", f"{ours:,.0f}", f"{first[0] / ours:.2f}", f"{scan:,.0f}", f"{first[1] / scan:.0f}"]
             for n, (ours, scan) in sorted(best.items())]
    return ["iterations", "draws a second", "falls by", "linear scan", "falls by"], lines
