"""Processes that the kernel kills for lack of memory, by SIGKILL and without a word. It counts them, for each control group
(memory.events; memory.oom_control in version 1) and for the machine (/proc/vmstat), before it sends the signal.
"""

OWN = "/proc/self/cgroup"
GROUPS = "/sys/fs/cgroup"
MACHINE = "/proc/vmstat"
_NO_LIMIT = 1 << 60  # version 1 has a large number where there is none


def _lines(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _kills(path):
    """The number in the file's line `oom_kill`; None without one."""
    return next((int(line.split()[1]) for line in _lines(path) if line.startswith("oom_kill ")), None)


def _group():
    """(path, file of kills, file of the limit) of this process's own group. In a container the group that it sees at the top
    is its own."""
    for line in _lines(OWN):
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        mount, kills, limit = (f"{GROUPS}/memory", "memory.oom_control", "memory.limit_in_bytes") if kinds else (
            GROUPS, "memory.events", "memory.max")
        for folder in (mount + path.rstrip("/"), mount):
            if _kills(f"{folder}/{kills}") is not None:
                return path, f"{folder}/{kills}", f"{folder}/{limit}"
    return None


def _limited(path):
    """A clause on the limit in the file, if there is one."""
    words = _lines(path)
    if not words or not words[0].isdecimal() or int(words[0]) >= _NO_LIMIT:
        return ""
    return f", which may use {int(words[0]) / 2**20:.0f} MiB"


class MemoryKills:
    """Counts from its creation on."""

    def __init__(self):
        group = _group()
        self._path, self._of_group, self._limit = group or (None, None, None)
        self._before = [self._count(self._of_group), self._count(MACHINE)]

    @staticmethod
    def _count(path):
        return (_kills(path) or 0) if path else 0

    def clause(self):
        """Why a process that was killed now may have been killed for lack of memory; empty if nothing tells that."""
        of_group, of_machine = (self._count(path) - before for path, before in zip((self._of_group, MACHINE), self._before))
        if max(of_group, of_machine) <= 0:
            return ""
        count = of_group if of_group > 0 else of_machine
        place = f"control group {self._path}{_limited(self._limit)}" if of_group > 0 else "this machine"
        return f"perhaps for lack of memory: the kernel has killed {count} process{'es' if count > 1 else ''} of {place}"
