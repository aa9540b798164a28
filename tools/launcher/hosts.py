"""The hosts of a run, as a user lists them, and the ranks that each of them gets."""

import collections
import os
import re

from launcher.errors import UsageError

Host = collections.namedtuple("Host", "name slots")
Place = collections.namedtuple("Place", "name ranks")  # a host with the numbers of its ranks

_NAME = re.compile(r"(\w[\w.@-]*|\[[0-9A-Fa-f:.]+(%\w+)?\])", re.ASCII)  # none that ssh could take for an option
_LIST_SPLIT = re.compile(r",(?![^\[]*\])")
_MOST_RANKS = 4096


def _expand(name):
    """node[01-03,7] as node01, node02, node03, node7. Names in brackets with a colon are IPv6 addresses."""
    match = re.fullmatch(r"([^\[\]]+)\[([^\[\]:]*)\]([^\[\]]*)", name)
    if not match:
        return [name]
    before, ranges, after = match.groups()
    names = []
    for part in ranges.split(","):
        ends = re.fullmatch(r"(\d+)(?:-(\d+))?", part, re.ASCII)
        if not ends:
            raise ValueError(f"'{part}' in '{name}' is no range such as 01-16")
        first, last = ends[1], ends[2] or ends[1]
        if not int(first) <= int(last) <= int(first) + _MOST_RANKS:
            raise ValueError(f"'{part}' in '{name}' is no range such as 01-16")
        names += [f"{before}{number:0{len(first)}d}{after}" for number in range(int(first), int(last) + 1)]
    return names


def _hosts(name, slots):
    if not slots.isascii() or not slots.isdigit() or not 1 <= int(slots) <= _MOST_RANKS:
        raise ValueError(f"'{slots}' is no number of ranks for {name}")
    found = [Host(one, int(slots)) for one in _expand(name)]
    for host in found:
        if not _NAME.fullmatch(host.name):
            raise ValueError(f"'{host.name}' is no name of a host")
    return found


def _entry(text):
    """HOST or HOST:N."""
    match = re.fullmatch(r"(\[[^\]]*:[^\]]*\]|[^:]*)(?::(.*))?", text)
    if not match:
        raise ValueError(f"'{text}' is neither HOST nor HOST:RANKS")
    return _hosts(match[1], match[2] if match[2] is not None else "1")


def parse_list(text):
    """The hosts of `a:2,b,node[01-16]:4`. Raises ValueError."""
    return [host for part in _LIST_SPLIT.split(text) for host in _entry(part)]


def _file_line(line):
    words = line.split("#")[0].split()
    if not words:
        return []
    if len(words) == 1:
        return _entry(words[0])
    if len(words) > 2 or not words[1].startswith("slots="):
        raise ValueError(f"'{' '.join(words[1:])}' is not slots=N")
    return _hosts(words[0], words[1].removeprefix("slots="))


def read_file(path):
    """The hosts of a host file. Raises UsageError with its line."""
    found = []
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            for number, line in enumerate(file, 1):
                try:
                    found += _file_line(line)
                except ValueError as error:
                    raise UsageError(f"{path}:{number}: {error}") from None
    except OSError as error:
        raise UsageError(f"--hostfile: cannot read {path}: {error.strerror}") from None
    if not found:
        raise UsageError(f"--hostfile: {path} names no host")
    return found


def is_here(name):
    own = os.uname().nodename
    return name in ("localhost", "127.0.0.1", "[::1]", own, own.partition(".")[0])


def is_local(places):
    return all(is_here(place.name) for place in places)


def place(hosts, count):
    """The ranks of each host: as many as it has slots, in the order of the list. More ranks than slots add one to each
    host in turn. `count` None: a rank for each slot."""
    slots = {}
    for host in hosts:
        slots[host.name] = slots.get(host.name, 0) + host.slots
    count = sum(slots.values()) if count is None else count
    names = list(slots)
    for extra in range(max(0, count - sum(slots.values()))):
        slots[names[extra % len(names)]] += 1
    places, first = [], 0
    for name in names:
        taken = min(slots[name], count - first)
        if taken:
            places.append(Place(name, list(range(first, first + taken))))
        first += taken
    return places


def renumbered(places):
    """The places with their ranks numbered from 0, and the number of ranks."""
    found, first = [], 0
    for one in places:
        found.append(Place(one.name, list(range(first, first + len(one.ranks)))))
        first += len(one.ranks)
    return found, first
