"""Objects of different builds make no program. If they share containers, it does not link; otherwise it ends at its
start."""

import os
import shutil
import subprocess
import tempfile
import unittest

from example_case import COMPILER, ROOT

HEADER = "#include <stradsap/stradsap.hpp>\n"
PLAIN = ["g++", "-std=c++20", "-I", os.path.join(ROOT, "include")]
CHECKED = [COMPILER, "-DSTRADSAP_CHECKED"]


class MixedBuilds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="st-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_here(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=240, check=False)

    def compile(self, command, name, text):
        with open(os.path.join(self.folder, name + ".cpp"), "w", encoding="utf-8") as file:
            file.write(HEADER + text)
        done = self.run_here(*command, "-c", name + ".cpp", "-o", name + ".o")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def link(self):
        return self.run_here(COMPILER, "main.o", "other.o", "-o", "program")

    def test_what_they_hand_to_each_other_does_not_link(self):
        self.compile([COMPILER], "main",
                     "void fill(stradsap::dvector<int>& x);\nint main() { stradsap::dvector<int> x(3); fill(x); }\n")
        for command, linked in ((PLAIN, False), (CHECKED, False), ([COMPILER], True)):
            self.compile(command, "other", "void fill(stradsap::dvector<int>& x) { x[0] = 1; }\n")
            done = self.link()
            self.assertEqual(done.returncode == 0, linked, command)
            self.assertIn("" if linked else "stradsap::dist::dvector<int>", done.stderr)

    def test_where_they_share_nothing_the_program_ends_as_it_starts(self):
        self.compile([COMPILER], "main", "void fill();\nint main() { stradsap::dvector<int> x(3); fill(); }\n")
        for command, status in ((PLAIN, 3), (CHECKED, 3), ([COMPILER], 0)):
            self.compile(command, "other", "void fill() { stradsap::dvector<int> x(3); x[0] = 1; }\n")
            self.assertEqual(self.link().returncode, 0)
            done = self.run_here("./program")
            self.assertEqual(done.returncode, status, command)
            self.assertIn("compile all sources in one way" if status else "", done.stderr)


if __name__ == "__main__":
    unittest.main()
