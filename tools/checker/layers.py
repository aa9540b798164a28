"""The permitted includes between folders, and the names that one file or folder owns."""

import functools
import os
import re

from checker.tree import Finding, without_comments

# Folder -> the folders in it, from left to right: a file includes from its own folder and from folders to its
# left. A file that lies in the folder itself stands at the right end.
LINES = {
    "runtime": "base text wire net dds loop observe files checkpoint cluster".split(),
    "runtime/loop": "launch access plan accumulate run blocks waves batches transactions dynamic".split(),
    "preprocessor/analyze": "findings source code dependences pointers access captures refusals slicing interleaving "
                            "frontend".split(),
}
# Folder -> folders in it that know nothing of each other: each is one strategy.
STRANGERS = {"runtime/loop": {"blocks", "waves", "batches", "transactions", "dynamic"}}
ZMQ_HOMES = ("runtime/net/zmq_sockets.cpp", "runtime/net/rendezvous.cpp")
CEREAL_HOME = "include/stradsap/cereal.hpp"  # of the public headers; programs choose it
ENVIRONMENT_HOME = "runtime/base/options.cpp"
PROCESS_HOME = "preprocessor/driver/"
SHARED_BITS = "include/stradsap/abi/loop_bits.hpp"  # the one header of both the preprocessor and the runtime

_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def includes(tree, name):
    """(line, included name, whether it is in quotes) of each include of a file."""
    for number, line in enumerate(tree.lines(name), 1):
        match = _INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2), match.group(1) is not None


def _resolve(tree, name, included, roots):
    """The project file that an include refers to, or None. A file beside the includer comes first, as in the compiler."""
    for folder in (os.path.dirname(name), *roots):
        candidate = os.path.normpath(os.path.join(folder, included))
        if candidate in tree.files:
            return candidate
    return None


@functools.cache
def reached(tree, name):
    """The project files that a file includes, directly or through others."""
    found, waiting = set(), [name]
    while waiting:
        at = waiting.pop()
        targets = {_resolve(tree, at, included, ("runtime", "", "include")) for _, included, _ in includes(tree, at)}
        waiting += targets - found - {None}
        found |= targets - {None}
    return found


def _folder_of(name, line):
    """The folder of a line that a file lies in; None if it lies elsewhere; "" if in none of the folders."""
    if not name.startswith(line + "/"):
        return None
    rest = name[len(line) + 1:]
    return rest.split("/")[0] if "/" in rest else ""


def _line_fault(line, folder, target):
    """The reason why a file in a folder of a line may not include a file; None if it may."""
    other, order = _folder_of(target, line), LINES[line]
    if other is None or folder == other or folder == "":
        return None
    if other == "":
        return f"{target} stands above the folders of {line}"
    if other in order and order.index(other) > order.index(folder):
        return f"{other} is to its right"
    strangers = STRANGERS.get(line, ())
    return "strategies know nothing of each other" if folder in strangers and other in strangers else None


def include_lines(tree):
    for line, order in LINES.items():
        for name in tree.cxx(line):
            folder = _folder_of(name, line)
            if folder and folder not in order:
                yield Finding(name, 1, f"{line}/{folder} is not on the include line: {' < '.join(order)}")
                continue
            for number, included, _ in includes(tree, name):
                target = _resolve(tree, name, included, ("runtime", "preprocessor", "", "include"))
                fault = target and _line_fault(line, folder, target)
                if fault:
                    yield Finding(name, number, f"{folder} may not include {target}: {fault}")


def public_headers(tree):
    for name in tree.under("include/stradsap"):
        for number, included, _ in includes(tree, name):
            if included.startswith("stradsap/") or (name == CEREAL_HOME and included.startswith("cereal/")):
                continue
            if "." in included or "/" in included:
                yield Finding(name, number, f"a public header includes std and <stradsap/...> only, not {included}")


def preprocessor_stages(tree):
    for name in tree.cxx("preprocessor"):
        stage = name.split("/")[1]
        for number, included, _ in includes(tree, name):
            target = _resolve(tree, name, included, ("preprocessor", "", "include")) or ""
            if stage in ("analyze", "rewrite") and target.startswith("preprocessor/driver/"):
                yield Finding(name, number, f"{stage} may not include the driver: {target}")
            if target.startswith(("runtime/", "include/stradsap/")) and target != SHARED_BITS:
                yield Finding(name, number, f"the preprocessor knows the runtime by names and {SHARED_BITS} only, "
                                            f"not by {target}")


def one_home(tree):
    # benchmarks/ and examples/ are user code, without rules of this kind.
    for name in tree.cxx("include", "runtime", "preprocessor", "tools"):
        for number, included, _ in includes(tree, name):
            if os.path.basename(included) in ("zmq.hpp", "zmq.h") and name not in ZMQ_HOMES:
                yield Finding(name, number, f"{included} is included by {' and '.join(ZMQ_HOMES)} only")
    for name in tree.cxx("include", "runtime"):
        for number, line in enumerate(without_comments(tree.text(name)).splitlines(), 1):
            if re.search(r"\b(secure_)?getenv\b", line) and name != ENVIRONMENT_HOME:
                yield Finding(name, number, f"getenv is called in {ENVIRONMENT_HOME} only")
    for name in tree.cxx("preprocessor"):
        for number, line in enumerate(without_comments(tree.text(name)).splitlines(), 1):
            if re.search(r"\b(posix_spawnp?|fork|vfork|execv[pe]*|popen|system)\s*\(", line) and \
                    not name.startswith(PROCESS_HOME):
                yield Finding(name, number, f"processes are started in {PROCESS_HOME} only")


RULES = {
    "include-lines": include_lines,
    "public-headers": public_headers,
    "preprocessor-stages": preprocessor_stages,
    "one-home": one_home,
}
