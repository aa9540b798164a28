"""tools/fuzz --programs: generates loops, checks them in batches, shrinks and keeps finds, counts refusals."""

import collections
import itertools
import time

from .builds import CXX, Builds
from .twins import TwinComparison
from .loop import random_loop
from .open_faults import is_open
from .shrink import shrunk
from .source import Source


class Hunt:
    def __init__(self, options, folder):
        self.options = options
        self.builds = Builds(options.compiler.parent, folder)
        self.compare = TwinComparison(self.builds)
        self.known = []  # (category, idioms) of shrunk finds
        self.numbers = collections.Counter()  # refusals by number
        self.false_refusals = self.finds = self.again = self.made = self.ran = 0

    def run(self):
        """Returns the exit status: 1 if there was a find."""
        begin, batch = time.monotonic(), self.options.first
        while self.made < self.options.programs and time.monotonic() - begin < self.options.seconds:
            count = min(self.options.batch, self.options.programs - self.made)
            self._batch(batch, self._loops(batch, count))
            batch += 1
        self._summary(batch, time.monotonic() - begin)
        return 1 if self.finds or self.false_refusals else 0

    def _loops(self, batch, count):
        loops = (random_loop(self.options.seed, batch, k) for k in itertools.count())
        wanted = (loop for loop in loops if not self.options.without_open or not is_open(loop))
        return list(itertools.islice(wanted, count))

    def _batch(self, batch, loops):
        native = Builds.NATIVE[batch % len(Builds.NATIVE)]
        verdict = self.compare(loops, native)
        self.made += len(loops)
        self.ran += verdict.ran
        self.numbers.update(number for number, _ in verdict.refused.values())
        for loop in loops:
            if loop.name in verdict.finds:
                self._found(batch, loop, verdict.finds[loop.name], native)
            elif loop.name in verdict.refused and loop.good():
                self._found(batch, loop, verdict.refused[loop.name], native)

    def _found(self, batch, loop, find, native):
        """Counts the find, then shrinks and keeps it. A find with all idioms of a shrunk one counts as that one."""
        if find[0].startswith("SAP"):
            self.false_refusals += 1
        else:
            self.finds += 1
        if any(find[0] == category and idioms <= set(loop.idioms()) for category, idioms in self.known):
            self.again += 1
            return
        small, find = shrunk(loop, find, self.compare, native)
        self.known.append((find[0], set(small.idioms())))
        path = self._keep(batch, small, find, native)
        print(f"{path}: seed {self.options.seed} batch {batch} {small.name} ({native}): {find[0]}: {find[1]}", flush=True)

    def _keep(self, batch, loop, find, native):
        """A complete program."""
        self.options.keep.mkdir(parents=True, exist_ok=True)
        path = self.options.keep / f"seed-{self.options.seed}-batch-{batch}-{loop.name}.cpp"
        text = Source([loop]).text.replace('#include "harness.hpp"\n', _harness())
        note = [f"// tools/fuzz --programs: seed {self.options.seed}, batch {batch}, {loop.name}, {native}",
                f"// {find[0]}: {find[1]}".replace("\n", " "), f"// {loop.model}; idioms: {', '.join(loop.idioms())}",
                f"// compile with {CXX.relative_to(CXX.parents[2]) / 'far.cpp'} and -fwrapv", ""]
        path.write_text("\n".join(note) + text)
        return path

    def _summary(self, batch, seconds):
        refused = ", ".join(f"{number} {count}" for number, count in sorted(self.numbers.items())) or "none"
        print(f"seed {self.options.seed}: {self.made} programs (batches {self.options.first} to {batch - 1}), {self.ran} ran, "
              f"refused: {refused}; {self.false_refusals} false refusals, {self.finds} finds, {self.again} of them again; "
              f"{self.made / max(seconds, 1e-9):.1f} a second")


def _harness():
    text = (CXX / "harness.hpp").read_text().replace("#pragma once\n", "")
    headers = (CXX / "headers.hpp").read_text().replace("#pragma once\n", "")
    return text.replace('#include "headers.hpp"\n', headers)

