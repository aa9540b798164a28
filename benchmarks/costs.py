"""Costs of the runtime itself: launches, hops of tokens, fetches, measured by benchmarks/costs.

Runs the program on each shape in turn, again and again. Prints the median of its results over the runs.
"""

import argparse
import json
import os
import re
import statistics
import tempfile

from measure import Failure, execute

SHAPES = ((1, 1), (1, 2), (2, 1), (2, 2), (8, 1))
TITLES = {"launch/empty": "an empty loop", "launch/sum": "a loop that sums", "launch/update": "after a change on the driver",
          "launch/sync_batch": "a small batch", "report": "a row of metrics",
          "hop/executors": "a token to another executor",
          "hop/ranks/512": "a token of 512 B to another rank", "hop/ranks/65536": "a token of 64 KiB to another rank",
          "fetch/small": "a fetch of 512 B", "fetch/large": "a fetch of 1 MiB"}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run costs", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each shape (5)")
    parser.add_argument("--seconds", type=float, default=0.05, help="least time of a measurement (0.05)")
    return parser.parse_args(arguments)


def plain_name(name):
    """The name without the additions of Google Benchmark."""
    return re.sub(r"/(real_time|manual_time|iterations:\d+)", "", name)


def run_shape(bin_folder, shape, seconds):
    """Microseconds by name, of one run on (ranks, threads)."""
    ranks, threads = shape
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        execute([os.path.join(bin_folder, "stradsap-run"), "-n", str(ranks), "--threads", str(threads), "--no-prefix",
                 "--metrics", os.path.join(folder, "m.csv"), "--",
                 os.path.join(bin_folder, "costs"), f"--benchmark_min_time={seconds}", f"--benchmark_out={out}",
                 "--benchmark_out_format=json"], deadline=120.0)
        try:
            with open(out) as file:
                found = json.load(file)["benchmarks"]
        except (OSError, ValueError, KeyError) as error:
            raise Failure(f"costs on {ranks} x {threads} left no figures: {error}") from error
    return {plain_name(one["name"]): one["real_time"] / 1e3 for one in found}


def measure(bin_folder, runs, seconds):
    """The microseconds of all runs, by (name, shape)."""
    figures = {}
    for _ in range(runs):
        for shape in SHAPES:
            for name, time in run_shape(bin_folder, shape, seconds).items():
                figures.setdefault((name, shape), []).append(time)
    return figures


def print_table(figures):
    print(f"{'':36}{'ranks x threads':>16}{'median us':>11}{'min-max':>20}")
    for (name, (ranks, threads)), times in sorted(figures.items(), key=lambda entry: list(TITLES).index(entry[0][0])):
        spread = f"{min(times):.1f}-{max(times):.1f}"
        shape = "-" if name.startswith("hop/") else f"{ranks} x {threads}"
        print(f"{TITLES[name]:36}{shape:>16}{statistics.median(times):11.1f}{spread:>20}")


def run(root, place, options):
    figures = measure(os.path.join(root, "build", "release", "bin"), options.runs, options.seconds)
    print(f"Costs of the runtime, microseconds, median of {options.runs} runs of each shape")
    print("{}; commit {}".format(*place))
    print_table(figures)
