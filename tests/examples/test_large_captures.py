"""Captured objects (programs/large_capture.cpp): one beyond 2 GB, more than 31 bits count, and one without memory to send it."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from example_case import COMPILER, HERE, ExampleTest

LARGE = 2_300_000_000  # bytes
WANTED = "sum=4008\n"  # 1999 bytes of 1 and one of 5, twice
NEEDED = 12e9  # bytes of memory over sockets: both objects, their encodings, and a message on its way
# The limit of files is that of shared memory, too. A process that ignores the signal gets an error.
LIMITED = 'trap "" XFSZ; ulimit -f 200000; exec "$@"'  # blocks of 512 bytes


def available_bytes():
    with open("/proc/meminfo", encoding="utf-8") as file:
        return 1024 * int(re.search(r"^MemAvailable: *(\d+) kB$", file.read(), re.MULTILINE)[1])


class LargeCaptures(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(folder.cleanup)
        cls.program = os.path.join(folder.name, "large_capture")
        source = os.path.join(HERE, "programs", "large_capture.cpp")
        subprocess.run([COMPILER, "-std=c++20", "-O2", source, "-o", cls.program], check=True)

    def test_it_reaches_all_ranks_beyond_2_gb(self):
        if available_bytes() < NEEDED:
            print(f"SKIPPED: {available_bytes() / 1e9:.1f} GB of memory are available, and {NEEDED / 1e9:.0f} needed")
            return
        for ranks, options in ((1, ()), (2, ()), (2, ("--shared-memory", "0"))):
            self.assertEqual(self.sent(LARGE, ranks, options) // LARGE, ranks - 1, options)

    def sent(self, size, ranks, options=()):
        """The bytes of captured objects that a right run sends."""
        path = os.path.join(self.folder, "stats.json")
        done = self.run_program(self.program, str(size), ranks=ranks, options=[*options, "--stats", path])
        self.assertEqual((done.status, done.output), (0, WANTED), (ranks, options, done.errors))
        with open(path, encoding="utf-8") as file:
            loop, = json.load(file)["loops"]
        return loop["captured_bytes"]

    def test_no_memory_to_send_it_ends_the_run_with_its_size(self):
        size = 150_000_000
        sent = self.sent(size, ranks=2)
        self.assertGreater(sent, size)
        done = self.run_program("/bin/sh", "-c", LIMITED, "sh", self.program, str(size), ranks=2)
        self.assertNotEqual(done.status, 0)
        self.assertEqual(done.output, "")
        found = re.search(r"no memory to send (\d+) bytes of captured values", done.errors)
        self.assertIsNotNone(found, done.errors)
        self.assertGreater(int(found[1]), 200000 * 512)
        self.assertLessEqual(int(found[1]), sent)


if __name__ == "__main__":
    unittest.main()
