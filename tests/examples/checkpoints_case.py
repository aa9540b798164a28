"""Shared by tests that save and resume tests/examples/programs/checkpoints.cpp."""

import os
import subprocess
import tempfile

from example_case import HERE, ExampleTest, processes_of, quick_compiler


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

    def ranks_now(self):
        """{rank: pid}. The process that writes a checkpoint has its parent's environment and session."""
        found = {}
        for pid, environment in processes_of(os.fsencode(self.base)).items():
            try:
                if os.readlink(f"/proc/{pid}/exe") == self.binary and os.getsid(pid) == pid:
                    found[int(environment[b"STRADSAP_RANK"])] = pid
            except (OSError, KeyError):
                pass  # it has ended meanwhile
        return found
