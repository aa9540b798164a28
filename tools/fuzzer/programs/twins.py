"""Compares loops with their twins. All loops are built as one source; loops that do not compile are taken out one by one.

A find is (category, words):

    compiler      stradsap-cc crashes, hangs, or refuses without a number or at no line of the program;
    uncompilable  the native compiler refuses only the rewritten text;
    stopped       a run ends with an error, or not at all;
    wrong         a run prints a result that is not permitted;
    generator     the program is not C++
"""

import json
import os
import re
from dataclasses import dataclass, field

from .builds import NotCompiled, ran
from .source import Source

SHAPES = ((1, 1), (1, 2), (2, 1), (2, 2))
_ERROR = re.compile(r"^(.*?):(\d+):\d+: error: (.*)$", re.MULTILINE)
_NUMBER = re.compile(r"\[(SAP\d+)\]$")
DEADLINE = 60


@dataclass
class Verdict:
    finds: dict = field(default_factory=dict)  # loop's name: (category, words)
    refused: dict = field(default_factory=dict)  # loop's name: (number, words)
    ran: int = 0


class TwinComparison:
    """Builds and runs in the folder of `builds`. One thread."""

    def __init__(self, builds):
        self.builds, self.folder = builds, builds.folder

    def __call__(self, loops, native):
        verdict = Verdict()
        try:
            twin = self.builds.kind("twin").build(self._write(loops), self.folder / "twin.out")
        except NotCompiled as fault:
            return self._halved(loops, native, str(fault))
        accepted = self._accepted(list(loops), verdict)
        programs = self._compiled(accepted, native, verdict) if accepted else None
        if programs:
            accepted = [loop for loop in accepted if loop.name not in verdict.finds]
            _Comparison(self.builds, accepted, [loop.name for loop in loops], twin, programs, verdict).run()
            verdict.ran = len(accepted)
        return verdict

    def _halved(self, loops, native, fault):
        """Builds halves of the loops until it finds the twins that do not compile."""
        if len(loops) == 1:
            return Verdict(finds={loops[0].name: ("generator", fault)})
        one, two = self(loops[:len(loops) // 2], native), self(loops[len(loops) // 2:], native)
        return Verdict(one.finds | two.finds, one.refused | two.refused, one.ran + two.ran)

    def _write(self, loops):
        self.source = Source(loops)
        path = self.folder / "program.cpp"
        path.write_text(self.source.text)
        return path

    # ---- stradsap-cc ----

    def _accepted(self, loops, verdict):
        """The loops that stradsap-cc rewrites, together."""
        target = self.folder / "rewritten.cpp"
        while loops:
            target.unlink(missing_ok=True)
            status, errors = self.builds.rewrite(self._write(loops), target)
            if status == 0:
                return loops
            gone = self._blamed(errors) if status == 1 else {}
            if not gone:
                if len(loops) == 1:
                    verdict.finds[loops[0].name] = ("compiler", f"status {status}: {errors.strip()[-400:]}")
                    return []
                halves = loops[:len(loops) // 2], loops[len(loops) // 2:]
                loops = [loop for half in halves for loop in self._accepted(half, verdict)]
                continue
            for name, words in gone.items():
                number = _NUMBER.search(words)
                if number:
                    verdict.refused[name] = (number[1], words)
                else:
                    verdict.finds[name] = ("compiler", words)
            loops = [loop for loop in loops if loop.name not in gone]
        return []

    def _blamed(self, errors):
        """By name of the loop, the first message about it."""
        found = {}
        for path, line, words in _ERROR.findall(errors):
            loop = self.source.loop_at(int(line)) if path.endswith("program.cpp") else None
            if path.endswith("harness.hpp") and len(self.source.loops) == 1:  # in a function that it calls
                loop = self.source.loops[0]
            if loop:
                found.setdefault(loop.name, words)
        return found

    # ---- the native compiler ----

    def _compiled(self, loops, native, verdict):
        """The paths of the program and its check build, without the loops that do not compile."""
        target = self.folder / "rewritten.cpp"
        try:
            return {kind: self.builds.kind(kind).build(target, self.folder / f"{kind}.out") for kind in (native, "check")}
        except NotCompiled as fault:
            if len(loops) == 1:
                verdict.finds[loops[0].name] = ("uncompilable", str(fault))
                return None
        good = [loop for loop in loops if self._compiles_alone(loop, native, verdict)]
        if not good or len(good) == len(loops):
            for loop in loops if good else ():
                verdict.finds[loop.name] = ("uncompilable", "together with others alone")
            return None
        self.builds.rewrite(self._write(good), target)
        return self._compiled(good, native, verdict)

    def _compiles_alone(self, loop, native, verdict):
        target = self.folder / "rewritten.cpp"
        self.builds.rewrite(self._write([loop]), target)
        return self._compiled([loop], native, verdict) is not None


class _Comparison:
    """All runs of one program, with the results that they must print."""

    def __init__(self, builds, loops, names, twin, programs, verdict):
        self.builds, self.loops, self.twin, self.verdict = builds, loops, twin, verdict
        self.programs = [programs[kind] for kind in programs]
        self.refused = [name for name in names if name not in {loop.name for loop in loops}]
        self.out = []  # names of loops that stop the program; runs leave them out

    def run(self):
        while not self._agree():
            pass

    def _agree(self):
        """False if a loop stops a run; then all runs are repeated without it."""
        program, check = self.programs
        orders = self.builds.folder / "orders"
        try:
            plain = self._printed("the twin", [self.twin])
            serial = self._printed("--serial", [program], STRADSAP_SERIAL="1")
            shapes = {f"{r}x{t}": self._shape(program, r, t) for r, t in SHAPES}
            shapes["check build 1x2"] = self._printed("the check build on 1x2", [check], STRADSAP_THREADS="2",
                                                      STRADSAP_CHECK="conflicts", STRADSAP_CHECK_ORDER=str(orders))
            with open(orders, encoding="utf-8") as file:
                found = [json.loads(line) for line in file]
            shapes["check build 2x1"] = self._shape(check, 2, 1, "--check", "conflicts")
        except _Stopped as stop:
            return not self._leave_out(stop)
        lines = (" ".join(map(str, (one["launch"], *one["order"]))) for one in found)
        orders.write_text("".join(f"{line}\n" for line in lines))
        replayed = self._printed("the twin in the order that was found", [self.twin], TWIN_ORDERS=str(orders))
        for loop in self.loops:
            if loop.name not in self.out:
                self._compare(loop, plain, serial, shapes, replayed)
        return True

    def _compare(self, loop, plain, serial, shapes, replayed):
        name, first = loop.name, shapes["1x1"][loop.name]
        if serial[name] != plain[name]:
            return self._wrong(loop, "--serial", serial[name], "plain g++", plain[name])
        if loop.independent() or loop.model == "ordered":
            for shape, printed in shapes.items():
                if printed[name] != plain[name]:
                    return self._wrong(loop, shape, printed[name], "plain g++", plain[name])
            return None
        for shape, printed in shapes.items():
            if printed[name] != first:
                return self._wrong(loop, shape, printed[name], "1x1", first)
        if loop.model == "async" and replayed[name] != first:
            return self._wrong(loop, "1x1", first, "plain g++ in the order that was proved", replayed[name])
        return None

    def _wrong(self, loop, what, printed, of, wanted):
        differ = [f"{a}, expected {b}" for a, b in zip(printed.split(), wanted.split()) if a != b]
        self.verdict.finds.setdefault(loop.name, ("wrong", f"{what} against {of}: {'; '.join(differ) or printed}"))

    # ---- runs ----

    def _shape(self, program, ranks, threads, *options):
        launched = [self.builds.bin / "stradsap-run", "-n", ranks, "--threads", threads, "--no-prefix", *options, "--"]
        where = "the check build on " if options else ""
        if ranks == 1:
            return self._printed(f"1x{threads}", [program], STRADSAP_THREADS=str(threads))
        return self._printed(f"{where}{ranks}x{threads}", [*launched, program])

    def _printed(self, what, command, **variables):
        """By name, the output line of each loop."""
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C",
                       "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=0:quarantine_size_mb=16",
                       **{k: v for k, v in os.environ.items() if k == "TMPDIR"}, **variables}
        status, output, errors = ran([*command, *self.refused, *self.out], self.builds.folder, DEADLINE, environment)
        done = {line.split(" ", 1)[0]: line for line in output.splitlines() if line.endswith(" .")}
        if status == 0:
            return done
        left = [loop.name for loop in self.loops if loop.name not in self.out and loop.name not in done]
        words = next((line for line in errors.splitlines() if "error" in line), errors.strip()[-300:])
        raise _Stopped(left[0] if left else None, f"{what}: status {status}: {words}")

    def _leave_out(self, stop):
        """Whether other loops remain to be run. A stop after the last loop is a find of every loop."""
        if stop.name is None:
            for loop in self.loops:
                self.verdict.finds.setdefault(loop.name, ("stopped", f"after the last loop: {stop}"))
            return False
        self.verdict.finds[stop.name] = ("stopped", str(stop))
        self.out.append(stop.name)
        return len(self.out) < len(self.loops)


class _Stopped(Exception):
    def __init__(self, name, words):
        super().__init__(words)
        self.name = name
