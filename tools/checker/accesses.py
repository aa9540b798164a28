"""The page of accesses, made of the table that stradsap-cc is compiled with, and the rule that it is up to date."""

import itertools
import re

from checker.tree import Finding

TABLE = "preprocessor/analyze/accesses.def"
PAGE = "docs/decisions/accesses.md"

_ENTRY = re.compile(r'STRADSAP_(METHOD|ELEMENT|POINTER)\((\w+), ("[^"]*"|\w+),\s*"([^"]*)",\s*"([^"]*)"\)')

_HEAD = """\
# Accesses: an allow-list

**Decision.** A loop is planned from the elements that each iteration touches. `stradsap-cc`
follows each container, element and pointer upwards through the expressions of the body. The tables
below list all that it knows; it refuses anything else at its line. The analysis is compiled with
the same tables, so it cannot accept a kind of expression that is missing here.

**Pointers.** A pointer to an element reaches a range: `&m[i * dim]`, indexed by `k < dim`, reaches
`[i * dim, i * dim + dim)`. `stradsap-cc` computes the range by interval arithmetic over the loops
around each use, and inserts it into the subscript:

    float* row = &m[::stradsap::stradsap_reach(i * dim, ::stradsap::stradsap_between(0, dim))];

So every way to run a loop (plan, waves, shards, transactions, check builds) asks for the same
range, as it does for `m.span(i * dim, dim)`. Ranges of one width that begin at its multiples are
rows: the planner takes a row as one touch, and cuts groups between rows.

**Spans.** `m.span(first, n)` touches its n elements. `s[k]`, `*it` and algorithms over iterators
stay in the span, as C++ demands. A pointer made from a span (`s.data()`, `&s[k]`,
`std::to_address(it)`) is followed. The elements that it reaches outside are added:
`m.span(stradsap_reach(first, 9), n)`. An object that keeps the pointer, and code out of sight, are
taken to stay in the span: a span is the user's statement of their reach.

**Alternatives.** Insert into the slice alone: shards and transactions copy elements, and would
copy only the first one. Page protection: it sees neither neighbours on one page nor threads.
Refuse all pointers: programs with flat matrices use them everywhere.

**Limits.** A range follows from loops that count to a bound, from lengths passed to known
functions, and from helpers whose text is in sight. Otherwise the pointer is refused
([SAP056](../diagnostics.md#sap056)), unless the loop only reads the container.

This page is made by `tools/write-accesses` from `preprocessor/analyze/accesses.def`.
"""

_SECTIONS = {
    "METHOD": ("Methods of containers", "container", "use", "recorded as"),
    "ELEMENT": ("An element", "above it", "example", "recorded as"),
    "POINTER": ("A pointer to an element", "above it", "example", "recorded as"),
}


def page(table):
    """The text of the page: a table for each kind of entry, in the order of the entries."""
    parts = [_HEAD]
    entries = [match.groups() for match in _ENTRY.finditer(table)]
    for kind, group in itertools.groupby(entries, key=lambda one: one[0]):
        title, *columns = _SECTIONS[kind]
        rows = [f"| {name} | `{example}` | {recorded} |".replace("||", "\\|\\|") for _, name, _, example, recorded in group]
        parts.append(f"## {title}\n\n| {' | '.join(columns)} |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def accesses_page(tree):
    if TABLE not in tree.files:
        return
    table = tree.text(TABLE)
    entries = len(_ENTRY.findall(table))
    written = len(re.findall(r"^STRADSAP_", table, re.MULTILINE))
    if entries != written:
        yield Finding(TABLE, 1, f"{written} entries, of which {entries} are of the form that the page is made of")
    wanted, found = page(table).split("\n"), tree.text(PAGE).split("\n") if PAGE in tree.files else []
    if wanted != found:
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(wanted, found))
        yield Finding(PAGE, len(list(same)) + 1, "stale: run tools/write-accesses")


RULES = {"accesses-page": accesses_page}
