"""tools/fuzz --programs: a seed repeats. A fault of stradsap-cc is found in the right loop alone, and made small."""

import os
import pathlib
import sys
import tempfile
import unittest

from support import BIN, ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))
from fuzzer.programs.builds import Builds  # noqa: E402
from fuzzer.programs.twins import TwinComparison  # noqa: E402
from fuzzer.programs.loop import random_loop  # noqa: E402
from fuzzer.programs.open_faults import is_open  # noqa: E402
from fuzzer.programs.shrink import shrunk  # noqa: E402
from fuzzer.programs.source import Source  # noqa: E402

WRITTEN, DAMAGED = " * 3 + ", " * 5 + "
# a stradsap-cc that changes a factor, refuses popcounts, and crashes at rotations
STAND_IN = f"""#!/bin/sh
for word; do file=$word; done
case "$*" in *--emit-source*)
  grep -q rotl program.cpp && kill -SEGV $$
  line=$(grep -n popcount program.cpp | head -1 | cut -d: -f1)
  [ -n "$line" ] && echo "program.cpp:$line:1: error: it counts bits [SAP999]" >&2 && exit 1 ;;
esac
{BIN}/stradsap-cc "$@" || exit $?
case "$*" in *--emit-source*) sed -i 's/{WRITTEN.replace("*", "[*]")}/{DAMAGED}/' "$file" ;; esac
"""


def body(loop):
    return "\n".join(loop.text())


class Programs(unittest.TestCase):
    def test_a_seed_repeats_and_another_differs(self):
        texts = [Source([random_loop(seed, 0, k) for k in range(20)]).text for seed in (1, 2, 1)]
        self.assertEqual(texts[0], texts[2])
        self.assertNotEqual(texts[0], texts[1])


class Finds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        home = pathlib.Path(held.name)
        (home / "bin").mkdir()
        (home / "bin" / "stradsap-cc").write_text(STAND_IN)
        (home / "bin" / "stradsap-cc").chmod(0o755)
        (home / "bin" / "stradsap-run").symlink_to(os.path.join(BIN, "stradsap-run"))
        cls.compare = TwinComparison(Builds(home / "bin", home))
        loops = [loop for loop in (random_loop(5, 0, k) for k in range(150)) if loop.good() and not is_open(loop)]
        cls.crashing = [loop for loop in loops if "rotl" in body(loop)][:1]
        others = [loop for loop in loops if "rotl" not in body(loop)]
        cls.refused = [loop for loop in others if "popcount" in body(loop)][:1]
        cls.damaged = [loop for loop in others if WRITTEN in body(loop) and len(loop.pieces) > 1 and
                       "popcount" not in body(loop)][:2]
        cls.fine = [loop for loop in others if WRITTEN not in body(loop) and "popcount" not in body(loop)][:4]
        cls.all = [*cls.fine, *cls.crashing, *cls.refused, *cls.damaged]
        cls.verdict = cls.compare(cls.all, "clang0")

    def test_what_is_right_is_no_find(self):
        self.assertEqual(len(self.fine), 4)
        self.assertEqual(set(self.verdict.finds), {loop.name for loop in (*self.damaged, *self.crashing)})

    def test_a_wrong_result_is_a_find(self):
        self.assertEqual([self.verdict.finds[loop.name][0] for loop in self.damaged], ["wrong", "wrong"])

    def test_a_crash_of_the_compiler_is_a_find(self):
        self.assertEqual([self.verdict.finds[loop.name][0] for loop in self.crashing], ["compiler"])

    def test_a_refusal_is_counted_by_its_number(self):
        self.assertEqual({name: number for name, (number, _) in self.verdict.refused.items()},
                         {loop.name: "SAP999" for loop in self.refused})

    def test_a_find_is_made_small(self):
        loop = self.damaged[0]
        small, find = shrunk(loop, self.verdict.finds[loop.name], self.compare, "clang0")
        self.assertEqual((find[0], len(small.pieces)), ("wrong", 1))
        self.assertIn(WRITTEN, body(small))


if __name__ == "__main__":
    unittest.main()
