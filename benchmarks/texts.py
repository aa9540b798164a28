"""Sentences and small tables on the published figures that stand in documents.

In a document, a text stands between the lines `<!-- counts NAME -->` and `<!-- end of counts -->`. Between `<!-- now -->`
and `<!-- end of now -->`, the last cell of each line that begins with a program is made anew. Between `<!-- aims -->` and
`<!-- end of aims -->`, cells after aims are.
"""

import re
import statistics

import cost_table
import markdown
import plain_table
import program_table
from markdown import bold_above, paragraph
from sides import FLAT, LAYOUTS, OUR_SHAPES, PACKED

AIM = 1.05
FLAT_AIM = 1.1
OPENMP_AIM, MPI_AIM = 1.0, 1.1  # on two threads, and on two ranks
SYNC_AIM = 1.1
PLANNING_AIM = 0.5  # passes of the sequential program
ROWS_OF_FACTORS = ("glove", "lda", "transe", "word2vec")  # sgd_mf has columns of its own
ONE, TWO, RANKS, FIRST, TEN, OPENMP = program_table.HEAD[2:8]
_COUNTS = re.compile(r"(?<=<!-- counts )([\w-]+) -->\n.*?(?=<!-- end of counts -->)", re.DOTALL)
_NOW = re.compile(r"(?<=<!-- now -->\n).*?(?=<!-- end of now -->)", re.DOTALL)
_AIMS = re.compile(r"(?<=<!-- aims -->\n).*?(?=<!-- end of aims -->)", re.DOTALL)
_NAMED = re.compile(r"^(\| (\w+) \|.*\|) [^|]* \|$", re.MULTILINE)


class Line:
    """A line of the table, with its ratios as numbers."""

    def __init__(self, report, layout, ratios):
        self.program, self.layout, self.ratios = report["workload"], layout, ratios
        self.is_fast, self.is_real = "-ffast-math" in report["flags"], bool(report.get("data"))
        kinds = filter(None, (report.get("data"), report.get("title"), layout[1:]))
        self.name = ", ".join([f"`{self.program}`", *kinds])


def _usual(document):
    """The measurements of programs under their own consistency."""
    return [one for one in document["measurements"] if not one.get("consistency")]


def lines_of(document):
    """All but relaxed and packed ones, which have another text than the original, and those under sync: they have aims of
    their own."""
    return [Line(report, layout, ratios) for report in _usual(document) for layout in program_table.LAYOUTS
            if layout not in program_table.IN_ROWS and (ratios := program_table.ratios(report, layout))]


def _chosen(lines, is_fast, is_real=False):
    return [line for line in lines if (line.is_fast, line.is_real) == (is_fast, is_real)]


def _most(lines, column):
    line = max(lines, key=lambda one: one.ratios[column])
    return f"{line.ratios[column]:.2f} ({line.name})"


def _slower(lines, column):
    """The lines that are slower than one thread, and the most that one loses, as a part of the sequential time."""
    losses = [(round(line.ratios[column] - line.ratios[ONE], 2), line.name) for line in lines if column in line.ratios]
    slower = [one for one in losses if one[0] > 0]
    if not slower:
        return "in none"
    loss, name = max(slower)
    return f"in {len(slower)} row{'s' * (len(slower) > 1)}, by up to {loss:.2f} ({name})"


def _at_most(lines, column, limit):
    return sum(line.ratios[column] <= limit for line in lines)


def _counts(lines, kind):
    ten_aim = program_table.TEN_PASSES_AIM
    return (f"Of the {len(lines)} rows {kind}, {_at_most(lines, ONE, AIM)} are at most {AIM} on one thread (the aim), "
            f"{_at_most(lines, ONE, ten_aim)} at most {ten_aim}, and the greatest is {_most(lines, ONE)}. Over ten passes, "
            f"{_at_most(lines, TEN, ten_aim)} are at most {ten_aim} (the aim), and the greatest is {_most(lines, TEN)}. "
            f"Two threads are slower than one {_slower(lines, TWO)}, and two ranks {_slower(lines, RANKS)}.")


def counts(document):
    """How many rows of the table meet the aims."""
    lines = lines_of(document)
    kinds = ((_chosen(lines, False), "at `-O3` with generated data"), (_chosen(lines, True), "with -ffast-math"),
             (_chosen(lines, False, True), "that name a file (real data)"))
    found = [paragraph(_counts(some, kind)) for some, kind in kinds if some]
    return [text for one in found for text in (*one, "")][:-1]


def plain_counts(document):
    """How many rows of the table of g++ alone meet the aim."""
    found, column = [], plain_table.HEAD[2]
    for fast, kind in ((False, "at `-O3`"), (True, "with -ffast-math")):
        lines = [Line(report, layout, ratios) for report in document["measurements"] for layout in ("", *LAYOUTS)
                 if (ratios := plain_table.ratios(report, layout))]
        lines = [line for line in lines if line.is_fast == fast]
        if lines:
            found += ["", *paragraph(f"Of the {len(lines)} rows {kind}, {_at_most(lines, column, plain_table.AIM)} are at most "
                                     f"{plain_table.AIM} (the aim), and the greatest is {_most(lines, column)}.")]
    return found[1:]

def sync_counts(document):
    """How many rows under sync meet their aim, and the others by name; no lines without such rows."""
    found = [(ratios[ONE], program_table.name_of(report, layout)) for report in document["measurements"]
             if report.get("consistency") for layout in ("", FLAT) if (ratios := program_table.ratios(report, layout))]
    if not found:
        return []
    found.sort(key=lambda one: (-one[0], one[1]))
    above = [f"{name} {ratio:.2f}" for ratio, name in found if ratio > SYNC_AIM]
    named = f"Above the aim: {'; '.join(above)}. " if above else ""
    return paragraph(f"Of the {len(found)} rows under `sync`, {len(found) - len(above)} are at most {SYNC_AIM} on one thread (the aim), "
                     f"and the greatest is {found[0][0]:.2f} ({found[0][1]}). {named}The least is {found[-1][0]:.2f} ({found[-1][1]}).")


def _range(lines, column):
    values = [line.ratios[column] for line in lines if column in line.ratios]
    return f"{min(values):.1f} to {max(values):.1f}"


def speed(document):
    """The ranges of the table, for README.md."""
    lines = lines_of(document)
    plain, fast = _chosen(lines, False), _chosen(lines, True)
    number = len({line.program for line in lines})
    middle = statistics.median(line.ratios[ONE] for line in plain)
    texts = [f"Besides these, {number} programs, from PageRank to word2vec, were measured, most in rows and in flat arrays. "
             "On one thread and generated data, later passes take "
             f"{_range(plain, ONE)} of the sequential program's time, {middle:.2f} in the median. "
             f"Two threads take {_range(plain, TWO)}, and two ranks up to {_most(plain, RANKS)}. "
             f"The first pass takes up to {_most(plain, FIRST)}."]
    if fast:
        texts.append(f"With `-ffast-math` one thread takes {_range(fast, ONE)}, two threads {_range(fast, TWO)}, two ranks up to "
                     f"{_most(fast, RANKS)}, and the first pass up to {_most(fast, FIRST)}.")
    return paragraph(" ".join(texts))


def flat_beside_rows(document):
    """The flat programs' figures as ratios to those of rows, for programs with rows of factors."""
    head = ("flat / rows", "1 thread", "2 threads", "2 ranks", "first pass, 1 thread", "10 passes, 1 thread", "memory, 1 thread",
            "memory, 2 ranks")
    lines = [(report["workload"] + ", -ffast-math" * ("-ffast-math" in report["flags"]), *_flat_cells(report))
             for report in _usual(document) if report["workload"] in ROWS_OF_FACTORS and not report.get("data")]
    return markdown.table(head, sorted(lines, key=lambda one: "fast" in one[0]))


def _flat_cells(report):
    rows = program_table.rows_of(report)
    columns = [*((shape, program_table.later) for shape in OUR_SHAPES), ((1, 1), program_table.first),
               ((1, 1), program_table.ten_passes), ((1, 1), _memory), ((2, 1), _memory)]
    pairs = [(rows["stradsap" + FLAT, *shape], rows["stradsap", *shape], what) for shape, what in columns]
    return [bold_above(FLAT_AIM, program_table.median_ratio(*pair)) for pair in pairs]


def beside_rivals(document):
    """Our times as parts of those of the rivals by hand: with the original's text, and with the rivals' kernels."""
    head = ("program", f"two threads / OpenMP, aim {OPENMP_AIM}", "packed", f"two ranks / MPI, aim {MPI_AIM}", "packed")
    return markdown.table(head, [(report["workload"] + ", -ffast-math" * ("-ffast-math" in report["flags"]), *cells)
                                 for report in document["measurements"] if (cells := _beside_rivals(report))])


def _beside_rivals(report):
    rows = program_table.rows_of(report)
    if ("stradsap" + PACKED, 1, 2) not in rows:
        return None
    pairs = [(rows["stradsap" + kind, *shape], rows[rival, *shape], aim)
             for rival, shape, aim in (("openmp", (1, 2), OPENMP_AIM), ("mpi", (2, 1), MPI_AIM)) for kind in ("", PACKED)]
    return [bold_above(aim, program_table.median_ratio(ours, rival)) for ours, rival, aim in pairs]


def _memory(row):
    return [row["peak_rss_mb"]]


def planning(row, sequential_seconds):
    """Median time of planning, in passes of the sequential program."""
    return statistics.median(row["plan_seconds"]) / sequential_seconds


def planning_aim(document):
    """How many rows of matrix factorization are planned within the aim."""
    found = []
    for report in document["measurements"]:
        rows = program_table.rows_of(report)
        base = statistics.median(program_table.later(rows["sequential", 1, 1]))
        found.append([round(planning(rows["stradsap", *shape], base), 2) for shape in OUR_SHAPES])
    counts = [(sum(one <= PLANNING_AIM for one in column), max(column)) for column in zip(*found)]
    (one, worst_one), (two, worst_two), (ranks, worst_ranks) = counts
    return paragraph(f"Planning should take at most {PLANNING_AIM} sequential passes. Of {len(found)} rows, {one} reach that on one "
                     f"thread, {two} on two threads and {ranks} on two ranks; the greatest figures are {worst_one:.1f}, "
                     f"{worst_two:.1f} and {worst_ranks:.1f}.")


TEXTS = {"programs": ("programs", counts), "sync": ("programs", sync_counts), "speed": ("programs", speed),
         "flat-beside-rows": ("programs", flat_beside_rows), "beside-rivals": ("programs", beside_rivals),
         "planning": ("sgd_mf", planning_aim), "plain": ("plain", plain_counts), "launches": ("costs", cost_table.launches),
         "first-calls": ("costs", cost_table.first_calls)}  # by the name of a table


def _now(document):
    """The cell of each program: later passes on one thread in rows, and in flat arrays."""
    ratios = {(line.program, line.layout): f"{line.ratios[ONE]:.2f}" for line in _chosen(lines_of(document), False)}
    return {name: " / ".join(ratios[name, layout] for layout in ("", FLAT) if (name, layout) in ratios) for name, _ in ratios}


# Of the table of aims: the names of lines in the programs' table.
LINES_WITH_AIMS = {
    "`lda`, docword, 32 topics": "lda, docword.20news.train.txt",
    "`lda`, docword, 100 topics": "lda, docword.20news.train.txt, 100 topics",
    "`lda_sparse`, docword, 100 topics": "lda_sparse, docword.20news.train.txt",
    "`word2vec`, corpus.txt, 64 numbers a word, relaxed": "word2vec, corpus.txt, relaxed",
    "`word2vec`, corpus.txt, dim 100 (`-DNUMBERS=100`), relaxed": "word2vec, corpus.txt, 100 numbers, relaxed",
    "`transe`, FB15k-237, in program order": "transe, train2id.txt",
    "`transe`, FB15k-237, relaxed": "transe, train2id.txt, relaxed",
    "`mlr`, news20": "mlr, news20.train",
    "`mlr_sgd`, news20, relaxed": "mlr_sgd, news20.train",
    "`glove`, corpus.txt": "glove, corpus.txt",
}
RANKS_AIM = 1.25  # of the time of two threads


def _beside_aim(number, aim):
    return f"{number:.2f} {'met' if round(number, 2) <= aim else 'missed'}"


def _line_of_aims(line, ratios):
    """A line with its figures of one thread, two threads, both beside OpenMP's, and two ranks."""
    cells = line.strip("| ").split(" | ")
    found = ratios.get(LINES_WITH_AIMS.get(cells[0]))
    if found is None:
        return line
    cells[2] = _beside_aim(found[ONE], float(cells[1]))
    cells[4] = _beside_aim(found[TWO], float(cells[3]))
    if OPENMP in found:
        cells[6] = _beside_aim(found[TWO] / found[OPENMP], float(cells[5]))
    cells[7] = _beside_aim(found[RANKS] / found[TWO], RANKS_AIM)
    return markdown.line(cells)


def _aims_reached(text, document):
    ratios = {program_table.name_of(report, layout): program_table.ratios(report, layout, digits=6)
              for report in _usual(document) for layout in program_table.LAYOUTS}
    return "\n".join(_line_of_aims(line, ratios) if line.startswith("| `") else line for line in text.split("\n"))


def rendered(text, document):
    """The text with its counts made anew. `document` gives the figures of a table, or None."""
    def words(match):
        name, made = TEXTS[match[1]]
        figures = document(name)
        lines = (figures and made(figures)) or ["No gated figures yet."]
        return "\n".join([f"{match[1]} -->", "", *lines, "", ""])

    def lines(match):
        figures = document("programs")
        cells = _now(figures) if figures else {}
        return _NAMED.sub(lambda line: f"{line[1]} {cells.get(line[2], '')} |", match[0])

    def aims(match):
        figures = document("programs")
        return _aims_reached(match[0], figures) if figures else match[0]

    return _AIMS.sub(aims, _NOW.sub(lines, _COUNTS.sub(words, text)))
