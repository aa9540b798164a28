"""The ranks of one run as the supervisor sees them: their places, their start, the descriptors to watch.

`Local` starts them as children on this machine. `remote.Hosts` has the same members for ranks of several hosts.
"""

import time

from launcher.rank import Rank


class Local:
    """All ranks are children of the launcher."""

    drain_seconds = 1.0  # for output that a stray process keeps open after the ranks

    def __init__(self, job, run_dir, guard):
        self._job, self._run_dir, self._guard = job, run_dir, guard

    def ranks(self):
        """Starts the ranks and yields each at once. Raises StartError."""
        for number in range(self._job.world_size):
            rank = Rank(number, self._job, self._run_dir.path, time.monotonic())
            self._guard.watch_group(rank.pid)
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

    def close(self):
        """After the end of all ranks."""
