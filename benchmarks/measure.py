"""Runs a side: a deadline for every process, peak memory, and the capacity gate.

Every process starts in a session of its own. At its deadline its process group is killed.
"""

import os
import select
import signal
import subprocess
import tempfile
import threading
import time


class Failure(Exception):
    """A side did not run. The text is for the user."""


class Result:
    def __init__(self, stdout, peaks_kb):
        self.stdout = stdout
        self.peak_rss_mb = sum(peaks_kb) / 1024
        self.greatest_rss_mb = max(peaks_kb) / 1024  # of one process


def execute(command, environment=None, deadline=600.0, program=None):
    """Runs command. It must succeed within deadline seconds.

    With program, the path of an executable, peak memory is the sum over the processes that run it: the ranks under a
    launcher, or the process itself. It is sampled five times a second. wait4 would report the largest of all
    processes, which begins with the memory of this Python; its figure is used only if there is no sample.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                       env={**os.environ, **(environment or {})}, start_new_session=True)
        except OSError as error:
            raise Failure(f"{command[0]}: {error.strerror}") from error
        with process.stdout:
            in_time = False
            try:
                stdout, peaks, in_time = _follow(process, deadline, program)
            finally:  # also when the user interrupts
                if not in_time:
                    _end(process)
                _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # reaped already: Popen must not wait again
        errors.seek(0)
        words = errors.read().decode(errors="replace").strip()
    if not in_time:
        raise Failure(f"{' '.join(command)}: not done after {deadline:.0f} s\n{words}")
    if process.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {process.returncode}\n{words}")
    return Result(stdout.decode(errors="replace"), [*peaks.values()] or [usage.ru_maxrss])


def _end(process):
    """Asks the process to end, so that a launcher can end its ranks. After that, or after five seconds, kills the rest
    of its group."""
    os.killpg(process.pid, signal.SIGTERM)
    exited = os.pidfd_open(process.pid)
    select.select([exited], [], [], 5.0)
    os.close(exited)
    os.killpg(process.pid, signal.SIGKILL)  # not reaped yet, so the number is still this group's


def _follow(process, deadline, program):
    """Reads stdout until the process ends. Returns (stdout, peak kB by pid, whether it ended in time)."""
    exited, output = os.pidfd_open(process.pid), process.stdout.fileno()
    os.set_blocking(output, False)
    end, chunks, peaks, waiting = time.monotonic() + deadline, [], {}, [exited, output]
    try:
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return b"".join(chunks), peaks, False
            ready, _, _ = select.select(waiting, [], [], min(left, 0.2) if program else left)
            if program:
                _note_peaks(process.pid, os.path.realpath(program), peaks)
            if output in ready:
                chunk = os.read(output, 1 << 16)
                chunks.append(chunk)
                if not chunk:
                    waiting = [exited]
            elif exited in ready:  # only when the pipe is empty
                return b"".join(chunks), peaks, True
    finally:
        os.close(exited)


def _note_peaks(pid, program, peaks):
    """Notes the current peak of resident memory of each descendant of pid that runs program."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = [int(child) for child in file.read().split()]
        if os.readlink(f"/proc/{pid}/exe") == program:
            with open(f"/proc/{pid}/status") as file:
                peaks.update({pid: int(line.split()[1]) for line in file if line.startswith("VmHWM")})
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return  # it ended meanwhile
    for child in children:
        _note_peaks(child, program, peaks)


class CapacityGate:
    """Waits until as many cores as needed run at full speed at once. Shared machines often show more cores than they
    lend.

    full_speed is the reference: the rate of one thread, the best of five tries.
    """

    WANTED = 0.9  # of full speed, for the slowest thread
    DEADLINE = 60.0  # seconds; then the run starts anyway and is marked

    def __init__(self, program):
        self._program = program
        self.full_speed = max(self._rate(1, 0.1) for _ in range(5))

    def _rate(self, threads, seconds):
        return float(execute([self._program, str(threads), str(seconds)], deadline=30.0).stdout)

    def wait(self, workers):
        """Returns (share of full speed last seen, whether it was enough)."""
        end = time.monotonic() + self.DEADLINE
        while True:
            share = self._rate(workers, 0.25) / self.full_speed
            if share >= self.WANTED or time.monotonic() > end:
                return share, share >= self.WANTED
            threading.Event().wait(1.0)  # idle on purpose: hosts lend more to guests that were idle
