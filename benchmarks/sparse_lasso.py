"""Compares the dynamic scheduler with passes over all columns, glmnet and scikit-learn, on lassos over sparse columns.

As `solvers`, for a file in LIBSVM's format: "one" is a single penalty from zero, "path" is 100 penalties, each from the
solution before. Targets are 1 and -1, without an intercept. Times exclude reading.
"""

import argparse
import os
import shutil
import subprocess

from build import compile_if_stale, inputs_of_ours
from linear import make_file
from solvers import PYTHON, measure

LEAST = 0.02  # last penalty, as a part of the first
TOLERANCE = "1e-4"
GLMNET = r"""
suppressMessages(library(glmnet))
words <- commandArgs(TRUE); steps <- as.integer(words[2]); least <- as.numeric(words[3])
rows <- strsplit(readLines(words[1]), " "); y <- as.numeric(sapply(rows, `[`, 1)); rows <- lapply(rows, `[`, -1)
cells <- matrix(as.numeric(unlist(strsplit(unlist(rows), ":"))), nrow = 2); n <- length(y)
X <- sparseMatrix(i = rep(seq_along(rows), lengths(rows)), j = cells[1, ], x = cells[2, ])
penalty <- max(abs(crossprod(X, y))) / n * least^((1:steps) / steps)
time <- system.time(fit <- glmnet(X, y, alpha = 1, lambda = penalty, thresh = 1e-10, standardize = FALSE, intercept = FALSE))[3]
b <- as.numeric(fit$beta[, steps]); l <- penalty[steps]; g <- as.numeric(crossprod(X, y - as.numeric(X %*% b))) / n
cat(sprintf("seconds=%.4f violation=%.1e\n", time, max(ifelse(b == 0, abs(g) - l, abs(g - sign(b) * l))) / l))
"""
SKLEARN = r"""
import sys, time, warnings; import numpy as np; from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import lasso_path
warnings.simplefilter("ignore"); steps = int(sys.argv[2]); X, y = load_svmlight_file(sys.argv[1]); X = X.tocsc(); n = len(y)
penalty = np.abs(X.T @ y).max() / n * float(sys.argv[3]) ** (np.arange(1, steps + 1) / steps)
start = time.monotonic()
_, path, _ = lasso_path(X, y, alphas=penalty, tol=1e-6, max_iter=100000)
seconds = time.monotonic() - start
b, l = path[:, -1], penalty[-1]; g = X.T @ (y - X @ b) / n
print(f"seconds={seconds:.4f} violation={np.where(b == 0, abs(g) - l, abs(g - np.sign(b) * l)).max() / l:.1e}")
"""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run sparse_lasso", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--data", metavar="FILE", help="a LIBSVM file; default: generated documents. More than two labels are "
                        "split at their median")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/sparse_lasso.json")
    return parser.parse_args(arguments)


def name_of_data(options):
    return os.path.basename(options.data) if options.data else "generated documents"


def build(root, folder, flags, name):
    source = os.path.join(root, "benchmarks", "sets", "sparse_lasso.cpp")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    target = os.path.join(folder, "sparse_lasso" + name)
    compile_if_stale(lambda partial: [compiler, "-std=c++20", *flags, source, "-o", partial], target, [source, *inputs_of_ours()])
    return target


def sides_of(root, folder, path, steps):
    """Name and command of each side."""
    launcher = [os.path.join(root, "build", "release", "bin", "stradsap-run"), "--no-prefix", "--quiet", "-n", "1", "--threads", "1"]
    options = ["--data", path, "--steps", str(steps), "--least", str(LEAST), "--tolerance", TOLERANCE]
    found = {}
    for name, flags in (("", ["-O3", "-march=native"]), (", -ffast-math", ["-O3", "-march=native", "-ffast-math"])):
        program = build(root, folder, flags, name.lstrip(", -"))
        found["sequential" + name] = [*launcher, program, *options, "--side", "cyclic"]
        found["stradsap (1,1)" + name] = [*launcher, program, *options]
    rest = [path, str(steps), str(LEAST)]
    if shutil.which("Rscript"):
        found["glmnet"] = ["Rscript", "-e", GLMNET, *rest]
    if subprocess.run([PYTHON, "-c", "import sklearn"], capture_output=True).returncode == 0:
        found["scikit-learn"] = [PYTHON, "-c", SKLEARN, *rest]
    return found


def run(root, options):
    """Head and lines of a table."""
    folder = os.path.join(root, "build", "linear")
    path = make_file(folder, options.data)
    lines = []
    for problem, steps in (("one", 1), ("path", 100)):
        lines += measure(problem, sides_of(root, folder, path, steps), options.runs)
    return ["penalties", "side", "seconds", "of the first", "violation"], lines
