"""Builds of one source: the twin by a plain compiler, the program and its check build from the output of stradsap-cc.

The headers of all programs are compiled once for each kind of build; so are the functions of far.cpp.
"""

import pathlib
import re
import subprocess

CXX = pathlib.Path(__file__).resolve().parent.parent / "cxx"
# signed numbers wrap in all builds
COMMON = ["-fwrapv", "-w", "-I", str(CXX)]
SANITIZED = ["-fsanitize=address"]  # of check builds: elements are poisoned (docs/decisions/poison.md)
CLANG = "clang++-19"
SECONDS = 300


class NotCompiled(Exception):
    """The output of a compiler that refuses valid text."""


def ran(command, folder, seconds=SECONDS, environment=None):
    """(status, output, errors); the status is None after a time-out."""
    try:
        done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, timeout=seconds,
                              stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode("utf-8", "replace"), "not done in time"
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


class Kind:
    """One way to compile: compiler, flags, and headers precompiled with them. Created once."""

    def __init__(self, name, folder, compiler, flags, objects):
        self.command, self.folder, self.link = [compiler, *flags, *COMMON], folder / name, objects
        self.folder.mkdir()
        header = self.folder / "all.hpp"
        header.write_text('#include "headers.hpp"\n')
        suffix = ".pch" if "clang" in compiler else ".gch"
        self._do(["-x", "c++-header", header, "-o", f"{header}{suffix}"])
        self.command += ["-include-pch", f"{header}.pch"] if suffix == ".pch" else ["-Winvalid-pch", "-include", header]
        self._do(["-c", CXX / "far.cpp", "-o", self.folder / "far.o"])

    def _do(self, words):
        status, _, errors = ran([*self.command, *words], self.folder)
        if status != 0:
            found = re.search(r"error: .*", errors)
            raise NotCompiled(found[0] if found else f"status {status}: {errors.strip()[-300:]}")

    def build(self, source, target):
        """Raises NotCompiled."""
        self._do(["-c", source, "-o", f"{target}.o"])
        command = [self.command[0], f"{target}.o", self.folder / "far.o", "-fuse-ld=gold", *self.link, "-o", target]
        status, _, errors = ran(command, self.folder)
        if status != 0:
            raise NotCompiled(f"it does not link: {errors.strip()[-300:]}")
        return target


class Builds:
    """The kinds of builds, in `folder`. `bin_folder` has stradsap-cc and stradsap-run."""

    NATIVE = ("clang0", "gcc0", "clang0", "gcc2", *("clang0",) * 4)  # of batch after batch; g++ takes longer

    def __init__(self, bin_folder, folder):
        self.bin, self.folder, self.kinds = pathlib.Path(bin_folder), pathlib.Path(folder), {}

    def kind(self, name):
        if name not in self.kinds:
            compiler = CLANG if "gcc" not in name else "g++"
            level = "-O2" if name.endswith("2") else "-O0"
            if name == "twin":
                flags, link = ["-std=c++20", "-I", str(CXX / "twin")], []
            else:
                check = ["--check"] if name == "check" else []
                flags = ran([self.bin / "stradsap-cc", "--showme:compile", *check], self.folder)[1].split()
                link = ran([self.bin / "stradsap-cc", "--showme:link"], self.folder)[1].split()
                flags, link = ([*flags, *SANITIZED], [*SANITIZED, *link]) if check else (flags, link)
            self.kinds[name] = Kind(name, self.folder, compiler, [*flags, level], link)
        return self.kinds[name]

    def rewrite(self, source, target):
        """(status, errors) of stradsap-cc."""
        status, _, errors = ran([self.bin / "stradsap-cc", "--emit-source", *COMMON, source, "-o", target], self.folder, 120)
        return status, errors
