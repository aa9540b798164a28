"""The launcher's side to its user: its own streams, the signals that reach it, and the deadline of the run.

They outlive a start of the ranks, so a restart loses no output and no signal. Thread rule: the main thread.
"""

import os
import select
import signal
import stat
import time

from launcher.errors import StartError
from launcher.output import Copy, Output

FATAL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FORWARDED = (signal.SIGUSR1, signal.SIGUSR2)


class Interrupted(Exception):
    """A signal asked the launcher to end, before the ranks were started."""

    def __init__(self, number):
        super().__init__()
        self.number = number


class Console:
    """Catches the signals from its making on."""

    def __init__(self, copies=None):
        """`copies`: the folder for the output of each rank, too; None: none."""
        self._folder, self._copies = copies, {}
        self.stderr = Output(2)
        self.stdout = Output(1, beside=self.stderr if os.isatty(1) else None)
        self._deadline = None
        self._input_start = os.lseek(0, 0, os.SEEK_CUR) if stat.S_ISREG(os.fstat(0).st_mode) else None
        self.signals, write_end = os.pipe()  # readable once a signal has come
        os.set_blocking(self.signals, False)
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for number in (*FATAL, *FORWARDED):
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # nohup
            signal.signal(number, lambda *_: None)

    def take_signals(self):
        """The numbers of the signals that have come."""
        try:
            return os.read(self.signals, 64)
        except BlockingIOError:
            return b""

    def stop_if_asked(self):
        """Raises Interrupted if a signal asked for the end."""
        for number in self.take_signals():
            if number in FATAL:
                raise Interrupted(number)

    def deadline_after(self, seconds):
        """The time at which the run has to end: so many seconds after the first call. None for 0."""
        if seconds and self._deadline is None:
            self._deadline = time.monotonic() + seconds
        return self._deadline

    def rewind_input(self):
        """A file is read again from where the launcher got it. Bytes of a pipe or a terminal come only once."""
        if self._input_start is not None:
            os.lseek(0, self._input_start, os.SEEK_SET)

    def copy(self, rank, name):
        """The file for a stream of a rank, over all starts; None if there is none. Raises StartError."""
        if self._folder is None:
            return None
        path = os.path.join(self._folder, f"rank.{rank}", name)
        try:
            if path not in self._copies:
                self._copies[path] = Copy(path, lambda warning: self.say(f"warning: {warning}"))
        except OSError as error:
            raise StartError(f"--output: {path}: {error.strerror}") from None
        return self._copies[path]

    def say(self, *lines):
        """Queues lines of the launcher's own, behind all output so far, and writes as much as the reader takes now."""
        text = "".join(f"stradsap-run: {line}\n" for line in lines)
        self.stderr.put(self, text.encode("utf-8", "surrogateescape"))
        for output in (self.stdout, self.stderr):
            while output.pending and select.select([], [output.descriptor], [], 0)[1]:
                output.flush_some()

    def flush(self):
        """Waits until the last lines are written."""
        while self.stderr.pending and not self.stderr.closed:
            self.stderr.flush_some()
