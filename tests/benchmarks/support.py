"""Shared by the benchmark tests: a small planted data set, the driver as a module, and the sides of a workload."""

import difflib
import importlib.machinery
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BENCHMARKS = os.path.join(ROOT, "benchmarks")
sys.path.insert(0, BENCHMARKS)

SIDES = ["sequential", "openmp"] + (["mpi"] if shutil.which("mpicxx") else [])


def load_driver():
    """Loads benchmarks/run as a module. Its name has no suffix, so the loader is named."""
    path = os.path.join(BENCHMARKS, "run")
    loader = importlib.machinery.SourceFileLoader("benchmark_run", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("benchmark_run", loader))
    loader.exec_module(module)
    return module


def write_ratings(folder, users=60, items=40, count=1500, seed=11):
    """Writes train.txt and test.txt with two planted factors; returns their paths."""
    numbers = random.Random(seed)
    row = lambda: [numbers.uniform(0.3, 1.5) for _ in range(2)]  # noqa: E731
    P, Q = [row() for _ in range(users)], [row() for _ in range(items)]
    pairs = numbers.sample([(u, i) for u in range(users) for i in range(items)], count)
    lines = [f"{u} {i} {sum(p * q for p, q in zip(P[u], Q[i])) + numbers.gauss(0, 0.1):.4f}\n" for u, i in pairs]
    paths = os.path.join(folder, "train.txt"), os.path.join(folder, "test.txt")
    for path, part in zip(paths, (lines[: count * 9 // 10], lines[count * 9 // 10:])):
        with open(path, "w") as file:
            file.writelines(part)
    return paths


class Sides:
    """Builds the sides of a workload other than ours."""

    def __init__(self, name):
        driver = load_driver()
        sides = [side for side in driver.WORKLOADS[name].SIDES if driver.kind_of(side) in SIDES]
        options = driver.parse_arguments([name, "--sides", ",".join(sides)])
        self._kind_of = driver.kind_of
        self.binaries, _ = driver.build(driver.WORKLOADS[name], options, ["-std=c++20", "-O3", "-march=native"])
        if "mpi" not in SIDES:
            print("SKIPPED: the MPI side, mpicxx is not installed", file=sys.stderr)

    def run(self, side, *arguments, ranks=1, threads=1):
        command = [self.binaries[side], *arguments]
        if self._kind_of(side) == "mpi":
            command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *command]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def passes(text):
    """(number, rmse, test_rmse) of each pass, as printed."""
    return re.findall(r"^iter=(\d+) seconds=\d+\.\d+ rmse=(\d+\.\d{4}) test_rmse=(\d+\.\d{4})$", text, re.MULTILINE)


def lines_of_twin(name):
    """The lines of an example's converted twin that its original lacks. Comments at the head do not count."""
    def code(file_name):
        with open(os.path.join(ROOT, "examples", name, file_name)) as file:
            lines = file.read().splitlines()
        return lines[next(i for i, line in enumerate(lines) if line.startswith("#include")):]

    delta = difflib.ndiff(code("sequential.cpp"), code(name + ".cpp"))
    return [line[2:] for line in delta if line.startswith("+ ") and line[2:].strip()]
