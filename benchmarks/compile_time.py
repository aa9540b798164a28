"""Compares the compile time of plain g++ and stradsap-cc on the same source, in turn.

Times are processor time, user and system, so other work on the machine hardly changes them. Option -time of
stradsap-cc prints its parts. Parsing alone is measured with clang++-19, the parser of stradsap-cc.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile

from measure import Failure

TARGET = 1.6  # times plain g++
_TIME = re.compile(r"^# (\S+) ([\d.]+) ([\d.]+)$", re.MULTILINE)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run compile_time", description=__doc__.split("\n")[0])
    parser.add_argument("--source", help="a program (examples/sgd_mf/sgd_mf.cpp)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--flags", default="-std=c++20 -O3 -march=native", help="of all sides, as --flags=-O2")
    return parser.parse_args(arguments)


def seconds_of(command):
    """Runs a command that must succeed. Returns (its processor time, its stderr)."""
    with tempfile.TemporaryFile() as words:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words)
        except OSError as error:
            raise Failure(f"{command[0]}: {error.strerror}") from error
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        words.seek(0)
        said = words.read().decode(errors="replace")
    if status != 0:
        raise Failure(f"{' '.join(command)}: status {process.returncode}\n{said}")
    return usage.ru_utime + usage.ru_stime, said


def parts_of(said):
    """Seconds of reading and of the native compiler, from the output of -time."""
    times = {os.path.basename(name): float(user) + float(system) for name, user, system in _TIME.findall(said)}
    try:
        return times["stradsap-cc"], times["g++"]
    except KeyError as missing:
        raise Failure(f"stradsap-cc -time did not print the time of {missing}") from missing


def commands(root, source, flags, output):
    compiler = os.path.join(root, "build", "release", "bin", "stradsap-cc")
    include = os.path.join(root, "include")
    sides = {"g++": ["g++", *flags, "-isystem", include, "-c", source, "-o", output],
             "stradsap-cc": [compiler, *flags, "-time", "-c", source, "-o", output]}
    if shutil.which("clang++-19"):
        sides["parse"] = ["clang++-19", *flags, "-w", "-isystem", include, "-fsyntax-only", source]
    return sides


def measure(sides, runs):
    """Median seconds of each side and of the parts of stradsap-cc. The sides run in turn."""
    seconds = {name: [] for name in (*sides, "read", "native")}
    for _ in range(runs):
        for name, command in sides.items():
            used, said = seconds_of(command)
            seconds[name].append(used)
            if name == "stradsap-cc":
                read, native = parts_of(said)
                seconds["read"].append(read)
                seconds["native"].append(native)
    return {name: statistics.median(all_) for name, all_ in seconds.items() if all_}


def print_table(seconds):
    plain = seconds["g++"]
    rows = (("plain g++", "g++"), ("stradsap-cc", "stradsap-cc"), ("  reading: parse and analysis", "read"),
            ("  of which parsing (clang++-19 -fsyntax-only)", "parse"), ("  g++ on the rewritten text", "native"))
    print(f"{'':48}{'seconds':>9}{'x g++':>8}")
    for title, name in rows:
        if name in seconds:
            print(f"{title:48}{seconds[name]:9.2f}{seconds[name] / plain:8.2f}")
    print(f"ratio {seconds['stradsap-cc'] / plain:.2f}, target {TARGET}")


def run(root, place, arguments):
    options = parse_arguments(arguments)
    source = options.source or os.path.join(root, "examples", "sgd_mf", "sgd_mf.cpp")
    with tempfile.TemporaryDirectory() as folder:
        sides = commands(root, source, options.flags.split(), os.path.join(folder, "a.o"))
        seconds = measure(sides, options.runs)
    print(f"Compile time: {os.path.relpath(source, root)}, g++ {options.flags}, median of {options.runs} runs, "
          "processor time")
    print("{}; commit {}".format(*place))
    print_table(seconds)
