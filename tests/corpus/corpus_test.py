"""Loops after the patterns of known corpora (DataRaceBench, TSVC, RAJAPerf, PolyBench): all are accepted, end as one
serial order with the same bits on all shapes, and under `ordered`, --serial, or without a race as plain C++ does.

    python3 -B corpus_test.py [--bin DIR] [--native KIND] [FILE...]

A file of this folder holds a group of loops, each of which prints a line. Its twin is the same text over std::vector.
KIND is of tools/fuzzer/programs/builds.py: clang0, gcc0 or gcc2.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from fuzzer.programs.builds import Builds, ran  # noqa: E402

FILES = ("clean", "races", "tsvc_one", "tsvc_two", "rajaperf", "polybench")
COUNTS = {"clean": 32, "races": 38, "tsvc_one": 80, "tsvc_two": 71, "rajaperf": 65, "polybench": 30}
SHAPES = ((1, 1), (1, 2), (2, 1), (2, 2))
if os.environ.get("TEST_FEW_SHAPES"):  # of tools/test without --soak
    SHAPES = ((1, 1), (2, 2))
OPTIONS = argparse.Namespace(bin=pathlib.Path(os.environ.get("TEST_BIN", ROOT / "build" / "release" / "bin")), native="clang0")


class Corpus(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory(prefix="corpus.")
        cls.addClassCleanup(held.cleanup)
        cls.builds = Builds(OPTIONS.bin, held.name)
        cls.folder = pathlib.Path(held.name)

    def built(self, name):
        """(the twin, the program, its check build)"""
        source, rewritten = HERE / f"{name}.cpp", self.folder / f"{name}.sap.cpp"
        status, errors = self.builds.rewrite(source, rewritten)
        self.assertEqual((status, errors), (0, ""), "false refusals")
        twin = self.builds.kind("twin").build(source, self.folder / f"{name}.twin")
        return twin, *(self.builds.kind(kind).build(rewritten, self.folder / f"{name}.{kind}") for kind in (OPTIONS.native, "check"))

    def printed(self, program, model, ranks=1, threads=1, **variables):
        """By name of the loop, its line."""
        environment = {"PATH": "/usr/bin:/bin", "STRADSAP_THREADS": str(threads),
                       "ASAN_OPTIONS": "malloc_context_size=0:quarantine_size_mb=16", **variables}
        launched = [OPTIONS.bin / "stradsap-run", "-n", ranks, "--no-prefix", "--"] if ranks > 1 else []
        status, output, errors = ran([*launched, program, model], self.folder, 120, environment)
        self.assertEqual(status, 0, f"{program} {model} on {ranks}x{threads}: {errors}\n{output[-200:]}")
        return {line.split(" ", 1)[0]: line for line in output.splitlines() if line.endswith(" .")}

    def orders(self, check, path):
        """Proves serial orders on one and two ranks; the file of those that a twin can run in."""
        for ranks, threads in ((2, 1), (1, 2)):
            shown = self.printed(check, "async", ranks, threads, STRADSAP_CHECK="conflicts", STRADSAP_CHECK_ORDER=str(path))
        found = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("".join(" ".join(map(str, (one["launch"], *one["order"]))) + "\n" for one in found))
        return shown

    def check(self, name):
        twin, program, check = self.built(name)
        plain = self.printed(twin, "async")
        self.assertEqual(len(plain), COUNTS[name])
        self.assertNotIn(" threw", " ".join(plain.values()))
        self.assertEqual(self.printed(program, "async", STRADSAP_SERIAL="1"), plain, "--serial and plain C++")
        for ranks, threads in SHAPES:
            self.assertEqual(self.printed(program, "ordered", ranks, threads), plain, f"ordered on {ranks}x{threads}")
        one = self.printed(program, "async")
        for ranks, threads in SHAPES[1:]:
            self.assertEqual(self.printed(program, "async", ranks, threads), one, f"{ranks}x{threads} and 1x1")
        orders = self.folder / f"{name}.orders"
        self.assertEqual(self.orders(check, orders), one, "the check build")
        replayed = plain if name == "clean" else self.printed(twin, "async", TWIN_ORDERS=str(orders))
        self.assertEqual(one, replayed, "async and the serial order that was proved")
        return sum(one[loop] != plain[loop] for loop in plain)

    def test_clean_loops_end_as_the_sequential_program(self):
        self.check("clean")

    def test_racy_loops_end_as_a_serial_order(self):
        self.assertGreater(self.check("races"), 5, "loops that show another order than the program's")

    def test_dependences_of_vectorisers(self):
        self.check("tsvc_one")
        self.check("tsvc_two")

    def test_kernels_of_applications(self):
        self.check("rajaperf")

    def test_linear_algebra_and_stencils(self):
        self.check("polybench")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=OPTIONS.bin)
    parser.add_argument("--native", choices=("clang0", "gcc0", "gcc2"), default="clang0")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
