"""Hosts and agents of a Slurm job. Slurm names the nodes and the tasks of each; `srun` starts an agent on a node."""

import re
import shlex
import subprocess

from launcher import hosts
from launcher.errors import UsageError

_INTERACTIVE_STEP = "4294967290"  # the shell of salloc, which has one task on one node of the job
_LIST_SECONDS = 30
# Of the job; srun would take them for options of the step of one agent.
_OPTIONS_OF_JOB = ("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_NNODES",
                   "SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_SOCKET", "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK",
                   "SLURM_DISTRIBUTION", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_NODE", "SLURM_MEM_PER_GPU", "SLURM_CPU_BIND",
                   "SLURM_MEM_BIND", "SLURM_EXCLUSIVE", "SLURM_GRES", "SLURM_HINT", "SLURM_THREADS_PER_CORE")


def is_job(environment):
    return "SLURM_JOB_ID" in environment


def _counts(text, nodes):
    """The numbers of "2(x3),1", one for each of so many nodes."""
    counts = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part, re.ASCII)
        if not match or int(match[1]) == 0 or int(match[2] or 1) > nodes:
            raise UsageError(f"Slurm's '{text}' is no list of numbers for {nodes} nodes")
        counts += [int(match[1])] * int(match[2] or 1)
    if len(counts) != nodes:
        raise UsageError(f"Slurm's '{text}' has {len(counts)} numbers for {nodes} nodes")
    return counts


def _names(nodelist):
    """The nodes of a list in Slurm's form. `scontrol` is asked for lists with more than one pair of brackets."""
    try:
        return [host.name for host in hosts.parse_list(nodelist)]
    except ValueError:
        pass
    try:
        done = subprocess.run(["scontrol", "show", "hostnames", nodelist], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=_LIST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"cannot ask scontrol for the nodes of {nodelist}: {error}") from None
    if done.returncode or not done.stdout.split():
        raise UsageError(f"scontrol does not know the nodes of {nodelist}: {done.stderr.strip()}")
    return done.stdout.split()


def nodes_of(environment):
    """The nodes of this step, outside of a step those of the job, each with its tasks as slots. Variables of step and
    job are never mixed. Raises UsageError."""
    in_step = "SLURM_STEP_NODELIST" in environment and environment.get("SLURM_STEP_ID") != _INTERACTIVE_STEP
    tasks = environment.get("SLURM_STEP_NUM_TASKS", "1")
    if in_step and "SLURM_PROCID" in environment and tasks != "1":
        raise UsageError(f"srun has started {tasks} tasks of stradsap-run, and each would start a whole run: "
                         "write stradsap-run without srun; it starts the ranks on the nodes of the job")
    prefix = "SLURM_STEP_" if in_step else "SLURM_"
    nodelist = environment.get(prefix + "NODELIST") or environment.get("SLURM_JOB_NODELIST")
    if not nodelist:
        raise UsageError("--launcher slurm: SLURM_JOB_NODELIST is not set: start it in salloc or sbatch")
    names = _names(nodelist)
    counts = environment.get(prefix + "TASKS_PER_NODE")
    if counts:
        return [hosts.Host(*one) for one in zip(names, _counts(counts, len(names)))]
    total = environment.get("SLURM_NTASKS") or str(len(names))
    if not re.fullmatch(r"[1-9]\d*", total, re.ASCII):
        raise UsageError(f"SLURM_NTASKS is '{total}', which is no number of ranks")
    return [hosts.Host(place.name, len(place.ranks)) for place in hosts.place([hosts.Host(name, 1) for name in names], int(total))]


def _cores(environment, name):
    """The cores that the job has on the node, or None."""
    counts, nodelist = environment.get("SLURM_JOB_CPUS_PER_NODE"), environment.get("SLURM_JOB_NODELIST")
    if not counts or not nodelist:
        return None
    names = _names(nodelist)
    return dict(zip(names, _counts(counts, len(names)))).get(name)


def agent_command(name, python, environment):
    """The command that starts `python`, a shell's words, on a node: a step of its own beside others of the job."""
    cores = _cores(environment, name)
    return ["srun", "--overlap", "--nodes=1", "--ntasks=1", "--nodelist=" + name, "--mem=0", "--cpu-bind=none",
            *([f"--cpus-per-task={cores}"] if cores else []), *shlex.split(python)]


def agent_environment(environment):
    return {name: value for name, value in environment.items() if name not in _OPTIONS_OF_JOB}
