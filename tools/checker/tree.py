"""The files of a checkout, with the queries that rules need. Read once; immutable afterwards."""

import functools
import os
import re
import subprocess
from dataclasses import dataclass

CXX = (".cpp", ".hpp")


@dataclass(frozen=True)
class Finding:
    file: str
    line: int
    message: str
    is_note: bool = False


class Tree:
    """A checkout: the files that git tracks, and new files that it does not ignore."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        # safe.directory: in a container another user often owns the checkout, and listing it is harmless.
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false",
             "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, capture_output=True, check=False)
        if listed.returncode != 0:
            raise SystemExit("check: " + listed.stderr.decode(errors="replace").strip())
        names = set(listed.stdout.decode().split("\0")) - {""}
        self.files = sorted(name for name in names if os.path.isfile(os.path.join(self.root, name)))

        self.is_for_changes = False  # slow rules look at changed files only

    def _git(self, *words):
        done = subprocess.run(["git", "-c", "safe.directory=*", *words], cwd=self.root, capture_output=True, text=True,
                              check=False)
        return done.stdout.split() if done.returncode == 0 else []

    def _base(self):
        """The commit where the branch `main` was left; on main itself, the commit before; empty if there is none."""
        head, base = self._git("rev-parse", "HEAD"), self._git("merge-base", "HEAD", "main")
        return base if base and base != head else self._git("rev-parse", "HEAD^")

    def has_base(self):
        return bool(self._base())

    def changed(self):
        """Names of files that differ from that commit, new ones too."""
        return {*self._git("diff", "--name-only", *self._base()), *self._git("ls-files", "--others", "--exclude-standard")}

    def path(self, name):
        return os.path.join(self.root, name)

    @functools.cache
    def text(self, name):
        """The text of a file; empty if it is not text."""
        with open(self.path(name), "rb") as file:
            data = file.read()
        return "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")

    @functools.cache
    def lines(self, name):
        return self.text(name).splitlines()

    def under(self, *folders):
        return [name for name in self.files if name.startswith(tuple(folder + "/" for folder in folders))]

    def cxx(self, *folders):
        return [name for name in (self.under(*folders) if folders else self.files) if name.endswith(CXX)]

    @functools.cache
    def language(self, name):
        """cxx, python, shell or empty. A program without an extension names its language in the first line."""
        for extension, language in ((".cpp", "cxx"), (".hpp", "cxx"), (".py", "python"), (".sh", "shell")):
            if name.endswith(extension):
                return language
        first = self.lines(name)[0] if self.lines(name) else ""
        if first.startswith("#!"):
            return "python" if "python" in first else "shell" if re.search(r"\b(ba)?sh\b", first) else ""
        return ""

    def sources(self):
        return [name for name in self.files if self.language(name)]

    def documents(self):
        return [name for name in self.files
                if name.endswith(".md") and (os.sep not in name or name.startswith("docs/"))]

    def is_allowed(self, finding, rule):
        lines = self.lines(finding.file) if finding.file in self.files else []
        return finding.line <= len(lines) and f"check: allow {rule}" in lines[finding.line - 1]


def without_comments(text):
    """C++ text with comments and the contents of literals replaced by blanks, line by line."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)

    def blank(match):
        word = match.group()
        if word.startswith(("//", "/*")):
            return re.sub(r"[^\n]", " ", word)
        return word[0] + re.sub(r"[^\n]", " ", word[1:-1]) + word[-1]

    return pattern.sub(blank, text)
