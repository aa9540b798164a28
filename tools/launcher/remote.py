"""Ranks on other hosts, as the supervisor sees them. Each host has an agent, started by ssh, or directly on this machine.

Output of a rank comes in frames and goes into a pipe of this process, so that the supervisor reads it as it reads that of a
local rank. An agent that ends or is silent for the hang time-out has lost its ranks: their status is that of a lost peer.
"""

import os
import selectors
import shlex
import signal
import subprocess
import sys
import time

from launcher import addresses, bundle, frames, slurm
from launcher.agent import BEAT_SECONDS, MAGIC
from launcher.cores import threads_of_each
from launcher.errors import LOST_PEER, StartError
from launcher.hosts import is_here
from launcher.rank import signal_name

START_SECONDS = 60  # defaults of the options, for the launcher's own deadlines
HANG_SECONDS = 30
ENDING_SECONDS = 5.0  # of silence until a host is lost, once the run ends
CLOSE_SECONDS = 2.0  # for agents to clean up
WORDS_KEPT = 4096  # of ssh
LINES_QUOTED = 3


class RemoteRank:
    """The members of Rank, for a rank that an agent watches."""

    exit_event = None

    def __init__(self, number, pid, agent):
        self.number, self.pid = number, pid
        self.host = agent.name
        self.started = time.monotonic()
        self.ended = self.status = self.killed_by = self.lost = None
        self.killed_for = ""
        self._agent = agent
        self._is_stopped = False
        self.stdout, out = os.pipe()
        self.stderr, errors = os.pipe()
        self._streams = {1: frames.Outgoing(out), 2: frames.Outgoing(errors)}
        self._closing = set()

    def send(self, number):
        self._agent.channel.put("signal", rank=self.number, number=number)

    def note_stop(self, is_stopped):
        self._is_stopped = is_stopped

    def is_stopped(self):
        """As its agent last saw it."""
        return self._is_stopped

    def feed(self, stream, data):
        """Output has come."""
        self._streams[stream].put(data)
        self._streams[stream].flush()

    def took(self, descriptor, count):
        stream = 1 if descriptor == self.stdout else 2
        if count:
            self._agent.channel.put("credit", rank=self.number, stream=stream, count=count)
        self._push(stream)

    def no_more(self, stream):
        """All output of the stream has come."""
        self._closing.add(stream)
        self._push(stream)

    def note_end(self, status, killed_by, killed_for):
        self.killed_for = killed_for
        self.ended = time.monotonic()
        self.status = 128 + killed_by if killed_by else status
        self.killed_by = killed_by

    def note_loss(self, why):
        """Its host is lost. Its earlier output may be read."""
        if self.status is None:
            self.ended, self.status, self.lost = time.monotonic(), LOST_PEER, why
        for stream in (1, 2):
            self.no_more(stream)

    def reap(self):
        for stream in (1, 2):
            self._end_stream(stream)
        os.close(self.stdout)
        os.close(self.stderr)

    def _push(self, stream):
        out = self._streams.get(stream)
        if out is None:
            return
        out.flush()
        if stream in self._closing and not out.pending:
            self._end_stream(stream)

    def _end_stream(self, stream):
        out = self._streams.pop(stream, None)
        if out is not None:
            os.close(out.descriptor)


class AgentOf:
    """The launcher's side of the agent of one host."""

    def __init__(self, number, place, command, environment):
        self.number, self.name, self.numbers = number, place.name, place.ranks
        self.hello = self.lost = self.refusal = None
        self.ranks, self.has_started = {}, False
        self.words = b""
        self._before_magic = b""
        self.heard = time.monotonic()
        try:
            self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, bufsize=0, start_new_session=True)
        except OSError as error:
            raise StartError(f"cannot start {command[0]} for host {self.name}: {error.strerror}") from None
        self.channel = frames.Channel(self.process.stdout.fileno(), self.process.stdin.fileno())
        os.set_blocking(self.channel.read_descriptor, False)
        self.errors = self.process.stderr.fileno()
        os.set_blocking(self.errors, False)
        self.errors_at_end = False
        self.channel.out.put(bundle.source())

    def read_words(self):
        try:
            data = os.read(self.errors, frames.READ_SIZE)
        except BlockingIOError:
            return
        self.errors_at_end = not data
        self.words = (self.words + data)[-WORDS_KEPT:]

    def receive(self):
        """The frames that have come, none from before the agent's first."""
        if self.hello is not None:
            return self.channel.receive()
        self._before_magic += self.channel.read()
        start = self._before_magic.find(MAGIC)
        if start < 0:
            self._before_magic = self._before_magic[-frames.READ_SIZE:]
            return []
        return self.channel.begin_with(self._before_magic[start + len(MAGIC):])

    def end_of_it(self):
        """A clause on the end of the process: its last words, else its status."""
        if not self.errors_at_end:
            self.read_words()
        try:
            status = self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            status = None
        how = "closed its connection" if status is None else f"ended with status {status}"
        if status is not None and status < 0:
            how = f"was killed by {signal_name(-status)}"
        lines = [line.strip() for line in self.words.decode("utf-8", "replace").splitlines() if line.strip()]
        return f"its agent {how}" + (": " + " | ".join(lines[-LINES_QUOTED:]) if lines else "")

    def close(self, deadline):
        self.process.stdin.close()  # the agent then ends
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def _command(place, settings, seconds):
    python = "python3 -ISc " + shlex.quote(bundle.COMMAND)
    if settings.launcher == "auto" and is_here(place.name):
        return [sys.executable, "-ISc", bundle.COMMAND]
    if settings.launcher == "slurm" or settings.nodes:
        return slurm.agent_command(place.name, python, os.environ)
    name = place.name.removeprefix("[").removesuffix("]")
    return [*shlex.split(settings.ssh), "-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={seconds}", name, python]


class Hosts:
    """The members of fleet.Local, for the ranks of several hosts. prepare() comes first."""

    def __init__(self, job, settings, guard):
        self._job, self._settings, self._guard = job, settings, guard
        self._start_seconds = settings.start_timeout or START_SECONDS
        silence = settings.hang_timeout
        self._hang_seconds = HANG_SECONDS if silence is None else (silence or float("inf"))
        self._agents, self._by_rank, self._ended = [], {}, []
        self._endpoints, self._table_sent, self._joined = {}, False, False
        self._input_credit, self._ticked = frames.CREDIT, 0.0
        self._start_deadline = None
        self._endpoint_deadline = None  # from the first endpoint on, which may come while other hosts start
        self._saved = None
        self.warnings = []

    # --- the start ---

    def prepare(self, console):
        """Starts the agents, then the ranks. Raises StartError that names each host that failed, and Interrupted."""
        self._start_deadline = time.monotonic() + self._start_seconds
        # A launcher that was reached by ssh itself does not know by that the address for the other hosts.
        environment = slurm.agent_environment(os.environ)
        environment.pop("SSH_CONNECTION", None)
        for number, place in enumerate(self._job.places):
            command = _command(place, self._settings, min(self._start_seconds, 30))
            agent = AgentOf(number, place, command, environment)
            self._agents.append(agent)
            self._guard.watch_group(agent.process.pid)
        self._wait_until(lambda agent: agent.hello is not None, console)
        self._send_jobs()
        self._wait_until(lambda agent: agent.has_started, console)

    def _wait_until(self, is_done, console):
        while True:
            waiting = [a for a in self._agents if not (is_done(a) or a.lost or a.refusal)]
            if not waiting:
                break
            left = self._start_deadline - time.monotonic()
            if left <= 0:
                for agent in waiting:
                    agent.lost = f"no answer within {self._start_seconds} s"
                break
            with selectors.PollSelector() as selector:
                for descriptor, (events, handler) in self._wanted_of(self._agents).items():
                    selector.register(descriptor, events, handler)
                selector.register(console.signals, selectors.EVENT_READ, console.stop_if_asked)
                for key, _ in selector.select(left):
                    key.data()
        failed = [a for a in self._agents if a.refusal or a.lost]
        if failed:
            lines = [f"cannot start on host {a.name}: {a.refusal or a.lost}" for a in failed]
            raise StartError("\nstradsap-run: ".join(lines), [a.name for a in failed])

    def _send_jobs(self):
        job = self._job
        if self._settings.threads is None:
            job.threads = min(threads_of_each(len(a.numbers), a.hello["cores"]) for a in self._agents)
        job.additions["STRADSAP_THREADS"] = str(job.threads)
        for a in self._agents:
            if len(a.numbers) * job.threads > a.hello["cores"]:
                self.warnings.append(f"oversubscribed: {len(a.numbers)} ranks with {job.threads} threads each on "
                                     f"{a.hello['cores']} cores of host {a.name}; this works, but each waits for the others")

        def encode(names):
            return {frames.as_json(name): frames.as_json(value) for name, value in names.items()}

        towards = addresses.first_outside([a.hello["address"] for a in self._agents])
        for a in self._agents:
            a.channel.put("job", command=[frames.as_json(word) for word in job.command],
                          directory=frames.as_json(job.directory), environment=encode(job.environment),
                          additions=encode(job.additions), ranks=a.numbers, host=a.number, columns=job.columns,
                          is_of_several=len(self._agents) > 1, interface=self._settings.interface, towards=towards)

    # --- the members of fleet.Local ---

    def ranks(self):
        return [self._by_rank[number] for number in sorted(self._by_rank)]

    def wanted(self):
        found = self._wanted_of([a for a in self._agents if not a.lost])
        if self._input_credit > 0 and self._may_read_input():
            found[0] = (selectors.EVENT_READ, self._on_input)
        return found

    def _wanted_of(self, agents):
        found = {}
        for a in agents:
            if not a.channel.at_end:
                found[a.channel.read_descriptor] = (selectors.EVENT_READ, lambda a=a: self._on_frames(a))
            if not a.errors_at_end:
                found[a.errors] = (selectors.EVENT_READ, a.read_words)
            if a.channel.out.pending:
                found[a.channel.out.descriptor] = (selectors.EVENT_WRITE, a.channel.out.flush)
        return found

    drain_seconds = 5.0  # for output that is on its way

    def seconds_to_wait(self):
        return max(0.0, self._ticked + BEAT_SECONDS - time.monotonic())

    def tick(self, is_ending):
        now = time.monotonic()
        if now - self._ticked < BEAT_SECONDS:
            return None
        self._ticked = now
        limit = min(self._hang_seconds, ENDING_SECONDS) if is_ending else self._hang_seconds
        for a in self._agents:
            if a.lost:
                continue
            if now - a.heard > limit:
                self._lose(a, f"its agent has been silent for {limit:g} s")
            elif not a.channel.out.pending:
                a.channel.put("beat")
        if self._endpoint_deadline is not None and now > self._endpoint_deadline and not self._table_sent and not is_ending:
            missing = [rank for rank in self.ranks() if rank.number not in self._endpoints]
            self._endpoint_deadline = None
            return [f"no endpoint from rank {rank.number} (host {rank.host}) within {self._start_seconds} s"
                    for rank in missing]
        return None

    def ended(self):
        taken, self._ended = self._ended, []
        return taken

    def joined(self):
        return self._joined or bool(self._endpoints)

    def lost_hosts(self):
        return [a.name for a in self._agents if a.lost]

    def saved(self):
        return self._saved

    def close(self):
        for a in self._agents:
            a.channel.out.flush()
        deadline = time.monotonic() + CLOSE_SECONDS
        for a in self._agents:
            a.close(deadline)
            self._guard.forget_group(a.process.pid)

    # --- frames of agents ---

    def _on_frames(self, agent):
        try:
            for fields, body in agent.receive():
                agent.heard = time.monotonic()
                self._take(agent, fields, body)
        except frames.FrameError as error:
            self._lose(agent, f"its agent sent {error}")
        except (KeyError, TypeError, ValueError) as error:
            self._lose(agent, f"its agent sent a frame with other fields ({error!r})")
        if agent.channel.at_end:
            self._lose(agent, agent.end_of_it())

    def _take(self, agent, fields, body):
        kind = fields["kind"]
        if kind == "hello":
            agent.hello = fields
        elif kind == "refused":
            agent.refusal = frames.from_json(fields["text"])
        elif kind == "started":
            agent.has_started = True
            for number, pid in fields["pids"].items():
                agent.ranks[int(number)] = self._by_rank[int(number)] = RemoteRank(int(number), pid, agent)
        elif kind == "output":
            agent.ranks[fields["rank"]].feed(fields["stream"], body)
        elif kind == "closed":
            agent.ranks[fields["rank"]].no_more(fields["stream"])
        elif kind == "saved":
            self._saved = frames.from_json(fields["path"])
        elif kind == "ended":
            rank = agent.ranks[fields["rank"]]
            rank.note_end(fields["status"], fields["killed_by"], fields["killed_for"])
            self._ended.append(rank)
            self._joined |= fields["joined"] and len(self._agents) == 1
        elif kind == "stopped":
            for rank in agent.ranks.values():
                rank.note_stop(rank.number in fields["ranks"])
        elif kind == "endpoint":
            self._endpoint_deadline = self._endpoint_deadline or time.monotonic() + self._start_seconds
            self._endpoints[fields["rank"]] = (agent.number, agent.name, fields["endpoint"], fields["key"])
            self._send_table()
        elif kind == "credit":
            self._input_credit += fields["count"]

    def _send_table(self):
        if len(self._endpoints) < self._job.world_size or self._table_sent:
            return
        self._table_sent = True
        rows = ["%d %d %s %s %s\n" % (rank, *self._endpoints[rank]) for rank in sorted(self._endpoints)]
        table = "".join([*rows, "end\n"]).encode("ascii")
        for a in self._agents:
            a.channel.put("table", table)

    def _lose(self, agent, why):
        if agent.lost:
            return
        agent.lost = why
        for rank in agent.ranks.values():
            if rank.status is None:
                self._ended.append(rank)
            rank.note_loss(f"host {agent.name} was lost: {why}")

    # --- the standard input, for rank 0 ---

    def _may_read_input(self):
        """A job in the background would be stopped if it read its terminal."""
        return not os.isatty(0) or os.tcgetpgrp(0) == os.getpgrp()

    def _on_input(self):
        try:
            data = os.read(0, min(self._input_credit, frames.READ_SIZE))
        except OSError:
            data = b""
        agent = self._agents[0]  # it has rank 0
        if data:
            self._input_credit -= len(data)
            agent.channel.put("stdin", data)
        else:
            self._input_credit = float("-inf")
            agent.channel.put("stdin_end")
