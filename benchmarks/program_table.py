"""The table of the programs of programs.py: a line for each program and layout."""

import statistics

from sides import FLAT, OUR_SHAPES

HEAD = ("program", "sequential, s a pass", "1 thread", "2 threads", "2 ranks", "first pass, 1 thread", "OpenMP, 2 threads",
        "MPI, 2 ranks", "differs by", "core to core, ns")


def cells(report, layout):
    """A line of the table: ratios to the sequential program of the layout."""
    rows = {(row["side"], row["ranks"], row["threads"]): row for row in report["rows"]}

    def median(side, ranks, threads, key="seconds_per_pass"):
        row = rows.get((side, ranks, threads))
        return statistics.median(row[key]) if row else None

    base, ours = median("sequential" + layout, 1, 1), "stradsap" + layout
    if base is None or median(ours, 1, 1) is None:
        return None
    found_ratios = [(median(ours, *shape), base) for shape in OUR_SHAPES]
    found_ratios.append((median(ours, 1, 1, "first_seconds"), median("sequential" + layout, 1, 1, "first_seconds")))
    found_ratios += [(median("openmp", 1, 2), base), (median("mpi", 2, 1), base)]
    ratios = ["" if value is None else f"{value / other:.2f}" for value, other in found_ratios]
    quality = rows["sequential" + layout, 1, 1]["quality"]
    differs = max(abs(row["quality"] / quality - 1) for row in report["rows"])
    latencies = [one for row in report["rows"] for one in row.get("core_latency_ns", []) if row["side"] == ours]
    apart = f"{min(latencies)} to {max(latencies)}" if latencies else ""
    name = report["workload"] + (", flat" if layout else "") + (", -ffast-math" if "-ffast-math" in report["flags"] else "")
    return [name, f"{base:.5f}", *(f"**{text}**" if text and float(text) > 1 else text for text in ratios), f"{differs:.1%}",
            apart]


def table(reports):
    """The head and the lines of the table, as lists of cells. Ratios above 1 are bold."""
    return [HEAD, *(line for one in reports for layout in ("", FLAT) if (line := cells(one, layout)))]
