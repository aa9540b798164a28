"""Supervises one start of the ranks: one loop over their ends, their output, signals and deadlines.

It sleeps in poll() until the next event. The ranks are a fleet (fleet.py), on this machine or on several hosts. Local ones are
started from this thread, the main one, because the
death signal of a rank is tied to the thread that started it. An ending is a list of steps, each a delay and a
signal for the ranks that still run; the last step is KILL, so every ending ends.
"""

import collections
import select
import selectors
import signal
import time

from launcher import report
from launcher.console import FATAL, FORWARDED
from launcher.errors import LOST_PEER, SIGNAL_BASE, START_FAILED, TIMED_OUT
from launcher.output import QUEUE_HIGH, QUEUE_LOW, Output, Stream

NOTICE_SECONDS = 2.0  # for ranks to notice the loss of a peer by themselves, and to report it
SHORT_NOTICE_SECONDS = 0.5  # before a restart, once the cause is known
LAST_STEP_SECONDS = 2.0  # between TERM and KILL, after another signal
DRAIN_BYTES = 1 << 20
LONGEST_WAIT_SECONDS = 3600.0  # poll() takes its milliseconds in an int
STUCK_OUTPUT_SECONDS = 5.0  # for a reader that does not read, once the run has failed

# The end of one start. `failed`: the rank whose failure ended it, or None. `was_asked`: a signal asked the launcher to end.
End = collections.namedtuple("End", "status lines failed was_asked suspended", defaults=[()])


class Supervisor:
    """Runs the ranks to their end. One thread, the main one. The console has caught the signals. `may_restart(rank)`: whether
    the ranks are started again after this failure; then their last output waits in the console for a slow reader."""

    def __init__(self, job, settings, fleet, console, may_restart):
        self._job = job
        self._fleet = fleet
        self._settings = settings
        self._console, self._may_restart = console, may_restart
        self._selector = selectors.PollSelector()  # unlike epoll it takes regular files
        self._stdout, self._stderr = console.stdout, console.stderr
        self._nowhere = Output(-1)  # for ranks that are not shown
        self._nowhere.discard()
        self._ends = select.epoll()  # it reports in the order of the events, so the first rank to fail is known exactly
        self._ranks, self._streams = [], {}
        self._live = set()
        self._waiting_for = set()  # descriptors that the selector watches
        self._steps = []  # of the ending: (time, signal), earliest first
        self._exit_status = None
        self._failed = None
        self._was_asked = False
        self._last_report = []
        self._stopped = set()
        self._suspended = []
        self._run_deadline = None
        self._drain_deadline = None
        self._stuck_deadline = None

    def run(self):
        """Starts the ranks, returns their End. Raises StartError with no rank left."""
        self._selector.register(self._console.signals, selectors.EVENT_READ, self._on_signals)
        self._selector.register(self._ends, selectors.EVENT_READ, self._on_ends)
        try:
            for rank in self._fleet.ranks():
                self._adopt(rank)
            self._run_deadline = self._console.deadline_after(self._settings.timeout)
            self._loop()
        finally:
            for rank in self._ranks:
                rank.reap()
            self._selector.close()
            self._ends.close()
        return self._the_end()

    # --- events ---

    def _adopt(self, rank):
        self._ranks.append(rank)
        self._live.add(rank)
        if rank.exit_event is not None:
            self._ends.register(rank.exit_event, select.EPOLLIN)
        prefix = b"" if self._settings.no_prefix else b"[%d] " % rank.number
        raw = self._settings.no_prefix and self._job.world_size == 1
        stdout, stderr = (self._stdout, self._stderr) if self._is_shown(rank) else (self._nowhere, self._nowhere)
        for descriptor, output, name in ((rank.stdout, stdout, "stdout"), (rank.stderr, stderr, "stderr")):
            if descriptor is None:
                continue
            shows_progress = self._job.columns > 0 and descriptor == rank.stderr and rank.number == 0
            self._streams[descriptor] = Stream(rank, descriptor, output, prefix, raw, self._console.copy(rank.number, name),
                                              shows_progress)

    def _is_shown(self, rank):
        """Whether --ranks has the rank, so that its output is passed on."""
        return self._settings.ranks is None or str(rank.number) in self._settings.ranks.split(",")

    def _wait_for_streams(self):
        """Registers pipes with room in their output, outputs with data to write, and the descriptors of the fleet."""
        wanted = self._fleet.wanted()
        for stream in self._streams.values():
            limit = QUEUE_LOW if stream.descriptor not in self._waiting_for else QUEUE_HIGH
            if not stream.at_end and (stream.output.pending <= limit or self._leaves_output()):
                wanted[stream.descriptor] = (selectors.EVENT_READ, stream)
        for output in (self._stdout, self._stderr):
            if output.pending:
                wanted[output.descriptor] = (selectors.EVENT_WRITE, output)
        for descriptor in self._waiting_for - wanted.keys():
            self._selector.unregister(descriptor)
        for descriptor in wanted.keys() - self._waiting_for:
            self._selector.register(descriptor, *wanted[descriptor])
        self._waiting_for = set(wanted)

    def _seconds_to_wait(self):
        deadlines = [self._run_deadline, self._drain_deadline, self._stuck_deadline]
        deadlines += [when for when, _ in self._steps[:1]]
        left = [max(0.0, when - time.monotonic()) for when in deadlines if when is not None]
        left += [seconds for seconds in [self._fleet.seconds_to_wait()] if seconds is not None]
        return min(*left, LONGEST_WAIT_SECONDS) if left else None

    # --- the loop ---

    def _loop(self):
        while self._live or self._open_streams() or self._has_to_write():
            self._wait_for_streams()
            ready = [key.data for key, _ in self._selector.select(self._seconds_to_wait())]
            for source in ready:
                if isinstance(source, Stream) and not source.at_end:
                    source.rank.took(source.descriptor, source.pump())
                elif isinstance(source, Output) and source.pending:
                    source.flush_some()
                elif callable(source):
                    source()
            for rank in self._fleet.ended():
                self._take_end(rank)
            self._on_closed_output()
            self._on_fleet()
            self._on_time()

    def _has_to_write(self):
        return not self._leaves_output() and (self._stdout.pending or self._stderr.pending)

    def _leaves_output(self):
        """Whether the ranks have gone, and others follow: the last bytes of their pipes then wait in the console."""
        return not self._live and self._failed is not None and not self._was_asked and self._may_restart(self._failed)

    def _open_streams(self):
        return [stream for stream in self._streams.values() if not stream.at_end]

    def _on_ends(self):
        now = time.monotonic()
        by_event = {rank.exit_event: rank for rank in self._live}
        for event, _ in self._ends.poll(0):
            rank = by_event[event]
            self._ends.unregister(event)
            rank.note_end(now)
            self._take_end(rank)

    def _take_end(self, rank):
        self._live.discard(rank)
        if rank.status != 0 and (self._is_cause(rank) or self._exit_status is None):
            self._failed = rank
            self._end(rank.status, self._steps_after(rank))
        if not self._live:
            self._begin_drain(time.monotonic())

    def _steps_after(self, failed):
        """The ending after a failure. Before a restart no rank has anything to save: its peer is lost."""
        if not self._may_restart(failed):
            return [(NOTICE_SECONDS, signal.SIGTERM), (self._settings.kill_grace, signal.SIGKILL)]
        return [(NOTICE_SECONDS if failed.status == LOST_PEER and not failed.lost else SHORT_NOTICE_SECONDS, signal.SIGKILL)]

    def _on_fleet(self):
        lines = self._fleet.tick(is_ending=self._exit_status is not None or not self._live)
        if lines and self._exit_status is None:
            self._last_report = lines
            self._end(START_FAILED, [(0, signal.SIGTERM), (self._settings.kill_grace, signal.SIGKILL)])

    def _is_cause(self, rank):
        """Whether this rank failed by itself, and one that lost it ended first: a socket closes before its process ends."""
        noticed = self._failed is not None and self._failed.status == LOST_PEER and not self._failed.lost
        return noticed and (rank.status != LOST_PEER or rank.lost) and rank.number not in self._stopped

    def _begin_drain(self, now):
        """After the end of all ranks: kills processes that they left, and passes on the rest of their output."""
        for rank in self._ranks:
            rank.send(signal.SIGKILL)
        for stream in self._open_streams():
            stream.budget = DRAIN_BYTES
        self._steps, self._run_deadline = [], None
        self._drain_deadline = now + self._fleet.drain_seconds
        if self._exit_status is not None and not self._leaves_output():
            self._stuck_deadline = now + STUCK_OUTPUT_SECONDS

    def _on_signals(self):
        for number in self._console.take_signals():
            self._was_asked |= number in FATAL
            if number in FORWARDED:
                self._send_all(number)
            elif number in FATAL and self._exit_status is not None:
                if self._failed is not None and self._may_restart(self._failed):  # the signal ends the run, and not the failure
                    self._exit_status = SIGNAL_BASE + number
                self._steps = [(time.monotonic(), signal.SIGKILL)]  # a second request: kill now
                self._stuck_deadline = time.monotonic()
            elif number in FATAL:
                self._last_report = report.interrupted(number)
                grace = self._settings.kill_grace
                steps = [(0, number), (grace, signal.SIGKILL)]
                if number != signal.SIGTERM:
                    steps = [(0, number), (grace, signal.SIGTERM), (LAST_STEP_SECONDS, signal.SIGKILL)]
                self._end(SIGNAL_BASE + number, steps)

    def _on_closed_output(self):
        if self._stdout.closed and self._exit_status is None:
            # Ends silently, as any program does without a reader: `| head` is no error.
            steps = [(0, signal.SIGTERM), (self._settings.kill_grace, signal.SIGKILL)]
            self._end(SIGNAL_BASE + signal.SIGPIPE, steps)

    def _on_time(self):
        now = time.monotonic()
        while self._steps and self._steps[0][0] <= now:
            _, number = self._steps.pop(0)
            self._stopped |= {rank.number for rank in self._live}
            self._send_all(number)
        if self._run_deadline is not None and now >= self._run_deadline:
            self._run_deadline = None
            if self._exit_status is None:
                running = sorted(rank.number for rank in self._live)
                self._last_report = report.timed_out(self._settings.timeout, running)
                self._end(TIMED_OUT, [(0, signal.SIGTERM), (self._settings.kill_grace, signal.SIGKILL)])
        if self._drain_deadline is not None and now >= self._drain_deadline:
            self._drain_deadline = None
            for stream in self._open_streams():
                if stream.descriptor in self._waiting_for:  # idle, not stopped by a slow reader
                    stream.finish()
                else:
                    self._drain_deadline = now + self._fleet.drain_seconds
        if self._stuck_deadline is not None and now >= self._stuck_deadline and not self._live:
            self._stuck_deadline = None
            for stream in self._open_streams():
                stream.finish()
            self._stdout.discard()
            self._stderr.discard()

    # --- the end ---

    def _end(self, status, steps):
        """Sets the exit status, and the times and signals of the ending for the ranks that still run."""
        self._exit_status = status
        self._suspended = [rank for rank in self._live if rank.is_stopped()]
        if not self._live:
            self._stuck_deadline = time.monotonic() + STUCK_OUTPUT_SECONDS
        when, self._steps = time.monotonic(), []
        for delay, number in steps:
            when += delay
            self._steps.append((when, number))
        self._on_time()

    def _send_all(self, number):
        for rank in sorted(self._live, key=lambda rank: -rank.number):  # rank 0 last: the others know then that it ends on purpose
            rank.send(number)

    def _the_end(self):
        if self._failed is not None:
            stream = self._streams.get(self._failed.stderr)
            words = stream.last_lines(report.LAST_LINES) if stream else []
            by_runtime = self._fleet.joined() or any("no progress for" in line for line in words)
            if self._failed.status == TIMED_OUT and by_runtime and self._is_shown(self._failed):
                words = None
            self._last_report = report.rank_failure(self._failed, self._ranks, words, self._stopped)
        self._last_report += report.suspended(sorted(self._suspended, key=lambda rank: rank.number))
        return End(self._exit_status or 0, self._last_report, self._failed, self._was_asked, self._suspended)
