"""Loops of `main` over containers compile as loops over std::vector do, with stradsap-cc and by a plain compiler."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from example_case import BIN, COMPILER, HERE, ROOT

SOURCE = os.path.join(HERE, "programs", "driver_loops.cpp")
FLAGS = ["-std=c++20", "-O3", "-march=x86-64-v3"]
PACKED = re.compile(r"\tv(?:fn?m(?:add|sub)\w*p[sd]|(?:add|sub|mul)p[sd]|paddq)\b.*%ymm")
LOOP = re.compile(r"<(loop_\w+|main)(?:\.constprop\.\d+|\.isra\.\d+)*>:")
FAR_ELEMENT = "_ZN8stradsap3abi11far_elementERKNS0_6windowEmm"
COUNTED = f"""
extern "C" {{
volatile long num_far_elements;
void* __real_{FAR_ELEMENT}(const void*, unsigned long, unsigned long);
void* __wrap_{FAR_ELEMENT}(const void* window, unsigned long i, unsigned long sized_access) {{
  num_far_elements = num_far_elements + 1;
  return __real_{FAR_ELEMENT}(window, i, sized_access);
}}
}}
"""
SIDES = {"original": ["g++", "-DOVER_STD_VECTOR"], "stradsap-cc": [COMPILER],
         "plain": ["g++", "-isystem", os.path.join(ROOT, "include"), "-pthread"]}


class DriverLoops(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="st-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_here(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def packed(self, side, *options, source=SOURCE):
        """{function: its packed operations on fractions and counts}"""
        self.run_here(*SIDES[side], *FLAGS, *options, "-c", source, "-o", side + ".o")
        counts = {}
        for function in self.run_here("objdump", "-d", "--no-show-raw-insn", side + ".o").split("\n\n"):
            head, _, code = function.lstrip("\n").partition("\n")
            if name := LOOP.search(head):
                counts[name[1]] = counts.get(name[1], 0) + len(PACKED.findall(code))
        return counts

    def assert_as_packed(self, *options):
        original = self.packed("original", *options)
        loops = {name: count for name, count in original.items() if count > 0}
        self.assertGreaterEqual(len(loops), 9, original)
        for side in ("stradsap-cc", "plain"):
            ours = self.packed(side, *options)
            for name, count in loops.items():
                self.assertGreaterEqual(ours.get(name, 0), count, f"{side}, {name}: {ours}, original: {original}")

    def test_no_access_outside_a_window_is_thought_unreachable(self):
        """g++ may take a call for impossible and go on behind it (docs/decisions/hoisted-checks.md)."""
        source = os.path.join(ROOT, "tests", "preprocessor", "accepted", "accumulated_rows.cpp")
        self.run_here(COMPILER, *FLAGS, "-fdump-tree-fixup_cfg3=after_inlining", "-c", source, "-o", "rows.o")
        with open(os.path.join(self.folder, "after_inlining"), encoding="utf-8", errors="replace") as file:
            dump = file.read()
        self.assertIn("far_element (", dump)
        self.assertNotRegex(dump, r" = _\d+\(D\);\n\s*__builtin_unreachable")

    def test_folds_of_rows_are_packed(self):
        source = os.path.join(ROOT, "tests", "preprocessor", "accepted", "accumulated_rows.cpp")
        self.run_here(COMPILER, *FLAGS, "-c", source, "-o", "rows.o")
        functions = self.run_here("objdump", "-d", "--no-show-raw-insn", "rows.o").split("\n\n")
        for fold in ("combine", "drain"):
            folds = [text for text in functions if re.search(rf"<\S*accumulation_of_rows\S*addition\S*IdS\S*{fold}\S*>:", text)]
            self.assertTrue(folds, fold)
            for text in folds:
                self.assertRegex(text, r"\tvaddpd .*%ymm", fold)

    def test_they_are_packed_where_the_original_is(self):
        self.assert_as_packed()

    def test_they_are_packed_where_the_original_is_with_fast_math(self):
        self.assert_as_packed("-ffast-math")

    def test_a_subscript_that_is_checked_at_each_access_is_noticed(self):
        """at() has a branch for each access: no loop over it is packed."""
        with open(SOURCE, encoding="utf-8") as file:
            text = file.read()
        plain = "weights[k] -= rate * gradient[k]"
        self.assertEqual(text.count(plain), 1)
        checked = os.path.join(self.folder, "checked.cpp")
        with open(checked, "w", encoding="utf-8") as file:
            file.write(text.replace(plain, "weights.at(k) -= rate * gradient.at(k)"))
        self.assertEqual(self.packed("stradsap-cc", source=checked)["loop_descend"], 0)

    def counted(self, program):
        """The output of a program that prints the number of its calls for elements."""
        with open(os.path.join(self.folder, "counted.cpp"), "w", encoding="utf-8") as file:
            file.write(COUNTED)
        self.run_here("g++", "-O1", "-c", "counted.cpp")
        source = os.path.join(HERE, "programs", program + ".cpp")
        self.run_here(COMPILER, *FLAGS, source, "counted.o", f"-Wl,--wrap={FAR_ELEMENT}", "-o", program)
        return self.run_here("./" + program).split()

    def test_steps_between_batches_begin_with_an_open_handle(self):
        """Where the loop adds depends on the weights, but its plan does not."""
        self.assertEqual(self.counted("mini_batches"), ["0"] * 4)

    def test_functions_that_are_not_inlined_into_a_body_find_elements_without_a_call(self):
        self.assertEqual(self.counted("outlined_reads"), ["0"])

    def assert_equal_bits(self, *options):
        """g++ makes two copies of a loop: for containers that are here, and for others."""
        steps = os.path.join(HERE, "programs", "fast_steps.cpp")
        self.run_here(COMPILER, "-O3", "-march=native", *options, steps, "-o", "steps")
        outputs = set()
        for ranks, threads in 2 * [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]:
            launcher = os.path.join(BIN, "stradsap-run")
            outputs.add(self.run_here(launcher, "-n", str(ranks), "--threads", str(threads), "./steps"))
        self.assertEqual(len(outputs), 1, outputs)

    def test_ranks_and_times_change_no_bits_with_fast_math(self):
        self.assert_equal_bits("-ffast-math")

    def test_ranks_and_times_change_no_bits_with_fused_products(self):
        self.assert_equal_bits("-ffp-contract=fast")

    def test_they_compute_what_the_original_computes(self):
        library = self.run_here(COMPILER, "--showme:link").split()
        outputs = set()
        for side, command in SIDES.items():
            self.run_here(*command, *FLAGS, SOURCE, *([] if side == "stradsap-cc" else library), "-o", side)
            outputs.add(self.run_here("./" + side))
        self.assertEqual(len(outputs), 1, outputs)


if __name__ == "__main__":
    unittest.main()
