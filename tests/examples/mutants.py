"""Random loops, and stradsap-cc's records of their accesses, so that a running program can drop single records.

A mutant is a record that the variable MUTANT switches off. Either the inspector leaves out an access, or it takes a
range for its first element, as if the analysis had missed how far a pointer goes.
"""

import collections
import random
import re

Mutant = collections.namedtuple("Mutant", "loop container what")

HEAD = """#include <stradsap/stradsap.hpp>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>
struct point { int tag; float at[3]; };
static constexpr long n = 60, d = 8;
static void store(stradsap::dvector<int>& to, long place, long value) { to[place] = static_cast<int>(value); }
struct data {
  stradsap::dvector<int> a = stradsap::dvector<int>(n);
  stradsap::dvector<double> b = stradsap::dvector<double>(n);
  stradsap::dvector<point> c = stradsap::dvector<point>(n);
  stradsap::dvector<float> m = stradsap::dvector<float>(n * d);
  stradsap::dvector<float> r = stradsap::dvector<float>(n * d);
  stradsap::dmap<int, int> t;
  std::vector<long> at = std::vector<long>(n);
};
"""

# Each touches one container at a place K: whole elements, members, helpers, rows, keys. Some stand in a branch or a loop.
ACCESSES = {
    "a": ["a[K] = static_cast<int>(i);", "if (i % 3 != 1) { a[K] = static_cast<int>(i); }", "store(a, K, i);",
          "int& one = a[K]; one = one * 2 + 1;"],
    "b": ["b[K] = b[K] * 0.5 + 1;", "double* pointed = &b[K]; *pointed = 0.5 - *pointed;"],
    "c": ["c[K].at[1] = 2;", "point& one_point = c[K]; one_point.tag = static_cast<int>(i);"],
    "m": ["for (float& x : m.span(K * d, d)) x = x * 2 + 1;",
          "const std::span<float> row = m.span(K * d, d); row[d - 1] = row[1] * 2;",
          "if (i % 4 != 2) { const std::span<float> part = m.span(K * d, d); part[3] = 1; }"],
    "t": ["t[static_cast<int>(K % 9)] = static_cast<int>(i);"],
}
READS = "const std::span<const float> from = std::as_const(r).span(K * d, d); float sum = from[0] + from[d - 1]; (void)sum;"

SWITCH = """#include <cstdlib>
#include <span>
static const int mutant = std::getenv("MUTANT") == nullptr ? -1 : std::atoi(std::getenv("MUTANT"));
#define row_of(number, rows, first, n) \\
  (mutant == number ? std::span(&(rows)[first], static_cast<std::size_t>(n)) : (rows).span(first, n))
"""


def program(seed, loops=12):
    """A program of loops, each a function. main runs all of them, or only the one with the given number."""
    draw = random.Random(seed)
    text = HEAD
    for number in range(loops):
        names = draw.sample(sorted(ACCESSES), draw.randint(3, len(ACCESSES)))
        lines = [draw.choice(ACCESSES[name]) for name in names] + [READS] * draw.randint(0, 1)
        draw.shuffle(lines)
        place = "at[(i * {} + {}) % n]".format(draw.choice((1, 7, 11, 13)), draw.randrange(60))
        body = "".join("      " + line.replace("K", place) + "\n" for line in lines)
        text += (f"static void loop_{number}(data& all) {{\n"
                 "  auto &a = all.a; auto &b = all.b; auto &c = all.c; auto &m = all.m; auto &r = all.r; auto &t = all.t;\n"
                 "  auto& at = all.at;\n  (void)a, (void)b, (void)c, (void)m, (void)r, (void)t;\n"
                 f"  stradsap::parallel_for(n, [&](long i) {{\n{body}    }}, stradsap::consistency::async);\n}}\n")
    calls = "".join(f"  if (which < 0 || which == {number}) loop_{number}(all);\n" for number in range(loops))
    return text + ("int main(int argc, char** argv) {\n  const int which = argc > 1 ? std::atoi(argv[1]) : -1;\n  data all;\n"
                   "  for (long i = 0; i < n; ++i) all.at[i] = i * 17 % n;\n"
                   "  all.t[0] = 0;  // loops that fill an empty map are not planned\n" + calls + "}\n")


def parenthesis(text, at):
    """The position after the parenthesis that closes the one at `at`."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return end + 1
    raise ValueError(text[at:])


def loops_by_line(text):
    """{line: loop} of a program(); None for the lines before all loops."""
    found, loop = {}, None
    for number, line in enumerate(text.split("\n"), 1):
        entered = re.match(r"static void loop_(\d+)\(", line)
        loop = int(entered[1]) if entered else loop
        found[number] = loop
    return found


class Mutation:
    """Puts the switches into stradsap-cc's output for program()."""

    def __init__(self, rewritten):
        self.mutants = []
        lines = rewritten.split("\n")
        begin = next(k for k, line in enumerate(lines) if line.startswith("#line 1 "))
        loop, ranges = None, {}
        for k in range(begin, len(lines)):
            entered = re.match(r"static void loop_(\d+)\(", lines[k])
            if entered:
                loop, ranges = int(entered[1]), {}
            if loop is None:
                continue
            lines[k] = self.narrow(lines[k], loop, ranges)
            if "(void)i;" in lines[k]:
                lines[k] = self.forget(lines[k], loop)
        self.text = "\n".join([*lines[:begin], SWITCH, *lines[begin:]])

    def number_of(self, *mutant):
        self.mutants.append(Mutant(*mutant))
        return len(self.mutants) - 1

    def narrow(self, line, loop, ranges):
        """The same range has one switch in the body and in its inspector."""
        def switched(found):
            if found[0] not in ranges:
                ranges[found[0]] = self.number_of(loop, found[2], f"`{found[0]}` is one element")
            return f"row_of({ranges[found[0]]}, {found[1]}, {found[3]}, d)"
        return re.sub(r"((?:std::as_const\()?\b([mr])\)?)\.span\((at\[[^\]]*\] \* d), d\)", switched, line)

    def forget(self, line, loop):
        """Records with the same text count as one, since the second adds nothing."""
        at, numbers = line.index("(void)i;"), {}
        done, line = line[:at], line[at:]
        while (at := line.find("(void)(")) >= 0:
            end = parenthesis(line, at + len("(void)"))
            record = line[at:end]
            container = re.search(r"\b([abcmt])\b(?=\[|,|\)|\.)", record)
            if container is not None and "at[" in record:
                if record not in numbers:
                    numbers[record] = self.number_of(loop, container[1], f"`{record}` is forgotten")
                record = f"mutant == {numbers[record]} ? (void)0 : {record}"
            done += line[:at] + record
            line = line[end:]
        return done + line
