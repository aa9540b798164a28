"""Runs of programs in turn behind the gate, and their tables. Shared by budget.py, costs.py and late_ranks.py."""

import os
import subprocess

import markdown
import publish
from build import build_capacity, compile_if_stale, inputs_of_ours, prepare_tools, say
from measure import CapacityGate, Failure

FLAGS = ["-std=c++20", "-O3", "-march=native"]
LEAST_RUNS = 5  # of published medians


class Side:
    """One row: runs of a program with one choice of options. `figures`: a list of dictionaries, one a run."""

    def __init__(self, name, ranks, arguments, launcher=(), threads=1):
        self.name, self.ranks, self.threads, self.arguments, self.launcher = name, ranks, threads, list(arguments), list(launcher)
        self.figures, self.gated = [], []

    def report(self):
        words = [os.path.basename(word) if os.path.isfile(word) else word for word in self.arguments]  # no place of one machine
        return {"side": self.name, "ranks": self.ranks, "threads": self.threads, "arguments": words, "figures": self.figures,
                "gated": self.gated}


def add_options(parser, name):
    parser.add_argument("--runs", type=int, default=LEAST_RUNS, help=f"runs of each row ({LEAST_RUNS})")
    parser.add_argument("--busy", action="store_true", help="do not wait for idle cores; nothing can be published")
    parser.add_argument("--json", metavar="F", help="write every figure to F")
    parser.add_argument("--publish", action="store_true", help=f"write the figures to benchmarks/results/{name}.json; refused "
                        "if a run is not gated, a row misses the objective, or the files are not committed")


def parsed(parser, arguments):
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error("there is at least one run")
    if options.publish and (options.busy or options.runs < LEAST_RUNS):
        parser.error(f"published figures are medians of {LEAST_RUNS} runs or more on idle cores")
    return options


def built(root, name, folder="relaxed"):
    """The program of a folder of benchmarks, compiled if it is older than its source."""
    source = os.path.join(root, "benchmarks", folder, f"{name}.cpp")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    target = os.path.join(root, "build", "benchmarks", folder, name)
    quiet = "-Wno-stradsap-unknown-function"  # of rests in a body
    compile_if_stale(lambda partial: [compiler, *FLAGS, quiet, source, "-o", partial], target, [source] + inputs_of_ours())
    return target


def output(root, side, program, launcher=(), arguments=()):
    """The standard output of one run of a side, with more arguments after its own."""
    command = [os.path.join(root, "build", "release", "bin", "stradsap-run"), "-n", str(side.ranks), "--threads", str(side.threads),
               "--no-prefix", "--quiet", *side.launcher, *launcher, "--", program, *side.arguments, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def run_in_turn(sides, gate, options, run_of):
    """Runs all sides, again and again; `run_of(side)` makes the figures of a run. More executors than cores
    are right only for bodies that rest, and for rows without an aim."""
    cores = len(os.sched_getaffinity(0))
    for number in range(options.runs):
        for side in sides:
            share, gated = (0.0, False) if options.busy else gate.wait(min(side.ranks * side.threads, cores))
            if options.publish and not gated:
                raise Failure(f"{side.name}: the cores gave {share:.0%} of their speed, so nothing is published")
            side.gated.append(gated)
            side.figures.append(run_of(side))
            say(f"run {number + 1}/{options.runs}  {side.name}: {side.figures[-1]}")


def measure(root, name, module, arguments):
    """Measures a table, prints it, and publishes it if `arguments` say so. `module.run` returns its head, its lines, all
    sides and complaints about objectives."""
    options = module.parse_arguments(arguments)
    place = publish.describe_place(root)
    if options.publish and place["dirty"]:
        raise Failure("nothing can be published: commit all changes first")
    prepare_tools(["stradsap"])
    gate = None if options.busy else CapacityGate(build_capacity(os.path.join(root, "build", "benchmarks")))
    head, lines, sides, complaints = module.run(root, options, gate)
    print(*markdown.table(head, lines), sep="\n")
    report = {**place, "flags": FLAGS, "workload": module.about(options), "runs": options.runs, "head": head, "lines": lines,
              "rows": [side.report() for side in sides]}
    if options.json:
        publish.write(options.json, report)
    if complaints:
        raise Failure("; ".join(complaints))
    if options.publish:
        publish.store_table(root, name, report)
