"""The tests that have to notice a mutant, for each folder: quick ones that see most, then slow ones for those that are left.

A test is a command; status 0 means that it has seen no fault. Its tree is the mutated copy.
"""

import ast
import os
import pathlib
import re
import sys
from dataclasses import dataclass

PYTHON = [sys.executable, "-B"]
ACCEPTED = ("spans", "transactions", "waves", "batches", "accumulations", "map_operations", "slices", "erasures",
            "exact_folds", "sync_merges", "globals", "field_versions", "dmultimaps", "random", "reductions", "bootstrap", "struct_keys")
# which tests look at a room: they come first, until kills are known
LIKELY = {
    "waves": "waves|/spans|/slices", "transactions": "transactions|program_order|/erasures", "accumulate": "additions_test|/accumulations|/exact_folds|/map_op", "batches": "batches|shards|/sync_merges",
    "access": "/spans|/field_versions|check_build|stray|missed|transactions|unseen", "blocks": "factorization|move|exception|total|sockets",
    "plan": "move|plan|growth|factorization", "launch": "exception|draw|model|range|refused", "run": "exception",
    "captures": "captur|functor|lambda|reduc|global", "refusals": "refused/", "pointers": "pointer|span|lost|reference",
    "interleaving": "side_by_side|odd_sums|fold", "slicing": "slice|side_by_side|guard|random", "frontend": "loop|option|macro",
    "dependences": "slice|index|hidden|dependence", "code": "access_kinds|idioms|habits|writes|fold|fields|constant",
    "source": "macro|fix_its|warnings", "findings": "refused/",
}


@dataclass(frozen=True)
class Test:
    name: str
    command: tuple
    folder: str = "."  # in the tree
    stage: int = 0     # stages run one after the other; within one, the tests that have found most come first
    seconds: float = 0  # a longer time is no fault
    keeps: bool = False  # a first run, without a mutant, compiles for all later ones


@dataclass(frozen=True)
class Suite:
    targets: tuple
    tests: tuple


def _methods(file):
    """Class.method of each test in a unittest file."""
    module = ast.parse(file.read_text())
    return [f"{one.name}.{test.name}" for one in module.body if isinstance(one, ast.ClassDef)
            for test in one.body if isinstance(test, ast.FunctionDef) and test.name.startswith("test")]


def _unittests(tree, file, stage=0):
    path = tree / file
    return [Test(f"{path.stem}.{method}", (*PYTHON, path.name, "-f", method), str(pathlib.Path(file).parent), stage)
            for method in _methods(path)]


def _ctest(build, names, stage):
    return [Test(name, ("ctest", "--test-dir", str(build), "-R", f"^{name.replace('.', '[.]')}$", "-FA", ".*",
                        "--output-on-failure", "--stop-on-failure"), stage=stage, seconds=900) for name in names]


def _accepted_runs(tree, build):
    """Accepted programs that use much of the runtime, compiled once."""
    return [Test(f"accepted_runs/{name}", (*PYTHON, "check_accepted.py", f"accepted/{name}.cpp", "--compiler",
                                           str(build / "bin" / "stradsap-cc"), "--objects", str(build.parent / "objects")),
                 "tests/preprocessor", seconds=60, keeps=True)
            for name in ACCEPTED if (tree / "tests/preprocessor/accepted" / f"{name}.cpp").exists()]


def _runtime(tree, build):
    unit = Test("runtime_unit", (str(build / "bin" / "runtime_unit"), "--abort"))
    programs = [test for topic in ("programs", "additions", "simulation")
                for test in _unittests(tree, f"tests/runtime/{topic}_test.py")]
    wrong = [test for test in _unittests(tree, "tests/examples/test_check_build.py") if ".WrongText." in test.name]
    shapes = ("runtime.programs", "runtime.additions")  # again, on all ranks and threads
    # in one go: the first one builds the programs of the others
    examples = "build|same_result|edges|check_build|cd_mf|plan_cache|simulate|failures|shared_work"
    whole = _ctest(build, [*shapes, f"examples.({examples})", "corpus.accepted"], stage=1)
    return Suite(("tests/runtime/all",), (unit, *_accepted_runs(tree, build), *programs, *wrong, *whole))


def _analyze(tree, build):
    compiler = ("--compiler", str(build / "bin" / "stradsap-cc"))
    home = "tests/preprocessor"
    quick = []
    for folder in ("accepted", "bodies"):
        quick += [Test(f"{folder}/{path.name}", (*PYTHON, "check_accepted.py", f"{folder}/{path.name}", "--only-insertions", *compiler), home)
                  for path in sorted((tree / home / folder).glob("*.cpp")) if path.with_suffix(".expected").exists()]
    for folder in ("refused", "transactions"):
        quick += [Test(f"{folder}/{path.name}", (*PYTHON, "check_refused.py", f"{folder}/{path.name}", *compiler), home)
                  for path in sorted((tree / home / folder).glob("*.cpp"))]
    quick += _ctest(build, ["corpus.refused"], stage=0)
    quick += [Test(f"test_{name}", (*PYTHON, f"test_{name}.py", "-f", *compiler), home)
              for name in ("access_kinds", "warnings", "explain", "fix_its")]
    whole = _ctest(build, ["corpus.accepted", "examples.loops_of_programs", "examples.vectorised"], stage=1)
    return Suite(("stradsap-cc",), (*quick, *whole))


SUITES = {"runtime": _runtime, "preprocessor": _analyze}


def is_likely(test, file):
    """Whether a test is known to look at the room of a file."""
    return re.search(LIKELY.get(os.path.basename(os.path.dirname(file)), "^$"), test.name) is not None


def suite_for(folder, tree, build):
    """The suite of the first folder of a path."""
    return SUITES[folder.split(os.sep)[0]](pathlib.Path(tree), pathlib.Path(build))
