"""The agent: the launcher's part on one host of several. It starts the ranks of its host as the launcher does, and passes on
their output and their ends, and the messages between ranks and launcher.

Frames from the launcher: job, table, signal, stdin, stdin_end, credit, beat. To it: hello, started, refused, endpoint, output,
closed, ended, saved, stopped, credit, beat. The end of its standard input is the death or the end of the launcher: then the agent
kills all its ranks, removes the folder of the run and ends. It also does so when it has heard nothing for a minute, because the
connection may be cut.
"""

import os
import select
import selectors
import signal
import socket
import sys
import time

from launcher import addresses, cores, frames, job, saved
from launcher.errors import LauncherError
from launcher.guard import Guard
from launcher.rank import Rank
from launcher.run_dir import RunDir

MAGIC = b"\nSTRADSAP AGENT\n"  # before the first frame; a login shell may have printed something
BEAT_SECONDS = 1.0
SILENCE_SECONDS = 60.0
SOCKET_NAME = "agent"
LONGEST_REPORT = 4096  # of a rank

# These describe a host, so its own values count. All others are those of the launcher.
_OWN_NAMES = ("HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "HOST", "MAIL", "TMPDIR", "DISPLAY", "XAUTHORITY",
              "DBUS_SESSION_BUS_ADDRESS", "SLURMD_NODENAME")


def _is_own(name):
    return name in _OWN_NAMES or name.startswith(("SSH_", "XDG_"))


def _environment(sent):
    kept = {name: value for name, value in sent.items() if not _is_own(name)}
    return {**kept, **{name: value for name, value in os.environ.items() if _is_own(name)}}


class HostJob:
    """The job for Rank, from the fields of the frame `job`."""

    def __init__(self, fields):
        def decode(names):
            return {frames.from_json(name): frames.from_json(value) for name, value in names.items()}

        self.ranks = fields["ranks"]
        self.is_of_several = fields["is_of_several"]
        self.command = [frames.from_json(word) for word in fields["command"]]
        self.directory = frames.from_json(fields["directory"])
        self.standard_input = -1  # subprocess.PIPE
        self._environment = {**_environment(decode(fields["environment"])), **decode(fields["additions"])}
        if not os.path.isdir(self.directory):
            raise LauncherError(f"no such directory: {self.directory}")
        self.executable = job.find_program(self.command[0], self.directory, self._environment.get("PATH"))
        self._environment["STRADSAP_NODE_RANK"] = str(fields["host"])
        self._environment["STRADSAP_LOCAL_SIZE"] = str(len(self.ranks))
        if self.is_of_several:
            self._environment["STRADSAP_ADDRESS"] = addresses.choose(fields["interface"], fields["towards"])
        self._columns = fields["columns"]

    def rank_command(self, rank):
        return self.command, self.executable

    def has_terminal(self, rank):
        return False

    def rank_environment(self, rank, run_dir):
        columns = {"STRADSAP_COLUMNS": str(self._columns)} if rank == 0 and self._columns else {}
        return {**self._environment, **columns, "STRADSAP_RANK": str(rank), "STRADSAP_RUN_DIR": run_dir,
                "STRADSAP_LOCAL_RANK": str(self.ranks.index(rank))}


class RankSocket:
    """The connection of a rank that reports its endpoint and waits for those of all."""

    def __init__(self, connected):
        connected.setblocking(False)
        self._connected = connected
        self.descriptor = connected.fileno()
        self.out = frames.Outgoing(self.descriptor)
        self.at_end = False
        self.rank = None
        self._received = b""

    def report(self):
        """Reads once. The fields of the rank's line when it is whole, else None."""
        try:
            data = os.read(self.descriptor, LONGEST_REPORT)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        self.at_end = not data
        self._received = (self._received + data)[:LONGEST_REPORT]
        if self.rank is not None or b"\n" not in self._received:
            return None
        fields = self._received.split(b"\n")[0].decode("ascii", "replace").split()
        if len(fields) != 3 or not fields[0].isdecimal():
            self.at_end = True
            return None
        self.rank = int(fields[0])
        return fields

    def close(self):
        self._connected.close()


class Agent:
    """One thread. One selector watches all descriptors."""

    def __init__(self, channel):
        self._channel = channel
        self._selector = selectors.PollSelector()
        self._ends = select.epoll()
        self._watched = {}
        self._ranks, self._live, self._streams = {}, {}, {}
        self._credit = {}
        self._sockets, self._stopped = [], []
        self._table = None
        self._listener = None
        self._input = None
        self._input_is_whole = False
        self._heard = self._beaten = time.monotonic()
        self._guard = self._run_dir = self._saved = None

    def run(self):
        try:
            self._say_hello()
            while not self._channel.at_end and not self._channel.out.closed:
                self._turn()
                if time.monotonic() - self._heard > SILENCE_SECONDS:
                    break
        finally:
            for rank in self._ranks.values():
                rank.send(signal.SIGKILL)
            for rank in self._ranks.values():
                rank.reap()
            if self._run_dir is not None:
                self._run_dir.remove()
            if self._guard is not None:
                self._guard.end()

    # --- one turn ---

    def _say_hello(self):
        self._channel.out.put(MAGIC)
        self._channel.put("hello", cores=cores.count(), address=addresses.of_start(os.environ))

    def _wanted(self):
        wanted = {self._channel.read_descriptor: (selectors.EVENT_READ, self._on_frames)}
        if self._channel.out.pending:
            wanted[self._channel.out.descriptor] = (selectors.EVENT_WRITE, self._channel.out.flush)
        if self._live:
            wanted[self._ends.fileno()] = (selectors.EVENT_READ, self._on_ends)
        for descriptor, key in self._streams.items():
            if self._credit[key] > 0:
                wanted[descriptor] = (selectors.EVENT_READ, lambda d=descriptor, k=key: self._on_output(d, k))
        if self._input is not None and self._input.pending:
            wanted[self._input.descriptor] = (selectors.EVENT_WRITE, self._feed_input)
        if self._listener is not None:
            wanted[self._listener.fileno()] = (selectors.EVENT_READ, self._on_rank)
        for one in self._sockets:
            event = selectors.EVENT_READ | (selectors.EVENT_WRITE if one.out.pending else 0)
            wanted[one.descriptor] = (event, lambda one=one: self._on_socket(one))
        return wanted

    def _turn(self):
        wanted = self._wanted()
        for descriptor in [d for d in self._watched if self._watched[d] != wanted.get(d, (0,))[0]]:
            self._selector.unregister(descriptor)
            del self._watched[descriptor]
        for descriptor, (event, _) in wanted.items():
            if descriptor not in self._watched:
                self._selector.register(descriptor, event)
                self._watched[descriptor] = event
        left = self._beaten + BEAT_SECONDS - time.monotonic()
        for key, _ in self._selector.select(max(0.0, left)):
            wanted[key.fd][1]()
        if time.monotonic() - self._beaten >= BEAT_SECONDS:
            self._beaten = time.monotonic()
            self._tell_stopped()
            if not self._channel.out.pending:
                self._channel.put("beat")
            self._report_saved()

    def _report_saved(self):
        """Rank 0 names the folder of its checkpoints: the launcher then knows the newest one, also if this host is lost."""
        newest = saved.newest(self._run_dir.path) if self._run_dir is not None else None
        if newest is not None and newest != self._saved:
            self._saved = newest
            self._channel.put("saved", path=frames.as_json(newest))

    def _tell_stopped(self):
        stopped = sorted(rank.number for rank in self._live.values() if rank.is_stopped())
        if stopped != self._stopped:
            self._stopped = stopped
            self._channel.put("stopped", ranks=stopped)

    # --- the launcher ---

    def _on_frames(self):
        try:
            self._take_frames()
        except (frames.FrameError, KeyError, TypeError, ValueError) as error:
            what = error if isinstance(error, frames.FrameError) else f"a frame with other fields ({error!r})"
            raise LauncherError(f"the launcher sent {what}") from None

    def _take_frames(self):
        for fields, body in self._channel.receive():
            self._heard = time.monotonic()
            kind = fields["kind"]
            if kind == "job":
                self._start(fields)
            elif kind == "table":
                self._hand_out(body)
            elif kind == "signal":
                self._ranks[fields["rank"]].send(fields["number"])
            elif kind == "credit":
                self._credit[(fields["rank"], fields["stream"])] += fields["count"]
            elif kind in ("stdin", "stdin_end") and self._input is not None:
                self._input.put(body)
                self._input_is_whole = kind == "stdin_end"
                self._feed_input()

    def _start(self, fields):
        try:
            host_job = HostJob(fields)
            self._guard = Guard()
            self._run_dir = RunDir.create(os.environ)
            self._guard.watch_folder(self._run_dir.path)
            if host_job.is_of_several:
                self._listener = socket.socket(socket.AF_UNIX)
                self._listener.bind(os.path.join(self._run_dir.path, SOCKET_NAME))
                self._listener.listen(len(host_job.ranks))
                self._listener.setblocking(False)
            for number in host_job.ranks:
                self._start_rank(number, host_job)
        except (LauncherError, OSError) as error:
            self._channel.put("refused", text=frames.as_json(str(error)))
            return
        self._channel.put("started", pids={str(number): rank.pid for number, rank in self._ranks.items()})

    def _start_rank(self, number, host_job):
        rank = Rank(number, host_job, self._run_dir.path, time.monotonic())
        self._guard.watch_group(rank.pid)
        self._ranks[number] = self._live[rank.exit_event] = rank
        self._ends.register(rank.exit_event, select.EPOLLIN)
        for descriptor, stream in ((rank.stdout, 1), (rank.stderr, 2)):
            self._streams[descriptor] = (number, stream)
            self._credit[(number, stream)] = frames.CREDIT
        if number == 0:
            self._input = frames.Outgoing(rank.stdin)

    # --- the ranks ---

    def _on_output(self, descriptor, key):
        rank, stream = key
        data = os.read(descriptor, self._credit[key])
        if not data:
            del self._streams[descriptor]
            self._channel.put("closed", rank=rank, stream=stream)
            return
        self._credit[key] -= len(data)
        self._channel.put("output", data, rank=rank, stream=stream)

    def _on_ends(self):
        for event, _ in self._ends.poll(0):
            rank = self._live.pop(event)
            self._ends.unregister(event)
            rank.note_end(time.monotonic())
            self._report_saved()
            self._channel.put("ended", rank=rank.number, status=rank.status, killed_by=rank.killed_by, killed_for=rank.killed_for,
                              seconds=rank.ended - rank.started, joined=self._run_dir.was_used())

    def _feed_input(self):
        written = self._input.flush()
        if self._input.closed or (self._input_is_whole and not self._input.pending):
            self._ranks[0].close_stdin()
            self._input = None
        elif written:
            self._channel.put("credit", count=written)

    def _on_rank(self):
        try:
            connected, _ = self._listener.accept()
        except OSError:
            return  # the rank has gone meanwhile
        self._sockets.append(RankSocket(connected))

    def _on_socket(self, one):
        one.out.flush()
        fields = one.report()
        if fields is not None and int(fields[0]) in self._ranks:
            self._channel.put("endpoint", rank=int(fields[0]), endpoint=fields[1], key=fields[2])
            if self._table is not None:
                one.out.put(self._table)
        if one.at_end or one.out.closed:
            self._sockets.remove(one)
            one.close()

    def _hand_out(self, table):
        self._table = table
        for one in self._sockets:
            if one.rank is not None:
                one.out.put(table)
                one.out.flush()


def main():
    """Runs on the host, with its standard input and output as the connection to the launcher."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # not SIG_IGN, which the ranks would inherit
    inward, outward = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # text that is printed by mistake does not disturb the frames
    os.close(nothing)
    os.set_blocking(inward, False)
    try:
        Agent(frames.Channel(inward, outward)).run()
    except LauncherError as error:
        print(error, file=sys.stderr)
    sys.stderr.close()
    os._exit(0)
