"""Runs of a program that updates by the dynamic scheduler, side by side: shared by the tables of sets.

"busiest" is the CPU time of the busiest thread of rank 0, and "all" that of all its threads, in the run with the least of the
former. Both do not depend on other work of the machine, as seconds do.
"""

import os
import re
import subprocess

from build import compile_if_stale, inputs_of_ours
from measure import Failure

HEAD = ["flags", "updates", "number", "busiest", "of the first", "all", "least seconds"]


def measured(root, ranks, threads, launcher, program):
    """(busiest, all, seconds, updates); `launcher`: its options, `program`: the program and its own."""
    command = [os.path.join(root, "tools", "stradsap-run"), "-n", str(ranks), "--threads", str(threads), "--no-prefix", "--quiet",
               *launcher, *program]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.match(r"updates=(\d+) seconds=(\S+) busiest=(\S+) all=(\S+) ", done.stdout)
    if done.returncode != 0 or not found:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return float(found[3]), float(found[4]), float(found[2]), int(found[1])


def lines_of(name, runs):
    """Of all runs of each side."""
    first = min(runs[next(iter(runs))])[0]
    for side, all_runs in runs.items():
        busiest, all_threads, _, updates = min(all_runs)
        yield [name, side, str(updates), f"{busiest:.4f}", f"{busiest / first:.3f}", f"{all_threads:.4f}",
               f"{min(one[2] for one in all_runs):.4f}"]


def runs_by_flags(root, name, sides, turns, run_of):
    """(name of the flags, runs of each side, in turn); `run_of(program, side)` makes one."""
    source = os.path.join(root, "benchmarks", "sets", f"{name}.cpp")
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    for flags in (["-O3", "-march=native"], ["-O3", "-march=native", "-ffast-math"]):
        program = os.path.join(root, "build", "sets", f"{name}{len(flags)}")
        compile_if_stale(lambda target, flags=flags: [compiler, "-std=c++20", *flags, source, "-o", target], program,
                         [source] + inputs_of_ours())
        runs = {side: [] for side in sides}
        for _ in range(turns):
            for side, how in sides.items():
                runs[side].append(run_of(program, how))
        yield " ".join(flags[2:]) or "strict", runs
