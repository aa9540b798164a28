"""Shared by tests that save and resume tests/examples/programs/checkpoints.cpp."""

import os
import subprocess
import tempfile

from example_case import HERE, ExampleTest, quick_compiler


class CheckpointsTest(ExampleTest):
    """`binary` is the program, `saved` a folder for its checkpoints."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(cls.built.cleanup)
        source = os.path.join(HERE, "programs", "checkpoints.cpp")
        cls.binary = os.path.join(cls.built.name, "checkpoints")
        subprocess.run([*quick_compiler("-std=c++20", "-O1"), source, "-o", cls.binary], check=True)

    def setUp(self):
        super().setUp()
        self.saved = os.path.join(self.folder, "saved")
