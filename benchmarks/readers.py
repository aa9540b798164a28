"""Compares the readers with the fastest plain C++ reader that we can write, LIBLINEAR, scikit-learn, zcat, NumPy and dd.

All sides read the same generated file, in turn, and ours find the arrays of the plain reader. The speed is given as a
fraction of that of the format's first side. zcat, dd and LIBLINEAR are timed as whole processes: LIBLINEAR trains, but
stops before its first step. "dd, whole" reads the file into one buffer, as a reader does; "dd" into 1 MiB again and again.
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

from build import call, compile_if_stale, inputs_of_ours
from measure import Failure

PYTHON = "/usr/bin/python3"  # of Debian, with python3-sklearn
LOAD = ("import sys, time; from sklearn.datasets import load_svmlight_file\n"
        "start = time.monotonic(); load_svmlight_file(sys.argv[1], dtype='float32')\n"
        "print(f'seconds={time.monotonic() - start}')")
NUMPY = "import sys, time, numpy, os; x = numpy.load(sys.argv[2]) if sys.argv[1] == 'save' else None\n" \
        "start = time.monotonic()\n" \
        "if x is None: x = numpy.load(sys.argv[2])\n" \
        "else:\n" \
        "  with open(sys.argv[3], 'wb') as file: numpy.save(file, x); file.flush(); os.fsync(file)\n" \
        "print(f'seconds={time.monotonic() - start}')"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run readers", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--megabytes", type=int, default=200, help="size of each file (200)")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/readers.json")
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


def make_array(folder, size):
    path = os.path.join(folder, f"x-{size}.npy")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        call([PYTHON, "-c", "import sys, numpy; numpy.save(sys.argv[1], numpy.random.default_rng(1).random("
              "int(sys.argv[2]) // 4, dtype='float32'))", path, str(size)])
    return path


def ours(root, program, *arguments):
    """Our sides: name and command."""
    launcher = os.path.join(root, "build", "release", "bin", "stradsap-run")
    return {"stradsap (1,1)": ["env", "STRADSAP_THREADS=1", program, *arguments],
            "stradsap (1,2)": ["env", "STRADSAP_THREADS=2", program, *arguments],
            "stradsap (2,1)": [launcher, "-n", "2", "--threads", "1", "--no-prefix", "--quiet", program, *arguments]}


def text_sides(root, kind, path, plain, program):
    """Two groups of sides, each with the command of each side."""
    sides = {"plain": [plain, kind, path], **ours(root, program, kind, path)}
    if kind == "libsvm" and shutil.which("liblinear-train"):
        sides["LIBLINEAR"] = ["liblinear-train", "-s", "0", "-e", "1e9", "-q", path, os.devnull]
    if kind == "libsvm" and subprocess.run([PYTHON, "-c", "import sklearn"], capture_output=True).returncode == 0:
        sides["scikit-learn"] = [PYTHON, "-c", LOAD, path]
    return {kind: sides, kind + ", gzip": {"zcat": ["zcat", path + ".gz"], **ours(root, program, kind, path + ".gz")}}


def array_sides(root, path, program):
    folder = os.path.join(os.path.dirname(path), "saved")
    os.makedirs(folder, exist_ok=True)
    copy = os.path.join(folder, "copy")
    return {"npy": {"dd": ["dd", f"if={path}", "of=/dev/null", "bs=1M"],
                    "dd, whole": ["dd", f"if={path}", "of=/dev/null", f"bs={os.path.getsize(path)}"],
                    **ours(root, program, "npy", path),
                    "NumPy": [PYTHON, "-c", NUMPY, "read", path]},
            "npy, saved": {"dd": ["dd", f"if={path}", f"of={copy}", "bs=1M", "conv=fsync"],
                           **ours(root, program, "save", path, folder),
                           "NumPy": [PYTHON, "-c", NUMPY, "save", path, copy]}}


def measured(command):
    """Seconds, and sums where a side prints them."""
    start = time.monotonic()
    with open(os.devnull, "w", encoding="ascii") as sink:
        is_whole = command[0] in ("zcat", "dd", "liblinear-train")
        done = subprocess.run(command, stdout=sink if is_whole else subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    if is_whole:
        return time.monotonic() - start, None
    found = re.search(r"seconds=([\d.]+)(?: sums=(\S+))?", done.stdout)
    return float(found.group(1)), found.group(2)


def measure(kind, size, sides, runs):
    """The lines of a table."""
    seconds = {side: [] for side in sides}
    sums = set()
    for _ in range(runs):
        for side, command in sides.items():
            passed, found = measured(command)
            seconds[side].append(passed)
            sums |= {found} - {None}
    if len(sums) != 1:
        raise Failure(f"{kind}: the sides read different arrays: {sorted(sums)}")
    medians = {side: statistics.median(all_seconds) for side, all_seconds in seconds.items()}
    first = next(iter(medians.values()))
    return [[kind, side, f"{median:.3f}", f"{size / 1e6 / median:.0f}", f"{first / median:.2f}"]
            for side, median in medians.items()]


def run(root, options):
    """Head and lines of a table."""
    folder = os.path.join(root, "build", "readers")
    plain, program = build(root, folder)
    groups = []
    for kind in ("libsvm", "csv"):
        path = make_file(kind, folder, options.megabytes * 1_000_000)
        groups += [(path, *group) for group in text_sides(root, kind, path, plain, program).items()]
    path = make_array(folder, options.megabytes * 2_000_000)
    groups += [(path, *group) for group in array_sides(root, path, program).items()]
    lines = []
    for path, kind, sides in groups:
        lines += measure(kind, os.path.getsize(path), sides, options.runs)
    return ["format", "side", "seconds", "MB/s", "of the first"], lines
