"""Runs a program of spec.py in Python, each loop in a given order. The C++ must print the same, to the bit."""

import struct

from emit import python_body, written
from spec import COUNTS, HEATS, KEYS, MASK, SIZES, Loop, draw, mix, pick, place


def whole(x):
    return x if isinstance(x, int) else int(x * 4.0) & MASK


def real(x):
    return float(x % 1024) if isinstance(x, int) else x


class Map(dict):
    """As a dmap: a lookup of a key inserts it."""

    def __missing__(self, key):
        self[key] = 0
        return 0


class Shard:
    """One shard's view in a sync loop: the start of the batch, and its own changes."""

    def __init__(self, start):
        self.start, self.mine = start, {}

    def __getitem__(self, key):
        if key not in self.mine:
            self.mine[key] = self.start.get(key, 0) if isinstance(self.start, dict) else self.start[key]
        return self.mine[key]

    def __setitem__(self, key, value):
        self.mine[key] = value


class Fold:
    """The reduction variables of one call of a loop."""

    def __init__(self):
        self.values = {"sum": 0, "top": 0, "low": MASK}

    def sum(self, x):
        self.values["sum"] = (self.values["sum"] + x) & MASK

    def top(self, x):
        self.values["top"] = max(self.values["top"], x)

    def low(self, x):
        self.values["low"] = min(self.values["low"], x)


def _bits(x):
    return f"{x:016x}" if isinstance(x, int) else struct.pack(">d", x).hex()


class Replay:
    """`orders`: by launch, the order of its iterations. A launch without one follows its model."""

    def __init__(self, program, seed, orders):
        self.program, self.seed, self.orders = program, seed, orders
        self.launches, self.lines = 0, []
        self.counts = {f"n{k}": pick(seed, k, COUNTS) for k in (0, 1)}
        self.sizes = {c.name: pick(seed, c.salt, SIZES) for c in program.containers}
        self.least = {c.name: pick(seed, c.salt + 1, KEYS) for c in program.containers}
        self.data = {c.name: self._fresh(c) for c in program.containers}
        for index in program.indices:
            self._fill(index, 0)

    def _fresh(self, c):
        if c.kind == "map":
            return Map()
        values = [mix(c.salt, i) for i in range(self.sizes[c.name])]
        return [float(x % 1024) for x in values] if c.kind == "f64" else values

    def _fill(self, index, salt):
        name, heat = index.target.name, pick(self.seed, index.salt, HEATS)
        places = [place(heat, index.salt + salt, i, self.sizes[name])
                  for i in range(self.counts[index.count] * index.width)]
        self.data[index.name] = [self.least[name] + 2 * p for p in places] if index.target.kind == "map" else places

    def run(self):
        """The output of the C++; keys of maps in rising order."""
        bodies = {n: self._compile(step, n) for n, step in enumerate(self.program.steps) if isinstance(step, Loop)}
        for number in range(self.program.passes):
            for n, step in enumerate(self.program.steps):
                self._loop(step, bodies[n]) if isinstance(step, Loop) else self._between(number, *step)
        for c in self.program.containers:
            self.lines.append(" ".join([c.name, *self._elements(c)]))
        return self.lines

    def _elements(self, c):
        of = self.data[c.name]
        return [f"{key}:{_bits(of[key])}" for key in sorted(of)] if c.kind == "map" else map(_bits, of)

    def _between(self, number, what, of):
        if what == "refill":
            return self._fill(of, number)
        data = self.data[of.name]
        if of.kind == "map":
            key = self.least[of.name]
            if what == "touch":
                data[key] = data[key] + 1 & MASK
            elif data.pop(key, None) is not None:
                data[key + 1] = 3
        elif what == "touch":
            data[0] = data[0] + 1 if of.kind == "f64" else data[0] + 1 & MASK
        else:
            data.append(5.0 if of.kind == "f64" else 5)

    # ---- loops ----

    @staticmethod
    def _compile(loop, number):
        names = {"MASK": MASK, "draw": draw, "whole": whole, "real": real}
        exec(python_body(loop, number), names)
        return names[f"body{number}"]

    def _loop(self, loop, body):
        self.launches += 1
        n = min([self.counts[loop.count], *(len(self.data[name]) for name in loop.bounded_by)])
        fold = Fold()
        sizes = {name.replace("C", "s"): len(self.data[name]) for name in self.sizes}
        wanted = body.__code__.co_varnames[2:body.__code__.co_argcount]
        given = {name: sizes[name] if name in sizes else self.data[name] for name in wanted}
        if loop.model == "sync" and written(loop) and not self.orders.get("serial"):
            self._batches(loop, body, n, fold, given)
        else:
            for j in self.orders.get(self.launches, range(n)):
                body(j, fold, **given)
        for name in sorted({s.fold for s in loop.statements if s.fold}):
            self.lines.append(f"{name} {_bits(fold.values[name])}")

    def _batches(self, loop, body, n, fold, given):
        batch = loop.batch or max(1, n)
        for begin in range(0, n, batch):
            end = min(n, begin + batch)
            shards = []
            for s in range(loop.shards):
                seen = {**given, **{name: Shard(given[name]) for name in written(loop)}}
                for j in range(begin + (end - begin) * s // loop.shards, begin + (end - begin) * (s + 1) // loop.shards):
                    body(j, fold, **seen)
                shards.append(seen)
            for name in written(loop):
                _merge(given[name], [shard[name].mine for shard in shards])


def _merge(data, shards):
    """Changes in the order of shards: the first one is taken whole, later ones add their difference."""
    start = {}
    for mine in shards:
        for key, end in mine.items():
            before = start.setdefault(key, data.get(key, 0) if isinstance(data, dict) else data[key])
            if isinstance(data, dict):
                data.setdefault(key, 0)
            if _bits(end) == _bits(before):
                continue
            if _bits(data[key]) == _bits(before):
                data[key] = end
            else:
                data[key] = data[key] + (end - before) if isinstance(end, float) else data[key] + end - before & MASK
