"""The table of the programs of programs.py: a line for each program and layout."""

import statistics

from sides import FLAT, OUR_SHAPES, RELAXED

HEAD = ("program", "sequential, s a pass", "1 thread", "2 threads", "2 ranks", "first pass, 1 thread", "OpenMP, 2 threads",
        "MPI, 2 ranks", "differs by", "core to core, ns")


def cells(report, layout):
    """A line of the table: ratios to the sequential program of the layout, of runs side by side. A shared machine is
    faster in some minutes than in others, so each run is compared with the sequential one of the same turn."""
    rows = {(row["side"], row["ranks"], row["threads"]): row for row in report["rows"]}
    is_relaxed = layout == RELAXED  # in the original's layout
    base, ours = rows.get(("sequential" + layout * (not is_relaxed), 1, 1)), "stradsap" + layout
    if base is None or (ours, 1, 1) not in rows:
        return None

    def ratio(side, ranks, threads, key="seconds_per_pass"):
        row = rows.get((side, ranks, threads))
        if row is None:
            return ""
        return f"{statistics.median(one / other for one, other in zip(row[key], base[key])):.2f}"

    ratios = [*(ratio(ours, *shape) for shape in OUR_SHAPES), ratio(ours, 1, 1, "first_seconds"), ratio("openmp", 1, 2),
              ratio("mpi", 2, 1)]
    quality = base["quality"]
    differs = max(abs(row["quality"] / quality - 1) for row in report["rows"]
                  if row["side"].endswith(RELAXED) == is_relaxed)
    latencies = [one for row in report["rows"] for one in row.get("core_latency_ns", []) if row["side"] == ours]
    apart = f"{min(latencies)} to {max(latencies)}" if latencies else ""
    name = ", ".join([report["workload"], *filter(None, (report.get("data"), report.get("title"), {FLAT: "flat", RELAXED: "relaxed"}.get(layout),
                                                         "-ffast-math" if "-ffast-math" in report["flags"] else ""))])
    seconds = statistics.median(base["seconds_per_pass"])
    return [name, f"{seconds:.5f}", *(f"**{text}**" if text and float(text) > 1 else text for text in ratios),
            f"{differs:.1%}", apart]


def table(reports):
    """The head and the lines of the table, as lists of cells. Ratios above 1 are bold."""
    return [HEAD, *(line for one in reports for layout in ("", RELAXED, FLAT) if (line := cells(one, layout)))]
