"""What the benchmark tests share: a small planted data set and the driver as a module."""

import importlib.machinery
import importlib.util
import os
import random
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BENCHMARKS = os.path.join(ROOT, "benchmarks")
sys.path.insert(0, BENCHMARKS)


def load_driver():
    """benchmarks/run as a module; its name has no suffix, so the loader is named."""
    path = os.path.join(BENCHMARKS, "run")
    loader = importlib.machinery.SourceFileLoader("benchmark_run", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("benchmark_run", loader))
    loader.exec_module(module)
    return module


def write_ratings(folder, users=60, items=40, count=1500, seed=11):
    """train.txt and test.txt with two planted factors; returns their paths."""
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
