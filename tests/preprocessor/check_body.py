"""One of the bodies, small: it is given a slice, and prints the same on one rank, two threads and two ranks.

Its twin is the program itself, built by g++ alone: --serial prints the same, and each figure of the distributed runs is
within its tolerance of the twin's. Each program returns 0 only where its objective has improved. Figures of large runs come
from bodies/measure.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOLERANCE = 0.03  # another serial order of the same updates
IN_PROGRAM_ORDER = re.compile(r"stradsap: warning: .*: the loop runs in program order on one thread: .*\n")
TOLERANCE_OF = {"lda": 0.15}  # topics of one block's tokens settle together, so fewer sweeps are enough


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    if done.returncode != 0 or IN_PROGRAM_ORDER.sub("", done.stderr):
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def figures(text):
    return [float(number) for number in re.findall(r"=(\S+)", text)]


def check_twin(given, folder, launcher, printed):
    """`printed` is the output of the distributed runs."""
    libraries = run(given.compiler, "--showme:link").split()
    run("g++", "-std=c++20", "-O2", "-I", ROOT / "include", given.program, *libraries, "-o", f"{folder}/twin")
    twin = run(f"{folder}/twin", given.size)
    serial = run(launcher, "--serial", "--no-prefix", f"{folder}/program", given.size)
    if serial != twin:
        sys.exit(f"in program order\n{serial}but as plain C++\n{twin}")
    if len(figures(printed)) != len(figures(twin)):
        sys.exit(f"distributed\n{printed}but as plain C++\n{twin}")
    tolerance = TOLERANCE_OF.get(given.program.stem, TOLERANCE)
    for found, right in zip(figures(printed), figures(twin)):
        if abs(found - right) > tolerance * abs(right):
            sys.exit(f"{found} is far from {right}: distributed\n{printed}but as plain C++\n{twin}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("--compiler", required=True)
    options.add_argument("--size", default="2000")
    given = options.parse_args()
    if "::stradsap::stradsap_sliced(" not in run(given.compiler, "--show-rewrite", given.program.name, cwd=given.program.parent):
        sys.exit(f"{given.program} is given no slice")
    bin_folder = pathlib.Path(given.compiler).resolve().parent
    if not (bin_folder.parent / "lib" / "libstradsap.a").exists():
        print("sliced only: there is no library")
        return
    with tempfile.TemporaryDirectory() as folder:
        run(given.compiler, "-O2", "-Wall", "-Wextra", "-Werror", given.program, "-o", f"{folder}/program")
        ranks_threads = [(1, 1), (1, 2), (2, 1)]
        launcher = bin_folder / "stradsap-run"
        printed = [run(launcher, "-n", n, "--threads", t, "--no-prefix", f"{folder}/program", given.size)
                   for n, t in ranks_threads]
        check_twin(given, folder, launcher, printed[0])
    for (n, t), text in zip(ranks_threads, printed):
        if text != printed[0]:
            sys.exit(f"on {n} ranks of {t} threads\n{text}but alone\n{printed[0]}")


main()
