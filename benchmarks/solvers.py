"""Compares the dynamic scheduler with passes over all columns, glmnet and scikit-learn, on elastic nets.

All sides solve the same problems and are timed without reading. Each prints the greatest violation of the optimality
conditions, as a part of the penalty, so times are those of about equal solutions. The solvers of R and Python compute in
double precision. "one" is a single penalty from zero; "path" is 100 penalties, each from the solution before.
"""

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess

from build import compile_if_stale, inputs_of_ours
from measure import Failure

PYTHON = "/usr/bin/python3"  # of Debian, with python3-sklearn
LEAST = 0.05  # last penalty, as a part of the first
GLMNET = r"""
suppressMessages(library(glmnet))
words <- commandArgs(TRUE); steps <- as.integer(words[2])
X <- as.matrix(read.csv(words[1], header = FALSE)); y <- X[, 1]; X <- X[, -1]
n <- nrow(X); X <- sweep(X, 2, colMeans(X)); s <- sqrt(colMeans(X^2)); X <- sweep(X, 2, ifelse(s > 0, s, 1), "/")
y <- y - mean(y); slopes <- abs(crossprod(X, y)) / n; penalty <- max(slopes) * 0.05^((1:steps) / steps)
time <- system.time(fit <- glmnet(X, y, alpha = 1, lambda = penalty, thresh = 1e-10, standardize = FALSE, intercept = FALSE))[3]
b <- as.numeric(fit$beta[, steps]); l <- penalty[steps]; g <- crossprod(X, y - X %*% b) / n
cat(sprintf("seconds=%.4f violation=%.1e\n", time, max(ifelse(b == 0, abs(g) - l, abs(g - sign(b) * l))) / l))
"""
SKLEARN = r"""
import sys, time, warnings; import numpy as np; from sklearn.linear_model import lasso_path
warnings.simplefilter("ignore"); steps = int(sys.argv[2]); data = np.loadtxt(sys.argv[1], delimiter=",")
y, X = data[:, 0] - data[:, 0].mean(), data[:, 1:] - data[:, 1:].mean(axis=0)
s = np.sqrt((X ** 2).mean(axis=0)); X = np.asfortranarray(X / np.where(s > 0, s, 1)); n = len(y)
penalty = np.abs(X.T @ y).max() / n * 0.05 ** (np.arange(1, steps + 1) / steps)
start = time.monotonic()
_, path, _ = lasso_path(X, y, alphas=penalty, tol=1e-7, max_iter=100000)
seconds = time.monotonic() - start
b, l = path[:, -1], penalty[-1]; g = X.T @ (y - X @ b) / n
print(f"seconds={seconds:.4f} violation={np.where(b == 0, abs(g) - l, abs(g - np.sign(b) * l)).max() / l:.1e}")
"""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run solvers", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--data", metavar="X.csv,y.csv", help="a table of numbers and its targets; default: generated")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/solvers.json")
    return parser.parse_args(arguments)


def name_of_data(options):
    if not options.data:
        return "generated columns"
    return os.path.basename(os.path.dirname(options.data.split(",")[0]))


def numbers(path):
    """The rows of a CSV file that hold numbers alone."""
    with open(path, encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file]
    return [row for row in rows if all(re.fullmatch(r"[-+0-9.eE]+", field) for field in row)]


def generated():
    """Columns in groups of ten that are alike; one in a hundred is in the targets."""
    draw = random.Random(1)
    rows, columns = 200, 5000
    weights = [draw.gauss(0, 1) if draw.random() < 0.01 else 0.0 for _ in range(columns)]
    table = []
    for _ in range(rows):
        common = [draw.gauss(0, 1) for _ in range(columns // 10)]
        table.append([common[j // 10] + draw.gauss(0, 0.5) for j in range(columns)])
    targets = [sum(w * x for w, x in zip(weights, row)) + draw.gauss(0, 1) for row in table]
    return [[f"{x:.6g}" for x in row] for row in table], [[f"{t:.6g}"] for t in targets]


def make_files(folder, data):
    """The same numbers as CSV with the target first, and in LIBSVM's format."""
    os.makedirs(folder, exist_ok=True)
    rows, targets = (numbers(path) for path in data.split(",")) if data else generated()
    if len(rows) != len(targets):
        raise Failure(f"{data}: {len(rows)} rows and {len(targets)} targets")
    table, libsvm = os.path.join(folder, "table.csv"), os.path.join(folder, "table.libsvm")
    with open(table, "w", encoding="ascii") as as_csv, open(libsvm, "w", encoding="ascii") as as_libsvm:
        for row, (target, *_) in zip(rows, targets):
            as_csv.write(",".join([target, *row]) + "\n")
            as_libsvm.write(" ".join([target, *(f"{j}:{x}" for j, x in enumerate(row, 1))]) + "\n")
    return table, libsvm


def build(root, folder, flags, name):
    """The original and ours."""
    here = os.path.join(root, "examples", "elastic_net_path")
    sides = {"sequential": ("g++", "sequential.cpp"),
             "stradsap": (os.path.join(root, "build", "release", "bin", "stradsap-cc"), "elastic_net_path.cpp")}
    targets = {}
    for side, (compiler, source) in sides.items():
        targets[side] = os.path.join(folder, f"{side}{name}")
        path = os.path.join(here, source)
        command = [compiler, "-std=c++20", *flags, path, "-o"]
        compile_if_stale(lambda partial, command=command: [*command, partial], targets[side],
                         [path] + (inputs_of_ours() if compiler != "g++" else []))
    return targets


def sides_of(root, folder, files, steps):
    """Name and command of each side."""
    table, libsvm = files
    launcher = os.path.join(root, "build", "release", "bin", "stradsap-run")
    options = ["--data", libsvm, "--steps", str(steps), "--alpha", "1", "--least", str(LEAST), "--tolerance", "3e-5"]
    found = {}
    for name, flags in (("", ["-O3", "-march=native"]), (", -ffast-math", ["-O3", "-march=native", "-ffast-math"])):
        built = build(root, folder, flags, name.lstrip(", -"))
        ours = [launcher, "--no-prefix", "--quiet"]
        found["sequential" + name] = [built["sequential"], *options]
        for ranks, threads in (1, 1), (1, 2), (2, 1):
            found[f"stradsap ({ranks},{threads}){name}"] = [*ours, "-n", str(ranks), "--threads", str(threads),
                                                            built["stradsap"], *options]
    if shutil.which("Rscript"):
        found["glmnet"] = ["Rscript", "-e", GLMNET, table, str(steps)]
    if subprocess.run([PYTHON, "-c", "import sklearn"], capture_output=True).returncode == 0:
        found["scikit-learn"] = [PYTHON, "-c", SKLEARN, table, str(steps)]
    return found


def measured(command):
    """(seconds, violation) of the last step."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
    found = re.findall(r"seconds=([\d.]+) violation=(\S+)", done.stdout)
    if done.returncode != 0 or not found:
        raise Failure(f"{' '.join(command)[:200]}: status {done.returncode}\n{done.stderr}")
    return float(found[-1][0]), float(found[-1][1])


def measure(problem, sides, runs):
    """The lines of a table."""
    seconds, violations = {side: [] for side in sides}, {}
    for _ in range(runs):
        for side, command in sides.items():
            passed, violations[side] = measured(command)
            seconds[side].append(passed)
    medians = {side: statistics.median(all_seconds) for side, all_seconds in seconds.items()}
    first = next(iter(medians.values()))
    return [[problem, side, f"{median:.4f}", f"{median / first:.3f}", f"{violations[side]:.1e}"] for side, median in medians.items()]


def run(root, options):
    """Head and lines of a table."""
    folder = os.path.join(root, "build", "solvers")
    files = make_files(folder, options.data)
    lines = []
    for problem, steps in (("one", 1), ("path", 100)):
        lines += measure(problem, sides_of(root, folder, files, steps), options.runs)
    return ["penalties", "side", "seconds", "of the first", "violation"], lines
