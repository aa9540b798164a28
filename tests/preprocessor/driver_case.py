"""Shared by the tests of the driver: a folder of their own, the compiler under test with a light header, a few sources."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LOOP = """#include <stradsap/stradsap.hpp>

struct Row {
  int key;
  double value;
};

int main() {
  stradsap::dvector<Row> rows(10);
  double scale = 2;
  double sum = 0;
  stradsap::parallel_for(rows.size(), [scale, &rows, &sum](int64_t j) {
    Row& row = rows[j];
    row.value = scale * static_cast<double>(j);
    sum += row.value;
  }, stradsap::consistency::async);
  return sum == 90 ? 0 : 1;
}
"""

# Has nothing to rewrite and includes no header: for decisions that precede the analysis; it compiles in no time.
PLAIN = """struct Row {
  double value;
};

int main() {
  Row row{0};
  double sum = 0;
  sum += row.value;
  return sum == 0 ? 0 : 1;
}
"""


class DriverCase(unittest.TestCase):
    built = ""  # path of the compiler in its build

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.compiler = self.light_home(pathlib.Path(held.name) / "home")
        self.folder = pathlib.Path(held.name) / "work"
        self.temporary = pathlib.Path(held.name) / "tmp"
        self.folder.mkdir()
        self.temporary.mkdir()

    def light_home(self, home):
        """A compiler with the header light/. The library's own header takes nearly all of a small program's compile time."""
        (home / "bin").mkdir(parents=True)
        shutil.copy(self.built, home / "bin")
        (home / "include").symlink_to(pathlib.Path(__file__).resolve().parent / "light")
        return str(home / "bin" / "stradsap-cc")

    def needs_header(self):
        """For programs that run, and for tests that depend on the contents of the header."""
        self.compiler = self.built

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def cc(self, *arguments, compiler=None, environment=None, status=0, folder="."):
        variables = {**os.environ, "TMPDIR": str(self.temporary), **(environment or {})}
        if "CXX" not in (environment or {}):
            variables.pop("CXX", None)
        done = subprocess.run([compiler or self.compiler, *arguments], cwd=self.folder / folder, env=variables,
                              capture_output=True, text=True, errors="replace", timeout=240)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def run_in_folder(self, *command, status=0):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())

    def assert_no_temporary_files(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

    def library(self):
        return pathlib.Path(self.built).resolve().parent.parent / "lib" / "libstradsap.a"

    def needs_library(self):
        self.needs_header()
        if not self.library().exists():
            self.skipTest(f"there is no {self.library()}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--compiler", required=True)
    given, rest = options.parse_known_args()
    DriverCase.built = str(pathlib.Path(given.compiler).resolve())
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
