"""Documents name only files, tests and flags that exist, and CONTRIBUTING.md shows the packages that are installed."""

import glob
import os
import re
import subprocess

from checker.tree import Finding

_BACKTICKED = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)#\s]+)")
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9])")
_PLACEHOLDER = re.compile(r"[<>…$]|\b[A-Z]{2,}\b(?!\.)|\bPRESET\b")
_TEST_FILE = re.compile(r"`(tests/[\w/]+(?:_test|test_\w+)\.(?:py|cpp))`")
_TEST_NAME = re.compile(r'`(test_\w+)`|"([^"]+)"')
_PACKAGE_ROW = re.compile(r"^\|\s*`([a-z0-9.+-]+)`\s*\|\s*(.*?)\s*\|$")

# Flags of other programs that documents may mention.
FOREIGN_FLAGS = {"depth", "recursive", "prefix", "preset", "version", "help", "from-file"}
# These pages name things that do not exist, with the reasons.
ABOUT_ABSENCE = ("docs/limitations.md", "docs/decisions/")


def named_files(tree):
    top_folders = {name.split("/")[0] for name in tree.files if "/" in name}
    for name in tree.documents():
        in_fence = False
        for number, line in enumerate(tree.lines(name), 1):
            in_fence ^= line.startswith("```")
            words = [word for quoted in _BACKTICKED.findall(line) for word in quoted.split()]
            for word in words:
                path = re.sub(r":\d+(:\d+)?$", "", word.strip(".,;()"))
                if "/" not in path or path.split("/")[0] not in top_folders or _PLACEHOLDER.search(path):
                    continue
                if not glob.glob(tree.path(path), include_hidden=True):
                    yield Finding(name, number, f"{path} does not exist")
            # In code, `[x](int j)` is a lambda.
            for target in () if in_fence or line.startswith("    ") else _LINK.findall(line):
                if "://" not in target and not os.path.exists(tree.path(os.path.join(os.path.dirname(name), target))):
                    yield Finding(name, number, f"the link {target} leads nowhere")


def named_tests(tree):
    """Names behind a file of tests in a row of a table are tests of that file."""
    for name in tree.documents():
        for number, line in enumerate(tree.lines(name), 1):
            _, *parts = _TEST_FILE.split(line) if line.startswith("|") else [""]
            for file, names in zip(parts[::2], parts[1::2]):
                text = tree.text(file) if file in tree.files else ""
                for function, case in _TEST_NAME.findall(names):
                    if f"def {function}(" not in text if function else f'TEST_CASE("{case}"' not in text:
                        yield Finding(name, number, f"{file} has no test {function or case}")


def named_flags(tree):
    corpus = "\n".join(tree.text(name) for name in tree.files
                       if not name.endswith(".md") and not name.startswith("tests/"))
    for name in tree.documents():
        if name.startswith(ABOUT_ABSENCE):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            for flag in _FLAG.findall(line):
                spelled = re.compile(rf'(?<![\w-])--{re.escape(flag)}(?![\w-])|"{re.escape(flag)}"')
                if flag not in FOREIGN_FLAGS and not spelled.search(corpus):
                    yield Finding(name, number, f"no source knows the flag --{flag}")


def packages(tree):
    script, shown = "tools/install-deps", "CONTRIBUTING.md"
    if script not in tree.files or shown not in tree.files:
        return
    listed = subprocess.run([tree.path(script), "--benchmarks", "--cluster-tests", "--bare", "--list"], capture_output=True, text=True, check=False)
    installed = dict(line.split(None, 1) for line in listed.stdout.splitlines())
    rows = {}
    for number, line in enumerate(tree.lines(shown), 1):
        match = _PACKAGE_ROW.match(line)
        if match:
            rows[match.group(1)] = (number, match.group(2))
    for package, (number, reason) in rows.items():
        if package not in installed:
            yield Finding(shown, number, f"{package} is not in {script}")
        elif installed[package].strip() != reason:
            yield Finding(shown, number, f"{package} is there for another reason in {script}: {installed[package]}")
    for package in installed.keys() - rows.keys():
        yield Finding(shown, 1, f"{package} of {script} is missing from the table")


RULES = {"named-files": named_files, "named-tests": named_tests, "named-flags": named_flags, "packages": packages}
