"""Data of a generated loop: containers, the accesses that the loop may make, and expressions for their rows.

A container's role limits the accesses to it in pieces of the body, so the possible results are known beforehand:

    read    any place is read                               order of iterations: none
    own     iteration j reads and writes row j              none
    add     any place is changed by one operator, not read  none
    state   any place is read and written                   some serial order
"""

from dataclasses import dataclass, field

TYPES = ("int", "int", "int", "unsigned", "i64", "u64", "u8", "short")
COUNTS = (40, 200, 1200, 1200)
OPERATORS = ("+", "+", "+", "-", "^", "|", "max", "min")  # of additions


@dataclass(frozen=True)
class Container:
    name: str
    kind: str  # "flat", "array", "nested", "cell", "scalar", "index", "vector", "map", "words"
    type: str
    rows: int
    width: int
    role: str
    op: str = "+"
    salt: int = 1
    heat: int = 0

    def declared(self):
        """Lines that create and fill it."""
        n, t, w, c = self.rows, self.type, self.width, self.name
        if self.kind == "map":
            return [f"dmap<{t}, int> {c};"]
        if self.kind == "vector":
            return [f"std::vector<int> {c}({n});", f"fill_ids({c}, {w}, {self.salt}, {self.heat});"]
        if self.kind == "index":
            return [f"dvector<int> {c}({n});", f"fill_ids({c}, {w}, {self.salt}, {self.heat});"]
        if self.kind == "nested":
            return [f"dvector<std::vector<{t}>> {c}({n});", f"fill_nested({c}, {self.salt}, {w});"]
        element = {"array": f"std::array<{t}, {w}>", "cell": f"cell<{t}, {w}>", "words": "std::string"}.get(self.kind, t)
        return [f"dvector<{element}> {c}({n * w if self.kind == 'flat' else n});", f"fill({c}, {self.salt});"]

    def shown(self):
        return [] if self.kind == "vector" or self.role == "read" else [f'show("{self.name}", std::as_const({self.name}));']


@dataclass
class Piece:
    """Some lines of a body that are complete in themselves, and their needs."""

    idioms: tuple
    lines: list
    uses: list = field(default_factory=list)  # containers
    folds: list = field(default_factory=list)  # (type, name, first value)
    values: list = field(default_factory=list)  # (declaration, name) that the body captures
    good: bool = True  # a refusal of it is a false one


class Pool:
    """The data of a loop in the making. `rng` makes all choices."""

    def __init__(self, rng):
        self.rng = rng
        self.n = rng.choice(COUNTS)
        self.type = rng.choice(TYPES)
        self.width = rng.choice((2, 3, 4, 4, 8))
        self.dim = rng.choice((str(self.width), "D", "d", "d"))  # a number, a constant, a captured value
        self.state = rng.random() < 0.4  # its result depends on the order of iterations
        self.model = rng.choice(("async",) * 6 + ("ordered",) * 2 + ("sync",) * (0 if self.state else 1))
        self.containers = []
        self.made = 0

    def fresh(self, name):
        """The name with a number, unique in the loop."""
        self.made += 1
        return f"{name}{self.made}"

    def chance(self, probability):
        return self.rng.random() < probability

    def add(self, kind, role, rows=None, element=None, width=None):
        rng = self.rng
        rows = rows or (self.n if role == "own" else rng.choice((self.n, 48, 128, 256)))
        op = rng.choice("+-" if self.model == "sync" else OPERATORS)
        made = Container(f"{kind[0].upper()}{self.made}", kind, element or self.type, rows,
                         width or self.width, role, op, rng.randrange(1, 1000), rng.randrange(3))
        self.containers.append(made)
        self.made += 1
        return made

    def some(self, kinds, roles, **new):
        """A container of these kinds and roles, either an earlier one or a new one."""
        fitting = [c for c in self.containers if c.kind in kinds and c.role in roles and
                   new.get("element") in (None, c.type)]
        if fitting and self.chance(0.6):
            return self.rng.choice(fitting)
        roles = [r for r in roles if r != "state" or self.state] or list(roles)
        return self.add(self.rng.choice(kinds), self.rng.choice(roles), **new)

    def written_roles(self):
        return ("own", "state", "state") if self.state else ("own",)

    # ---- places ----

    def place(self, container, index="j"):
        """(expression of a row, containers that it uses)"""
        if container.role == "own":
            return self.rng.choice((index, index, index, f"({index} + 0)", f"static_cast<int>({index})")), []
        return self.computed(container.rows, index)

    def computed(self, rows, index="j"):
        rng = self.rng
        way = rng.choice(("index", "index", "index", "vector", "modulo", "stride", "half", "table", "mask", "cast", "pair"))
        if way in ("index", "cast", "pair"):
            ids = self.add("index", "read", rows=self.n, width=rows)
            name = f"{ids.name}[{index}]"
            if way == "pair":
                return f"({name} + {index} % 3) % {rows}", [ids]
            if way == "cast":
                name = rng.choice((f"static_cast<std::size_t>({name})", f"static_cast<i64>({name})", f"i64{{{name}}}",
                                   f"static_cast<unsigned char>({name} % 40)", f"(short)({name})", f"+{name}"))
            return name, [ids]
        if way == "vector":
            ids = self.add("vector", "read", rows=self.n, width=rows)
            return f"{ids.name}[{index}]", [ids]
        if way == "table":
            return f"table16[{index} & 15]", []
        if way == "mask":
            return f"({index} * 5 ^ {index} >> 2) & 31", []
        if way == "half":
            return f"{index} / 2 % {rows}", []
        return (f"{index} % {rows}" if way == "modulo" else f"({index} * 7 + {rng.randrange(9)}) % {rows}"), []

    def scalar(self, index="j"):
        """(expression of a small number of the loop's type, containers that it uses)"""
        rng = self.rng
        way = rng.choice(("index", "number", "table", "bits", "read", "type"))
        text, uses = f"({index} % 5 + 2)", []
        if way == "number":
            text = str(rng.randrange(2, 9))
        elif way == "table":
            text = rng.choice((f"table16[{index} & 15]", f"offsets4[{index} % 4]"))
        elif way == "bits":
            text = rng.choice((f"({index} & -{index})", f"std::popcount(static_cast<u64>({index}))", f"(({index} >> 1) ^ {index})",
                               f"(~{index} & 7)", f"std::rotl(static_cast<unsigned>({index}), 3) % 11"))
        elif way == "read":
            source = self.some(("scalar",), ("read",))
            row, uses = self.place(source, index)
            text, uses = f"{source.name}[{row}]", [source, *uses]
        return f"static_cast<{self.type}>({text})", uses
