"""Times the mean field of a Potts model on a graph, by the dynamic scheduler: one update after the other, in sets, and free.

The columns are those of update_runs.py.
"""

import argparse

import update_runs

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
    ranks, threads, launcher, sets = side
    return update_runs.measured(root, ranks, threads, launcher, [program, "--sets", sets, "--solves", "2", "--nodes",
                                str(options.nodes), "--degree", str(options.degree), "--skew", str(options.skew)])


def run(root, options):
    """Head and lines of a table."""
    lines = []
    for name, runs in update_runs.runs_by_flags(root, "mean_field", SIDES, options.runs,
                                                lambda program, side: measured(root, program, side, options)):
        lines += update_runs.lines_of(name, runs)
    return update_runs.HEAD, lines
