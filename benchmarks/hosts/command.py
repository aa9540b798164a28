"""Measures starts, recovery, checkpoints, encryption, and runs between hosts, and compares each figure with its aim.

Hosts are network namespaces of this machine, joined by veth, with a real sshd in each (tests/support/namespaces.py). Without the
right to make them, the figures of this machine remain, and the others are named as left out.
"""

import argparse
import os
import sys
import tempfile

from build import ROOT, build_probe, call, compile_if_stale, inputs_of_ours, say
from hosts import measurements
from measure import CapacityGate, Failure
from programs import Program

sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from namespaces import TC, Network, obstacle  # noqa: E402

HEAD = ["figure", "median", "least to most", "aim", "met", "more"]
WORKLOAD_SIDES = {"memory": ["stradsap"], "encryption": ["stradsap"], "simulation": ["stradsap"], "mpi": ["mpi-strata", "mpi", "stradsap"]}
DATA = {"memory": "gen10m", "encryption": "gen1m", "simulation": "gen1m", "mpi": "gen10m"}
FLAGS = ["-std=c++20", "-O3", "-march=native"]


def names(text):
    found = text.split(",")
    for name in found:
        if name not in measurements.ALL:
            raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(measurements.ALL)}")
    return found


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/run hosts", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", type=names, default=list(measurements.ALL), metavar="NAMES",
                        help=f"some of {','.join(measurements.ALL)} (all)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each figure, and of those against MPI half as many (5)")
    parser.add_argument("--disk", default=os.path.join(ROOT, "build"), help="folder for checkpoints (build)")
    parser.add_argument("--steps", type=int, default=20, help="work per element in the loop beside a checkpoint (20)")
    parser.add_argument("--no-build", action="store_true", help="use the tools and binaries that are there")
    parser.add_argument("--json", metavar="F", help="write every figure to F")
    parser.add_argument("--publish", action="store_true", help="write the figures to benchmarks/results/hosts.json; refused if a "
                        "run is not gated, figures are left out, or the files are not committed")
    options = parser.parse_args(arguments)
    options.workload, options.fast_math = "sgd_mf", False
    options.sides = sorted({side for name in options.only for side in WORKLOAD_SIDES.get(name, [])})
    return options


def build_epochs(folder):
    """The program that starts, saves and dies."""
    source, target = os.path.join(os.path.dirname(os.path.realpath(__file__)), "epochs.cpp"), os.path.join(folder, "epochs")
    compiler = os.path.join(ROOT, "build", "release", "bin", "stradsap-cc")
    compile_if_stale(lambda partial: [compiler, *FLAGS, source, "-o", partial], target, [source, *inputs_of_ours()])
    return target


def build_messages(options):
    """The program that measures messages between hosts; it is a part of the build."""
    if not options.no_build:
        call([os.path.join(ROOT, "tools", "build"), "release", "message_costs"])
    return os.path.join(ROOT, "build", "release", "bin", "message_costs")


def reason_without_hosts():
    if not os.path.exists(TC):
        return "tc is missing (tools/install-deps --cluster-tests)"
    return obstacle()


def run(options, binaries, data):
    """All lines, as measurements.Aim. `binaries` by side, `data`: files by name."""
    folder = os.path.join(ROOT, "build", "benchmarks")
    binaries = {**binaries, "epochs": build_epochs(folder)}
    if "memory" in options.only:
        binaries["lda"] = Program("lda").build("stradsap", folder, FLAGS)
    gate = CapacityGate(build_probe("capacity", folder))
    reason = reason_without_hosts()
    if reason:
        say(f"SKIPPED: all figures between hosts: {reason}")
        if options.publish:
            raise Failure("nothing is published without the figures between hosts")
    elif "simulation" in options.only:
        binaries = {**binaries, "messages": build_messages(options)}
    with tempfile.TemporaryDirectory(prefix="sap-") as place:
        network = None if reason else Network(place, hosts=4)
        try:
            if network:
                network.make()
                network.start_servers()
            bench = measurements.Bench(ROOT, binaries, data, options, gate, network)
            lines = []
            for name in options.only:
                for one in measurements.ALL[name](bench):
                    say(" | ".join(one.cells()))
                    lines.append(one)
            return lines, bench.ungated
        finally:
            if network:
                network.remove()
