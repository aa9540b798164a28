"""Published tables: one JSON in benchmarks/results for each, and the part of results.md that is made of it.

A file has measurements, one for each choice of data, K and flags. A later one replaces an earlier one. In results.md, a
table stands between the lines `<!-- table NAME -->` and `<!-- end of table -->`.
"""

import glob
import json
import os
import platform
import re
import statistics
import subprocess
import time

import markdown
import plain_table
import program_table
import texts
from markdown import bold_above, paragraph
from measure import Failure
from sides import FLAT, PACKED

FIRST = "sequential (1,1)"
KEY = ("workload", "data", "title", "k", "flags", "consistency")
DOCUMENTS = ("README.md", "benchmarks/results.md")  # that show figures of benchmarks/results
OWN = (":!benchmarks/results", *(f":!{name}" for name in DOCUMENTS))  # files that publishing itself changes
_TABLE = re.compile(r"(?<=<!-- table )([\w-]+) -->\n.*?(?=<!-- end of table -->)", re.DOTALL)


def _output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def _caches():
    """{"L1d": "48K", ...} of the first core."""
    found = {}
    for folder in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*")):
        level, kind, size = (open(os.path.join(folder, name)).read().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            found[f"L{level}{'d' if kind == 'Data' else ''}"] = size
    return found


def describe_place(root):
    """The machine, the compiler, the commit and the date, which every quoted figure must name."""
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return {
        "machine": {"cpu": model, "cores": len(os.sched_getaffinity(0)), "caches": _caches()},
        "compiler": _output("g++", "--version").split("\n")[0],
        "commit": _output("git", "-C", root, "rev-parse", "--short=12", "HEAD") or "none",
        "dirty": bool(_output("git", "-C", root, "status", "--porcelain", "--", ".", *OWN)),
        "date": time.strftime("%Y-%m-%d"),
    }


def short(place):
    """(machine, commit) for the head of a printed table."""
    return (f"{place['machine']['cpu']}, {place['machine']['cores']} cores",
            place["commit"] + ("-dirty" if place["dirty"] else ""))


def faults(report):
    """The reasons why a measurement must not be published."""
    found = [f"{label(row)}: {row['gated'].count(False)} runs were not gated" for row in report["rows"]
             if not all(row["gated"])]
    if report["dirty"] or report["commit"] == "none":
        found.append("the files differ from every commit: commit them first")
    return found


def store(root, name, report):
    """Adds a measurement to the table's file."""
    found = faults(report)
    if found:
        raise Failure(f"not published in '{name}': " + "; ".join(found))
    path = os.path.join(root, "benchmarks", "results", name + ".json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    measurements = load(path)["measurements"] if os.path.exists(path) else []
    same = [i for i, one in enumerate(measurements) if all(one.get(key) == report.get(key) for key in KEY)]
    if same:
        measurements[same[0]] = report
    else:
        measurements.append(report)
    write(path, {"measurements": measurements})


def store_table(root, name, document):
    """A table that is stored as it is shown; with its runs, if it has a gate."""
    ungated = [row["side"] for row in document.get("rows", []) if not all(row["gated"])]
    if ungated:
        raise Failure(f"not published in '{name}': runs were not gated: {', '.join(ungated)}")
    if document["dirty"] or document["commit"] == "none":
        raise Failure(f"not published in '{name}': the files differ from every commit: commit them first")
    write(os.path.join(root, "benchmarks", "results", name + ".json"), document)


def load(path):
    with open(path) as file:
        return json.load(file)


def write(path, document):
    """Writes all of a JSON file or nothing. A device or a pipe is written directly."""
    special = os.path.exists(path) and not os.path.isfile(path)
    partial = path if special else path + ".partial"
    with open(partial, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    if not special:
        os.replace(partial, path)


def label(row):
    return f"{row['side']} ({row['ranks']},{row['threads']})"


def measure_for(row):
    """The label of the row that ours is compared with: the strong rival, or ours for the flat form."""
    if row["side"].endswith(FLAT):
        return f"{row['side'].removesuffix(FLAT)} ({row['ranks']},{row['threads']})"
    if row["side"] in ("stradsap", "stradsap" + PACKED):
        return f"{'mpi' if row['ranks'] > 1 else 'openmp'} ({row['ranks']},{row['threads']})"
    return None


def _machine(report):
    machine = report["machine"]
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    return f"{machine['cpu']}, {machine['cores']} cores" + (f" ({caches})" if caches else "") + f", {report['compiler']}"


def _place(report):
    """A sentence on the origin of figures."""
    figures = report.get("figures", f"medians of {report['runs']} runs")
    return (f"Commit {report['commit']}, {report['date']}: {_machine(report)}, "
            f"`{' '.join(report['flags'])}`, {report['workload']}, {figures}"
            + (f" of {report['passes']} passes." if "passes" in report else "."))


def _places(reports):
    """A paragraph for each machine: the origin of the figures of a table of programs."""
    found = {}  # passes by commit, by flags, by machine
    for one in reports:
        by_flags = found.setdefault(f"{_machine(one)}, medians of {one['runs']} runs", {})
        by_commit = by_flags.setdefault(" ".join(one["flags"]), {})
        by_commit.setdefault(f"commit {one['commit']} of {one['date']}", set()).add(one["passes"])
    for machine, by_flags in found.items():
        texts = [f"`{flags}`: " + "; ".join(f"{commit}, {_listed(sorted(passes))} passes"
                                            for commit, passes in by_commit.items())
                 for flags, by_commit in by_flags.items()]
        yield f"{machine}. {'. '.join(texts)}."


def _listed(numbers):
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last


def _name(report):
    folder = os.path.basename(os.path.dirname(report["data"]))  # of a file; generated data have a name alone
    more = ", -ffast-math" if "-ffast-math" in report["flags"] else ""
    return f"{folder or report['data']}, {report['k']}{more}"


def _difference(rows):
    """The largest difference of a test error from that of the first row."""
    return max(abs(row["quality"] / rows[0]["quality"] - 1) for row in rows)


def _cells(report, others, pairs, planned):
    rows = {label(row): row for row in report["rows"]}
    medians = {name: statistics.median(row["seconds_per_pass"]) for name, row in rows.items()}
    base = medians[FIRST]
    cells = [_name(report), f"{base:.4f}", *(f"{medians[name] / base:.2f}" if name in medians else "" for name in others)]
    for ours, other in pairs:
        cells.append(bold_above(1, medians[ours] / medians[other]) if ours in medians and other in medians else "")
    if planned:
        cells.append(", ".join(bold_above(texts.PLANNING_AIM, texts.planning(rows[name], base))
                               for name in planned if "plan_seconds" in rows.get(name, ())))
    return [*cells, f"{_difference(report['rows']):.1%}"]


def render(document):
    """The lines of a table."""
    if "head" in document:
        return [*paragraph(_place(document)), "", *markdown.table(document["head"], document["lines"])]
    measurements = sorted(document["measurements"], key=_order)
    of_programs = any("first_seconds" in row for one in measurements for row in one["rows"])
    places = _places(measurements) if of_programs else dict.fromkeys(map(_place, measurements))
    texts_of_places = [text for place in places for text in (*paragraph(place), "")]
    tables = _tables_of_programs(measurements) if of_programs else [_lines(measurements)]
    found = [line for head, *lines in tables for line in (*markdown.table(head, lines), "")]
    return texts_of_places + found[:-1]


def _tables_of_programs(measurements):
    """The table of stradsap-cc, that of g++ alone, or both."""
    tables = [module.table(measurements) for module in (program_table, plain_table)]
    return [one for one in tables if len(one) > 1] or tables[:1]


def _order(report):
    return report.get("consistency", ""), len(report["flags"]), report.get("data", ""), report.get("k", 0), report["workload"]


def _lines(measurements):
    """Head and lines of a workload's table: seconds a pass of the sequential program, all other sides as ratios to
    it, ours as ratios to their measure, in bold if slower, and planning, in bold above its aim."""
    rows = {label(row): row for one in measurements for row in one["rows"]}
    others = [name for name in rows if name != FIRST]
    pairs = [(name, measure_for(row)) for name, row in rows.items() if measure_for(row) in rows]
    planned = [name for name, row in rows.items() if row["side"] == "stradsap" and "plan_seconds" in row]
    head = ["data, K", "sequential, s a pass", *others, *(f"{ours} / {other}" for ours, other in pairs),
            *(["planning of " + ", ".join(planned) + ", sequential passes"] if planned else []), "RMSE differs by"]
    return [head, *(_cells(one, others, pairs, planned) for one in measurements)]


def rendered(text, folder):
    """The text of a document with all its tables and counts made anew from the files of the folder."""
    def table(match):
        path = os.path.join(folder, match[1] + ".json")
        lines = render(load(path)) if os.path.exists(path) else ["No gated figures yet."]
        return "\n".join([f"{match[1]} -->", "", *lines, "", ""])

    def document(name):
        path = os.path.join(folder, name + ".json")
        return load(path) if os.path.exists(path) else None

    return _TABLE.sub(table, texts.rendered(text, document))


def render_all(root):
    """Makes the tables and counts of the documents anew."""
    for document in DOCUMENTS:
        path = os.path.join(root, document)
        with open(path) as file:
            text = file.read()
        new = rendered(text, os.path.join(root, "benchmarks", "results"))
        if new != text:
            with open(path, "w") as file:
                file.write(new)
