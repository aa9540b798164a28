"""A workload on ratings: builds and runs its sides, and reads their output."""

import json
import os
import re
import tempfile

from measure import Failure, execute
from sides import USUAL, Row, kind_of, launch

_PASS = re.compile(r"iter=(\d+) seconds=(\S+) rmse=(\S+) test_rmse=(\S+)")


class Workload:
    """examples/NAME and its rivals in benchmarks/NAME.

    - pass_option: the programs' option for the number of passes.
    - passes: the default number of passes.
    - usual: the ending of the usual rivals' names, and the macro that makes them of the strong ones.
    - ours: the endings of our further sides; the source of one, as of -flat, is benchmarks/NAME/flat.cpp.
    """

    QUALITY = "test RMSE"
    TOLERANCE = 0.005  # the fraction by which a side's quality may differ from that of the sequential original

    def __init__(self, name, title, pass_option, passes, usual, ours=()):
        self.name, self.title = name, title
        self._usual_suffix, self._usual_macro = usual
        rivals = [side + more for side in ("openmp", "mpi") for more in (self._usual_suffix, "")]
        self.SIDES = ("sequential", *rivals, "stradsap", *("stradsap" + ending for ending in ours))
        self.pass_option, self.passes = pass_option, passes

    def rows(self, sides, ranks, threads):
        """The rows of the table: OpenMP at the thread counts, MPI at the rank counts, ours at both. A usual
        rival with one worker is the sequential program, which has a row of its own."""
        table = []
        for side in sides:
            if side == "sequential":
                table.append(Row(side, 1, 1))
            if kind_of(side) in ("openmp", "stradsap"):
                table += [Row(side, 1, t) for t in threads]
            if kind_of(side) == "mpi":
                table += [Row(side, r, 1) for r in ranks]
            if kind_of(side) == "stradsap":
                table += [Row(side, r, 1) for r in ranks if r > 1 or 1 not in threads]
        return [row for row in table if not row.side.endswith(USUAL) or row.ranks * row.threads > 1]

    def sources(self, root):
        """The sources of this workload, to detect stale binaries."""
        rivals = os.path.join(root, "benchmarks")
        folders = (rivals, os.path.join(rivals, self.name), os.path.join(root, "examples", self.name))
        return [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)
                if name.endswith((".cpp", ".hpp"))]

    def build_command(self, side, root, target, flags):
        example = os.path.join(root, "examples", self.name)
        rival = os.path.join(root, "benchmarks", self.name)
        if side.endswith(USUAL):
            flags = [*flags, f"-D{self._usual_macro}"]
        ending = side.removeprefix("stradsap-")
        ours = f"{example}/{self.name}.cpp" if ending == side else f"{rival}/{ending}.cpp"
        return {
            "sequential": ["g++", *flags, f"{example}/sequential.cpp", "-o", target],
            "openmp": ["g++", *flags, "-fopenmp", f"{rival}/openmp.cpp", "-o", target],
            "mpi": ["mpicxx", *flags, f"{rival}/mpi.cpp", "-o", target],
            "stradsap": [f"{root}/build/release/bin/stradsap-cc", *flags, ours, "-o", target],
        }[kind_of(side)]

    def run(self, row, binary, root, train, test, options):
        """Runs a row once. Returns (seconds a pass, plan seconds, quality, peak MB)."""
        program = [binary, "--ratings", train, "--test", test, "--rank", str(options.k),
                   self.pass_option, str(options.passes)]
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            command, environment = launch(row, program, root, stats)
            result = execute(command, environment, options.timeout, binary)
            seconds, quality = read_passes(row, result.stdout, options.passes)
            row.curve = read_curve(result.stdout)
            return seconds, _plan_seconds(row, result.stdout, stats), quality, result.peak_rss_mb


def read_pass_seconds(text):
    return [float(match.group(2)) for match in map(_PASS.fullmatch, text.splitlines()) if match]


def read_curve(text):
    """CSV for tools/plot: the errors after each pass, at the seconds since the first."""
    lines, since = ["iter,seconds,rmse,test_rmse"], 0.0
    for number, seconds, *errors in (match.groups() for match in map(_PASS.fullmatch, text.splitlines()) if match):
        since += float(seconds)
        lines.append(f"{number},{since:.6f},{','.join(errors)}")
    return "\n".join(lines) + "\n"


def read_passes(row, text, passes):
    found = [match.groups() for match in map(_PASS.fullmatch, text.splitlines()) if match]
    if [int(number) for number, *_ in found] != list(range(passes)):
        raise Failure(f"{row}: expected {passes} passes in order, its output has {len(found)}:\n{text}")
    return sum(float(seconds) for _, seconds, _, _ in found) / passes, float(found[-1][3])


def _plan_seconds(row, text, stats):
    """Seconds of planning in the whole run. Rivals print them; ours has them in its statistics."""
    if row.side == "sequential":
        return 0.0
    if row.kind == "stradsap":
        try:
            with open(stats) as file:
                return sum(loop["seconds_plan"] for loop in json.load(file)["loops"])
        except (OSError, ValueError, KeyError) as error:
            raise Failure(f"{row}: cannot read its statistics: {error}") from error
    match = re.search(r"^plan_seconds=(\S+)$", text, re.MULTILINE)
    if not match:
        raise Failure(f"{row}: no plan_seconds in its output:\n{text}")
    return float(match.group(1))
