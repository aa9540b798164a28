"""The table of the programs of programs.py: a line for each program and layout."""

import math
import statistics

from markdown import bold_above
from sides import CLASS, FLAT, OUR_SHAPES, PACKED, RELAXED

HEAD = ("program", "sequential, s a pass", "1 thread", "2 threads", "2 ranks", "first pass, 1 thread", "10 passes, 1 thread",
        "OpenMP, 2 threads", "MPI, 2 ranks", "differs by", "core to core, ns")
TEN_PASSES_AIM = 1.15
LAYOUTS = ("", RELAXED, PACKED, FLAT, CLASS)
IN_ROWS = (RELAXED, PACKED)  # in the original's layout


def later(row):
    return row["seconds_per_pass"]


def first(row):
    return row["first_seconds"]


def ten_passes(row):
    """A tenth of ten passes, the first among them."""
    return [(one + 9 * other) / 10 for one, other in zip(first(row), later(row))]


def median_ratio(row, base, seconds=later):
    """A shared machine is faster in some minutes than in others, so each run is compared with that of the same turn."""
    return statistics.median(one / other for one, other in zip(seconds(row), seconds(base)))


def rows_of(report):
    return {(row["side"], row["ranks"], row["threads"]): row for row in report["rows"]}


def original_of(layout):
    """The sequential side that a layout is compared with."""
    return "sequential" + layout * (layout not in IN_ROWS)


def ratios(report, layout, digits=2):
    """The ratios of a line to the sequential program of the layout, by the column's name, with the digits that the table
    shows; None where the layout was not measured."""
    rows = rows_of(report)
    base, ours = rows.get((original_of(layout), 1, 1)), "stradsap" + layout
    if base is None or (ours, 1, 1) not in rows:
        return None
    one_thread = (ours, 1, 1)
    columns = [*((shape, later) for shape in ((ours, *shape) for shape in OUR_SHAPES)), (one_thread, first),
               (one_thread, ten_passes), (("openmp", 1, 2), later), (("mpi", 2, 1), later)]
    return {name: round(median_ratio(rows[shape], base, seconds), digits)
            for name, (shape, seconds) in zip(HEAD[2:], columns) if shape in rows}


def name_of(report, layout):
    kind = layout[1:]
    fast = "-ffast-math" if "-ffast-math" in report["flags"] else None
    return ", ".join(filter(None, (report["workload"], report.get("data"), report.get("title"), kind, report.get("consistency"), fast)))


def _ratio_cell(name, values):
    if name not in values:
        return ""
    return bold_above(TEN_PASSES_AIM if name == "10 passes, 1 thread" else 1, values[name])


def cells(report, layout):
    values = ratios(report, layout)
    if values is None:
        return None
    base = rows_of(report)[original_of(layout), 1, 1]
    differences = [abs(row["quality"] / base["quality"] - 1) for row in report["rows"]
                   if (row["side"].endswith(layout) if layout in IN_ROWS else not row["side"].endswith(IN_ROWS))]
    differs = math.nan if any(map(math.isnan, differences)) else max(differences)  # of a side that diverged
    latencies = [one for row in report["rows"] for one in row.get("core_latency_ns", [])
                 if row["side"] == "stradsap" + layout]
    apart = f"{min(latencies)} to {max(latencies)}" if latencies else ""
    return [name_of(report, layout), f"{statistics.median(later(base)):.5f}", *(_ratio_cell(name, values) for name in HEAD[2:9]),
            f"{differs:.1%}", apart]


def table(reports):
    """The head and the lines of the table, as lists of cells. Ratios above 1 are bold, those of ten passes above their aim."""
    return [HEAD, *(line for one in reports for layout in LAYOUTS if (line := cells(one, layout)))]
