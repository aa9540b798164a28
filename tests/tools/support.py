"""Drives the launcher and other programs from tests. Every wait has a deadline; nothing sleeps."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.environ.get("TEST_ROOT", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BIN = os.environ.get("TEST_BIN", os.path.join(ROOT, "build", "release", "bin"))
LAUNCHER = os.path.join(BIN, "stradsap-run")
DEADLINE = 30.0


def clean_environment(**extra):
    """The environment without the caller's own settings for the launcher."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STRADSAP_")}
    return {**kept, **extra}


def is_alive(pid):
    """Whether a process runs. One that has ended and is not yet reaped does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):  # it may end while its file is read
        return False


def seconds_until_dead(pid):
    """Waits until a process, of any parent, has ended. Returns how long that took, or None at the deadline."""
    start = time.monotonic()
    try:
        event = os.pidfd_open(pid)
    except ProcessLookupError:
        return 0.0
    try:
        select.select([event], [], [], DEADLINE)
    finally:
        os.close(event)
    return None if is_alive(pid) else time.monotonic() - start


class Run:
    """A started launcher that takes input. Use it as a context manager: the launcher is gone at the end."""

    def __init__(self, *words, env=None, cwd=None, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            [LAUNCHER, *words], env=env or clean_environment(), cwd=cwd, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    @property
    def pid(self):
        return self.process.pid

    def read_line(self):
        """The next line of its stdout. AssertionError if none comes in time."""
        end = time.monotonic() + DEADLINE
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not ready:
                raise AssertionError(f"no further line within {DEADLINE} s, only {self._buffer!r}")
            if not data:
                raise AssertionError(f"no further line, only {self._buffer!r}; errors: {self.process.communicate()[1].decode()}")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode()

    def signal(self, number):
        self.process.send_signal(number)

    def finish(self):
        """(status, rest of stdout, stderr), as text."""
        output, errors = self.process.communicate(timeout=DEADLINE)
        return self.process.returncode, (self._buffer + output).decode(), errors.decode()


def launch(*words, env=None, cwd=None, input_bytes=b""):
    """Runs the launcher to its end: (status, stdout, stderr) as bytes."""
    done = subprocess.run([LAUNCHER, *words], env=env or clean_environment(), cwd=cwd, input=input_bytes,
                          capture_output=True, timeout=DEADLINE, check=False)
    return done.returncode, done.stdout, done.stderr


class LauncherTest(unittest.TestCase):
    """A test with a folder of its own, in which the launcher also makes its run folders."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="st-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.base = os.path.join(self.folder, "run")
        os.mkdir(self.base)
        self.env = clean_environment(XDG_RUNTIME_DIR=self.base)

    def program(self, name, text, mode=0o755):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def shell(self, *words):
        """launch() of a shell script: options first, the script last."""
        return launch(*words[:-1], "--", "sh", "-c", words[-1], env=self.env)

    def run_folders(self):
        return os.listdir(self.base)


# Programs under test say `exec tail -f` to wait: it does nothing for ever and dies of any signal.
WAIT_FOR_EVER = "exec tail -f /dev/null"

__all__ = ["BIN", "DEADLINE", "LAUNCHER", "LauncherTest", "ROOT", "Run", "WAIT_FOR_EVER", "clean_environment",
           "is_alive", "launch", "seconds_until_dead", "signal", "subprocess", "sys"]
