"""Compares logreg_l1 and svm_dual with their sequential originals and LIBLINEAR: seconds to the same objective.

Each side runs with one tolerance after another, from loose to tight, until its objective is at most 1 + WITHIN times the
least that any side has reached. Seconds exclude reading. For LIBLINEAR these are the seconds of the process minus those of
one that reads the file and stops.
"""

import argparse
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import time

from build import call, compile_if_stale, inputs_of_ours
from measure import Failure

FLAGS = ["-std=c++20", "-O3", "-march=native"]
OURS = (*(f"{digit}e-{power}" for power in range(1, 5) for digit in (5, 2, 1)), "1e-5", "1e-6")
THEIRS = ("1", *(f"{digit}e-{power}" for power in range(1, 5) for digit in (5, 2, 1)), "1e-5")
SOLVERS = {"logreg_l1": "6", "svm_dual": "3"}  # of LIBLINEAR


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run linear", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--data", metavar="FILE,...", help="LIBSVM files; default: generated documents. More than two labels are "
                        "split at their median")
    parser.add_argument("--C", default="0.1,1", help="weights of the loss (0.1,1)")
    parser.add_argument("--within", type=float, default=1e-4, help="distance of the objective from the least (1e-4)")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/linear.json")
    options = parser.parse_args(arguments)
    options.figures = f"medians of {options.runs} runs, objectives at most {options.within:g} above the least"
    return options


def name_of_data(options):
    return ", ".join(os.path.basename(path) for path in options.data.split(",")) if options.data else "generated documents"


def generated():
    """Lines of documents with words of Zipf frequencies; a tenth of the labels are noise."""
    draw = random.Random(1)
    features = 10000
    truth = [draw.gauss(0, 3) if draw.random() < 0.05 else 0.0 for _ in range(features)]
    for _ in range(20000):
        words = {int((features - 1) ** draw.random()) * 48271 % features for _ in range(draw.randrange(10, 70))}
        values = {j: round(0.5 + draw.random(), 3) for j in words}
        margin = sum(truth[j] * value for j, value in values.items())
        label = 1 if (margin > 0) == (draw.random() < 0.9) else -1
        yield f"{label} " + " ".join(f"{j + 1}:{value}" for j, value in sorted(values.items()))


def of_two_classes(path):
    """The lines of a file, with labels 1 and -1."""
    with open(path, encoding="ascii") as file:
        lines = [line.split(maxsplit=1) for line in file if line.strip()]
    labels = [float(label) for label, *_ in lines]
    split = statistics.median_low(labels) if len(set(labels)) > 2 else min(labels)
    for label, (_, *rest) in zip(labels, lines):
        yield " ".join(["1" if label > split else "-1", *rest]).rstrip("\n")


def make_file(folder, path):
    os.makedirs(folder, exist_ok=True)
    made = os.path.join(folder, os.path.basename(path) if path else "generated")
    with open(made, "w", encoding="ascii") as file:
        for line in of_two_classes(path) if path else generated():
            file.write(line + "\n")
    return made


def read(path):
    """[(label, [(feature, value)])]"""
    rows = []
    with open(path, encoding="ascii") as file:
        for line in file:
            label, *fields = line.split()
            rows.append((float(label), [(int(j) - 1, float(x)) for j, x in (field.split(":") for field in fields)]))
    return rows


def objective_of(program, rows, weights, C):
    margins = [label * sum(weights[j] * x for j, x in features if j < len(weights)) for label, features in rows]
    if program == "svm_dual":
        return sum(w * w for w in weights) / 2 + C * sum(max(0.0, 1 - m) for m in margins)
    return sum(map(abs, weights)) + C * sum(math.log1p(math.exp(-m)) if m > -30 else -m for m in margins)


class Side:
    """One way to solve a problem. run(tolerance) gives (seconds, objective)."""

    def __init__(self, name, tolerances, run):
        self.name, self.tolerances, self.run = name, tolerances, run


def run_ours(command, program, path, C):
    def run(tolerance):
        done = subprocess.run([*command, "--data", path, "--C", C, "--tolerance", tolerance], capture_output=True, text=True)
        found = re.findall(r"updates=\d+ seconds=(\S+) objective=(\S+)", done.stdout)
        if done.returncode != 0 or not found:
            raise Failure(f"{program}: status {done.returncode}\n{done.stderr}")
        return float(found[-1][0]), float(found[-1][1])
    return run


def seconds_of(command):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return time.monotonic() - start


def run_liblinear(program, path, rows, C):
    model = path + ".model"

    def run(tolerance):
        reading = seconds_of(["liblinear-train", "-q", "-s", "0", "-e", "1e9", path, model])
        whole = seconds_of(["liblinear-train", "-q", "-s", SOLVERS[program], "-c", C, "-e", tolerance, path, model])
        with open(model, encoding="ascii") as file:
            lines = file.read().split("\n")
        sign = 1 if lines[2].split()[1] == "1" else -1
        weights = [sign * float(line) for line in lines[lines.index("w") + 1:] if line.strip()]
        return max(whole - reading, 0.0), objective_of(program, rows, weights, float(C))
    return run


def build(root, folder, program):
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    made = {}
    for side, command, source, inputs in (("sequential", "g++", "sequential.cpp", []),
                                          ("stradsap", compiler, f"{program}.cpp", inputs_of_ours())):
        path = os.path.join(root, "examples", program, source)
        made[side] = os.path.join(folder, f"{program}-{side}")
        compile_if_stale(lambda partial, command=command, path=path: [command, *FLAGS, path, "-o", partial], made[side],
                         [path, *inputs])
    return made


def sides_of(root, folder, program, path, rows, C):
    made = build(root, folder, program)
    launcher = [os.path.join(root, "build", "release", "bin", "stradsap-run"), "--no-prefix", "--quiet"]
    return [Side("sequential", OURS, run_ours([made["sequential"]], program, path, C)),
            Side("stradsap (1,1)", OURS, run_ours([*launcher, "-n", "1", "--threads", "1", made["stradsap"]], program, path, C)),
            Side("LIBLINEAR", THEIRS, run_liblinear(program, path, rows, C))]


def loosest(side, wanted):
    """The loosest tolerance that reaches an objective; None if none does."""
    return next((tolerance for tolerance in side.tolerances if side.run(tolerance)[1] <= wanted), None)


def measure(problem, sides, options):
    """Lines of a table."""
    least = min(side.run(side.tolerances[-2])[1] for side in sides[1:])
    chosen = [(side, loosest(side, (1 + options.within) * least)) for side in sides]
    seconds = {side.name: [] for side, tolerance in chosen if tolerance}
    objectives = {}
    for _ in range(options.runs):
        for side, tolerance in chosen:
            if tolerance:
                passed, objectives[side.name] = side.run(tolerance)
                seconds[side.name].append(passed)
    medians = {name: statistics.median(all_seconds) for name, all_seconds in seconds.items()}
    first = medians.get(sides[0].name)
    lines = []
    for side, tolerance in chosen:
        if not tolerance:
            lines.append([*problem, side.name, "", "not reached", "", ""])
            continue
        median = medians[side.name]
        lines.append([*problem, side.name, tolerance, f"{median:.4f}", f"{median / first:.3f}" if first else "",
                      f"{max(objectives[side.name] / least - 1, 0):.0e}"])
    return lines


def run(root, options):
    """Head and lines of a table."""
    if shutil.which("liblinear-train") is None:
        call([os.path.join(root, "tools", "install-deps")])
    folder = os.path.join(root, "build", "linear")
    lines = []
    for source in options.data.split(",") if options.data else [None]:
        path = make_file(folder, source)
        rows = read(path)
        for program in SOLVERS:
            for C in options.C.split(","):
                lines += measure([program, os.path.basename(path), C], sides_of(root, folder, program, path, rows, C), options)
    return ["program", "data", "C", "side", "tolerance", "seconds", "of the first", "above the least"], lines
