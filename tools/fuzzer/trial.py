"""One trial: stradsap-cc reads a text. The worst permitted result is a refusal.

A find is a crash, a sanitizer's report, a time-out, a status other than 0 and 1, or an accepted text that the native
compiler accepts before the rewriting and refuses after it.
"""

import pathlib
import re
import resource
import signal
import subprocess

TIMEOUT_SECONDS = 10  # of processor time: the machine may have other work
_CRASH = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error: |terminate called|Assertion .* failed|Stack dump"
                    r"|stradsap-cc: error: (?!cannot )")
# Clang's libraries are not instrumented: memory that they take from an instrumented pool would look poisoned
_SANITIZER = "allow_user_poisoning=0:detect_leaks=0"
# a native compiler that answers -print- options and refuses all texts: it is asked only if Clang refuses
_STAND_IN = '#!/bin/sh\ncase "$*" in *-print-*) exec g++ "$@" ;; esac\nexit 1\n'


class Trial:
    """Owns its files in `folder` only. One thread."""

    def __init__(self, compiler, folder, seconds=TIMEOUT_SECONDS):
        self.compiler = compiler
        self.seconds = seconds
        self.folder = pathlib.Path(folder)
        self.compiler_stand_in = self.folder / "stand-in-g++"
        self.compiler_stand_in.write_text(_STAND_IN)
        self.compiler_stand_in.chmod(0o755)
        self.source = self.folder / "mutant.cpp"
        self.output = self.folder / "mutant.sap.cpp"
        shown = self._run([self.compiler, "--showme:compile"], seconds)[1]
        flags = shown.split()
        self.instrumented = self._with_header("instrumented", flags)
        self.plain = self._with_header("plain", [flag for flag in flags if not flag.startswith("-DSTRADSAP")])

    def classify(self, text):
        """(the find in one line or nothing, whether the text was accepted)."""
        self.source.write_bytes(text.encode("latin-1"))
        self.output.unlink(missing_ok=True)
        status, words = self._run([self.compiler, "--emit-source", self.source, "-o", self.output], self.seconds,
                                  CXX=str(self.compiler_stand_in))
        if status is None:
            return f"not done after {self.seconds} s", False
        crash = _CRASH.search(words)
        if crash or status not in (0, 1):
            line = words[crash.start():].splitlines()[0] if crash else words.strip()[-200:]
            return f"status {status}: {line}", False
        if status == 1:
            return (None if not self.output.exists() else "refused, but there is an output"), False
        return self._compare(), True

    def _compare(self):
        status, words = self._syntax(self.instrumented, self.output)
        if status in (0, None) or self._syntax(self.plain, self.source)[0] != 0:
            return None
        first = re.search(r"error: .*", words)
        return "only the rewritten text is refused: " + (first.group() if first else words.strip()[:200])

    def _syntax(self, flags, file):
        return self._run(["g++", *flags, "-w", "-fsyntax-only", file], seconds=60)

    def _with_header(self, name, flags):
        """The flags, and the API's header compiled once."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        header = home / "all.hpp"
        header.write_text("#include <stradsap/stradsap.hpp>\n")
        status, words = self._run(["g++", *flags, "-x", "c++-header", header, "-o", f"{header}.gch"], seconds=120)
        if status != 0:
            raise SystemExit(f"fuzz: the header does not compile\n{words}")
        return [*flags, "-include", str(header)]

    def _run(self, command, seconds, **environment):
        """(status, output); the status is None after a time-out."""
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": str(self.folder),
                       "ASAN_OPTIONS": _SANITIZER, **environment}
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, timeout=60 + 10 * seconds,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5)),
                              stdin=subprocess.DEVNULL, check=False)
        status = None if done.returncode == -signal.SIGXCPU else done.returncode
        return status, (done.stdout + done.stderr).decode("utf-8", "replace")


def kind_of(find):
    """The find without names and numbers; equal kinds count as one find."""
    return re.sub(r"‘[^’]*’|'[^']*'|0x[0-9a-f]+|\d+", "_", find)


def minimised(text, find, classify):
    """The text without the lines that the find does not need."""
    lines, size = text.split("\n"), max(1, len(text.split("\n")) // 2)
    while size:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + size:]
            again = classify("\n".join(fewer))[0]
            if again and kind_of(again) == kind_of(find):
                lines = fewer
            else:
                at += size
        size //= 2
    return "\n".join(lines)
