"""Times the mean field of a Potts model on a graph, by the dynamic scheduler: one update after the other, in sets, and free.

"busiest" is the CPU time of the busiest thread of rank 0, and "all" that of all its threads, in the run with the least of the
former. Both do not depend on other work of the machine, as seconds do.
"""

import argparse
import os
import re
import subprocess

from build import compile_if_stale, inputs_of_ours
from measure import Failure

SIDES = {  # ranks, threads, options of the run and of the program
    "one after the other, 1 thread": (1, 1, (), "0"),
    "in sets, 1 thread": (1, 1, (), "1"),
    "in sets, 2 threads": (1, 2, (), "1"),
    "in sets, 2 ranks": (2, 1, (), "1"),
    "free, 2 threads": (1, 2, ("--free-running",), "1"),
}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run mean_field", description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--nodes", type=int, default=100000, help="of the graph (100000)")
    parser.add_argument("--degree", type=int, default=8, help="of a node, on average (8)")
    parser.add_argument("--skew", type=float, default=0, help="exponent of the power law of degrees; 0: degrees are nearly equal (0)")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/mean_field.json")
    options = parser.parse_args(arguments)
    options.figures = f"least of {options.runs} runs"
    return options


def about(options):
    skew = f", degrees by a power law with exponent {options.skew}" if options.skew else ""
    return f"{options.nodes} nodes of degree {options.degree}{skew}, 16 labels"


def measured(root, program, side, options):
    """(busiest, all, seconds, updates)"""
    ranks, threads, run, sets = side
    command = [os.path.join(root, "tools", "stradsap-run"), "-n", str(ranks), "--threads", str(threads), "--no-prefix", "--quiet", *run,
               program, "--sets", sets, "--solves", "2", "--nodes", str(options.nodes), "--degree", str(options.degree), "--skew",
               str(options.skew)]
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


def run(root, options):
    """Head and lines of a table."""
    source = os.path.join(root, "benchmarks", "sets", "mean_field.cpp")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    lines = []
    for flags in (["-O3", "-march=native"], ["-O3", "-march=native", "-ffast-math"]):
        program = os.path.join(root, "build", "sets", f"mean_field{len(flags)}")
        compile_if_stale(lambda target, flags=flags: [compiler, "-std=c++20", *flags, source, "-o", target], program,
                         [source] + inputs_of_ours())
        runs = {side: [] for side in SIDES}
        for _ in range(options.runs):
            for side, how in SIDES.items():
                runs[side].append(measured(root, program, how, options))
        lines += lines_of(" ".join(flags[2:]) or "strict", runs)
    return ["flags", "updates", "number", "busiest", "of the first", "all", "least seconds"], lines
