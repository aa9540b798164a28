"""tools/fuzz: mutants repeat. Any reaction of a compiler worse than a refusal is found and made small."""

import os
import pathlib
import random
import sys
import tempfile
import unittest

from support import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))
from fuzzer.mutate import mutate, tokens  # noqa: E402
from fuzzer.trial import Trial, minimised  # noqa: E402

TEXT = "#include <vector>\nint main() {\n  std::vector<int> a(3); // three\n  return a[0] + 'x' - 1.5e3;\n}\n"
# a stand-in for stradsap-cc; --emit-source SOURCE -o OUTPUT
STAND_IN = """#!/bin/sh
[ "$1" = --showme:compile ] && echo -std=c++20 -isystem ROOT/include && exit 0
case $(cat "$2") in
  *crash*) kill -SEGV $$ ;;
  *report*) echo "x.cpp:3: runtime error: index 7 out of bounds" >&2; exit 1 ;;
  *usage*) exit 2 ;;
  *late*) while :; do :; done ;;
  *leak*) echo 'int leaked = nobody;' > "$4" ;;
  *half*) echo > "$4"; exit 1 ;;
  *fine*) cp "$2" "$4" ;;
  *) exit 1 ;;
esac
"""


class Mutants(unittest.TestCase):
    def test_tokens_are_all_of_the_text(self):
        self.assertEqual("".join(tokens(TEXT)), TEXT)

    def test_a_seed_repeats_and_another_differs(self):
        made = [mutate(TEXT, TEXT, random.Random(seed)) for seed in (*range(40), *range(40))]
        self.assertEqual(made[:40], made[40:])
        self.assertGreater(len(set(made)), 30)

    def test_any_text_can_be_mutated(self):
        for text in ("", "\n", "a", "\xff", TEXT):
            for seed in range(1000):
                mutate(text, text, random.Random(seed))


class Finds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        compiler = pathlib.Path(held.name) / "stand-in"
        compiler.write_text(STAND_IN.replace("ROOT", ROOT))
        compiler.chmod(0o755)
        cls.trial = Trial(compiler, held.name, seconds=2)

    def test_a_refusal_and_a_good_rewriting_are_no_finds(self):
        self.assertEqual(self.trial.classify("int wrong;"), (None, False))
        self.assertEqual(self.trial.classify("int fine;"), (None, True))

    def test_what_is_worse_than_a_refusal_is_a_find(self):
        for text, find in (("crash", "status -11"), ("report", "runtime error: index 7"), ("usage", "status 2"),
                           ("half", "there is an output"), ("late", "not done after 2 s")):
            self.assertIn(find, self.trial.classify(text)[0])

    def test_a_rewriting_is_compared_with_the_text_itself(self):
        self.assertIn("nobody", self.trial.classify("int leak;")[0])
        self.assertEqual(self.trial.classify("int leak = other;"), (None, True))

    def test_a_find_is_made_small(self):
        text = "\n".join(["int a;", "int b;", "// crash", "int c;"] * 3)
        self.assertEqual(minimised(text, self.trial.classify(text)[0], self.trial.classify), "// crash")


if __name__ == "__main__":
    unittest.main()
