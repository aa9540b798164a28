"""A generated loop: pieces, their data, the captures of the body, and the text.

Loop K of batch B of a seed is always the same. `without` makes the smaller loops that shrinking tries.
"""

import dataclasses
import random
import re
from dataclasses import dataclass

from .data import Piece, Pool
from .elements import added, celled, changed, grown, mapped, outside, paired, reduced, sparse
from .rows import folded_row, one_row, row_pair, two_rows

_MAKERS = (one_row,) * 6 + (two_rows,) * 5 + (row_pair,) * 3 + (folded_row,) * 2 + (added,) * 2 + (changed,) * 3 + (paired,) * 2 + \
    (mapped, mapped, reduced, reduced, sparse, celled, celled, grown, outside)
_CONDITIONS = ("j % 3 != 0", "(j & 4) == 0", "table16[j & 15] > 3", "j > 5 && j % 7 != 1")
_WRAPPED = (("if", "if ({c}) {{", "}}"), ("unless", "if (!({c})) return;", ""), ("again", "for (int t = 0; t < 2; ++t) {{", "}}"),
            ("once", "do {{", "}} while (false);"), ("called", "[&] {{", "}}();"), ("else", "if (!({c})) {{ }} else {{", "}}"))


@dataclass(frozen=True)
class Loop:
    name: str
    n: int
    type: str
    width: int
    dim: str  # "4", "D" or "d"
    model: str
    pieces: tuple
    passes: int = 1
    captures: str = "&"  # "&", "each", "group": containers that are members of a struct
    batch: int = 0  # iterations of the program's loop that are one of parallel_for's, if any
    template: bool = False
    named: bool = False  # the body is a variable
    index: str = "int64_t"

    def independent(self):
        """Whether every order of iterations gives the same result."""
        return not any(c.role == "state" for c in self.containers())

    def good(self):
        """Whether stradsap-cc must accept it. A loop that calls functions out of sight cannot run as a transaction."""
        return all(piece.good for piece in self.pieces) and not any("far_" in idiom for idiom in self.idioms())

    def idioms(self):
        return sorted({idiom for piece in self.pieces for idiom in piece.idioms})

    def containers(self):
        return list(dict.fromkeys(c for piece in self.pieces for c in piece.uses))

    def simpler(self):
        """Loops with one part less, the most promising first."""
        pieces = [dataclasses.replace(self, pieces=self.pieces[:k] + self.pieces[k + 1:])
                  for k in range(len(self.pieces)) if len(self.pieces) > 1]
        less = [dict(passes=1), dict(captures="&"), dict(batch=0), dict(template=False), dict(named=False), dict(index="int64_t")]
        return pieces + [dataclasses.replace(self, **one) for one in less
                         if any(getattr(self, name) != value for name, value in one.items())]

    # ---- text ----

    def text(self):
        """Lines of a function that runs the loop and prints its results."""
        head = ["template <class>", f"static void {self.name}() {{"] if self.template else [f"static void {self.name}() {{"]
        lines = [f"{self._width_is()} int D = {self.width};", f"const i64 d = opaque({self.width});", "(void)d, (void)D;"]
        lines += self._data() + [f"for (int pass = 0; pass < {self.passes}; ++pass) {{"]
        lines += ["  " + line for line in self._loop()] + ["}", *self._results()]
        return [*head, *("  " + line for line in lines), "}"]

    def call(self):
        return f'run(argc, argv, "{self.name}", {self.name}{"<int>" if self.template else ""});'

    def _width_is(self):
        """A constructor that takes the width by reference uses more than its value, and so may a call in a generic lambda: a local one
        would have to be captured."""
        by_reference = any(idiom.startswith(("span", "pair")) for idiom in self.idioms())
        in_generic_call = self.index == "auto" and any(idiom.startswith("helper") for idiom in self.idioms())
        return "static constexpr" if (self.dim == "D" and by_reference) or in_generic_call else "constexpr"

    def _folds(self):
        return list(dict.fromkeys(fold for piece in self.pieces for fold in piece.folds))

    def _values(self):
        return list(dict.fromkeys(value for piece in self.pieces for value in piece.values))

    def _data(self):
        made = [c.declared() for c in self.containers()]
        lines = _grouped(made) if self.captures == "group" else [line for declared in made for line in declared]
        lines += ["struct tally { i64 n = 0, total = 0; };"] if any(f[0] == "tally" for f in self._folds()) else []
        lines += [f"{kind} {name} = {first};" if first != "{}" else f"{kind} {name}{{}};" for kind, name, first in self._folds()]
        return lines + [self._outside(declared) for declared, _ in self._values() if declared]

    def _outside(self, text):
        """The text with the names that containers have outside of the body."""
        if self.captures != "group":
            return text
        members = {c.name for c in self.containers() if c.kind != "vector"}
        return re.sub(r"\w+", lambda word: f"all.{word[0]}" if word[0] in members else word[0], text)

    def _capture(self, body):
        if self.captures == "&":
            return "&"
        words = set(re.findall(r"\w+", " ".join(body)))
        prefix = "all." if self.captures == "group" else ""
        listed = [f"&{c.name} = {prefix}{c.name}" if prefix and c.kind != "vector" else f"&{c.name}"
                  for c in self.containers() if c.name in words]
        listed += [f"&{name}" for _, name, _ in self._folds() if name in words]
        listed += [f"&{name}" for _, name in self._values() if name in words]
        return ", ".join(listed + (["d"] if "d" in words else []))

    def _body(self):
        lines = []
        for piece in self.pieces:
            lines += ["{", *("  " + line for line in piece.lines), "}"]
        return lines

    def _loop(self):
        body = self._body()
        model = f"consistency::{self.model}"
        if not self.batch:
            count, opened = self.n, f"[{self._capture(body)}]({self.index} j) {{"
        else:  # `return` ends an iteration of the program's loop
            body = [f"for (i64 j = b * {self.batch}; j < std::min<i64>({self.n}, (b + 1) * {self.batch}); ++j) {{",
                    *("  " + re.sub(r"\breturn;", "continue;", line) for line in body), "}"]
            count, opened = -(-self.n // self.batch), f"[{self._capture(body)}](int64_t b) {{"
        if self.named:
            return ["const auto body = " + opened, *("  " + line for line in body), "};",
                    f"stradsap::parallel_for({count}, body, {model});", *self._between()]
        return [f"stradsap::parallel_for({count}, {opened}", *("  " + line for line in body), f"}}, {model});", *self._between()]

    def _between(self):
        """Changes by the driver before the next pass: each second index, and an element."""
        if self.passes == 1:
            return []
        lines, prefix = [], "all." if self.captures == "group" else ""
        for c in self.containers():
            name = c.name if c.kind == "vector" else prefix + c.name
            if c.kind in ("index", "vector") and c.salt % 2:
                lines.append(f"fill_ids({name}, {c.width}, {c.salt} + pass, {c.heat});")
            elif c.kind == "scalar" and c.salt % 3 == 0:
                lines.append(f"{name}[0] = static_cast<{c.type}>({name}[0] + 1);")
        return lines

    def _results(self):
        prefix = "all." if self.captures == "group" else ""
        lines = [line.replace(f"as_const({c.name})", f"as_const({prefix}{c.name})") for c in self.containers()
                 for line in c.shown()]
        for kind, name, _ in self._folds():
            parts = {"tally": (".n", ".total"), "std::array<i64, 4>": tuple(f"[{k}]" for k in range(4))}.get(kind, ("",))
            lines += [f'show("{name}{part}", {name}{part});' for part in parts]
        return lines


def _grouped(made):
    """Distributed containers as members of a struct; lines that fill them use the struct."""
    members, rest = [], []
    for first, *more in made:
        if first.startswith("std::"):
            rest += [first, *more]
            continue
        name = re.search(r"(\w+)(\(\d+\))?;$", first)
        members.append("  " + re.sub(r"\((\d+)\);$", lambda m: f" = {first[:name.start()].strip()}({m[1]});", first))
        rest += [re.sub(rf"\b{name[1]}\b", f"all.{name[1]}", line) for line in more]
    return ["struct {", *members, "} all;", *rest]


def _wrap(pool, piece):
    if not pool.chance(0.25):
        return piece
    idiom, opened, closed = pool.rng.choice(_WRAPPED)
    returns = any("return;" in line for line in piece.lines)
    if idiom == "called" and returns or (idiom == "unless" and returns):
        return piece
    opened, closed = opened.format(c=pool.rng.choice(_CONDITIONS)), closed.format()
    return Piece((*piece.idioms, "in_" + idiom), [opened, *("  " + line for line in piece.lines), *([closed] if closed else [])],
                 piece.uses, piece.folds, piece.values, piece.good)


def _few(pieces, most=12):
    """At most 16 containers a loop."""
    kept, containers = [], set()
    for piece in pieces:
        if not kept or len(containers | set(piece.uses)) <= most:
            kept.append(piece)
            containers |= set(piece.uses)
    return tuple(kept)


def random_loop(seed, batch, number):
    rng = random.Random(f"{seed} {batch} {number}")
    pool = Pool(rng)
    pieces = _few([_wrap(pool, rng.choice(_MAKERS)(pool)) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))])
    captures = rng.choice(("&", "&", "each", "each", "group"))
    batched = rng.choice((8, 50)) if pool.chance(0.1) else 0
    index = rng.choice(("int64_t", "int64_t", "int64_t", "int", "auto", "std::size_t")) if not batched else "int64_t"
    return Loop(f"L{number}", pool.n, pool.type, pool.width, pool.dim, pool.model, pieces, rng.choice((1, 1, 2, 3)), captures,
                batched, pool.chance(0.1), pool.chance(0.15), index)
