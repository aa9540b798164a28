"""The guard: a process beside the launcher that acts only if the launcher dies without dismissing it.

Then it kills the process groups of the ranks and removes the folder of the run. The kernel already kills each
rank's first process (PR_SET_PDEATHSIG, see rank.py); the guard also kills the processes that a rank started, such
as a program under a shell script or gdb. It is started as a program of its own, not as a child of the launcher, so
that the children of the launcher are exactly its ranks.

It reads lines from its standard input: `group PID`, `forget PID`, `folder PATH`, `end`.
"""

import os
import select
import signal
import sys

END_SECONDS = 2.0  # until a dismissed guard has ended


class Guard:
    """The launcher's side: registers process groups and the folder with the guard."""

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

    def forget_group(self, process_group):
        """Its processes have gone, and its number may be given to others."""
        self._say(f"forget {process_group}")

    def end(self):
        """Dismisses the guard, and returns when it has ended or after END_SECONDS."""
        self._say("end")
        os.close(self._write_end)
        select.select([self._gone], [], [], END_SECONDS)  # its end closes the pipe
        os.close(self._gone)

    def _say(self, line):
        try:
            os.write(self._write_end, os.fsencode(line) + b"\n")
        except BrokenPipeError:
            pass  # the guard was killed; the ranks still have the kernel's death signal


def _become_guard(read_end, gone_write_end):
    """In the launcher's child: starts a grandchild in its own session that reads the pipe and executes this file."""
    try:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(read_end, 0)
            os.dup2(gone_write_end, 1)  # the guard's end closes it
            os.dup2(nothing, 2)
            os.chdir("/")
            os.closerange(3, 1 << 20)  # descriptors that the caller left open for the ranks
            os.execv(sys.executable, [sys.executable, "-ISB", "-c", __loader__.get_source(__name__)])
    finally:
        os._exit(0)


def _kill_group(process_group):
    try:
        os.killpg(process_group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _remove_folder(path):
    import shutil  # imported here, because a guard rarely needs it

    shutil.rmtree(path, ignore_errors=True)


def _watch():
    groups, folder = set(), None
    # The last line may be incomplete, if the launcher died while it wrote it.
    for line in sys.stdin.buffer:
        word, _, value = line.rstrip(b"\n").partition(b" ")
        if word == b"end":
            return
        if word == b"group":
            groups.add(int(value))
        elif word == b"forget":
            groups.discard(int(value))
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
