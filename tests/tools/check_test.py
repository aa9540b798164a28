"""tools/check finds a fault of each kind, at its line, and nothing in a tree without faults."""

import os
import tempfile
import unittest
from unittest import mock

from support import ROOT, subprocess

CHECK = os.path.join(ROOT, "tools", "check")

CLEAN = {
    ".clang-format": "BasedOnStyle: Google\nColumnLimit: 110\n",
    "README.md": "See `runtime/base/ids.hpp` and `tools/run --fast`, [the guide](docs/guide.md).\n",
    "docs/guide.md": "Placeholders as `examples/NAME/NAME.cpp` and `runtime/<folder>/x.hpp` are no files.\n",
    "tools/run": "#!/bin/sh\n# --fast: leaves out the slow part\n# (#12) TO" "DO #12 is allowed: it has its number\n",
    "include/stradsap/a.hpp": "// Owns a.\n#pragma once\n#include <stradsap/b.hpp>\n#include <vector>\n",
    "include/stradsap/b.hpp": "// Owns b.\n#pragma once\n",
    "runtime/base/ids.hpp": "// Owns ids.\n#pragma once\n#include <cstdint>\n\nusing id = std::uint32_t;\n",
    "runtime/net/link.hpp": "// Owns links.\n#pragma once\n#include \"runtime/base/ids.hpp\"\n\nid peer();\n",
    "runtime/net/zmq_sockets.cpp": "// Owns sockets.\n#include <zmq.hpp>\n",
    "runtime/base/options.cpp": "#include <cstdlib>\n\nconst char* home() { return std::getenv(\"HOME\"); }\n",
    "preprocessor/driver/run.hpp": "// Owns processes.\n#pragma once\n",
    "preprocessor/driver/run.cpp": "#include \"driver/run.hpp\"\n\n#include \"analyze/frontend/find.hpp\"\n",
    "preprocessor/analyze/frontend/find.hpp": "// Before and after:\n//     f(x);\n//     g(x);\n#pragma once\n",
    "tests/base_test.cpp": "// Says sleep" "_for in a comment and in text only.\nconst char* text = \"usl" "eep(3)\";\n",
    "examples/NAME.txt": "",
}

LONG_BODY = "  call();\n" * 60

TABLE = "preprocessor/analyze/source/diagnostics.def"
ACCESSES = "preprocessor/analyze/code/accesses.def"
ACCESS = 'STRADSAP_METHOD(dvector, "at", "X.at(i)", "the element")\n'
EXPLAINED = """// ---- bodies
// It would be wrong.
//     bad();
// instead
//     good();
STRADSAP_DIAGNOSTIC(bad_body, 1, error, "this is bad", "write good")
"""

# Rule -> (file, text, line of the fault, part of the message). Words are cut so that this file has no fault itself.
FAULTS = {
    "include-lines": [
        ("runtime/base/bad.hpp", "#pragma once\n#include \"runtime/net/link.hpp\"\n", 2, "base may not include"),
        ("runtime/net/bad.cpp", "#include \"../loop/x.hpp\"\n", 1, "net may not include runtime/loop/x.hpp"),
        ("runtime/helpers/x.hpp", "#pragma once\n", 1, "not on the include line"),
        ("runtime/loop/odd/x.hpp", "#pragma once\n", 1, "runtime/loop/odd is not on the include line"),
        ("runtime/loop/launch/bad.hpp", "#pragma once\n#include \"runtime/loop/waves/y.hpp\"\n", 2,
         "launch may not include runtime/loop/waves/y.hpp: waves is to its right"),
        ("runtime/loop/waves/bad.hpp", "#pragma once\n#include \"runtime/loop/blocks/z.hpp\"\n", 2,
         "strategies know nothing of each other"),
        ("runtime/loop/waves/bad.hpp", "#pragma once\n#include \"runtime/loop/x.hpp\"\n", 2, "above the folders"),
        ("preprocessor/analyze/source/bad.hpp", "#pragma once\n#include \"analyze/frontend/find.hpp\"\n", 2,
         "source may not include preprocessor/analyze/frontend/find.hpp: frontend is to its right")],
    "public-headers": [
        ("include/stradsap/bad.hpp", "#pragma once\n#include <tsl/robin_map.h>\n", 2, "not tsl/robin_map.h"),
        ("include/stradsap/bad.hpp", "#include <cereal/cereal.hpp>\n", 1, "not cereal/cereal.hpp"),
        ("include/stradsap/bad.hpp", "#include \"runtime/base/ids.hpp\"\n", 1, "std and <stradsap/...> only")],
    "preprocessor-stages": [
        ("preprocessor/analyze/bad.cpp", "#include \"driver/run.hpp\"\n", 1, "analyze may not include the driver"),
        ("preprocessor/rewrite/bad.cpp", "#include <stradsap/a.hpp>\n", 1, "by names and include/stradsap/abi/loop_bits.hpp only")],
    "one-home": [
        ("runtime/net/bad.cpp", "\n#include <zmq.hpp>\n", 2, "zmq.hpp is included by"),
        ("runtime/net/bad.cpp", "auto x = std::get" "env(\"X\");\n", 1, "getenv is called in"),
        ("preprocessor/analyze/bad.cpp", "int x = system(\"ls\");\n", 1, "processes are started in")],
    "file-length": [("runtime/base/bad.cpp", "int x;\n" * 601, 1, "601 lines, at most 600")],
    "function-length": [
        ("runtime/base/bad.cpp", "namespace a {\n\nint f(int x) {\n" + LONG_BODY + "}\n}\n", 3, "a function of 62 lines"),
        ("runtime/base/bad.cpp", "struct s {\n  void f() const {\n" + LONG_BODY + "  }\n};\n", 2, "62 lines"),
        ("tools/bad.py", "def f():\n" + "    call()\n" * 60, 1, "a function of 61 lines"),
        ("tools/bad.py", "def f(:\n", 1, "not Python")],
    "words": [
        ("docs/bad.md", "\n\nIt sends what it owns to who asks.\n", 3, "2 clauses with what or who in 8 words"),
        ("runtime/base/bad.hpp", "#pragma once\nint what();\nint n;  // of whom it was asked\n", 3, "1 clauses"),
        ("tools/bad.py", '"""Two lines.\n\nSays whose turn it is.\n"""\n', 3, "1 clauses"),
        ("tools/bad.py", 'TEXT = """\nint what;\n"""\n"""Says whose turn it is."""\n', 4, "1 clauses with what or who in 5 words"),
        ("docs/bad.md", "Short.\nA word" + " and a word" * 14 + ".\n", 2, "a sentence of 44 words, at most 40"),
        ("docs/bad.md", "\n" + "word " * 21 + "\n", 2, "prose of 105 columns, at most 100"),
        ("docs/bad.md", "The bell rings.\n", 1, "`bell` is retired: doorbell"),
        ("tools/checker/uncovered_words.txt", "README.md\n", 1, "README.md is plain now"),
        ("tools/checker/uncovered_words.txt", "gone.md\n", 1, "gone.md does not exist")],
    "open-ends": [("tools/bad.py", "\n# TO" "DO: later\n", 2, "issue number")],
    "dead-code": [
        ("runtime/base/bad.cpp", "\n// call(x);\n", 2, "commented-out code"),
        ("runtime/base/bad.cpp", "// x = old + 1;\n", 1, "commented-out code"),
        ("runtime/base/bad.cpp", "// if (x > 3) {\n", 1, "commented-out code"),
        ("tools/bad.py", "# print(x)\n", 1, "commented-out code"),
        ("tools/bad.py", "# do not " "remove this\n", 1, "say why")],
    "sleeping": [
        ("runtime/base/bad.cpp", "void f() { std::this_thread::sleep" "_for(x); }\n", 1, "not synchronisation"),
        ("tests/bad.py", "import time\ntime.sl" "eep(1)\n", 2, "not synchronisation")],
    "machine-paths": [("docs/bad.md", "\nlook into /ho" "me/someone/x\n", 2, "path of one machine")],
    "named-files": [
        ("docs/bad.md", "\nsee `runtime/base/gone.hpp`\n", 2, "runtime/base/gone.hpp does not exist"),
        ("README.md", "[x](docs/gone.md)\n", 1, "docs/gone.md leads nowhere")],
    "named-tests": [
        ("docs/bad.md", "\n| it works | `tests/base_test.cpp`: \"it works\" |\n", 2, "tests/base_test.cpp has no test it works"),
        ("docs/bad.md", "| x | `tests/gone_test.py`: `test_x` |\n", 1, "tests/gone_test.py has no test test_x"),
        ("docs/bad.md", "| x | `tests/x_test.py`: `test_x`; `tests/base_test.cpp`: `test_x` |\n", 1, "tests/base_test.cpp has no test test_x")],
    "named-flags": [("docs/bad.md", "`run --slow`\n", 1, "--slow")],
    "packages": [
        ("CONTRIBUTING.md", "| `g++` | compiles |\n| `gone` | x |\n", 2, "gone is not in tools/install-deps"),
        ("CONTRIBUTING.md", "| `g++` | for fun |\n", 1, "another reason"),
        ("CONTRIBUTING.md", "nothing\n", 1, "g++ of tools/install-deps is missing")],
    "accesses-page": [
        (ACCESSES, ACCESS + "STRADSAP_METHOD(dvector)\n", 1, "2 entries, of which 1 are of the form"),
        ("docs/decisions/accesses.md", "# Accesses\n\nOld.\n", 1, "stale: run tools/write-accesses")],
    "diagnostics-page": [
        (TABLE, EXPLAINED + EXPLAINED, 12, "SAP001 is there twice"),
        (TABLE, EXPLAINED.replace("// instead\n", ""), 5, "SAP001 is not explained"),
        (TABLE, EXPLAINED.replace("    bad();", "bad();"), 6, "SAP001 is not explained"),
        ("docs/diagnostics.md", "# Diagnostics\n\nOld.\n", 3, "stale: run tools/write-diagnostics")],
    "format": [("runtime/base/bad.cpp", "// Odd.\nint  x;\n", 2, "clang-format-19 -i runtime/base/bad.cpp")],
    "headers-alone": [("runtime/base/bad.hpp", "#pragma once\n\nstd::string name();\n", 3, "does not stand alone")],
    "tidy": [("runtime/base/bad.cpp", "int NotThisCase() { return 1; }\n", 1, "invalid case style for function")],
    "shell-syntax": [("tools/bad.sh", "#!/bin/bash\nif true\n", 3, "syntax error")],
}

# Files that a fault needs beside it.
BESIDE = {
    "accesses-page": {ACCESSES: ACCESS},
    "diagnostics-page": {TABLE: EXPLAINED},
    "include-lines": {"runtime/loop/x.hpp": "#pragma once\n", "runtime/loop/waves/y.hpp": "#pragma once\n",
                      "runtime/loop/blocks/z.hpp": "#pragma once\n"},
    "tidy": {
        ".clang-tidy": "Checks: '-*,readability-identifier-naming'\nWarningsAsErrors: '*'\nCheckOptions:\n"
                       "  readability-identifier-naming.FunctionCase: lower_case\n",
        "build/dev/compile_commands.json":
            '[{"directory": "..", "file": "runtime/base/bad.cpp", "command": "g++ -c runtime/base/bad.cpp"}]'},
    "packages": {"tools/install-deps": "#!/bin/sh\necho 'g++  compiles'\n"},
}


class CheckTest(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory(prefix="check-")
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            path = os.path.join(folder.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace('".."', f'"{folder.name}"'))
            os.chmod(path, 0o755)
        subprocess.run(["git", "init", "--quiet", folder.name], check=True)
        return folder.name

    def check(self, root, *rules):
        done = subprocess.run([CHECK, "--root", root, *rules], capture_output=True, text=True, timeout=60, check=False)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout

    def test_a_tree_without_faults_passes_every_rule(self):
        self.assertEqual(self.check(self.tree(CLEAN)), (0, ""))

    def test_each_rule_finds_its_fault_at_its_line(self):
        for rule, faults in FAULTS.items():
            for name, text, line, message in faults:
                with self.subTest(rule=rule, file=name, message=message):
                    root = self.tree({**CLEAN, **BESIDE.get(rule, {}), name: text})
                    status, output = self.check(root, rule)
                    self.assertEqual(status, 1)
                    found = [report for report in output.splitlines() if report.startswith(f"{name}:{line}: {rule}: ")]
                    self.assertTrue(any(message in report for report in found), output)

    def test_every_rule_has_a_fault_here(self):
        done = subprocess.run([CHECK, "--help"], capture_output=True, text=True, check=True)
        self.assertEqual(set(done.stdout.split("rules:")[1].split()), set(FAULTS))

    def test_quoted_code_tables_and_uncovered_files_keep_their_words(self):
        page = "Run `what`, [here](who.md).\n\n    what\n\n| who | what |\n\n```\nwhat\n```\n" + "Who\n" * 3
        root = self.tree({**CLEAN, "docs/bad.md": page, "tools/checker/uncovered_words.txt": "docs/bad.md\n"})
        self.assertEqual(self.check(root, "words"), (0, ""))
        self.assertIn("docs/bad.md:10: words: 3 clauses", self.check(self.tree({**CLEAN, "docs/bad.md": page}), "words")[1])

    def commit(self, root):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        for words in (["add", "--force", "."], [*identity, "commit", "--quiet", "--message=x"]):
            subprocess.run(["git", "-C", root, *words], check=True, capture_output=True)

    def test_changed_files_are_those_since_main(self):
        bad = {"runtime/base/bad.cpp": FAULTS["tidy"][0][1]}
        root = self.tree({**CLEAN, **BESIDE["tidy"], **bad})
        subprocess.run(["git", "-C", root, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)
        self.commit(root)
        with open(os.path.join(root, "README.md"), "a", encoding="utf-8") as file:
            file.write("More.\n")
        self.commit(root)
        self.assertEqual(self.check(root, "--changed", "tidy")[0], 0, "the commit before had it too")
        with open(os.path.join(root, "runtime/base/bad.cpp"), "a", encoding="utf-8") as file:
            file.write("int x;\n")
        self.assertEqual(self.check(root, "--changed", "tidy")[0], 1)
        subprocess.run(["git", "-C", root, "checkout", "--quiet", "-b", "work"], check=True)
        self.commit(root)
        self.assertEqual(self.check(root, "--changed", "tidy")[0], 1)

    def test_headers_that_reach_a_changed_file_are_compiled_again(self):
        part, user = "#pragma once\n\n#include <string>\n", '#pragma once\n\n#include "runtime/base/part.hpp"\n\nstd::string name();\n'
        bad = FAULTS["headers-alone"][0]
        root = self.tree({**CLEAN, bad[0]: bad[1], "runtime/base/part.hpp": part, "runtime/base/user.hpp": user})
        subprocess.run(["git", "-C", root, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)
        self.commit(root)
        self.assertEqual(self.check(root, "--changed", "headers-alone")[0], 1, "there is no commit before")
        with open(os.path.join(root, "README.md"), "a", encoding="utf-8") as file:
            file.write("More.\n")
        self.commit(root)
        self.assertEqual(self.check(root, "--changed", "headers-alone"), (0, ""))
        with open(os.path.join(root, "runtime/base/part.hpp"), "w", encoding="utf-8") as file:
            file.write("#pragma once\n")
        status, output = self.check(root, "--changed", "headers-alone")
        self.assertEqual((status, output.count("\n")), (1, 1), output)
        self.assertIn("runtime/base/user.hpp:5: headers-alone: does not stand alone", output)
        with open(os.path.join(root, "runtime/base/new.hpp"), "w", encoding="utf-8") as file:
            file.write(bad[1])
        self.assertEqual(self.check(root, "--changed", "headers-alone")[1].count("\n"), 2)

    def test_a_long_file_is_noted_and_passes(self):
        status, output = self.check(self.tree({**CLEAN, "runtime/base/long.cpp": "int x;\n" * 401}), "file-length")
        self.assertEqual(status, 0)
        self.assertIn("runtime/base/long.cpp:1: file-length (note): 401 lines", output)

    def test_a_line_may_be_excused(self):
        text = "// call(x);  check: allow dead-code, it is an example\nvoid f();  // check: allow dead-code\n"
        self.assertEqual(self.check(self.tree({**CLEAN, "runtime/base/a.cpp": text}), "dead-code")[0], 0)

    def test_ignored_files_are_not_looked_at(self):
        root = self.tree({**CLEAN, ".gitignore": "/build/\n", "build/x.cpp": "int  x;\n// call(x);\n"})
        self.assertEqual(self.check(root, "format", "dead-code")[0], 0)

    def test_a_checkout_of_another_user_is_looked_at(self):
        with mock.patch.dict(os.environ, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}):
            self.assertEqual(self.check(self.tree(CLEAN), "include-lines"), (0, ""))


if __name__ == "__main__":
    unittest.main()
