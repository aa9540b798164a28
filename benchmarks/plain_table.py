"""The table of programs that g++ compiled without stradsap-cc: a line for each program and layout."""

import statistics

import program_table
from markdown import bold_above
from program_table import first, later, median_ratio, name_of, ten_passes
from sides import LAYOUTS, PLAIN

HEAD = ("program, by g++ alone", "sequential, s a pass", "later passes", "first pass", "10 passes", "differs by")
AIM = 1.1


def ratios(report, layout):
    """The ratios of a line to the sequential program of the layout, by the column's name; None if it was not measured."""
    rows = program_table.rows_of(report)
    base, ours = rows.get(("sequential" + layout, 1, 1)), rows.get((PLAIN + layout, 1, 1))
    if base is None or ours is None:
        return None
    return {name: round(median_ratio(ours, base, seconds), 2) for name, seconds in zip(HEAD[2:5], (later, first, ten_passes))}


def cells(report, layout):
    values = ratios(report, layout)
    if values is None:
        return None
    rows = program_table.rows_of(report)
    base, ours = rows["sequential" + layout, 1, 1], rows[PLAIN + layout, 1, 1]
    return [name_of(report, layout), f"{statistics.median(later(base)):.5f}", *(bold_above(AIM, values[name]) for name in HEAD[2:5]),
            f"{abs(ours['quality'] / base['quality'] - 1):.1%}"]


def table(reports):
    """The head and the lines of the table, as lists of cells. Ratios above the aim are bold."""
    return [HEAD, *(line for one in reports for layout in ("", *LAYOUTS) if (line := cells(one, layout)))]
