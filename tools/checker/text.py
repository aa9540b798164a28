"""Rules about the text of files, one line at a time."""

import re

from checker.tree import Finding, without_comments

LINES_NOTED = 400
LINES_MAX = 600

_OPEN_END = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b(?!\s*\(?#\d+)")
_SLEEP = re.compile(r"\b(?:sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\b|(?<![\w.])sleep\s*\(|\btime\.sleep\b")
_MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(?:work|root|home|Users)/\w")
_CXX_STATEMENT = re.compile(
    r"^(?:#\s*(?:include|define|if|endif)\b"
    r"|(?:if|for|while|switch)\s*\(.*[;{]$"
    r"|(?:return|auto|const|int|bool|double|float|void|std::\w+|static)\b[^.]*[;{]$"
    r"|[\w:.>\[\]()-]+\s*(?:[-+*/|&]?=)\s*[^.]*;$"
    r"|[\w:.>-]+\(.*\);$"
    r"|[{}]\s*;?$)")
_PYTHON_STATEMENT = re.compile(r"^(?:(?:def|class|if|for|while)\b.*:|import \w+|from \w+ import .*|return \w+|print\(.*\)|\w+ = \S+)$")
_WARDING = re.compile(r"\bdo not (?:remove|touch|delete)\b", re.IGNORECASE)


def file_length(tree):
    for name in tree.sources():
        length = len(tree.lines(name))
        if length > LINES_MAX:
            yield Finding(name, 1, f"{length} lines, at most {LINES_MAX}")
        elif length > LINES_NOTED:
            yield Finding(name, 1, f"{length} lines: look for the seam", is_note=True)


def open_ends(tree):
    for name in (*tree.sources(), *tree.documents()):
        for number, line in enumerate(tree.lines(name), 1):
            if _OPEN_END.search(line):
                yield Finding(name, number, "an open end needs its issue number, as (#12)")


def _comment(line, language):
    """The text of a comment that has a line to itself. Text set in by three or more spaces is an example, not code."""
    mark = "//" if language == "cxx" else "#"
    match = re.match(rf"\s*{mark} {{0,2}}(\S.*)$", line)
    return match.group(1).rstrip() if match and not match.group(1).startswith(mark[0]) else ""


def dead_code(tree):
    for name in tree.sources():
        language = tree.language(name)
        statement = _CXX_STATEMENT if language == "cxx" else _PYTHON_STATEMENT
        for number, line in enumerate(tree.lines(name), 1):
            comment = _comment(line, language)
            if language in ("cxx", "python") and statement.match(comment):
                yield Finding(name, number, "commented-out code: git remembers it")
            if comment and _WARDING.search(comment):
                yield Finding(name, number, "say why instead of warding off the reader")


def sleeping(tree):
    for name in tree.under("runtime", "tests", "preprocessor", "include"):
        if tree.language(name) not in ("cxx", "python"):
            continue
        text = without_comments(tree.text(name)) if tree.language(name) == "cxx" else tree.text(name)
        for number, line in enumerate(text.splitlines(), 1):
            if _SLEEP.search(line):
                yield Finding(name, number, "sleeping is not synchronisation: wait for the event, with a deadline")


def machine_paths(tree):
    for name in tree.files:
        for number, line in enumerate(tree.lines(name), 1):
            if _MACHINE_PATH.search(line):
                yield Finding(name, number, "a path of one machine")


RULES = {
    "file-length": file_length,
    "open-ends": open_ends,
    "dead-code": dead_code,
    "sleeping": sleeping,
    "machine-paths": machine_paths,
}
