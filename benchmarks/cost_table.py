"""The table of costs.py: a line for each cost and shape, and how many launches and first calls are within their aims."""

import statistics

from markdown import paragraph

HEAD = ["cost", "ranks x threads", "median, us", "least to greatest", "sequential passes", "aim"]
KINDS = {"plain": "own elements", "planned": "planned", "accumulated": "accumulated"}
SIZES = (100, 1000, 100000)
TITLES = {"launch/empty": "an empty loop", "launch/sum": "a loop that sums", "launch/update": "after a change on the driver",
          "launch/sync_batch": "a small batch", "report": "a row of metrics",
          "hop/executors": "a token to another executor",
          "hop/ranks/512": "a token of 512 B to another rank", "hop/ranks/65536": "a token of 64 KiB to another rank",
          "fetch/small": "a foreseen fetch of 512 B", "fetch/large": "a foreseen fetch of 1 MiB",
          **{f"first/{kind}/{n}": f"first call, {title}, {n:,} iterations" for kind, title in KINDS.items() for n in SIZES}}
PROCESS_AIM = 10  # microseconds of a launch
RANKS_AIM = 60
LAUNCH_AIMS = {(1, 1): PROCESS_AIM, (1, 2): PROCESS_AIM, (2, 1): RANKS_AIM}  # more executors share two cores
FIRST_AIM = 300  # microseconds of a first call of few iterations
FEW = 1000
PASSES_AIM = 2  # sequential passes that a first call of many iterations may take


class Cost:
    """One cost on one shape, (ranks, threads), with the microseconds of its runs. `passes`: of a first call, those of the
    same runs' sequential passes."""

    def __init__(self, name, shape, times, passes=None):
        self.name, self.shape, self.times = name, shape, times
        self.median = round(statistics.median(times), 1)
        self.passes = round(statistics.median(one / other for one, other in zip(times, passes)), 1) if passes else None
        self.is_long = passes is not None and int(name.rsplit("/", 1)[1]) > FEW
        self.aim = PASSES_AIM if self.is_long else FIRST_AIM if passes else LAUNCH_AIMS.get(shape) if "launch/" in name else None
        self.value = self.passes if self.is_long else self.median  # to be compared with the aim
        self.is_above = self.aim is not None and self.value > self.aim

    def cells(self):
        ranks, threads = self.shape
        unit = "" if self.passes is None else " passes" if self.is_long else " us"
        return [TITLES[self.name], "-" if self.name.startswith("hop/") else f"{ranks} x {threads}", self._bold(self.median, not self.is_long),
                f"{min(self.times):.1f} to {max(self.times):.1f}", "" if self.passes is None else self._bold(self.passes, self.is_long),
                "" if self.aim is None else f"{self.aim}{unit}"]

    def _bold(self, number, is_compared):
        return f"**{number:.1f}**" if is_compared and self.is_above else f"{number:.1f}"

    def __str__(self):
        title = TITLES[self.name].removeprefix("first call, ")
        return "{} on {} x {} {:.1f}".format(title, *self.shape, self.value)


def found_in(rows):
    """The costs of all rows, by their order in the table."""
    costs = []
    for row in rows:
        times = {name: [run[name] for run in row["figures"]] for name in row["figures"][0]}
        costs += [Cost(name, (row["ranks"], row["threads"]), own, times.get(name.replace("first/", "pass/")) if "first/" in name else None)
                  for name, own in times.items() if name in TITLES]
    order = list(TITLES)
    return sorted(costs, key=lambda one: order.index(one.name))


def lines(rows):
    return [one.cells() for one in found_in(rows)]


def launches(document):
    """How many launches are within their aims, and those above them."""
    costs = [one for one in found_in(document["rows"]) if one.aim and one.passes is None]
    return _counts([("rows of launches in a process", [one for one in costs if one.aim == PROCESS_AIM], f"{PROCESS_AIM} us"),
                    ("rows on two ranks", [one for one in costs if one.aim == RANKS_AIM], f"{RANKS_AIM} us")])


def first_calls(document):
    """The same of first calls."""
    costs = [one for one in found_in(document["rows"]) if one.passes is not None]
    return _counts([(f"first calls of {FEW:,} iterations or fewer", [one for one in costs if not one.is_long], f"{FIRST_AIM} us"),
                    (f"of {max(SIZES):,} iterations", [one for one in costs if one.is_long], f"{PASSES_AIM} sequential passes")])


def _counts(kinds):
    return paragraph(" ".join(_counted(*kind) for kind in kinds if kind[1]))


def _counted(kind, costs, aim):
    above = [str(one) for one in costs if one.is_above]
    named = f"; above it {'are' if len(above) > 1 else 'is'} {'; '.join(above)}" if above else ""
    return f"Of {len(costs)} {kind}, {len(costs) - len(above)} take at most {aim} (the aim){named}."
