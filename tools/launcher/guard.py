"""A process beside the launcher that does nothing until the launcher dies without having said goodbye.

Then it kills the process groups of the ranks and removes the folder of the run. The kernel already kills each
rank's first process (PR_SET_PDEATHSIG, see rank.py); the guard also reaches what a rank started itself, say a
program under a shell script or gdb. It is started as a program of its own, not as a child of the launcher, so
that the children of the launcher are exactly its ranks.

It reads lines from its standard input: `group PID`, `folder PATH`, `end`.
"""

import os
import select
import signal
import sys

END_SECONDS = 2.0  # for a dismissed guard to be gone


class Guard:
    """The launcher's end: tells the guard what to clean up."""

    def __init__(self):
        read_end, self._write_end = os.pipe()
        self._gone, gone_write_end = os.pipe()
        child = os.fork()
        if child == 0:
            _become_guard(read_end, gone_write_end)
        os.close(read_end)
        os.close(gone_write_end)
        os.waitpid(child, 0)

    def watch_folder(self, path):
        self._say(f"folder {path}")

    def watch_group(self, process_group):
        self._say(f"group {process_group}")

    def end(self):
        """Dismisses the guard and returns when it is gone, so that nothing of the run is left."""
        self._say("end")
        os.close(self._write_end)
        select.select([self._gone], [], [], END_SECONDS)  # the end of file that its death makes
        os.close(self._gone)

    def _say(self, line):
        try:
            os.write(self._write_end, os.fsencode(line) + b"\n")
        except BrokenPipeError:
            pass  # somebody killed the guard; the ranks still have the kernel's death signal


def _become_guard(read_end, gone_write_end):
    """In the launcher's child: hands the pipe to a grandchild in its own session, which execs this file."""
    try:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(read_end, 0)
            os.dup2(gone_write_end, 1)  # held open only to be closed by the guard's death
            os.dup2(nothing, 2)
            os.chdir("/")
            os.closerange(3, 1 << 20)  # what the caller left open for the ranks is not for the guard
            os.execv(sys.executable, [sys.executable, "-ISB", os.path.abspath(__file__)])
    finally:
        os._exit(0)


def _kill_group(process_group):
    try:
        os.killpg(process_group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _remove_folder(path):
    import shutil  # here, because the usual guard ends without ever needing it

    shutil.rmtree(path, ignore_errors=True)


def _watch():
    groups, folder = [], None
    # A bytes stream that ends in the middle of a line is a launcher that died in the middle of a line.
    for line in sys.stdin.buffer:
        word, _, value = line.rstrip(b"\n").partition(b" ")
        if word == b"end":
            return
        if word == b"group":
            groups.append(int(value))
        elif word == b"folder":
            folder = value
    for group in groups:
        _kill_group(group)
    if folder:
        _remove_folder(folder)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    _watch()
