"""The permitted includes between folders, and the names that one file or folder owns."""

import functools
import os
import re

from checker.tree import Finding, without_comments

RUNTIME_LINE = "base wire net dds consistency checkpoint loop observe cluster".split()
ZMQ_HOME = "runtime/net/zmq_transport.cpp"
ENVIRONMENT_HOME = "runtime/base/options.cpp"
PROCESS_HOME = "preprocessor/driver/"

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


def runtime_line(tree):
    for name in tree.cxx("runtime"):
        parts = name.split("/")
        if len(parts) < 3:
            continue
        if parts[1] not in RUNTIME_LINE:
            yield Finding(name, 1, f"runtime/{parts[1]} is not on the include line: {' < '.join(RUNTIME_LINE)}")
            continue
        place = RUNTIME_LINE.index(parts[1])
        for number, included, _ in includes(tree, name):
            target = _resolve(tree, name, included, ("runtime", "", "include"))
            if target is None or not target.startswith("runtime/"):
                continue
            other = target.split("/")[1]
            if other in RUNTIME_LINE and RUNTIME_LINE.index(other) > place:
                yield Finding(name, number, f"{parts[1]} may not include {target}: {other} is to its right")


def public_headers(tree):
    for name in tree.under("include/stradsap"):
        for number, included, _ in includes(tree, name):
            if included.startswith("stradsap/"):
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
            if target.startswith(("runtime/", "include/stradsap/")):
                yield Finding(name, number, f"the preprocessor knows the runtime by names only, not by {target}")


def one_home(tree):
    # benchmarks/ and examples/ are user code, without rules of this kind.
    for name in tree.cxx("include", "runtime", "preprocessor", "tools"):
        for number, included, _ in includes(tree, name):
            if os.path.basename(included) in ("zmq.hpp", "zmq.h") and name != ZMQ_HOME:
                yield Finding(name, number, f"{included} is included by {ZMQ_HOME} only")
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
    "runtime-line": runtime_line,
    "public-headers": public_headers,
    "preprocessor-stages": preprocessor_stages,
    "one-home": one_home,
}
