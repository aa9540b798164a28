"""Compares the readers with the fastest plain C++ reader that we can write, scikit-learn's reader and zcat.

All sides read the same generated file, in turn. `of plain` is the speed as a fraction of the plain reader's.
"""

import argparse
import gzip
import os
import random
import re
import shutil
import statistics
import subprocess
import time

from build import compile_if_stale, inputs_of_ours
from measure import Failure

SKLEARN = "/usr/bin/python3"  # of Debian's python3-sklearn
LOAD = ("import sys, time; from sklearn.datasets import load_svmlight_file\n"
        "start = time.monotonic(); load_svmlight_file(sys.argv[1], dtype='float32')\n"
        "print(f'seconds={time.monotonic() - start}')")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run readers", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--megabytes", type=int, default=200, help="size of each file (200)")
    return parser.parse_args(arguments)


def make_rows(kind, draw):
    if kind == "csv":
        return [",".join(f"{draw.gauss(0, 100):.5g}" for _ in range(30)) + "\n" for _ in range(3000)]
    rows = []
    for _ in range(3000):
        columns = sorted(draw.sample(range(1, 50000), 40))
        rows.append(f"{draw.choice([1, -1])} " + " ".join(f"{c}:{draw.random():.6g}" for c in columns) + "\n")
    return rows


def make_file(kind, folder, size):
    """A file of about `size` bytes. Its rows are drawn from 3000, so that it is made quickly."""
    path = os.path.join(folder, f"{kind}-{size}")
    if os.path.exists(path + ".gz"):
        return path
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(1)
    rows = make_rows(kind, draw)
    with open(path, "w", encoding="ascii") as file:
        if kind == "csv":
            file.write(",".join(f"c{i}" for i in range(30)) + "\n")
        while file.tell() < size:
            file.writelines(draw.choices(rows, k=1000))
    with open(path, "rb") as file, gzip.open(path + ".partial", "wb", 6) as packed:
        shutil.copyfileobj(file, packed)
    os.rename(path + ".partial", path + ".gz")
    return path


def build(root, folder):
    """The plain program and ours."""
    sources = [os.path.join(root, "benchmarks", "readers", name + ".cpp") for name in ("plain", "readers")]
    targets = [os.path.join(folder, name) for name in ("plain", "readers")]
    compilers = ["g++", os.path.join(root, "build", "release", "bin", "stradsap-cc")]
    for source, target, compiler in zip(sources, targets, compilers):
        inputs = [source] + (inputs_of_ours() if compiler != "g++" else [])
        command = [compiler, "-std=c++20", "-O3", "-march=native", source, "-o"]
        compile_if_stale(lambda partial, command=command: [*command, partial], target, inputs)
    return targets


def sides_of(root, kind, path, plain, ours):
    """The command of each side."""
    launcher = os.path.join(root, "build", "release", "bin", "stradsap-run")
    sides = {"plain": [plain, kind, path], "stradsap 1x1": ["env", "STRADSAP_THREADS=1", ours, kind, path],
             "stradsap 1x2": ["env", "STRADSAP_THREADS=2", ours, kind, path],
             "stradsap 2x1": [launcher, "-n", "2", "--threads", "1", "--no-prefix", ours, kind, path]}
    if kind == "libsvm" and subprocess.run([SKLEARN, "-c", "import sklearn"], capture_output=True).returncode == 0:
        sides["scikit-learn"] = [SKLEARN, "-c", LOAD, path]
    sides["zcat"] = ["zcat", path + ".gz"]
    sides["stradsap 1x2, gzip"] = ["env", "STRADSAP_THREADS=2", ours, kind, path + ".gz"]
    return sides


def seconds_of(command):
    start = time.monotonic()
    with open(os.devnull, "w", encoding="ascii") as sink:
        is_zcat = command[0] == "zcat"
        done = subprocess.run(command, stdout=sink if is_zcat else subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return time.monotonic() - start if is_zcat else float(re.search(r"seconds=([\d.]+)", done.stdout).group(1))


def run(root, place, options):
    folder = os.path.join(root, "build", "readers")
    plain, ours = build(root, folder)
    print(f"{place}; {options.megabytes} MB, medians of {options.runs} runs\n")
    print("| format | side | seconds | MB/s | of plain |\n|---|---|---|---|---|")
    for kind in ("libsvm", "csv"):
        path = make_file(kind, folder, options.megabytes * 1_000_000)
        sides = sides_of(root, kind, path, plain, ours)
        seconds = {side: [] for side in sides}
        for _ in range(options.runs):
            for side, command in sides.items():
                seconds[side].append(seconds_of(command))
        least = statistics.median(seconds["plain"])
        for side, all_seconds in seconds.items():
            median = statistics.median(all_seconds)
            speed = os.path.getsize(path) / 1e6 / median
            print(f"| {kind} | {side} | {median:.3f} | {speed:.0f} | {least / median:.2f} |")
