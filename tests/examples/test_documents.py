"""The programs in the documents are compiled, run and refused as the documents say."""

import glob
import os
import re
import signal
import subprocess
import tempfile
import textwrap
import unittest

from example_case import COMPILER, ROOT, ExampleTest
from fragments import Fragments

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"// (\w+\.cpp)\n")
WRONG_AND_RIGHT = re.compile(r"^### (SAP\d{3})$.*?^// wrong\n(.*?)^// right\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REPORTED = re.compile(r"^program\.cpp:(\d+):\d+: (?:error|warning): .* \[(SAP\d{3})\]$", re.MULTILINE)
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


def documents():
    return [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]


def text_of(document):
    with open(os.path.join(ROOT, "docs", document), encoding="utf-8") as file:
        return file.read()


def programs():
    """(document, its text, program) of each block of C++ that is a whole program."""
    for path in documents():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for block in BLOCK.findall(text):
            if "int main(" in block:
                yield os.path.relpath(path, ROOT), text, block


class Documents(ExampleTest):
    def compiled(self, folder, source):
        name = NAME.match(source)
        name = name.group(1) if name else "program.cpp"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(source)
        command = [COMPILER, "-O2", *WARNINGS, name, "-o", "program"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)

    def test_each_program_prints_what_its_document_says_on_one_rank_and_on_two(self):
        seen = 0
        for document, text, source in programs():
            if NAME.match(source):
                continue
            seen += 1
            with self.subTest(document=document), tempfile.TemporaryDirectory() as folder:
                done = self.compiled(folder, source)
                self.assertEqual(done.returncode, 0, done.stderr)
                for ranks in (1, 2):
                    ran = self.run_program(os.path.join(folder, "program"), ranks=ranks)
                    self.assertEqual(ran.status, 0, ran.errors)
                    for line in ran.output.splitlines():
                        self.assertTrue(line.strip() in text, f"the program prints: {line}")
        self.assertGreaterEqual(seen, 3)

    def test_each_program_with_a_name_is_refused_or_fails_with_the_messages_shown(self):
        refused, failed = 0, 0
        for document, text, source in programs():
            if not NAME.match(source):
                continue
            with self.subTest(document=document), tempfile.TemporaryDirectory() as folder:
                done = self.compiled(folder, source)
                if done.returncode != 0:
                    refused += 1
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertTrue(textwrap.indent(done.stderr, "    ") in text, done.stderr)
                else:
                    failed += 1
                    ran = self.run_program(os.path.join(folder, "program"), ranks=2)
                    self.assertEqual(ran.status, 128 + signal.SIGABRT, ran.errors)
                    (reason,) = {line.split("|")[-1].strip() for line in ran.errors.splitlines() if "what():" in line}
                    self.assertTrue(reason in text, reason)
        self.assertGreaterEqual(refused, 1)
        self.assertGreaterEqual(failed, 1)

    def test_the_lines_that_the_readme_says_are_changed_make_the_sequential_program(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            text = file.read()
        (source,) = BLOCK.findall(text)
        shown = re.search(r"beside the `#include`:\n\n((?:    .*\n)+)", text).group(1).splitlines()
        plain = [line[5:].strip() for line in shown if line.startswith("    -")]
        parallel = [line for line in source.splitlines() if re.search(r"dvector|parallel_for|async", line)]
        self.assertEqual([line[5:].strip() for line in shown if line.startswith("    +")], [line.strip() for line in parallel])
        self.assertEqual(len(plain), len(parallel))
        source = source.replace("<stradsap/stradsap.hpp>", "<cstdint>\n#include <vector>")
        for line, instead in zip(parallel, plain):
            source = source.replace(line, instead)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plain.cpp"), "w", encoding="utf-8") as file:
                file.write(source)
            command = ["g++", "-std=c++20", "plain.cpp", "-o", "plain"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            ran = subprocess.run(["./plain"], cwd=folder, capture_output=True, text=True, timeout=60)
        self.assertRegex(ran.stdout, r"^(pass \d: mean squared error [\d.]+\n){3}$")


class Pieces(ExampleTest):
    """Fragments of programs: two for each number on the page of diagnostics, and those of the programming guide."""

    def setUp(self):
        super().setUp()
        text = text_of("diagnostics.md")
        self.prelude = BLOCK.search(text).group(1)
        self.entries = WRONG_AND_RIGHT.findall(text)
        self.assertEqual([number for number, _, _ in self.entries], re.findall(r"^### (SAP\d{3})$", text, re.MULTILINE))

    def compiled(self, fragments):
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(fragments.program())
        command = [COMPILER, "-c", "program.cpp", *WARNINGS, "-Wno-unused"]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=240)

    def test_each_wrong_fragment_gets_its_number_and_no_other(self):
        no_cxx = {"SAP038", "SAP039", "SAP085"}  # no compiler accepts these, and then no other fault is looked for
        for chosen in (no_cxx, {number for number, _, _ in self.entries} - no_cxx):
            fragments = Fragments(self.prelude)
            for number, wrong, _ in self.entries:
                if number in chosen:
                    fragments.add(number, wrong)
            done = self.compiled(fragments)
            self.assertEqual(done.returncode, 1, done.stderr)
            found = {(fragments.owner(int(line)), number) for line, number in REPORTED.findall(done.stderr)}
            self.assertEqual(found, {(number, number) for number in chosen}, done.stderr)

    def test_each_right_fragment_compiles_without_a_word(self):
        fragments = Fragments(self.prelude)
        for number, _, right in self.entries:
            fragments.add(number, right)
        self.assert_silent(fragments)

    def test_each_fragment_of_the_guide_compiles_without_a_word(self):
        found = [block for block in BLOCK.findall(text_of("programming-guide.md")) if "int main(" not in block]
        self.assertGreaterEqual(len(found), 7)
        fragments = Fragments(self.prelude)
        for number, block in enumerate(found):
            fragments.add(number, block)
        self.assert_silent(fragments)

    def assert_silent(self, fragments):
        done = self.compiled(fragments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
