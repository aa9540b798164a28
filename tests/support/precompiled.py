"""<stradsap/stradsap.hpp> precompiled by stradsap-cc, once for each set of options: for tests that compile many programs.

Reading that header takes most of a small program's compilation. It comes before the program's own text, so these programs
must not define macros for it.
"""

import fcntl
import hashlib
import os
import pathlib
import subprocess

INCLUDE = pathlib.Path(__file__).resolve().parent.parent.parent / "include" / "stradsap"


def _stamp(compiler):
    """Changes with the headers and with stradsap-cc: g++ does not look whether a precompiled header is out of date."""
    files = [pathlib.Path(compiler), *sorted(INCLUDE.rglob("*.hpp"))]
    return hashlib.sha256(repr([(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]).encode()).hexdigest()


def _make(compiler, flags, header):
    header.write_text("#include <stradsap/stradsap.hpp>\n")
    subprocess.run([compiler, *flags, header, "-o", f"{header}.gch"], check=True, timeout=240)


def first_include(folder, compiler, *flags):
    """The options to add to stradsap-cc with these flags. `folder` keeps the precompiled headers of all tests."""
    flags = [flag for flag in flags if not flag.startswith("-W")]
    kind = pathlib.Path(folder) / "precompiled" / hashlib.sha256(repr(flags).encode()).hexdigest()[:16]
    kind.mkdir(parents=True, exist_ok=True)
    stamp, wanted = kind / "stamp", _stamp(compiler)
    with open(kind / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            stamp.unlink(missing_ok=True)
            _make(compiler, flags, kind / "first.hpp")
            stamp.write_text(wanted)
    return ["-Winvalid-pch", "-include", str(kind / "first.hpp")]
