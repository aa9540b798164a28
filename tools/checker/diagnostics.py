"""The page of diagnostics, made of the table that stradsap-cc is compiled with, and the rule that it is up to date."""

import itertools
import re
from dataclasses import dataclass

from checker.tree import Finding

TABLE = "preprocessor/analyze/source/diagnostics.def"
PAGE = "docs/diagnostics.md"

_SECTION = re.compile(r"^// ---- (.*)$")
_STRINGS = r'((?:"(?:\\.|[^"\\])*"\s*)+)'
_ENTRY = re.compile(r"STRADSAP_DIAGNOSTIC\((\w+), (\d+), (error|warning),\s*" + _STRINGS + r",\s*" + _STRINGS + r"\)")
_FRAGMENT_INDENT = "    "

_HEAD = """\
# Diagnostics

This page is for users with a message of `stradsap-cc`. It explains each error and warning by its
number, with a wrong fragment and a right one.

`stradsap-cc` refuses code at your own line if another process, or another order of iterations,
would give a wrong result. In the messages below, `…` stands for names of your program. Errors
without a number come from the native compiler. Doubtful code gives a warning; its name is in
brackets after the message, as in `[-Wstradsap-NAME]`.

| option | effect |
|---|---|
| `-Wno-stradsap-NAME` | silences that warning |
| `-Wno-stradsap`, `-w` | silence all warnings of `stradsap-cc` |
| `-Werror`, `-Werror=stradsap-NAME`, `-Wno-error=stradsap-NAME` | as for `g++` |
| `--strict` | all warnings of `stradsap-cc` are errors |

Each fragment is in a function that begins with these lines. Lines before a blank line of a fragment
are outside of the function.

```cpp
using namespace stradsap;

const int64_t n = 100;
dvector<float> X(n), Y(n);
dvector<int> id(n);
std::vector<float> table(n);
double sum = 0;
```

`tools/write-diagnostics` writes this page from `preprocessor/analyze/source/diagnostics.def`. A
test compiles the fragments.
"""

_TAIL = "Next: [programming guide](programming-guide.md), [limitations](limitations.md).\n"


@dataclass(frozen=True)
class Diagnostic:
    line: int  # of the table
    section: str
    name: str
    number: int
    severity: str
    text: str
    note: str
    meaning: str
    wrong: str
    right: str

    def id(self):
        return f"SAP{self.number:03}"

    def is_explained(self):
        return all((self.section, self.meaning, self.wrong, self.right))

    def rendered(self):
        option = f" [-Wstradsap-{self.name.replace('_', '-')}]" if self.severity == "warning" else ""
        message = f"    {self.severity}: {self.text}{option} [{self.id()}]\n    note: {self.note}"
        fragments = f"```cpp\n// wrong\n{self.wrong}\n// right\n{self.right}\n```"
        return f"### {self.id()}\n\n{message}\n\n{self.meaning}\n\n{fragments}\n"


def _spoken(literals):
    """The text of adjacent C++ literals, as it is before a place fills anything in."""
    text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', literals))
    return re.sub(r"%\d", "…", text.replace("%b", "the body of a loop"))


def _fragment(lines):
    return "\n".join(line.removeprefix(_FRAGMENT_INDENT) for line in lines).strip("\n")


def _described(comment):
    """(meaning, wrong fragment, right fragment) of the comment above an entry."""
    head, _, right = "\n".join(line.removeprefix("//").removeprefix(" ") for line in comment).partition("\ninstead\n")
    lines = head.split("\n")
    meaning = list(itertools.takewhile(lambda line: not line.startswith(_FRAGMENT_INDENT), lines))
    return "\n".join(meaning), _fragment(lines[len(meaning):]), _fragment(right.split("\n"))


def parsed(table):
    """The diagnostics of a table, in its order."""
    section, comment, lines = "", [], table.split("\n")
    for number, line in enumerate(lines, 1):
        entry = _ENTRY.match("\n".join(lines[number - 1:number + 5]))
        if named := _SECTION.match(line):
            section, comment = named.group(1), []
        elif entry:
            text, note = _spoken(entry[4]), _spoken(entry[5])
            yield Diagnostic(number, section, entry[1], int(entry[2]), entry[3], text, note, *_described(comment))
        elif line.startswith("//"):
            comment.append(line)
        else:
            comment = []


def page(table):
    """The text of the page: sections in the table's order, in each the diagnostics by number."""
    parts = [_HEAD]
    for section, group in itertools.groupby(parsed(table), key=lambda one: one.section):
        parts.append(f"## {section[:1].upper()}{section[1:]}\n")
        parts += [one.rendered() for one in sorted(group, key=lambda one: one.number)]
    return "\n".join([*parts, _TAIL])


def diagnostics_page(tree):
    if TABLE not in tree.files:
        return
    table = tree.text(TABLE)
    numbers = set()
    for one in parsed(table):
        if not one.is_explained():
            yield Finding(TABLE, one.line, f"{one.id()} is not explained: sentences, a fragment, `instead`, a fragment")
        if one.number in numbers:
            yield Finding(TABLE, one.line, f"{one.id()} is there twice")
        numbers.add(one.number)
    wanted, found = page(table).split("\n"), tree.text(PAGE).split("\n") if PAGE in tree.files else []
    if wanted != found:
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(wanted, found))
        yield Finding(PAGE, len(list(same)) + 1, "stale: run tools/write-diagnostics")


RULES = {"diagnostics-page": diagnostics_page}
