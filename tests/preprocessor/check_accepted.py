"""A program that stradsap-cc accepts: what is inserted, that it compiles without a warning, that it runs.

The insertions are compared with PROGRAM.expected; STRADSAP_APPROVE=1 rewrites that file. A program is run, alone and
on two ranks and on two threads, where the runtime library has been built beside the compiler; it checks itself and
returns 0. A program of several files is a folder: main.cpp and its headers, and in library/ what becomes a static library.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)


def fail(what, done=None):
    print(what)
    if done is not None:
        print(done.stdout + done.stderr)
    sys.exit(1)


def check_insertions(compiler, program):
    done = run([compiler, "--show-rewrite", program.name], program.parent)
    if done.returncode != 0:
        fail(f"{program} is refused", done)
    golden = program.with_suffix(".expected")
    if os.environ.get("STRADSAP_APPROVE") == "1":
        golden.write_text(done.stdout)
    expected = golden.read_text() if golden.exists() else ""
    if done.stdout != expected:
        fail(f"{golden} says\n{expected}\nbut the insertions are\n{done.stdout}")


def compile_cleanly(compiler, source, target):
    flags = ["-O1", "-Wall", "-Wextra", "-Werror"]
    built = run([compiler, *flags, "-c", source.name, "-o", target], source.parent)
    if built.returncode != 0 or built.stderr:
        fail(f"{source} does not compile cleanly", built)


def static_library(compiler, program, folder):
    """The archive of what is in library/ beside a main.cpp, as arguments of the linker."""
    sources = sorted(program.parent.glob("library/*.cpp")) if program.stem == "main" else []
    objects = [f"{folder}/{source.stem}.o" for source in sources]
    for source, target in zip(sources, objects):
        compile_cleanly(compiler, source, target)
    if not objects:
        return []
    run(["ar", "rcs", f"{folder}/library.a", *objects], folder)
    return [f"{folder}/library.a"]


def check_program(compiler, program, folder):
    compile_cleanly(compiler, program, f"{folder}/program.o")
    archive = static_library(compiler, program, folder)
    library = pathlib.Path(compiler).resolve().parent.parent / "lib" / "libstradsap.a"
    if not library.exists():
        print("compiled only: there is no", library)
        return
    linked = run([compiler, f"{folder}/program.o", *archive, "-o", f"{folder}/program"], folder)
    if linked.returncode != 0:
        fail(f"{program} does not link", linked)
    launcher = pathlib.Path(compiler).resolve().parent / "stradsap-run"
    for how in (["-n", "1", "--threads", "1"], ["-n", "1", "--threads", "2"], ["-n", "2"]):
        ran = run([launcher, *how, "--", f"{folder}/program"], folder)
        if ran.returncode != 0:
            fail(f"{program} returned {ran.returncode} with {' '.join(how)}, expected 0", ran)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("--compiler", required=True)
    given = options.parse_args()
    check_insertions(given.compiler, given.program)
    with tempfile.TemporaryDirectory() as folder:
        check_program(given.compiler, given.program, folder)


main()
