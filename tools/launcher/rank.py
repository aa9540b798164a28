"""One rank as a process: its start, its signals, its end.

A rank leads a session of its own: signals reach it and all it started, and a terminal's Ctrl-C reaches it only
through the launcher. An ended rank stays unreaped until the run is over, so that no
other process gets its number while signals are still sent.
"""

import ctypes
import os
import signal
import subprocess

from launcher.errors import SIGNAL_BASE, StartError
from launcher.memory_kills import MemoryKills

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with(launcher):
    """Runs in the child, before exec: the kernel then kills this process whenever the launcher dies."""
    if _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0 or os.getppid() != launcher:
        os._exit(SIGNAL_BASE + signal.SIGKILL)  # the launcher died before the request


def _take_terminal():
    """In the child: its group becomes the one in the foreground, as a shell's job does. The launcher's moves to the background."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)


def take_terminal_back():
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpgrp())
    signal.signal(signal.SIGTTOU, before)


def is_stopped(pid):
    """Whether the process is stopped, by a signal or a debugger."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "Tt"
    except (OSError, IndexError):
        return False


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Rank:
    """A started rank. `status` is None while it runs, then its status as in a shell: 128 + signal if killed."""

    host = lost = None  # for reports: a rank of this machine

    def __init__(self, number, job, run_dir, now):
        self.number = number
        self.started = now
        self.ended = None
        self.status = None
        self.killed_by = None
        self.killed_for = ""  # a clause on a lack of memory, if that is likely
        self._memory_kills = MemoryKills()
        launcher = os.getpid()
        command, executable = job.rank_command(number)
        self.has_terminal = job.has_terminal(number)

        def before_exec():
            _die_with(launcher)
            if self.has_terminal:
                _take_terminal()

        try:
            self._process = subprocess.Popen(
                command,
                executable=executable,
                cwd=job.directory,
                env=job.rank_environment(number, run_dir),
                stdin=job.standard_input if number == 0 or self.has_terminal else subprocess.DEVNULL,
                stdout=None if self.has_terminal else subprocess.PIPE,
                stderr=None if self.has_terminal else subprocess.PIPE,
                bufsize=0,
                close_fds=False,  # the launcher's are close-on-exec; the user's, such as <(…) of a shell, are passed on
                start_new_session=not self.has_terminal,
                preexec_fn=before_exec,
            )
        except (OSError, subprocess.SubprocessError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StartError(f"cannot start rank {number}: {command[0]}: {reason}") from None
        self.pid = self._process.pid
        self.stdin = self._process.stdin.fileno() if self._process.stdin else None
        self.stdout = self._process.stdout.fileno() if self._process.stdout else None  # a debugger's are the terminal
        self.stderr = self._process.stderr.fileno() if self._process.stderr else None
        try:
            self.exit_event = os.pidfd_open(self.pid)
        except OSError as error:
            self.send(signal.SIGKILL)
            self._process.wait()
            raise StartError(f"cannot watch rank {number}: {error.strerror}") from None

    def note_end(self, now):
        """Reads the rank's exit status. Requires that exit_event has reported the end."""
        result = os.waitid(os.P_PIDFD, self.exit_event, os.WEXITED | os.WNOWAIT)
        self.ended = now
        if result.si_code == os.CLD_EXITED:
            self.status = result.si_status
        else:
            self.killed_by = result.si_status
            self.status = SIGNAL_BASE + result.si_status
            if self.killed_by == signal.SIGKILL:
                self.killed_for = self._memory_kills.clause()

    def send(self, number):
        """Signals the rank and everything in its process group."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # no process of this user is left in the group

    def is_stopped(self):
        return is_stopped(self.pid)

    def took(self, descriptor, count):
        """A reader has taken so many bytes of its output."""

    def close_stdin(self):
        self._process.stdin.close()

    def reap(self):
        """Kills the processes that the rank left behind, and reaps it. Call it once, after its end."""
        self.send(signal.SIGKILL)
        self._process.wait()
        os.close(self.exit_event)
        for stream in (self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        if self.has_terminal:
            take_terminal_back()
