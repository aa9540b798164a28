"""Programs of many kinds: an original, its converted twin, and rivals by hand, each with data of its own making.

    benchmarks/run kmeans,lda [--runs N] [--passes N] [--sides S,...] [--data F] [--fast-math] [--json F] [--publish]
        [--define NUMBERS=100 --title '100 numbers'] [--consistency sync[=N]]
    benchmarks/run all

Side plain is the twin compiled by g++ instead of stradsap-cc. It is measured only if named, in a table of its own:

    benchmarks/run all --sides sequential,plain,sequential-flat,plain-flat,sequential-class,plain-class [--publish]

Side stradsap-relaxed is the twin with stale containers, by the options in RELAXED_OPTIONS; it may differ by 2 %.

With --consistency, loops of ours run under that model, against the same originals and without rivals. Sums over shards may
overshoot, so these rows may differ from the original in quality, and only our shapes must agree.

A program NAME has examples/NAME/sequential.cpp and examples/NAME/NAME.cpp. In benchmarks/NAME there may be openmp.cpp,
mpi.cpp, other layouts: flat_sequential.cpp and flat.cpp, class_sequential.cpp and class.cpp, and packed.cpp, our loops with
the kernels of the rivals. Each prints a line a pass:

    pass=0 seconds=0.071034 NAME_OF_QUALITY=74.856

The first pass counts apart from the later ones. Each side's last quality must be that of the original; with real data,
where orders of updates matter more, it may be better.
"""

import argparse
import glob
import os
import re

import publish
from build import (COMPILER, ROOT, build_capacity, build_probe, compile_if_stale, has_library, inputs_of_ours, link_options, prepare_tools,
                   say)
from measure import CapacityGate, Failure, execute
from sides import LAYOUTS, OUR_SHAPES, PACKED, PLAIN, RELAXED, Row, kind_of, launch

PASS = re.compile(r"pass=(\d+) seconds=(\S+) (\w+)=(\S+)")
HITS = re.compile(r"\b(hits10|analogies)=(\S+)")  # with --evaluate or --questions, after the last pass
HITS_TOLERANCE = {"hits10": 0.01, "analogies": 0.1}
FLAGS = ("-std=c++20", "-O3", "-march=native")
SOURCES = {  # of a side: the folder, and the file's name
    "sequential": ("examples", "sequential.cpp"), "stradsap": ("examples", "{name}.cpp"),
    "openmp": ("benchmarks", "openmp.cpp"), "mpi": ("benchmarks", "mpi.cpp"),
    "stradsap" + RELAXED: ("examples", "{name}.cpp"), "stradsap" + PACKED: ("benchmarks", "packed.cpp"),
    PLAIN: ("examples", "{name}.cpp"),
    **{kind + layout: ("benchmarks", layout[1:] + end) for layout in LAYOUTS
       for kind, end in (("sequential", "_sequential.cpp"), ("stradsap", ".cpp"), (PLAIN, ".cpp"))},
}
RELAXED_OPTIONS = {"transe": ("--round", "150000"), "word2vec": ("--round", "512")}  # of a program with such a side
RELAXED_TOLERANCE = 0.02
TOLERANCES = {"word2vec": 0.02}  # where rivals by hand take steps in another order
RISING = ("accuracy", "log_likelihood", "modularity")  # the more the better; of all other qualities, the less
SHAPES = {"sequential": ((1, 1),), "stradsap": OUR_SHAPES, "openmp": ((1, 2),), "mpi": ((2, 1),), PLAIN: ((1, 1),)}
COMPILERS = {"sequential": ["g++"], "openmp": ["g++", "-fopenmp"], "mpi": ["mpicxx"],
             "stradsap": [COMPILER], PLAIN: ["g++", "-I", os.path.join(ROOT, "include")]}


class Program:
    """One program. `tolerance`: the fraction by which a side's last quality may differ from the original's."""

    def __init__(self, name):
        self.name, self.tolerance = name, TOLERANCES.get(name, 0.005)
        self.sources = {side: os.path.join(ROOT, folder, name, file.format(name=name))
                        for side, (folder, file) in SOURCES.items()}
        self.sides = [side for side, path in self.sources.items()
                      if os.path.exists(path) and (not side.endswith(RELAXED) or name in RELAXED_OPTIONS)]

    def options(self, side, options):
        return (options.relaxed or RELAXED_OPTIONS[self.name]) if side.endswith(RELAXED) else ()

    def tolerance_of(self, side):
        return max(self.tolerance, RELAXED_TOLERANCE) if side.endswith(RELAXED) else self.tolerance

    def inputs(self):
        """All files that any side may include."""
        patterns = (f"examples/{self.name}/*", "examples/*/*.hpp", f"benchmarks/{self.name}/*", "benchmarks/*.hpp")
        return [path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern))]

    def build(self, side, folder, flags):
        """The path of the side's binary, compiled if it is older than its sources."""
        flavour = "-".join(["fast-math" if "-ffast-math" in flags else "strict", *(f[2:] for f in flags if f.startswith("-D"))])
        target = os.path.join(folder, self.name, flavour, side)
        inputs = self.inputs() + (inputs_of_ours() if has_library(side) else [])
        libraries = link_options() if kind_of(side) == PLAIN else []
        command = [*COMPILERS[kind_of(side)], *flags, self.sources[side], *libraries, "-o"]
        compile_if_stale(lambda partial: [*command, partial], target, inputs)
        return target


def found():
    """All programs with a twin and a line a pass, by name."""
    names = sorted(entry.name for entry in os.scandir(os.path.join(ROOT, "examples")) if entry.is_dir())
    others = ("cd_mf", "sgd_mf", "elastic_net_path", "lasso_rows", "logreg_l1", "svm_dual", "sparse_coding")
    return {name: Program(name) for name in names if name not in others}


def read_passes(row, text, passes):
    """(seconds of the first pass, seconds of a later one, last quality, its name)."""
    lines = [match.groups() for match in map(PASS.fullmatch, text.splitlines()) if match]
    if [int(number) for number, *_ in lines] != list(range(passes)):
        raise Failure(f"{row}: expected {passes} passes in order, its output has {len(lines)}:\n{text}")
    seconds = [float(line[1]) for line in lines]
    return seconds[0], sum(seconds[1:]) / (passes - 1), float(lines[-1][3]), lines[-1][2]


def arguments_of(program, side, options):
    """The arguments of a side's binary. Those for every side come last, so they decide."""
    data = ["--data", options.data] if options.data else []
    return ["--passes", str(options.passes), *program.options(side, options), *data, *options.arguments]


def run_row(row, binary, options, arguments):
    command, environment = launch(row, [binary, *arguments], ROOT, os.devnull, options.consistency)
    result = execute(command, environment, options.timeout, binary)
    row.hits += [(name, float(text)) for name, text in HITS.findall(result.stdout)]
    return *read_passes(row, result.stdout, options.passes), result.peak_rss_mb


def has_consistency(side):
    """Whether a side is run with --consistency: others than the twins have no use for it."""
    return kind_of(side) in ("sequential", "stradsap") and not side.endswith((RELAXED, PACKED))


def chosen_sides(program, options):
    """The sides asked for that the program has; with a file, without those that make their own data."""
    sides = [side for side in program.sides if (side in options.sides if options.sides else kind_of(side) != PLAIN)]
    if options.consistency:
        sides = [side for side in sides if has_consistency(side)]
    return [side for side in sides if not (options.data and side.endswith((*LAYOUTS, PACKED)))]


def measure(program, gate, folder, options, flags):
    """The figures of one program: its sides in turn, again and again."""
    sides = chosen_sides(program, options)
    prepare_tools(sides)
    rows = [Row(side, *shape) for side in sides for shape in SHAPES[kind_of(side)]]
    binaries = {side: program.build(side, folder, flags) for side in sides}
    latency = build_probe("core_latency", folder)
    for row in rows:
        row.first, row.later, row.quality, row.hits, row.rss, row.gated, row.core_latency_ns = [], [], [], [], [], [], []
    for number in range(options.runs):
        for row in rows:
            share, gated = gate.wait(row.ranks * row.threads)
            if options.publish and not gated:
                raise Failure(f"{program.name} {row}: the cores gave {share:.0%} of their speed: nothing is published")
            if row.ranks * row.threads > 1 and len(os.sched_getaffinity(0)) > 1:
                row.core_latency_ns.append(int(execute([latency], deadline=30.0).stdout))
            first, later, quality, row.measure, rss = run_row(row, binaries[row.side], options, arguments_of(program, row.side, options))
            for values, value in ((row.first, first), (row.later, later), (row.quality, quality), (row.rss, rss),
                                  (row.gated, gated)):
                values.append(value)
            say(f"run {number + 1}/{options.runs}  {program.name} {row!s:22} {first:.6f} s, then {later:.6f} s a pass")
    return rows


def is_near(program, row, quality, base, real):
    """Whether a side has the original's quality, or with real data a better one."""
    gain = (quality - base) * (1 if row.measure in RISING else -1)
    if real and gain > 0:
        return True
    return abs(gain) <= program.tolerance_of(row.side) * abs(base)


def complaints(program, rows, real, consistency=None):
    """Words on sides without the original's quality. `real`: all of them read a file."""
    if consistency:
        return complaints_on_shapes(program, rows)
    base = next((row for row in rows if row.side == "sequential"), rows[0])
    return [f"{program.name} {row}: {quality:g} differs from {base.quality[0]:g} of {base} by more than "
            f"{program.tolerance_of(row.side):.1%}" for row in rows for quality in row.quality
            if not is_near(program, row, quality, base.quality[0], real)] + complaints_on_hits(program, rows, base)


def complaints_on_shapes(program, rows):
    """Words on shapes without the quality of the same side's first one. A side that diverges does so on all shapes."""
    bases = {}
    pairs = [(row, quality, bases.setdefault(row.side, row)) for row in rows for quality in row.quality]
    return [f"{program.name} {row}: {quality:g} differs from {base.quality[0]:g} of {base} by more than {program.tolerance:.1%}"
            for row, quality, base in pairs
            if str(quality) != str(base.quality[0]) and not is_near(program, row, quality, base.quality[0], real=False)]


def complaints_on_hits(program, rows, base):
    return [f"{program.name} {row}: {name}={part:g} differs from {base.hits[0][1]:g} of {base} by more than "
            f"{HITS_TOLERANCE[name]:g}" for row in rows for name, part in row.hits
            if abs(part - base.hits[0][1]) > HITS_TOLERANCE[name]]


def report_of(program, rows, options, flags, place):
    data = {"data": os.path.basename(options.data), "arguments": options.arguments} if options.data else {}
    if options.title:
        data["title"] = options.title
    if options.consistency:
        data["consistency"] = options.consistency
    return {"workload": program.name, **data, "flags": flags, "passes": options.passes, "runs": options.runs, **place,
            "rows": [{"side": row.side, "ranks": row.ranks, "threads": row.threads, "first_seconds": row.first,
                      "seconds_per_pass": row.later, "quality": row.quality[-1], **dict(row.hits[-1:]), "peak_rss_mb": round(max(row.rss), 1),
                      "gated": row.gated, "core_latency_ns": row.core_latency_ns} for row in rows]}


def existing_file(path):
    """The absolute path, since sides run in another folder."""
    if not os.path.isfile(path):
        raise argparse.ArgumentTypeError(f"{path}: no such file")
    return os.path.abspath(path)


def parse_arguments(names, arguments):
    parser = argparse.ArgumentParser(prog=f"benchmarks/run {names}", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each row (5)")
    parser.add_argument("--passes", type=int, default=10, help="passes a run, 2 or more (10)")
    parser.add_argument("--sides", type=lambda text: text.split(","), help="comma-separated; default: all")
    parser.add_argument("--data", metavar="F", type=existing_file, help="a file for every side; default: generated data")
    parser.add_argument("--arguments", type=str.split, default=[], metavar="'--rate 100'", help="arguments for every side")
    parser.add_argument("--relaxed", type=str.split, metavar="'--round 512'", help="arguments for the relaxed side")
    parser.add_argument("--define", metavar="NUMBERS=100", action="append", default=[], help="a macro for every side")
    parser.add_argument("--title", metavar="'100 numbers'", help="names the figures apart from those without it")
    parser.add_argument("--consistency", metavar="sync[=N]", help="run the loops of our sides under this model, without rivals")
    parser.add_argument("--fast-math", action="store_true", help="compile every side with -ffast-math too")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds after which a run is killed (600)")
    parser.add_argument("--json", metavar="F", help="write every figure to F")
    parser.add_argument("--publish", action="store_true", help="add the figures to benchmarks/results/programs.json, or plain.json")
    options = parser.parse_args(arguments)
    if options.runs < 1 or options.passes < 2:
        parser.error("there is at least one run of two passes")
    if options.consistency and not re.fullmatch(r"sync(=[1-9]\d*)?", options.consistency):
        parser.error(f"--consistency takes sync or sync=ITERATIONS, not '{options.consistency}'")
    if options.consistency and not all(map(has_consistency, options.sides or [])):
        parser.error("--consistency is for sequential originals and our sides in rows and flat arrays")
    for text in options.define:
        if not re.fullmatch(r"\w+=\w+", text):
            parser.error(f"--define takes NAME=VALUE, not '{text}'")
    if options.publish and options.define and not options.title:
        parser.error("figures with a macro are published with a --title of their own")
    if options.publish and not options.data and (options.arguments or options.relaxed):
        parser.error("figures of generated data are published with each program's own arguments")
    options.table = PLAIN if any(kind_of(side) == PLAIN for side in options.sides or ()) else "programs"
    others = [side for side in options.sides or () if kind_of(side) not in ("sequential", PLAIN)]
    if options.publish and options.table == PLAIN and others:
        parser.error(f"figures of plain sides are published without those of {', '.join(others)}")
    return options


def run(names, arguments):
    """Measures the programs `names`, prints a table, and returns the complaints."""
    options = parse_arguments(names, arguments)
    known = found()
    chosen = list(known) if names == "all" else names.split(",")
    flags = [*FLAGS, *(["-ffast-math"] if options.fast_math else []), *("-D" + text for text in options.define)]
    place = publish.describe_place(ROOT)
    if options.publish and place["dirty"]:
        raise Failure("nothing can be published: commit all changes first")
    folder = os.path.join(ROOT, "build", "benchmarks")
    gate = CapacityGate(build_capacity(folder))
    reports, words = [], []
    for name in chosen:
        try:
            rows = measure(known[name], gate, folder, options, flags)
        except Failure as failure:  # the others are measured
            words.append(str(failure))
            continue
        wrong = complaints(known[name], rows, bool(options.data), options.consistency)
        reports.append(report_of(known[name], rows, options, flags, place))
        words += wrong
        if options.publish and not wrong:
            publish.store(ROOT, options.table, reports[-1])
    print("{}; commit {}".format(*publish.short(place)))
    print("\n".join(publish.render({"measurements": reports})))
    if options.json:
        publish.write(options.json, {"measurements": reports})
    return words
