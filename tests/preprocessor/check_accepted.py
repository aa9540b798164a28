"""A program that stradsap-cc accepts: what is inserted, that it compiles without a warning, that it runs.

The insertions are compared with PROGRAM.expected; STRADSAP_APPROVE=1 rewrites that file. A program is run, alone and
on two threads and on two ranks, where the runtime library has been built beside the compiler; it checks itself and
returns 0. Then a plain compiler takes it as it is, and it prints what it prints in program order. Last, a check build
compares every access; on one rank only where the program says "checked on one rank".

A program of several files is a folder: main.cpp and its headers, and in library/ what becomes a static library.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


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


def compile_cleanly(command, source, target):
    flags = ["-Wall", "-Wextra", "-Werror"]
    built = run([*command, *flags, "-c", source.name, "-o", target], source.parent)
    if built.returncode != 0 or built.stderr:
        fail(f"{source} does not compile cleanly with {command[0]}", built)


def build(command, folder, program, name, libraries=()):
    """Compiles and links apart, as larger programs do; what is in library/ beside a main.cpp goes into an archive."""
    sources = sorted(program.parent.glob("library/*.cpp")) if program.stem == "main" else []
    objects = [f"{folder}/{name}_{source.stem}.o" for source in sources]
    for source, target in zip([program, *sources], [f"{folder}/{name}.o", *objects]):
        compile_cleanly(command, source, target)
    archive = [f"{folder}/{name}.a"] if objects else []
    if objects:
        run(["ar", "rcs", *archive, *objects], folder)
    linked = run([command[0], f"{folder}/{name}.o", *archive, *libraries, "-o", f"{folder}/{name}"], folder)
    if linked.returncode != 0:
        fail(f"{name} does not link", linked)


def output(program, command, folder):
    ran = run(command, folder)
    if ran.returncode != 0:
        fail(f"{program} returned {ran.returncode} as {command}, expected 0", ran)
    return ran.stdout


def check_program(compiler, program, folder):
    home = pathlib.Path(compiler).resolve().parent.parent
    if not (home / "lib" / "libstradsap.a").exists():
        return compile_cleanly([compiler], program, f"{folder}/program.o")
    build([compiler, "-O1"], folder, program, "program")
    launcher = home / "bin" / "stradsap-run"
    for how in (["-n", "1", "--threads", "1"], ["-n", "1", "--threads", "2"], ["-n", "2"]):
        output(program, [launcher, *how, "--", f"{folder}/program"], folder)
    check_build(compiler, launcher, program, folder)
    check_plain(compiler, launcher, program, folder)


def check_build(compiler, launcher, program, folder):
    """No iteration touches what its recorded set does not hold, and all have a serial order."""
    build([compiler, "--check"], folder, program, "checked")
    most = 1 if "checked on one rank" in program.read_text() else 2
    for ranks in range(1, most + 1):
        output(program, [launcher, "-n", str(ranks), "--check", "conflicts", "--", f"{folder}/checked"], folder)


def check_plain(compiler, launcher, program, folder):
    libraries = run([compiler, "--showme:link"], folder).stdout.split()
    build(["g++", "-std=c++20", "-I", ROOT / "include"], folder, program, "plain", libraries)
    serial = output(program, [launcher, "--serial", "--no-prefix", "--", f"{folder}/program"], folder)
    plain = output(program, [f"{folder}/plain"], folder)
    if plain != serial:
        fail(f"{program} prints\n{serial}\nin program order, and built by a plain compiler\n{plain}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("--compiler", required=True)
    given = options.parse_args()
    check_insertions(given.compiler, given.program)
    with tempfile.TemporaryDirectory() as folder:
        check_program(given.compiler, given.program, folder)


main()
