"""Costs of the runtime itself: launches, hops of tokens, foreseen fetches, first calls, measured by benchmarks/costs.

Runs the program on each shape in turn, again and again. The table has the medians of its results over the runs.
A first call is that of a process of its own, benchmarks/costs/first_calls.cpp, beside the same loop in plain C++.
"""

import argparse
import json
import os
import re
import tempfile

import cost_table
import gated_runs
from measure import Failure, execute
from sides import OUR_SHAPES

SHAPES = ((1, 1), (1, 2), (2, 1), (2, 2), (8, 1))


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run costs", description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.05, help="least time of a measurement (0.05)")
    gated_runs.add_options(parser, "costs")
    return gated_runs.parsed(parser, arguments)


def about(options):
    return "costs of the runtime"


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


def sides():
    return [gated_runs.Side(f"costs on {ranks} x {threads}", ranks, [], threads=threads) for ranks, threads in SHAPES]


def sides_of_first_calls():
    return [gated_runs.Side(f"first calls on {ranks} x {threads}", ranks, [], threads=threads) for ranks, threads in OUR_SHAPES]


def run_first_calls(root, side, program):
    """Microseconds of the first call and of a sequential pass by kind and size, each in a process of its own."""
    figures = {}
    for kind in cost_table.KINDS:
        for n in cost_table.SIZES:
            text = gated_runs.output(root, side, program, arguments=[kind, str(n)])
            found = re.fullmatch(r"first=(\S+) plain=(\S+)\n", text)
            if not found:
                raise Failure(f"{side.name}: no figures in\n{text}")
            figures[f"first/{kind}/{n}"], figures[f"pass/{kind}/{n}"] = map(float, found.groups())
    return figures


def measure(bin_folder, all_sides, gate, options):
    gated_runs.run_in_turn(all_sides, gate, options, lambda side: run_shape(bin_folder, (side.ranks, side.threads), options.seconds))


def run(root, options, gate):
    all_sides = sides()
    measure(os.path.join(root, "build", "release", "bin"), all_sides, gate, options)
    program = gated_runs.built(root, "first_calls", "costs")
    first_calls = sides_of_first_calls()
    gated_runs.run_in_turn(first_calls, gate, options, lambda side: run_first_calls(root, side, program))
    all_sides += first_calls
    return cost_table.HEAD, cost_table.lines([side.report() for side in all_sides]), all_sides, []
