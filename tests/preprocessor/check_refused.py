"""A program that stradsap-cc refuses, or runs as transactions, at exactly the marked lines.

A comment `// expected-error: text` stands on the line of the error; `// expected-error@+2: text` two lines above it.
expected-warning works the same. expected-remark matches the remarks of --explain about accesses that make a loop run as
transactions. All of them must appear, and no others. expected-note asks for one note; other notes may appear.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

COMMENT = re.compile(r"// expected-(error|warning|note|remark)(?:@([+-]\d+))?: (.*?)(?= // expected-|$)")
OUTPUT = re.compile(r"^(.+?):(\d+):(\d+): (error|warning|note|remark): (.*)$")
TRANSACTIONS = ("transactions: which element", "transactions: this comparison")


def expected(program):
    found = []
    for number, line in enumerate(program.read_text().splitlines(), start=1):
        for kind, offset, text in COMMENT.findall(line):
            found.append((number + int(offset or 0), kind, text.strip()))
    return found


def reported(output, program):
    found = []
    for line in output.splitlines():
        match = OUTPUT.match(line)
        if match is not None and match[4] == "remark" and not match[5].startswith(TRANSACTIONS):
            continue
        if match is None or match[1] != program.name:
            sys.exit(f"not a diagnostic of {program.name}: {line}")
        found.append((int(match[2]), match[4], match[5]))
    return found


def says(text, wanted):
    """Whether a message contains the expected words. If they end in a number, the message must end in it too."""
    words, _, number = wanted.partition(" [SAP")
    return words in text and (not number or text.endswith(f" [SAP{number}"))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("--compiler", required=True)
    options.add_argument("--precompiled", type=pathlib.Path)  # of check_accepted.py: the common first include, read once
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "refused.o"
        beginning = ["-include", str(given.precompiled / "read.hpp")] if given.precompiled else []
        command = [given.compiler, *beginning, "-c", given.program.name, "-o", str(target)]
        if any(kind == "remark" for _, kind, _ in expected(given.program)):
            command += ["--explain", "--dry-run"]
        done = subprocess.run(command, cwd=given.program.parent, capture_output=True, text=True, timeout=240)
        left = list(pathlib.Path(folder).iterdir())
    wanted = expected(given.program)
    came = reported(done.stderr, given.program)
    problems = []
    for line, kind, text in wanted:
        match = next((d for d in came if d[0] == line and d[1] == kind and says(d[2], text)), None)
        if match is None:
            problems.append(f"line {line}: did not come: {kind}: {text}")
        else:
            came.remove(match)
    problems += [f"line {line}: not expected: {kind}: {text}" for line, kind, text in came if kind != "note"]
    refuses = any(kind == "error" for _, kind, _ in wanted)
    if done.returncode != (1 if refuses else 0):
        problems.append(f"status {done.returncode}")
    if refuses and left:
        problems.append(f"left behind: {left}")
    if not wanted:
        problems.append("expects nothing")
    if problems:
        sys.exit("\n".join(problems) + "\n\n" + done.stderr)


main()
