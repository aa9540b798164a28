"""The table of costs.py: a line for each cost and shape, and how many launches are within their aims."""

import statistics

from markdown import paragraph

HEAD = ["cost", "ranks x threads", "median, us", "least to greatest", "aim"]
TITLES = {"launch/empty": "an empty loop", "launch/sum": "a loop that sums", "launch/update": "after a change on the driver",
          "launch/sync_batch": "a small batch", "report": "a row of metrics",
          "hop/executors": "a token to another executor",
          "hop/ranks/512": "a token of 512 B to another rank", "hop/ranks/65536": "a token of 64 KiB to another rank",
          "fetch/small": "a foreseen fetch of 512 B", "fetch/large": "a foreseen fetch of 1 MiB"}
PROCESS_AIM = 10  # microseconds of a launch
RANKS_AIM = 60
LAUNCH_AIMS = {(1, 1): PROCESS_AIM, (1, 2): PROCESS_AIM, (2, 1): RANKS_AIM}  # more executors share two cores


class Cost:
    """One cost on one shape, (ranks, threads), with the microseconds of its runs."""

    def __init__(self, name, shape, times):
        self.name, self.shape, self.times = name, shape, times
        self.median = statistics.median(times)
        self.aim = LAUNCH_AIMS.get(shape) if name.startswith("launch/") else None
        self.is_above = self.aim is not None and round(self.median, 1) > self.aim

    def cells(self):
        ranks, threads = self.shape
        median = f"{self.median:.1f}"
        return [TITLES[self.name], "-" if self.name.startswith("hop/") else f"{ranks} x {threads}",
                f"**{median}**" if self.is_above else median, f"{min(self.times):.1f} to {max(self.times):.1f}",
                "" if self.aim is None else str(self.aim)]

    def __str__(self):
        return "{} on {} x {} {:.1f}".format(TITLES[self.name], *self.shape, self.median)


def found_in(rows):
    """The costs of all rows, by their order in the table."""
    costs = [Cost(name, (row["ranks"], row["threads"]), [run[name] for run in row["figures"]])
             for row in rows for name in row["figures"][0]]
    order = list(TITLES)
    return sorted(costs, key=lambda one: order.index(one.name))


def lines(rows):
    return [one.cells() for one in found_in(rows)]


def launches(document):
    """How many launches are within their aims, and those above them."""
    costs = [one for one in found_in(document["rows"]) if one.aim]
    kinds = (("of launches in a process", PROCESS_AIM), ("on two ranks", RANKS_AIM))
    return paragraph(" ".join(_counted(kind, [one for one in costs if one.aim == aim], aim) for kind, aim in kinds
                              if any(one.aim == aim for one in costs)))


def _counted(kind, costs, aim):
    above = [str(one) for one in costs if one.is_above]
    named = f"; above it {'are' if len(above) > 1 else 'is'} {', '.join(above)}" if above else ""
    return f"Of {len(costs)} rows {kind}, {len(costs) - len(above)} take at most {aim} us (the aim){named}."
