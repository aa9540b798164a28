"""The cores that this process may use: those of its affinity mask, or fewer if its control groups have a quota.

The runtime counts in the same way (runtime/base/core_count.cpp).
"""

import os

CGROUPS = "/sys/fs/cgroup"


def _numbers(folder, *names):
    """The words of these files as whole numbers. Raises OSError or ValueError, also for "max"."""
    words = []
    for name in names:
        with open(os.path.join(folder, name), encoding="ascii") as file:
            words += file.read().split()
    return [int(word) for word in words]


def _of_group(folder, names):
    """The cores that a control group may use, rounded up; None if it has no quota."""
    try:
        quota, period = _numbers(folder, *names)
        return max(1, -(-quota // period)) if quota > 0 and period > 0 else None
    except (OSError, ValueError):
        return None  # no such group, or "max"


def quota(own="/proc/self/cgroup", root=CGROUPS):
    """The least quota of the control groups in the file `own` and of those around them, in cores; None without one."""
    found = []
    try:
        with open(own, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds and "cpu" not in kinds.split(","):
            continue
        mount, names = (root, ["cpu.max"]) if not kinds else (f"{root}/cpu", ["cpu.cfs_quota_us", "cpu.cfs_period_us"])
        while True:  # a container sees its own group as the root, under any path
            found.append(_of_group(mount + path, names))
            if path in ("", "/"):
                break
            path = os.path.dirname(path)
    return min((cores for cores in found if cores is not None), default=None)


def count():
    usable = len(os.sched_getaffinity(0))
    return min(usable, quota() or usable)


def threads_of_each(ranks, usable):
    """The threads that each of so many ranks has by default, if they share the usable cores."""
    return max(1, usable // ranks)
