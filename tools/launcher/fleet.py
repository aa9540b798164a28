"""The ranks of one start as the supervisor sees them: their places, their start, the descriptors to watch.

`Local` starts them as children on this machine. `remote.Hosts` has the same members for ranks of several hosts.
"""

import os
import time

from launcher import cores, job, saved
from launcher.rank import Rank
from launcher.run_dir import RunDir


class Local:
    """All ranks are children of the launcher."""

    drain_seconds = 1.0  # for output that a stray process keeps open after the ranks

    def __init__(self, planned, guard):
        self._job, self._guard = planned, guard
        self._run_dir, self._groups = None, []
        warning = job.oversubscription(planned, cores.count())
        self.warnings = [warning] if warning else []

    def prepare(self, _console):
        """All that comes before the first rank. Raises StartError."""
        self._run_dir = RunDir.create(os.environ)
        self._guard.watch_folder(self._run_dir.path)

    def ranks(self):
        """Starts the ranks and yields each at once. Raises StartError."""
        for number in range(self._job.world_size):
            rank = Rank(number, self._job, self._run_dir.path, time.monotonic())
            self._guard.watch_group(rank.pid)
            self._groups.append(rank.pid)
            yield rank

    def wanted(self):
        """Further descriptors to watch, each with its events and the function to call."""
        return {}

    def seconds_to_wait(self):
        """Until tick() is due; None if it never is."""
        return None

    def tick(self, is_ending):
        """Looks after deadlines. Returns a list of lines if the start has failed, else None."""

    def ended(self):
        """Ranks that ended without an exit event."""
        return []

    def joined(self):
        """Whether any rank joined the run."""
        return self._run_dir.was_used()

    def lost_hosts(self):
        """The names of the hosts that were lost."""
        return []

    def saved(self):
        """As saved.newest()."""
        return saved.newest(self._run_dir.path) if self._run_dir is not None else None

    def close(self):
        """After the end of all ranks."""
        for group in self._groups:
            self._guard.forget_group(group)
        if self._run_dir is not None:
            self._run_dir.remove()
