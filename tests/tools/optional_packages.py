"""Tests that leave a side out where its program is missing. ctest's summary then names this test as skipped: status 77.

Without it, a test that compares one side less would look as if it had compared all.
"""

import os
import shutil
import socket
import subprocess
import sys

NEEDED = {
    "mpicxx": "the MPI sides of benchmarks.sgd_mf, cd_mf and driver (tools/install-deps --benchmarks)",
    "mpirun": "the MPI sides of benchmarks.sgd_mf, cd_mf and driver, runtime.direct_starts and launcher_mpi (tools/install-deps --benchmarks)",
    "objdump": "the machine code of the rivals in benchmarks.sgd_mf",
    "sshd": "ranks on several hosts in runtime.namespaces and examples.restarts (tools/install-deps --cluster-tests)",
    "ip": "the networks of these hosts (tools/install-deps --cluster-tests)",
    "tc": "the bandwidth of these networks in benchmarks.hosts (tools/install-deps --cluster-tests)",
    "slurmctld": "jobs of a real Slurm in runtime.slurm (tools/install-deps --cluster-tests)",
    "slurmd": "the nodes of these jobs (tools/install-deps --cluster-tests)",
    "munged": "the daemon that Slurm trusts (tools/install-deps --cluster-tests)",
    "srun": "tasks in these jobs (tools/install-deps --cluster-tests)",
    "gdb": "breakpoints in preprocessor.driver.tools and native_compiler",
    "clangd-19": "the editor's view in cmake.clangd and cmake.package",
    "ccache": "preprocessor.driver.caches and cmake.package",
    "clang++-19": "the second compiler in preprocessor.driver.native_compiler and caches",
}

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
MODULES = {
    "matplotlib": "the drawings of tools.plot (tools/install-deps --benchmarks)",
    "yaml": "the manifest for Kubernetes in runtime.direct_starts (tools/install-deps)",
}


def has_module(name):
    return subprocess.run(["/usr/bin/python3", "-Ic", f"import {name}"], capture_output=True, check=False).returncode == 0


missing = [(name, what) for name, what in NEEDED.items() if shutil.which(name, path=PATH) is None]
missing += [(f"python3-{name}", what) for name, what in MODULES.items() if not has_module(name)]
try:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
        probe.bind(("::1", 0))
except OSError:
    missing.append(("IPv6", "ranks that meet by it in runtime.hosts"))
for name, what in missing:
    print(f"SKIPPED: {name} is not there: {what}")
sys.exit(77 if missing else 0)
