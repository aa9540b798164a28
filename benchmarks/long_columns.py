"""Times a lasso with columns of 100,000 rows, by the dynamic scheduler: one update after the other, and in sets.

The columns are those of update_runs.py. With --latency: updates a second of two ranks of which messages take so long, by the
depth of the pipeline.
"""

import argparse

import update_runs

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
    ranks, threads, words = side
    launcher = ["--latency", str(options.latency)] if options.latency else []
    return update_runs.measured(root, ranks, threads, launcher, [program, "--solves", str(options.solves), "--penalty",
                                str(options.penalty), *words])


def latent_lines_of(name, runs):
    """Updates a second are those of the fastest run."""
    seconds = {side: min(one[2] for one in all_runs) for side, all_runs in runs.items()}
    rates = {side: max(one[3] / one[2] for one in all_runs) for side, all_runs in runs.items()}
    first = rates[next(iter(rates))]
    for side, rate in rates.items():
        yield [name, side, str(runs[side][0][3]), f"{rate:.0f}", f"{rate / first:.2f}", f"{seconds[side]:.3f}"]


def run(root, options):
    """Head and lines of a table."""
    lines = []
    for name, runs in update_runs.runs_by_flags(root, "long_columns", LATENT_SIDES if options.latency else SIDES, options.runs,
                                                lambda program, side: measured(root, program, side, options)):
        lines += latent_lines_of(name, runs) if options.latency else update_runs.lines_of(name, runs)
    if options.latency:
        return ["flags", f"latency {options.latency} us", "updates", "number a second", "times the first", "least seconds"], lines
    return update_runs.HEAD, lines
