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

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with(launcher):
    """Runs in the child, before exec: the kernel then kills this process whenever the launcher dies."""
    if _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0 or os.getppid() != launcher:
        os._exit(SIGNAL_BASE + signal.SIGKILL)  # the launcher died before the request


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
        launcher = os.getpid()
        try:
            self._process = subprocess.Popen(
                job.command,
                executable=job.executable,
                cwd=job.directory,
                env=job.rank_environment(number, run_dir),
                stdin=job.standard_input if number == 0 else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                close_fds=False,  # the launcher's are close-on-exec; the user's, such as <(…) of a shell, are passed on
                start_new_session=True,
                preexec_fn=lambda: _die_with(launcher),
            )
        except (OSError, subprocess.SubprocessError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StartError(f"cannot start rank {number}: {job.command[0]}: {reason}") from None
        self.pid = self._process.pid
        self.stdin = self._process.stdin.fileno() if self._process.stdin else None
        self.stdout = self._process.stdout.fileno()
        self.stderr = self._process.stderr.fileno()
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

    def send(self, number):
        """Signals the rank and everything in its process group."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # no process of this user is left in the group

    def took(self, descriptor, count):
        """A reader has taken so many bytes of its output."""

    def close_stdin(self):
        self._process.stdin.close()

    def reap(self):
        """Kills the processes that the rank left behind, and reaps it. Call it once, after its end."""
        self.send(signal.SIGKILL)
        self._process.wait()
        os.close(self.exit_event)
        self._process.stdout.close()
        self._process.stderr.close()
