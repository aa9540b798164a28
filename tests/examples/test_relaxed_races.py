"""The thread sanitizer finds no race in loops over containers that are consistency::stale."""

import os
import re
import subprocess
import tempfile
import unittest

from example_case import BIN, HERE, ExampleTest, quick_compiler

SHAPES = [(1, 2), (2, 2)]  # ranks, threads of each
RUNS = {"delayed": (("ranges", "1"), ("ranges", "2"), ("blocks",), ("merges", "1"), ("other types", "1")),
        "relaxed": tuple((kind, *bound) for bound in ((), ("1",)) for kind in (
            "places", "shards", "matrices", "hottest", "hottest vectors", "hot counts", "adaptive", "adaptive alone",
            "waves", "drawn", "throwing"))}


class RelaxedRaces(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.path.exists(os.path.join(os.path.dirname(BIN), "lib", "libstradsap_tsan.a")):
            raise unittest.SkipTest("there is no libstradsap_tsan.a")
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        flags = ("-std=c++20", "-O1", "-g", "-fsanitize=thread", "-Wno-stradsap-unknown-function")
        for name in RUNS:
            source = os.path.join(HERE, "programs", name + ".cpp")
            setattr(cls, name, os.path.join(built.name, name))
            subprocess.run([*quick_compiler(*flags), source, "-o", getattr(cls, name)], check=True)

    def test_no_thread_touches_what_another_one_changes(self):
        for name, runs in RUNS.items():
            for arguments in runs:
                for ranks, threads in SHAPES:
                    with self.subTest(name, arguments=arguments, ranks=ranks, threads=threads):
                        done = self.run_program(getattr(self, name), *arguments, ranks=ranks, threads=threads)
                        reports = re.findall("(?m)^.*Sanitizer.*$", done.errors)
                        self.assertEqual((done.status, reports), (0, []), done.errors[:6000])


if __name__ == "__main__":
    unittest.main()
