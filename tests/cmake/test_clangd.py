"""clangd on every example: the user's source is C++ that an editor understands, with the header alone."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TEST_ROOT"])


@unittest.skipUnless(shutil.which("clangd-19"), "clangd-19 is not installed")
class Clangd(unittest.TestCase):
    def check(self, source):
        with tempfile.TemporaryDirectory() as folder:
            row = {"directory": folder, "file": str(source),
                   "command": f"g++ -std=c++20 -isystem {ROOT}/include -c {source}"}
            (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps([row]))
            # a refactoring that clangd offers and cannot do is no error of the source
            return subprocess.run(["clangd-19", f"--check={source}", f"--compile-commands-dir={folder}", "--tweaks=none",
                                   "--log=error"],
                                  capture_output=True, text=True, timeout=240, check=False)

    def test_every_example_is_read_without_an_error(self):
        sources = sorted(ROOT.glob("examples/*/*.cpp"))
        self.assertGreaterEqual(len(sources), 2)
        for source in sources:
            with self.subTest(source.name):
                done = self.check(source)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_error_would_be_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cpp"
            source.write_text("#include <stradsap/stradsap.hpp>\nint main() { return nobody; }\n")
            self.assertNotEqual(self.check(source).returncode, 0)


if __name__ == "__main__":
    unittest.main()
