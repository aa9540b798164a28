"""The page of accesses, made of the table that stradsap-cc is compiled with, and the rule that it is up to date."""

import itertools
import re

from checker.tree import Finding

TABLE = "preprocessor/analyze/code/accesses.def"
PAGE = "docs/decisions/accesses.md"

_ENTRY = re.compile(r'STRADSAP_(METHOD|ELEMENT|POINTER)\((\w+), ("[^"]*"|\w+),\s*"([^"]*)",\s*"([^"]*)"\)')

_HEAD = """\
# Accesses: an allow-list

For contributors to `preprocessor/analyze`, and for users with a question about one access. The page
holds the decision, then every form of access that `stradsap-cc` knows.

**Question.** A loop is planned from the elements that each iteration touches. An access that the
analysis misses is a wrong result. How does `stradsap-cc` find all of them?

**Choice.** It follows each container, element and pointer upwards through the expressions of the
body. The tables below list every form that it knows. It refuses any other form at its line. The
analysis is compiled with the same tables, so it cannot accept a form that is missing here.

**Pointers.** A pointer to an element reaches a range of elements: `&m[i * dim]`, indexed by
`k < dim`, reaches `[i * dim, i * dim + dim)`. `stradsap-cc` computes the range by interval
arithmetic over the loops around each use. It inserts the range into the subscript:

    float* row = &m[::stradsap::stradsap_reach(i * dim,
                        ::stradsap::stradsap_sure(::stradsap::stradsap_between(0, dim)))];

Plans, waves, shards, transactions and check builds all request this range, as they do for
`m.span(i * dim, dim)`. Ranges of one width that begin at its multiples are *rows*. The planner
records a row as one touch, and cuts groups between rows only.

**Comparisons.** `p == r`, `p < r` and `p - r` of two addresses in one dvector depend on subscripts
alone, if each address is taken there, or kept in a local pointer or reference that never gets
another one. So the elements do not steer, and the inspector slice compares addresses of elements
that nobody copies for it. Copies of shards, transactions and recordings have one address for an
element within an iteration. If the body compares by order or at a distance, as `p < q`, `p - q` and
`p + 1 == q`, they also lie as the elements do, and elements that are [`stale` by
`hottest()`](relaxed.md) are not copied apart. That holds for all such comparisons but the bounds of
inner loops. A pointer that moves counts as a use of its target.

**The end of the container.** The range covers every access that the code might make:
`if (i + k < n) sum += w[k]` may never reach its end. So the container's ends cut it off. The part
that is *sure* must exist: each execution that makes the pointer reaches it. Between the making and
the access stand no condition, no jump and no `try`, only loops that count by 1 to a bound, perhaps
in functions that get or return the pointer. If an element of the sure part is missing, the access
that makes the pointer throws, as `X[i]` does. In a whole window that is still one comparison. If
only a part of the range is sure, it is a third argument of `stradsap_reach`.

**Spans.** `m.span(first, n)` touches its n elements. C++ requires `s[k]`, `*it` and algorithms over
iterators to stay in the span. A pointer made from a span (`s.data()`, `&s[k]`,
`std::to_address(it)`) is followed, and the elements that it reaches outside are added:
`m.span(stradsap_reach(first, 9), n)`. If an object keeps the pointer, or a function without visible
definition receives it, `stradsap-cc` assumes that it stays in the span.

**Alternatives.**

- Insert the range into the inspector slice only. Shards and transactions would then copy only the
  first element.
- Protect pages. They cannot separate two elements on one page, or two threads.
- Refuse all pointers. Programs with flat matrices use them everywhere.

**Consequences.** A range must follow from loops that count to a bound, from lengths passed to known
functions, or from helpers with a visible definition. Any other pointer is refused
([SAP056](../diagnostics.md#sap056)), unless the loop only reads the container. If the loop only
adds into it, data may decide the offsets, as in `row[column[k]] += x`. Such a pointer then counts
as one to all elements, which [accumulators](accumulated.md) have anyway. It must stay in the body:
each use of it is an addition.

`tools/write-accesses` writes this page from `preprocessor/analyze/code/accesses.def`.
"""

_TAIL = "Next: [diagnostics](../diagnostics.md), [poison](poison.md), [architecture](../architecture.md).\n"

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
    return "\n".join([*parts, _TAIL])


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
