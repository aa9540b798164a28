"""Bytes of free-running calls with a budget: changes by significance, and by age, at an equal objective.

Two ranks train a softmax (benchmarks/relaxed/budget.cpp). For each order of changes there is a ladder of budgets. A budget
counts if the median objective is at most 2 % above that of runs without a budget. "of the least by age" compares bytes with
those of the least budget by age that counts.
"""

import argparse
import os
import re
import statistics
import tempfile

import gated_runs
from measure import Failure

TOLERANCE = 0.02
ORDERS = ("age", "significance")
LADDERS = {  # of data: arguments, and budgets in thousands of bytes
    "1000 words": (("--words", "1000", "--rate", "1", "--calls", "300"), (40, 50, 60, 70, 105, 130, 150, 200)),
    "10,000 words": (("--words", "10000", "--rate", "0.5", "--calls", "200"), (150, 160, 170, 185, 200, 250)),
}
OF_FILE = (("--rate", "0.5", "--calls", "200"), (130, 200, 300))
HEAD = ["data", "changes go", "budget", "bytes of a rank in a call", "seen loss", "objective", "counts", "of the least by age"]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run budget", description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", metavar="news20.train", type=os.path.abspath, help="documents in LIBSVM's format, too")
    gated_runs.add_options(parser, "budget")
    return gated_runs.parsed(parser, arguments)


def about(options):
    return "softmax over documents on two ranks"


def settings(options):
    """(name, arguments, budgets) of each data."""
    found = [(name, *ladder) for name, ladder in LADDERS.items()]
    if options.data:
        found.append((os.path.basename(options.data), ("--data", options.data, *OF_FILE[0]), OF_FILE[1]))
    return found


def sides_of(name, arguments, budgets):
    """Without a budget first, then each order by falling budgets."""
    made = [gated_runs.Side(f"{name}, all at once", 2, arguments)]
    for order in ORDERS:
        made += [gated_runs.Side(f"{name}, by {order}, {budget}000", 2,
                                   [*arguments, "--budget", f"{budget}000", "--order", order]) for budget in reversed(budgets)]
    return made


def measured(root, side, program, calls, apart):
    """The figures of a run. `apart`: the bytes of a run of one call, which also sends the documents."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "metrics.csv")
        text = gated_runs.output(root, side, program, ["--metrics", path])
        with open(path, encoding="utf-8") as file:
            head, *rows = [line.split(",") for line in file.read().split()]
    found = re.fullmatch(r"seen=(\S+) objective=(\S+)\n", text)
    if not found:
        raise Failure(f"{side.name}: no figures in\n{text}")
    sent = sum(int(row[head.index("bytes_sent")]) for row in rows)
    return {"bytes": round((sent - apart) / 2 / max(1, calls - 1)), "seen": float(found[1]), "objective": float(found[2])}


def bytes_of_first_call(root, program, arguments):
    side = gated_runs.Side("the first call", 2, [*arguments, "--calls", "1"])
    return statistics.median(2 * measured(root, side, program, 1, 0)["bytes"] for _ in range(3))


def median(side, key):
    return statistics.median(one[key] for one in side.figures)


def counting(sides):
    """Those of the ladder with the objective of the first side, which has no budget."""
    most = (1 + TOLERANCE) * median(sides[0], "objective")
    return [side for side in sides[1:] if median(side, "objective") <= most]


def lines_of(name, sides):
    good = counting(sides)
    by_age = [median(side, "bytes") for side in good if side.arguments[-1] == "age"]
    for side in sides:
        has_budget = side is not sides[0]
        ratio = f"{median(side, 'bytes') / min(by_age):.2f}" if side in good and by_age else ""
        yield [name, f"by {side.arguments[-1]}" if has_budget else "all at once", side.arguments[-3] if has_budget else "",
               f"{median(side, 'bytes'):.0f}", f"{median(side, 'seen'):.4f}", f"{median(side, 'objective'):.4f}",
               "yes" if side in good else "no" if has_budget else "", ratio]


def complaints_on(name, sides):
    orders = {side.arguments[-1] for side in counting(sides)}
    return [f"{name}: no budget by {order} has the objective without one" for order in ORDERS if order not in orders]


def run(root, options, gate):
    program = gated_runs.built(root, "budget")
    lines, all_sides, complaints = [], [], []
    for name, arguments, budgets in settings(options):
        calls = int(arguments[arguments.index("--calls") + 1])
        apart = bytes_of_first_call(root, program, arguments)
        sides = sides_of(name, arguments, budgets)
        gated_runs.run_in_turn(sides, gate, options, lambda side: measured(root, side, program, calls, apart))
        lines += lines_of(name, sides)
        all_sides += sides
        complaints += complaints_on(name, sides)
    return HEAD, lines, all_sides, complaints
