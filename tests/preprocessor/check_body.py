"""One of the bodies, small: it is given a slice, and prints the same on one rank, two threads and two ranks.

Each program returns 0 only where its objective has improved. The figures come from bodies/measure.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


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
        printed = [run(bin_folder / "stradsap-run", "-n", n, "--threads", t, "--no-prefix", f"{folder}/program", given.size)
                   for n, t in ranks_threads]
    for (n, t), text in zip(ranks_threads, printed):
        if text != printed[0]:
            sys.exit(f"on {n} ranks of {t} threads\n{text}but alone\n{printed[0]}")


main()
