"""tools/mutate: on a tiny tree with stand-ins for build and tests, each mutant is found, tried and counted as it should be."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from support import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))
from mutator.sites import mutants_of  # noqa: E402

TEXT = """#include <vector>  // a < b
// if (x < y) x = 1;
static_assert(1 < 2);
bool small(int a, int b) {
  STRADSAP_ASSERT(a < b, a + b);
  const char* text = "a < b";
  if (a < b && b == 3) {
    steps(text);
    ++a;
  } else {
    a = b;
  }
  if (const auto* one = find(a)) use(one);
  return true;
}
"""
SOURCE = """int limit(int a) {
  if (a < 10) return a;
  unseen();
  return 10;
}
"""
# g++ is not asked, and the test sees all but `unseen`
TEST = "grep -q 'a < 10) return a' rooms/one.cpp && grep -q 'return 10;' rooms/one.cpp"


def mutated(text):
    return [(one.kind, one.before.strip(), one.after.strip()) for one in mutants_of("f.cpp", text)]


class Sites(unittest.TestCase):
    def test_each_kind_of_mutant_is_found(self):
        found = mutated(TEXT)
        for wanted in (("operator", "if (a < b && b == 3) {", "if (a <= b && b == 3) {"),
                       ("operator", "if (a < b && b == 3) {", "if (a < b || b == 3) {"),
                       ("operator", "if (a < b && b == 3) {", "if (a < b && b != 3) {"),
                       ("number", "if (a < b && b == 3) {", "if (a < b && b == 4) {"),
                       ("negate", "if (a < b && b == 3) {", "if (!(a < b && b == 3)) {"),
                       ("statement", "steps(text);", ""), ("statement", "++a;", ""), ("statement", "a = b;", ""),
                       ("else", "} else {", "} {"), ("truth", "return true;", "return false;")):
            self.assertIn(wanted, found)

    def test_only_code_is_mutated(self):
        for kind, before, _ in mutated(TEXT):
            for part in ("//", "static_assert", "ASSERT", "const char", "const auto" if kind != "statement" else "//"):
                self.assertNotIn(part, before)

    def test_brackets_of_templates_and_declarations_stay(self):
        self.assertEqual(mutated("void f() {\n  std::vector<int> a;\n  const int* b = &a[i];\n  T&& c = move(a);\n}\n"), [])

    def test_names_differ_and_do_not_depend_on_lines_before(self):
        twice = SOURCE + SOURCE.replace("limit", "again")
        names = [one.name for one in mutants_of("f.cpp", twice)]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([one.name for one in mutants_of("f.cpp", "\n\n" + twice)], names)


class Run(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="mutate.")
        self.addCleanup(held.cleanup)
        self.folder = held.name
        self.root = os.path.join(self.folder, "root")
        os.makedirs(os.path.join(self.root, "rooms"))
        with open(os.path.join(self.root, "rooms", "one.cpp"), "w", encoding="utf-8") as file:
            file.write(SOURCE)
        subprocess.run(["git", "init", "-q", self.root], check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})

    def mutate(self, *words, test=TEST, build="true"):
        done = subprocess.run(
            [os.path.join(ROOT, "tools", "mutate"), "--root", self.root, "--folder", "rooms", "--work", self.folder,
             "--json", os.path.join(self.folder, "record.json"), *words, "--configure", "true",
             "--build", build, "--test", test],
            capture_output=True, text=True, timeout=120, check=False)
        return done

    def test_killed_mutants_and_survivors_are_told_apart(self):
        done = self.mutate()
        self.assertIn("rooms/one.cpp:3: statement\n-  unseen();\n+  \n", done.stdout)
        self.assertRegex(done.stdout, r"all: (\d+) of (\d+) mutants killed")
        with open(os.path.join(self.folder, "record.json"), encoding="utf-8") as file:
            rows = json.load(file)
        self.assertEqual([row["before"].strip() for row in rows if row["result"] == "survived"], ["unseen();"])
        self.assertGreater(len(rows), 6)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_score_below_the_least_is_a_failure(self):
        self.assertEqual(self.mutate(test="true").returncode, 1)

    def test_a_mutant_that_does_not_compile_does_not_count(self):
        done = self.mutate(build="grep -q 'a < 10' rooms/one.cpp")
        self.assertRegex(done.stdout, r"all: \d of \d mutants killed, .* does not compile")

    def test_an_interrupted_run_goes_on(self):
        self.mutate("--count", "3")
        with open(os.path.join(self.folder, "record.json"), encoding="utf-8") as file:
            first = {row["name"] for row in json.load(file)}
        done = self.mutate("--count", "3", test="true")  # nothing is tried but the tree itself
        self.assertIn("3 mutants killed", done.stdout)
        self.mutate("--count", "5")
        with open(os.path.join(self.folder, "record.json"), encoding="utf-8") as file:
            self.assertGreater({row["name"] for row in json.load(file)}, first)

    def test_an_equivalent_mutant_is_left_out_and_survivors_are_tried_again(self):
        self.mutate()
        os.makedirs(os.path.join(self.root, "tools", "mutator"))
        with open(os.path.join(self.root, "tools", "mutator", "equivalent.txt"), "w", encoding="utf-8") as file:
            file.write("# a comment\nrooms/one.cpp | unseen(); |  | 0\n")
        self.assertIn("1 equivalent", self.mutate().stdout)
        os.remove(os.path.join(self.root, "tools", "mutator", "equivalent.txt"))
        self.assertNotIn("survived", self.mutate("--again", test=TEST + " && grep -q unseen rooms/one.cpp").stdout)
        self.assertIn("100 %", self.mutate().stdout)

    def test_the_tree_itself_is_never_touched_and_must_pass(self):
        self.mutate()
        with open(os.path.join(self.root, "rooms", "one.cpp"), encoding="utf-8") as file:
            self.assertEqual(file.read(), SOURCE)
        done = self.mutate("--json", os.path.join(self.folder, "other.json"), test="false")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("fails without a mutant", done.stderr)

    def test_a_seed_repeats_and_another_differs(self):
        lists = [self.mutate("--list", "--count", "6", "--seed", seed).stdout for seed in ("1", "1", "2")]
        self.assertEqual(lists[0], lists[1])
        self.assertNotEqual(lists[0], lists[2])


if __name__ == "__main__":
    unittest.main()
