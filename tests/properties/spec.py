"""Random loop programs as plain data: containers, index containers that select elements, loops that follow each other over
the same containers. emit.py makes C++ and Python of them.

A program's behaviour depends on a second number, the data seed, which both languages get: sizes, numbers of iterations, hot
elements. `pick` and `draw` are the same functions in both.
"""

from dataclasses import dataclass, field

MASK = 2**64 - 1

SIZES = (1, 2, 40, 300, 300, 1500)  # of containers
COUNTS = (0, 1, 63, 300, 1200, 3000, 3000)  # of iterations
HEATS = (0, 0, 0, 0, 0, 1, 2, 3, 4)  # see `place` of emit.py
KEYS = (0, -5, -(2**63), 2**63 - 1 - 2 * max(SIZES))  # least key of a map
WIDTHS = (2, 2, 3, 6)  # elements of one container that an iteration touches


def mix(a, b):
    x = (a * 0x9E3779B97F4A7C15 + b * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) & MASK
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def draw(salt, j, below):
    return mix(salt & MASK, j & MASK) % below


def pick(seed, salt, choices):
    return choices[draw(seed, salt, len(choices))]


def place(heat, salt, i, size):
    """The element that entry i of an index container names: any, always 0, mostly 0, the low ones, in turn."""
    if heat == 1 or (heat == 2 and draw(salt + 1, i, 10) != 0):
        return 0
    if heat == 3:
        return min(draw(salt + k, i, size) for k in range(3))
    return i % size if heat == 4 else draw(salt, i, size)


@dataclass(frozen=True)
class Container:
    name: str
    kind: str  # "u64", "f64": dvectors; "map": a dmap<int64_t, u64>
    salt: int


@dataclass(frozen=True)
class Index:
    """A dvector<int64_t> with `width` elements of `target` for each of `count`'s iterations."""

    name: str
    target: Container
    count: str
    width: int
    salt: int


@dataclass(frozen=True)
class Place:
    """An element of a container: by an index container, a draw of its own, j modulo the size, 0 or j itself; or by the value
    of another element that the loop changes."""

    container: Container
    how: str  # "index", "draw", "modulo", "zero", "own", "followed"
    index: Index = None
    salt: int = 0


@dataclass(frozen=True)
class Statement:
    kind: str  # "update", "add", "swap", "when", "each", "fold", "follow"
    target: Place
    source: Place = None
    a: int = 1
    b: int = 0
    fold: str = ""


@dataclass(frozen=True)
class Loop:
    count: str
    model: str  # "async", "ordered", "sync"
    batch: int
    shards: int
    statements: tuple
    bounded_by: tuple = ()  # containers that it accesses by j itself


@dataclass
class Program:
    number: int
    containers: list = field(default_factory=list)
    indices: list = field(default_factory=list)
    passes: int = 1
    steps: list = field(default_factory=list)  # of each pass: a Loop, or ("grow" | "touch" | "refill", container)

    def loops(self):
        return [step for step in self.steps if isinstance(step, Loop)]


class _Maker:
    def __init__(self, rng, number):
        self.rng = rng
        self.made = Program(number)
        self.aligned = []  # containers of the current loop that it accesses by j alone
        self.added = []  # containers of whole numbers that it only adds into
        self.follows = False  # all loops are transactions

    def program(self):
        rng, made = self.rng, self.made
        for k in range(rng.choice((1, 2, 2, 3, 4))):
            made.containers.append(Container(f"C{k}", rng.choice(("u64", "u64", "f64", "map")), rng.randrange(10**6)))
        made.passes = rng.choice((1, 2, 3))
        self.follows = rng.random() < 0.25
        for _ in range(rng.choice((1, 2, 3))):
            made.steps.append(self.loop())
            if rng.random() < 0.4:
                made.steps.append(self.between())
        return made

    def loop(self):
        rng = self.rng
        count = rng.choice(("n0", "n0", "n1"))
        self.aligned = [c for c in self.made.containers if c.kind != "map" and rng.random() < 0.4]
        if self.follows:
            return self.following(count)
        self.added = [c for c in self.made.containers if c.kind != "f64" and rng.random() < 0.3]
        statements = tuple(self.statement(count) for _ in range(rng.choice((1, 1, 2, 3))))
        own = {p.container.name for s in statements for p in (s.target, s.source) if p is not None and p.how == "own"}
        model = rng.choice(("async",) * 6 + ("ordered", "sync"))
        return Loop(count, model, rng.choice((0, 1, 50, 300)), rng.choice((1, 3, 16)), statements, tuple(sorted(own)))

    def following(self, count):
        """An asynchronous loop that changes an element, and this element selects the next one."""
        rng = self.rng
        vectors = [c for c in self.made.containers if c.kind != "map"]
        if not vectors:
            vectors = [Container(f"C{len(self.made.containers)}", "u64", rng.randrange(10**6))]
            self.made.containers += vectors
        self.aligned, self.added = [c for c in self.aligned if c != vectors[0]], []
        first = Statement("follow", Place(vectors[0], "index", self.index(vectors[0], count, 1)),
                          Place(vectors[0], "followed"), rng.randrange(3, 1000, 2), rng.randrange(1000))
        statements = (first, *(self.statement(count) for _ in range(rng.choice((0, 1, 2)))))
        own = {p.container.name for s in statements for p in (s.target, s.source) if p is not None and p.how == "own"}
        return Loop(count, "async", 0, 1, statements, tuple(sorted(own)))

    def between(self):
        rng, made = self.rng, self.made
        what = rng.choice(("grow", "touch", "refill"))
        if what == "refill" and made.indices:
            return ("refill", rng.choice(made.indices))
        return ("touch" if what == "refill" else what, rng.choice(made.containers))

    def statement(self, count):
        rng = self.rng
        kind = rng.choice(("update", "update", "update", "swap", "when", "each", "fold", "follow", "follow"))
        container = rng.choice(self.made.containers)
        a, b = rng.randrange(3, 1000, 2), rng.randrange(1000)
        read = [c for c in self.made.containers if c not in self.added]
        if container in self.added:
            source = self.place(rng.choice(read), count) if read and rng.random() < 0.6 else None
            return Statement("add", self.place(container, count), source, a, b)
        if kind == "follow":
            others = [c for c in read if c.kind != "map" and c not in self.aligned]
            if others and container not in self.aligned:
                return Statement(kind, self.place(container, count), Place(rng.choice(others), "followed"), a, b)
            kind = "update"
        if kind == "each" and container not in self.aligned:
            target = Place(container, "index", self.index(container, count, rng.choice(WIDTHS)))
            return Statement(kind, target, None, a, b)
        target = self.place(container, count)
        if kind in ("fold", "each"):
            return Statement("fold", target, None, a, b, rng.choice(("sum", "top", "low")))
        if kind == "swap":
            return Statement(kind, target, self.place(container, count), a, b)
        source = self.place(rng.choice(read), count) if kind == "when" or rng.random() < 0.6 else None
        return Statement(kind, target, source, a, b)

    def place(self, container, count):
        how = self.rng.choice(("index",) * 5 + ("draw", "modulo", "zero", "own"))
        how = "own" if container in self.aligned else how
        if container.kind == "map" or how == "index":
            return Place(container, "index", self.index(container, count, 1))
        return Place(container, how, None, self.rng.randrange(10**6))

    def index(self, container, count, width):
        fitting = [i for i in self.made.indices if (i.target, i.count, i.width) == (container, count, width)]
        if fitting and self.rng.random() < 0.5:
            return self.rng.choice(fitting)
        made = Index(f"I{len(self.made.indices)}", container, count, width, self.rng.randrange(10**6))
        self.made.indices.append(made)
        return made


def random_program(rng, number):
    return _Maker(rng, number).program()
