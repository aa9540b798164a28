"""Ranks that are late in turn: stale loops against sync, at an equal objective.

Two or three ranks train a softmax (benchmarks/relaxed/late_ranks.cpp). Each iteration rests, on a late rank for twice as
long. The objective that sync has after 30 calls is the aim: each stale loop makes as many calls as it needs for it. This
number depends on no timing, so it is found without rests.
"""

import argparse
import re
import statistics

import gated_runs
from measure import Failure

CALLS = 30  # of sync
MODELS = ("sync", "0", "1", "2")
RATES = ("1", "4")
SHAPES = {2: ("--iterations", "16", "--rest", "2"), 3: ("--iterations", "15", "--rest", "3")}  # by ranks
LATENCIES = (0, 2000)  # microseconds that messages take longer
HEAD = ["ranks", "messages later by", "rate", "loop", "calls", "objective", "seconds", "sync / this"]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run late_ranks", description=__doc__.split("\n\n")[0])
    gated_runs.add_options(parser, "late_ranks")
    return gated_runs.parsed(parser, arguments)


def about(options):
    return "softmax over documents, ranks late in turn"


def measured(root, side, program):
    text = gated_runs.output(root, side, program)
    found = re.fullmatch(r"seconds=(\S+) objective=(\S+)\n", text)
    if not found:
        raise Failure(f"{side.name}: no figures in\n{text}")
    return {"seconds": float(found[1]), "objective": float(found[2])}


def least_calls(objective_after, aim, most=4 * CALLS):
    """The least number of calls after which the objective is at most `aim`; it falls from call to call."""
    least = 1
    if objective_after(most) > aim:
        return None
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if objective_after(middle) <= aim else (middle + 1, most)
    return least


def calls_of(root, program, ranks, rate):
    """{model: calls} with the objective of sync, and complaints."""
    iterations = SHAPES[ranks][:2]

    def objective(model, calls):
        side = gated_runs.Side(model, 1, ["--model", model, "--calls", str(calls), "--rate", rate, *iterations])
        return measured(root, side, program)["objective"]

    aim = objective("sync", CALLS) * (1 + 1e-6)  # folds of stale loops round otherwise
    found = {model: CALLS if model == "sync" else least_calls(lambda calls: objective(model, calls), aim) for model in MODELS}
    missing = [f"{ranks} ranks, rate {rate}: stale({model}) has not the objective of sync after {4 * CALLS} calls"
               for model, calls in found.items() if calls is None]
    return {model: calls for model, calls in found.items() if calls is not None}, missing


def name_of(model):
    return model if model == "sync" else f"stale({model})"


def lines_of(ranks, latency, rate, sides):
    seconds = {side: statistics.median(one["seconds"] for one in side.figures) for side in sides}
    for side in sides:
        yield [str(ranks), f"{latency / 1000:g} ms", rate, side.name.split()[0], side.arguments[3],
               f"{side.figures[-1]['objective']:.5f}", f"{seconds[side]:.3f}", f"{seconds[sides[0]] / seconds[side]:.2f}"]


def run(root, options, gate):
    program = gated_runs.built(root, "late_ranks")
    groups, complaints = [], []
    for ranks, shape in SHAPES.items():
        for rate in RATES:
            calls, missing = calls_of(root, program, ranks, rate)
            complaints += missing
            for latency in LATENCIES:
                sides = [gated_runs.Side(f"{name_of(model)} on {ranks} ranks, rate {rate}, {latency} us", ranks,
                                           ["--model", model, "--calls", str(number), "--rate", rate, *shape],
                                           ["--latency", str(latency)]) for model, number in calls.items()]
                groups.append((ranks, latency, rate, sides))
    all_sides = [side for *_, sides in groups for side in sides]
    gated_runs.run_in_turn(all_sides, gate, options, lambda side: measured(root, side, program))
    return HEAD, [line for group in groups for line in lines_of(*group)], all_sides, complaints
