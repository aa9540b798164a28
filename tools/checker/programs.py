"""Rules that other programs check: formatter, compiler, shell. They run on all cores."""

import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from checker.layers import reached
from checker.tree import Finding

SECONDS_MAX = 120  # for one run of one program
TIDY = ("clang-tidy-19", "--quiet", "-p", "build/dev", "--extra-arg=-Wno-unknown-attributes",
        "--extra-arg=-Wno-deprecated-declarations")  # libstdc++ itself uses such a function to sort
TIDY_MOST = 30  # changed files: minutes on two cores
FILES_AT_ONCE = 20  # for the formatter: its start takes as long as a file
# most headers include one of these; the largest first
READ_ONCE = ("runtime/loop/plan/planning.hpp", "runtime/dds/replica.hpp", "include/stradsap/abi/abi.hpp",
             "include/stradsap/abi/loops.hpp", "runtime/wire/messages.hpp", "include/stradsap/serialize.hpp")


def _run(command, root):
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, errors="replace", check=False,
                              timeout=SECONDS_MAX)
    except FileNotFoundError:
        raise SystemExit(f"check: {command[0]} is not installed, run tools/install-deps") from None
    except subprocess.TimeoutExpired:
        return 124, f"{command[0]} took more than {SECONDS_MAX} s"
    return done.returncode, done.stdout + done.stderr


def _over(tree, names, command):
    """(name, status, error text) for the command of each name."""
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        results = pool.map(lambda name: _run(command(name), tree.root), names)
        yield from ((name, status, errors) for name, (status, errors) in zip(names, results))


def _first_error(errors, name):
    """(line, text) of the first error; the line is that in the file itself, if the error names it."""
    first = next((line for line in errors.splitlines() if "error:" in line), "") or errors.strip().split("\n")[0]
    place = re.match(rf"(?:\./)?{re.escape(name)}:(\d+):", first)
    return int(place.group(1)) if place else 1, re.sub(r"^.*?error:\s*", "", first) or "failed"


def format_(tree):
    names = tree.cxx()
    parts = [names[first:first + FILES_AT_ONCE] for first in range(0, len(names), FILES_AT_ONCE)]
    for part, status, errors in _over(tree, parts, lambda part: ["clang-format-19", "--dry-run", "-Werror", *part]):
        named = {line.partition(":")[0]: line for line in reversed(errors.splitlines()) if line.partition(":")[0] in part}
        if status != 0 and not named:
            yield Finding(part[0], 1, errors.strip())
        for name, first in named.items():
            line, _ = _first_error(first, name)
            yield Finding(name, line, f"not formatted: clang-format-19 -i {name}")


def _compile(*options):
    """By Clang, which loads a precompiled header in a third of the time that g++ takes."""
    return ["clang++-19", "-std=c++20", "-w", "-I", "include", "-I", ".", "-I", "runtime", "-x", "c++-header", *options]


def _read_once(tree, folder):
    """{header: its precompiled copy} of the READ_ONCE headers that compile."""
    made = {name: os.path.join(folder, f"{number}.hpp") for number, name in enumerate(READ_ONCE) if name in tree.files}
    for name, beginning in made.items():
        with open(beginning, "w", encoding="utf-8") as file:
            file.write(f'#include "{name}"\n')
    done = _over(tree, list(made), lambda name: _compile(made[name], "-o", made[name] + ".pch"))
    return {name: made[name] + ".pch" for name, status, _ in done if status == 0}


def headers_alone(tree):
    """Compiles each header alone. One header that it includes may come first, precompiled: that one is checked too.
    For changes, only headers that are changed or reach a changed file: others are as the commit before left them."""
    names = [name for name in tree.cxx("include", "runtime") if name.endswith(".hpp")]
    if tree.is_for_changes and tree.has_base():
        changed = tree.changed()
        names = [name for name in names if changed & {name, *reached(tree, name)}]
    with tempfile.TemporaryDirectory() as folder:
        read = _read_once(tree, folder)

        def command(name):
            largest = next((read[part] for part in read if part != name and part in reached(tree, name)), None)
            return _compile(*(["-include-pch", largest] if largest else []), "-include", name, "-fsyntax-only", os.devnull)

        for name, status, errors in _over(tree, names, command):
            if status != 0:
                line, first = _first_error(errors, name)
                yield Finding(name, line, f"does not stand alone: {first}")


def shell_syntax(tree):
    names = [name for name in tree.sources() if tree.language(name) == "shell"]
    for name, status, errors in _over(tree, names, lambda name: ["bash", "-n", name]):
        if status != 0:
            place = re.search(r"line (\d+): (.*)", errors)
            line, what = (int(place.group(1)), place.group(2)) if place else (1, errors.strip())
            yield Finding(name, line, what)


def tidy(tree):
    """Runs clang-tidy on the files that build/dev compiles: minutes, so only if the command line names it."""
    if "CMakePresets.json" in tree.files:
        status, errors = _run(["cmake", "--preset", "dev"], tree.root)
        if status != 0:
            raise SystemExit(f"check: tidy needs build/dev\n{errors}")
    database = tree.path("build/dev/compile_commands.json")
    with open(database, encoding="utf-8") as file:
        compiled = {os.path.relpath(os.path.join(row["directory"], row["file"]), tree.root) for row in json.load(file)}
    names = [name for name in tree.cxx("runtime", "preprocessor", "tools") if name in compiled]
    if tree.is_for_changes:
        changed = tree.changed()
        names = [name for name in names if name in changed][:TIDY_MOST]
    seen = set()
    for _, _, errors in _over(tree, names, lambda name: [*TIDY, name]):
        for file, line, what in re.findall(r"^(\S+?):(\d+):\d+: error: (.*)$", errors, re.MULTILINE):
            found = Finding(os.path.relpath(tree.path(file), tree.root), int(line), what)
            if found not in seen:
                seen.add(found)
                yield found


RULES = {"format": format_, "headers-alone": headers_alone, "shell-syntax": shell_syntax, "tidy": tidy}
ONLY_WHEN_NAMED = {"tidy"}
