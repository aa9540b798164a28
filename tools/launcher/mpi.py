"""Ranks that Open MPI's mpirun starts: stradsap-run becomes mpirun, and leaves hosts, output, signals and statuses to it.

The ranks find each other from mpirun's variables, as those of `mpirun ./program` do (docs/decisions/direct-starts.md).
"""

import math
import os
import shlex
import shutil
import signal
import subprocess

from launcher.errors import StartError, UsageError
from launcher.job import rank_options
from launcher.options import CONTRACT, OPTIONS

_NAMES = ("mpirun", "mpiexec", "mpirun.openmpi", "orterun")
_VERSION_SECONDS = 10
_FOR_RANKS_TOO = ("STRADSAP_RENDEZVOUS", "STRADSAP_KEY_FILE", "STRADSAP_INTERFACE")
# Open MPI's own variables for bindings, of versions 4 and 5; they win.
_BINDING = ("OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy", "PRTE_MCA_hwloc_default_binding_policy",
            "PRTE_MCA_rmaps_default_mapping_policy")


def _version(path):
    """The line by which a program tells its version; the reason if it does not."""
    try:
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=_VERSION_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return next((line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()), "of no version")


def find(environment):
    """The path and the version of Open MPI's mpirun. Raises StartError."""
    others = []
    for name in _NAMES:
        path = shutil.which(name, path=environment.get("PATH"))
        if path is None:
            continue
        version = _version(path)
        if "Open MPI" in version or "OpenRTE" in version:  # mpiexec of version 4 calls itself so
            return path, version
        others.append(f"; {path} is: {version}")
    raise StartError(f"--launcher mpi: no mpirun or mpiexec of Open MPI in the PATH{''.join(others)} "
                     "(Debian's package is openmpi-bin)")


def shown(environment):
    """A line on mpirun, for --show-config."""
    try:
        return "%s: %s\n" % find(environment)
    except StartError as error:
        return f"{error}\n"


def check(settings, environment):
    """Refuses the options that mpirun cannot obey, with advice. Raises UsageError."""
    for starter, name in (("mpirun", "OMPI_COMM_WORLD_SIZE"), ("srun", "SLURM_STEP_NUM_TASKS")):
        if environment.get(name, "1") != "1":
            raise UsageError(f"{starter} has started {environment[name]} copies of stradsap-run, and each would start a whole "
                             f"run: write stradsap-run --launcher mpi without {starter}")
    advice = {
        "output": "mpirun passes the output on; it writes files with OMPI_MCA_orte_output_filename=DIR in the environment",
        "ranks": "mpirun passes the output on, of all ranks",
        "max-restarts": "mpirun starts no rank again; --launcher ssh does, on the same hosts",
        "min-ranks": "mpirun starts no rank again; --launcher ssh does, on the same hosts",
        "debugger": "mpirun gives no rank the terminal; --debug-rank alone makes a rank wait for gdb -p",
        "serial": "it is for one rank of this machine; leave out --launcher mpi",
        "simulate": "it is for one rank of this machine; leave out --launcher mpi",
    }
    for name, words in advice.items():
        option = next(one for one in OPTIONS if one.name == name)
        if getattr(settings, option.attribute) not in (None, False, option.default):
            spelled = "--" + name if settings.origin[name] == "flag" else option.variable
            raise UsageError(f"{spelled} does not go with --launcher mpi: {words}")
    program = settings.program
    if ":" in program:
        raise UsageError("--launcher mpi: mpirun takes the argument ':' for the begin of another program; write another argument")
    if program and program[0].startswith("-"):
        raise UsageError(f"--launcher mpi: mpirun would take {program[0]} for an option; write its path")


def _for_ranks(settings, environment):
    """The variables that all ranks get, on all hosts."""
    passed = {name: environment[name] for name in _FOR_RANKS_TOO if environment.get(name)}
    passed.update(settings.exports)
    passed["STRADSAP_JOB_ID"] = os.urandom(6).hex()  # two mpiruns of one home never meet
    passed.update(rank_options(settings))
    if settings.interface is not None:
        passed["STRADSAP_INTERFACE"] = settings.interface
    return passed


def _words(settings, mpirun, passed, environment):
    """The command. Values of variables are not in it: mpirun takes them from its own environment."""
    words = [mpirun]
    if settings.nproc is not None:
        words += ["-n", str(settings.nproc)]
    if settings.listed is not None:
        words += ["-H", ",".join(f"{host.name}:{host.slots}" for host in settings.listed)]
    words += ["--wdir", settings.wdir or os.getcwd()]
    if not any(environment.get(name) for name in _BINDING):
        words += ["--bind-to", "none"]  # the ranks of a host share its cores, as without mpirun
    if settings.timeout:
        words += ["--timeout", str(math.ceil(settings.timeout))]
    if settings.origin.get("kill-grace"):
        words += ["--mca", "odls_base_sigkill_timeout", str(math.ceil(settings.kill_grace))]
    if settings.origin.get("ssh"):
        words += ["--mca", "plm_rsh_agent", settings.ssh]
    for name in passed:
        words += ["-x", name]
    return words + settings.program


def _dropped(passed, environment):
    """The launcher's own variables, and those of a run that this one is started in."""
    own = {option.variable for option in OPTIONS} | set(CONTRACT)
    return [name for name in environment if name in own and name not in passed]


def script(settings, environment):
    """A shell's command for the run, for --dry-run. Raises StartError."""
    passed = _for_ranks(settings, environment)
    words = _words(settings, find(environment)[0], passed, environment)
    return shlex.join(["env", *(word for name in _dropped(passed, environment) for word in ("-u", name)),
                       *(f"{name}={value}" for name, value in passed.items()), *words]) + "\n"


def run(settings, environment):
    """Becomes mpirun. Raises StartError."""
    mpirun, _ = find(environment)
    passed = _for_ranks(settings, environment)
    words = _words(settings, mpirun, passed, environment)
    dropped = _dropped(passed, environment)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and a new program would, too
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(mpirun, words, {**{name: value for name, value in environment.items() if name not in dropped}, **passed})
    except OSError as error:
        raise StartError(f"--launcher mpi: cannot start {mpirun}: {error.strerror}") from None
