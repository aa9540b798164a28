"""The starts of one run: the first, and after a failure that another start may cure the next, up to --max-restarts.

A restart is a new start of all ranks, of which the program goes on from its newest checkpoint (docs/decisions/restarts.md). Each
has a folder, sockets and keys of its own, so that a process of an earlier start reaches none of the later ones.
"""

import os
import signal

from launcher import report
from launcher.console import Console, Interrupted
from launcher.errors import LOST_PEER, SIGNAL_BASE, START_FAILED, StartError
from launcher.fleet import Local
from launcher.supervisor import End, Supervisor


def is_curable(failed):
    """Whether another start may end better. The rank's own decision to end stands: a status of the program, or abort(), by
    which uncaught exceptions and failed assertions end. A program with the same bits would decide the same again."""
    return bool(failed.lost) or failed.status == LOST_PEER or failed.killed_by not in (None, signal.SIGABRT)


def run(planned, settings, guard):
    """The exit status of the run. Raises StartError if the first start fails before its first rank."""
    console = Console(settings.output)
    try:
        end = _Starts(planned, settings, guard, console).run()
    except Interrupted as asked:
        end = End(SIGNAL_BASE + asked.number, report.interrupted(asked.number), None, True)
    console.say(*end.lines)
    console.flush()
    return end.status


class _Starts:
    """All starts of a run. One thread, the main one."""

    def __init__(self, planned, settings, guard, console):
        self._first, self._job = planned, planned  # of the first start, and of the current one
        self._settings, self._guard, self._console = settings, guard, console
        self._count = 0  # of restarts
        self._saved = None  # see saved.newest()
        self._saved_before = None  # at the restart before
        self._lost_hosts = []
        self._left_out = []  # hosts

    def run(self):
        while True:
            end, cause = self._start()
            if cause is None or end.was_asked:
                return end
            if self._count == self._settings.max_restarts:
                return end if self._count == 0 else end._replace(lines=[*end.lines, f"no restart is left of {self._count}"])
            self._count += 1
            self._leave_out(self._lost_hosts)
            self._console.say(*self._announcement(cause))
            self._console.rewind_input()

    # --- one start ---

    def _start(self):
        """(End, cause). The cause is a clause on a failure that another start may cure, else None."""
        while True:
            try:
                return self._start_on_hosts_left()
            except StartError as error:
                if self._count == 0:
                    raise
                if not self._leave_out(error.hosts):
                    return End(START_FAILED, [str(error)], None, False), str(error)

    def _start_on_hosts_left(self):
        self._job, self._lost_hosts = self._next_job(), []
        fleet = self._fleet()
        try:
            fleet.prepare(self._console)
            self._warn(fleet)
            end = Supervisor(self._job, self._settings, fleet, self._console, self._may_restart).run()
            self._warn_of_strangers(fleet, end)
        finally:
            if fleet.saved() is not None:
                self._saved = fleet.saved()
            fleet.close()
        self._lost_hosts = fleet.lost_hosts()
        if end.failed is None:
            return end, None
        if is_curable(end.failed):
            return end, report.cause(end.failed) + report.while_stopped(end.suspended)
        if self._settings.max_restarts:
            end.lines.append(f"no restart, since rank {end.failed.number} ended by itself")
        return end, None

    def _may_restart(self, failed):
        return self._count < self._settings.max_restarts and is_curable(failed)

    def _next_job(self):
        job = self._first.without(self._left_out) if self._left_out else self._first
        return job.restarted(self._count) if self._count else job

    def _fleet(self):
        if not self._job.places:
            return Local(self._job, self._guard)
        from launcher.remote import Hosts  # imported here, because most runs have none

        return Hosts(self._job, self._settings, self._guard)

    # --- hosts ---

    def _leave_out(self, names):
        """Goes on without these hosts, if --min-ranks permits it. Returns whether it does."""
        names = [name for name in names if name not in self._left_out]
        if not names or self._settings.min_ranks is None:
            return False
        left = [place for place in self._first.places if place.name not in (*self._left_out, *names)]
        if sum(len(place.ranks) for place in left) < self._settings.min_ranks:
            return False
        self._left_out += names
        return True

    # --- messages ---

    def _announcement(self, cause):
        words = f"restart {self._count} of {self._settings.max_restarts}"
        if self._left_out:
            ranks = self._first.without(self._left_out).world_size
            words += f" on {ranks} rank{'s' if ranks > 1 else ''}, without {', '.join(self._left_out)}"
        yield f"{words}: {cause}; " + (f"newest checkpoint {self._shown()}" if self._saved else "no checkpoint so far")
        if self._count > 1 and self._saved == self._saved_before:
            yield f"warning: no checkpoint was completed since restart {self._count - 1}"
        self._saved_before = self._saved

    def _shown(self):
        """The path of the checkpoint, as short as a user writes it."""
        return self._saved.removeprefix(os.path.join(self._job.directory, ""))

    def _warn(self, fleet):
        if self._count == 0:
            self._console.say(*("warning: " + warning for warning in fleet.warnings))

    def _warn_of_strangers(self, fleet, end):
        if end.status == 0 and self._job.world_size > 1 and not fleet.joined():
            self._console.say(f"warning: no rank joined the run, so each of {self._job.world_size} processes ran the whole "
                              f"program; was it compiled by stradsap-cc?")
