"""Compiles the sides of a workload, with the tools that they need."""

import glob
import os
import shlex
import shutil
import subprocess
import sys

from measure import Failure
from sides import PLAIN, kind_of

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
COMPILER = os.path.join(ROOT, "build", "release", "bin", "stradsap-cc")


def say(text):
    """Prints progress to stderr; stdout has only the table."""
    print(text, file=sys.stderr, flush=True)


def call(command):
    """Runs a command that must succeed. Its output goes to stderr, for the user."""
    say("+ " + " ".join(command))
    try:
        status = subprocess.run(command, stdout=2, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}") from error
    if status != 0:
        raise Failure(f"{command[0]}: status {status}")


def prepare_tools(sides):
    """Installs the compilers of the rivals and builds ours, if the sides need them."""
    needed = {"g++"} | ({"mpicxx", "mpirun"} if any(kind_of(side) == "mpi" for side in sides) else set())
    if not all(shutil.which(tool) for tool in needed):
        call([os.path.join(ROOT, "tools", "install-deps"), "--benchmarks"])
    if any(has_library(side) for side in sides):
        call([os.path.join(ROOT, "tools", "build"), "release", "stradsap-cc", "stradsap", "make-data"])


def compile_if_stale(command, target, inputs):
    """Runs command(path), which makes a binary at path, unless target is newer than all inputs."""
    if os.path.exists(target) and all(os.path.getmtime(i) < os.path.getmtime(target) for i in inputs):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    partial = f"{target}.{os.getpid()}"  # renamed when complete, so a concurrent run keeps its binary
    call(command(partial))
    os.replace(partial, target)


def libraries(release):
    folder = os.path.join(release, "lib")
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith((".a", ".so"))]


def headers():
    return glob.glob(os.path.join(ROOT, "include", "**", "*.hpp"), recursive=True)


def has_library(side):
    """Whether a side is ours, by either compiler."""
    return kind_of(side) in ("stradsap", PLAIN)


def link_options():
    """The options by which a plain compiler links our library."""
    done = subprocess.run([COMPILER, "--showme:link"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{COMPILER} --showme:link: {done.stderr}")
    return shlex.split(done.stdout)


def inputs_of_ours():
    """The files that decide the binary of a side of ours, beside the source."""
    return [COMPILER, *libraries(os.path.join(ROOT, "build", "release")), *headers()]


def build_capacity(folder):
    """The program of the capacity gate."""
    return build_probe("capacity", folder)


def build_probe(name, folder):
    """A program that measures the machine."""
    source, target = os.path.join(HERE, f"{name}.cpp"), os.path.join(folder, name)
    compile_if_stale(lambda partial: ["g++", "-std=c++20", "-O2", "-pthread", source, "-o", partial], target, [source])
    return target
