"""One run, described before anything starts: the program, where it runs, and the environment of each rank.

The variables named here are the whole contract between launcher and runtime.
"""

import os
import shlex
import shutil
import types

from launcher import hosts
from launcher.cores import threads_of_each
from launcher.errors import StartError, UsageError
from launcher.options import OPTIONS, close_to


class Job(types.SimpleNamespace):
    """The ranks to start; plan() sets the fields. All ranks have `environment`; rank_environment() adds the differences."""

    def rank_additions(self, rank, run_dir):
        return {
            "STRADSAP_RANK": str(rank),
            "STRADSAP_LOCAL_RANK": str(rank),
            "STRADSAP_RUN_DIR": run_dir,
            **self.additions,
        }

    def rank_command(self, rank):
        """(words, file to execute); under a debugger, if the rank is to be started so."""
        if rank not in self.debugged:
            return self.command, self.executable
        return [*self.debugger, self.executable, *self.command[1:]], None

    def has_terminal(self, rank):
        """Whether the rank, under a debugger, gets the terminal of the launcher."""
        return self.debugged == [rank] and os.isatty(0) and os.isatty(1)

    def rank_environment(self, rank, run_dir):
        columns = {"STRADSAP_COLUMNS": str(self.columns)} if rank == 0 and self.columns else {}
        return {**self.environment, **self.rank_additions(rank, run_dir), **columns}

    def restarted(self, count):
        """The job of restart `count`. By the number the program knows that its job's checkpoints are to be resumed."""
        again = Job(**vars(self))
        again.additions = dict(self.additions, STRADSAP_RESTART_COUNT=str(count))
        if self.metrics is not None and (self.places or os.path.isfile(self.metrics)):  # the rows of the earlier starts stay
            again.additions["STRADSAP_METRICS"] = f"{self.metrics}.{count}"
        return again

    def without(self, names):
        """The job on the hosts that are left, with their ranks."""
        again = Job(**vars(self))
        again.places, again.world_size = hosts.renumbered([place for place in self.places if place.name not in names])
        again.additions = dict(self.additions, STRADSAP_WORLD_SIZE=str(again.world_size))
        return again



def _columns(settings):
    """The columns that rank 0 has for a progress line; 0 if there is no terminal, or its bytes go through as they come."""
    if not os.isatty(2) or (settings.no_prefix and settings.nproc == 1):
        return 0
    columns = os.get_terminal_size(2).columns or 80
    return max(1, columns - (0 if settings.no_prefix else len("[0] ")) - 1)


def find_program(name, directory, path):
    """The file to execute for `name` in `directory`. Raises StartError, once and before anything is created."""
    if os.sep in name:
        file = os.path.join(directory, name)
        if not os.path.exists(file):
            raise StartError(f"cannot start {name}: no such file in {directory}" if not os.path.isabs(name)
                             else f"cannot start {name}: no such file")
    else:
        file = shutil.which(name, path=path)
        if file is None:
            here = os.path.join(directory, name)
            hint = f", did you mean ./{name}?" if os.path.exists(here) else close_to(name, ["doctor"])
            raise StartError(f"cannot start {name}: not found in PATH{hint}")
        file = os.path.join(directory, file)
    if os.path.isdir(file):
        raise StartError(f"cannot start {name}: it is a directory")
    if not os.access(file, os.X_OK):
        raise StartError(f"cannot start {name}: it is not executable")
    return name if os.sep in name else file  # as typed, because a script has it as $0


def rank_options(settings):
    """The variables of the options that ranks read."""
    found = {}
    for option in OPTIONS:
        value = getattr(settings, option.attribute)
        if option.name == "debug-rank" and settings.debugger is not None:
            continue  # they are started under it
        if option.for_ranks and value is not None and value is not False:
            found[option.variable] = "1" if value is True else str(value)
    return found


def _additions(settings, job_id, threads):
    added = dict(settings.exports)
    added["STRADSAP_WORLD_SIZE"] = str(settings.nproc)
    added["STRADSAP_JOB_ID"] = job_id
    if settings.max_restarts:
        added["STRADSAP_RESTART_COUNT"] = "0"
    return {**added, **rank_options(settings), "STRADSAP_THREADS": str(threads)}


def plan(settings, environment, cores):
    """The job that `settings` ask for. Raises UsageError or StartError; creates nothing."""
    directory = settings.wdir or os.getcwd()
    elsewhere = settings.places is not None  # then the agents look, on their hosts
    if not elsewhere and not os.path.isdir(directory):
        raise StartError(f"cannot start in {directory}: no such directory")
    for spelled, path in (("--stats", settings.stats), ("--metrics", settings.metrics),
                          ("--check-order", settings.check_order)):
        if path is not None and not elsewhere and not os.path.isdir(os.path.dirname(path)):
            raise UsageError(f"{spelled}: no directory {os.path.dirname(path)}")
        if path is not None and os.path.isdir(path):
            raise UsageError(f"{spelled}: {path} is a directory")
    if settings.check_order is not None and settings.check is None:
        raise UsageError("--check-order has nothing to write without --check conflicts")
    threads = settings.threads or threads_of_each(settings.nproc, cores)
    additions = _additions(settings, os.urandom(6).hex(), threads)
    # Ranks do not get the launcher's own variables, so a launcher that a rank starts does not obey them again.
    removals = [option.variable for option in OPTIONS if option.variable in environment and
                (not option.for_ranks or option.variable not in additions)]
    removals += [name for name in ("STRADSAP_COLUMNS",) if name in environment]
    inherited = {name: value for name, value in environment.items() if name not in removals}
    return Job(
        metrics=settings.metrics,
        command=settings.program,
        executable=None if elsewhere else find_program(settings.program[0], directory, {**inherited, **additions}.get("PATH")),
        standard_input=None,  # the launcher's own
        debugger=shlex.split(settings.debugger) if settings.debugger else [],
        debugged=[int(rank) for rank in settings.debug_rank.split(",")] if settings.debugger else [],
        places=settings.places,
        directory=directory,
        world_size=settings.nproc,
        threads=threads,
        environment=inherited,
        additions=additions,
        removals=removals,
        columns=_columns(settings),
    )


def oversubscription(job, cores):
    """A warning if there are more threads than cores, or None."""
    if job.world_size * job.threads <= cores:
        return None
    return (f"oversubscribed: {job.world_size} ranks with {job.threads} threads each on {cores} cores; "
            f"this works, but each waits for the others")


def dry_run_script(job, run_dir):
    """A shell script that starts the same ranks with the same environment; rank 0 last, it owns the standard input."""
    lines = [f"mkdir -m 700 {shlex.quote(run_dir)}"]
    for rank in [*range(1, job.world_size), 0]:
        words = ["env", "-C", job.directory]
        for name in job.removals:
            words += ["-u", name]
        words += [f"{name}={value}" for name, value in job.rank_additions(rank, run_dir).items()]
        line = " ".join(shlex.quote(word) for word in [*words, *job.rank_command(rank)[0]])
        lines.append(line + (" </dev/null &" if rank else ""))
    lines += ["status=$?", "wait", f"rm -r {shlex.quote(run_dir)}", "exit $status"]
    return "\n".join(lines) + "\n"


def dry_run_places(job):
    """A line for each host with its ranks. Agents start them, so there is no script."""
    command = shlex.join(job.command)
    return "".join(f"host {place.name}: rank{'s' if len(place.ranks) > 1 else ''} {', '.join(map(str, place.ranks))}: "
                   f"{command}\n" for place in job.places)
