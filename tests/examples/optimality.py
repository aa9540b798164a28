"""Independent proofs of optima, in double precision and plain Python: optimality conditions, duality gaps, a slow solver,
and LIBLINEAR. Nothing here is shared with the programs that are proven.
"""

import json
import math
import os
import random
import re
import struct
import subprocess


def read_saved(folder, name):
    """The numbers of a dvector that a program has saved with save_jsonl."""
    with open(os.path.join(folder, name + ".jsonl"), encoding="ascii") as file:
        return [float(json.loads(line)) for line in file]


def read_rows(folder, name):
    """The rows of a matrix of floats that a program has saved with save_npy."""
    with open(os.path.join(folder, name + ".npy"), "rb") as file:
        data = file.read()
    begin = 10 + int.from_bytes(data[8:10], "little")
    header = data[10:begin].decode("ascii")
    _, columns = (int(size) for size in re.search(r"'shape': \((\d+), (\d+)\)", header).groups())
    numbers = struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])
    return [list(numbers[first:first + columns]) for first in range(0, len(numbers), columns)]


def make_table(rows, columns, seed=3):
    """Rows of numbers with targets: column 3 is zero, column 5 equals column 4, others are alike in pairs."""
    draw = random.Random(seed)
    table, targets = [], []
    for _ in range(rows):
        row = [round(draw.gauss(0, 1), 3) for _ in range(columns)]
        for j in range(6, columns, 2):
            row[j] = round(0.8 * row[j - 1] + 0.6 * row[j], 3)
        row[3], row[5] = 0.0, row[4]
        table.append(row)
        targets.append(round(2 * row[0] - row[4] + 0.5 * row[7] + draw.gauss(0, 0.5), 3))
    return table, targets


def write_libsvm(path, table, targets):
    """Zeros are left out. The last feature is written in any case, since it tells the number of features."""
    with open(path, "w", encoding="ascii") as file:
        for row, target in zip(table, targets):
            fields = [f"{j}:{x!r}" for j, x in enumerate(row, 1) if x != 0 or j == len(row)]
            file.write(" ".join([f"{target:g}", *fields]) + "\n")


def product(a, b):
    return sum(x * y for x, y in zip(a, b))


def columns_of(table):
    return [list(column) for column in zip(*table)]


def standardised(table, targets):
    """Columns of mean 0 and mean square 1 (or zero), and targets of mean 0."""
    def centred(numbers):
        mean = math.fsum(numbers) / len(numbers)
        return [x - mean for x in numbers]

    columns = []
    for column in map(centred, columns_of(table)):
        size = math.sqrt(product(column, column) / len(column))
        columns.append([x / size if size > 1e-12 else 0.0 for x in column])
    return columns, centred(targets)


class ElasticNet:
    """Half of the mean squared residual + l1 * |beta| + l2 / 2 * beta^2."""

    def __init__(self, columns, targets, l1, l2=0.0):
        self.columns, self.targets, self.l1, self.l2 = columns, targets, l1, l2

    def residual(self, beta):
        left = list(self.targets)
        for b, column in zip(beta, self.columns):
            if b != 0:
                left = [r - b * x for r, x in zip(left, column)]
        return left

    def objective(self, beta):
        left = self.residual(beta)
        return product(left, left) / (2 * len(left)) + self.l1 * sum(map(abs, beta)) + self.l2 / 2 * product(beta, beta)

    def slopes(self, beta):
        left = self.residual(beta)
        return [product(column, left) / len(left) - self.l2 * b for b, column in zip(beta, self.columns)]

    def violation(self, beta):
        """The greatest violation of the optimality conditions, as a part of l1."""
        def off(slope, b):
            return abs(slope) - self.l1 if b == 0 else abs(slope - math.copysign(self.l1, b))
        return max(0, *(off(slope, b) for slope, b in zip(self.slopes(beta), beta))) / self.l1

    def gap(self, beta):
        """A bound on the distance of the objective from the optimum, as a part of the objective."""
        left, n = self.residual(beta), len(self.targets)
        # the squares of the penalty are residuals of further rows with targets of zero
        further = [math.sqrt(n * self.l2) * b for b in beta]
        scale = min(1.0, self.l1 / max(abs(slope) for slope in self.slopes(beta)))
        dual = scale * product(left, self.targets) / n - scale ** 2 * (product(left, left) + product(further, further)) / (2 * n)
        return (self.objective(beta) - dual) / self.objective(beta)

    def solve(self, steps):
        """The optimum by accelerated proximal gradients (Beck, Teboulle, 2009)."""
        rate = 1 / (sum(product(column, column) for column in self.columns) / len(self.targets) + self.l2)
        beta = ahead = [0.0] * len(self.columns)
        momentum = 1.0
        for _ in range(steps):
            moved = [b + rate * slope for b, slope in zip(ahead, self.slopes(ahead))]
            after = [math.copysign(max(abs(b) - rate * self.l1, 0.0), b) for b in moved]
            next_momentum = (1 + math.sqrt(1 + 4 * momentum ** 2)) / 2
            ahead = [b + (momentum - 1) / next_momentum * (b - before) for b, before in zip(after, beta)]
            beta, momentum = after, next_momentum
        return beta


def margins(table, labels, weights):
    return [label * product(row, weights) for row, label in zip(table, labels)]


def logistic_objective(table, labels, weights, C):
    return sum(map(abs, weights)) + C * sum(math.log1p(math.exp(-m)) for m in margins(table, labels, weights))


def logistic_violation(table, labels, weights, C):
    """The greatest violation of the optimality conditions of the objective above, as a part of its penalty, which is 1."""
    wrong = [label / (1 + math.exp(m)) for label, m in zip(labels, margins(table, labels, weights))]
    slopes = [C * product(column, wrong) for column in columns_of(table)]
    return max(0, *(abs(g) - 1 if w == 0 else abs(g - math.copysign(1, w)) for g, w in zip(slopes, weights)))


def svm_objective(table, labels, weights, C):
    return product(weights, weights) / 2 + C * sum(max(0.0, 1 - m) for m in margins(table, labels, weights))


def liblinear(folder, data, solver, C):
    """The weights that LIBLINEAR finds, for the label 1."""
    model = os.path.join(folder, "liblinear.model")
    subprocess.run(["liblinear-train", "-q", "-s", str(solver), "-c", str(C), "-e", "1e-7", "-B", "-1", data, model], check=True)
    with open(model, encoding="ascii") as file:
        lines = file.read().split("\n")
    first = next(line for line in lines if line.startswith("label ")).split()[1]
    weights = [float(line) for line in lines[lines.index("w") + 1:] if line]
    return weights if float(first) == 1 else [-w for w in weights]
