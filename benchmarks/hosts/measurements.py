"""The measurements of benchmarks/run hosts. Each takes a Bench, and yields lines of the table."""

import json
import os
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import time

import ratings
import simulate
from measure import Failure, execute

GIB = 1 << 30
LINK = "1gbit"
LINK_BYTES = 125e6  # a second
REPLICATE = "16M"
LDA = ["--documents", "30000", "--length", "200", "--words", "20000", "--topics", "32", "--passes", "3"]  # 6 million tokens
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_EPOCH = re.compile(r"epoch (\d+) seconds (\S+) at (\S+)")


class Aim:
    """A line of the table: the name of a figure, its values, and the greatest or least value that is wanted."""

    def __init__(self, name, values, unit, most=None, least=None, note=""):
        self.name, self.values, self.unit, self.most, self.least, self.note = name, values, unit, most, least, note
        self.value = statistics.median(values)

    def is_met(self):
        if self.most is None and self.least is None:
            return None
        return self.value <= self.most if self.most is not None else self.value >= self.least

    def cells(self):
        aim = f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}" if self.least is not None else ""
        met = {None: "", True: "yes", False: "**no**"}[self.is_met()]
        return [self.name, f"{self.value:.3f}{self.unit}", f"{min(self.values):.3f} to {max(self.values):.3f}", aim, met, self.note]


class Bench:
    """Shared by all measurements. `network` has four hosts, or is None."""

    def __init__(self, root, binaries, data, options, gate, network):
        self.root, self.binaries, self.data, self.options, self.network = root, binaries, data, options, network
        self.launcher = os.path.join(root, "build", "release", "bin", "stradsap-run")
        self._gate, self.ungated = gate, 0

    def wait_for_cores(self, workers=2):
        share, is_open = self._gate.wait(min(workers, len(os.sched_getaffinity(0))))
        self.ungated += not is_open
        if not is_open and self.options.publish:
            raise Failure(f"the cores gave {share:.0%} of their speed, so nothing is published")

    def environment(self):
        words = {name: value for name, value in os.environ.items() if not name.startswith(("STRADSAP_", "SLURM_", "OMPI_", "PMI"))}
        return {**words, "STRADSAP_SSH": f"ssh -F {self.network.folder}/ssh_config"} if self.network else words

    def on_hosts(self, hosts, ranks_each=1):
        return ["-H", ",".join(f"n{host}:{ranks_each}" for host in range(hosts)), "--threads", "1"]

    def follow(self, *words):
        """A run of the program `epochs` under the launcher; it writes lines into a pipe."""
        return subprocess.Popen([self.launcher, "--no-prefix", "--quiet", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.environment(), start_new_session=True)

    def epochs(self, folder, epochs, every, elements, steps):
        return ["--", self.binaries["epochs"], folder, *map(str, (epochs, every, elements, steps))]

    def passes(self, command, passes, environment=None):
        """Seconds a pass of sgd_mf, without the first one, which plans."""
        done = execute(command, {**self.environment(), **(environment or {})}, deadline=300)
        seconds = ratings.read_pass_seconds(done.stdout)
        if len(seconds) != passes:
            raise Failure(f"{' '.join(command)}: expected {passes} passes, it has {len(seconds)}")
        return seconds

    def program(self, side, data, k, passes):
        train, test = self.data[data]
        return [self.binaries[side], "--ratings", train, "--test", test, "--rank", str(k), "--epochs", str(passes)]


def finish(run):
    """Waits for the end of a run, which must succeed. Returns its further lines."""
    try:
        output, errors = run.communicate(timeout=120)
    except subprocess.TimeoutExpired as error:
        raise Failure("a run has not ended in 120 s") from error
    finally:
        run.kill()
    if run.returncode != 0:
        raise Failure(f"{' '.join(run.args)}: status {run.returncode}\n{errors}")
    return output.splitlines()


# --- start ---

def start(bench):
    places = [("start to first loop, 8 ranks of this machine", ["-n", "8", "--threads", "1"], 1.5)]
    if bench.network:
        places.append(("start to first loop, 8 ranks on 4 namespaces by ssh", bench.on_hosts(4, 2), 4))
    for name, words, most in places:
        values = []
        for _ in range(bench.options.runs):
            bench.wait_for_cores()
            with tempfile.TemporaryDirectory() as folder:
                begin = time.monotonic()
                run = bench.follow(*words, *bench.epochs(folder, 1, 10, 100000, 1))
                run.stdout.readline()
                values.append(time.monotonic() - begin)
                finish(run)
        yield Aim(name, values, " s", most=most)


# --- recovery ---

def ranks_of(binary):
    """{rank: pid} of the program, without the processes that write checkpoints: those have their parent's session."""
    found = {}
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == binary and os.getsid(int(pid)) == int(pid):
                with open(f"/proc/{pid}/environ", "rb") as file:
                    words = dict(word.split(b"=", 1) for word in file.read().split(b"\0") if b"=" in word)
                found[int(words[b"STRADSAP_RANK"])] = int(pid)
        except (OSError, KeyError):
            pass  # it has ended, or is none of ours
    return found


def recovery(bench):
    """A rank is killed in the midst of an epoch; the next line comes at the end of an epoch after the restart."""
    places = [("recovery of a killed rank, 4 ranks of this machine", ["-n", "4", "--threads", "1"])]
    if bench.network:
        places.append(("recovery of a killed rank, 4 namespaces by ssh", bench.on_hosts(4)))
    for name, words in places:
        values, epochs = [], []
        bench.wait_for_cores()
        with tempfile.TemporaryDirectory() as folder:
            run = bench.follow("--max-restarts", "9", *words, *bench.epochs(folder, 10 * bench.options.runs + 20, 2, 4 << 20, 40))
            seen = -1
            for number in range(bench.options.runs):
                while seen < 10 * (number + 1):
                    seen, seconds = epoch_of(run.stdout.readline())
                    epochs.append(seconds)
                os.kill(ranks_of(bench.binaries["epochs"])[1 + number % 3], signal.SIGKILL)
                begin = time.monotonic()
                _, seconds = epoch_of(run.stdout.readline())
                values.append(time.monotonic() - begin - seconds)  # this epoch is replay
            finish(run)
        yield Aim(name, values, " s", most=5, note=f"epochs of {statistics.median(epochs):.2f} s")


def epoch_of(line):
    match = _EPOCH.fullmatch(line.strip())
    if not match:
        raise Failure(f"a run has ended early: '{line.strip()}'")
    return int(match[1]), float(match[2])


# --- checkpoints ---

class Watch(threading.Thread):
    """Notes when a path comes to be."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self._path, self._gone, self.seen = path, threading.Event(), None
        self.start()

    def run(self):
        while not self._gone.wait(0.002):
            if os.path.exists(self._path):
                self.seen = time.monotonic()
                return

    def end(self):
        self._gone.set()
        self.join()
        return self.seen


def save_once(bench, folder, steps):
    """(seconds until the checkpoint of 1 GiB has its name, seconds of the loop beside it, median of the other loops)"""
    watch = Watch(os.path.join(folder, "point-00000004"))
    words = bench.epochs(folder, 6, 4, GIB // 4, steps)
    lines = finish(bench.follow("-n", "1", "--threads", "1", *words))
    named = watch.end()
    found = [_EPOCH.fullmatch(line) for line in lines]
    loops = [float(match[2]) for match in found]
    if named is None or len(loops) != 6:
        raise Failure("no checkpoint was written")
    return named - float(found[4][3]), loops[4], statistics.median(loops[1:4])


def copy_once(folder):
    """Seconds in which dd writes 1 GiB of memory."""
    path = os.path.join(folder, "dd")
    begin = time.monotonic()
    execute(["dd", "if=/dev/zero", f"of={path}", "bs=1M", "count=1024", "conv=fsync"], deadline=300)
    seconds = time.monotonic() - begin
    os.remove(path)
    return seconds


def checkpoint(bench):
    ratios, seconds, slowed, added, loops = [], [], [], [], []
    for _ in range(bench.options.runs):
        bench.wait_for_cores()
        with tempfile.TemporaryDirectory(dir=bench.options.disk) as folder:
            dd = copy_once(folder)
            wrote, beside, other = save_once(bench, os.path.join(folder, "saved"), bench.options.steps)
        ratios.append(dd / wrote)
        seconds.append(wrote)
        slowed.append(beside / other)
        added.append(beside - other)
        loops.append(other)
    yield Aim("checkpoint of 1 GiB beside a loop: part of the speed of dd conv=fsync", ratios, "", least=0.7,
              note=f"{statistics.median(seconds):.2f} s")
    yield Aim("the loop beside it, in times of the other loops", slowed, "", most=1.15,
              note=f"{statistics.median(added):.2f} s more than {statistics.median(loops):.2f} s")


# --- memory ---

def memory(bench):
    """The greatest peak of a rank on 4 ranks of this machine, in times of that of one rank. Other work does not change it."""
    programs = {"sgd_mf gen10m": bench.program("stradsap", "gen10m", 64, 3),
                "lda, 6 million tokens": [bench.binaries["lda"], *LDA]}
    for name, program in programs.items():
        def peak(*words, program=program):
            command = [bench.launcher, "--threads", "1", "--no-prefix", "--quiet", *words, "--", *program]
            return execute(command, bench.environment(), 300, program[0]).greatest_rss_mb

        one, whole, paged = [], [], []
        for _ in range(bench.options.runs):
            one.append(peak("-n", "1"))
            whole.append(peak("-n", "4"))
            paged.append(peak("-n", "4", "--replicate", REPLICATE))
        alone = statistics.median(one)
        for option, values in (("", whole), (f" by --replicate {REPLICATE}", paged)):
            yield Aim(f"greatest RSS of a rank, {name}, 4 ranks{option}, in times of one rank", [value / alone for value in values],
                      "", most=0.35, note=f"{statistics.median(values):.0f} MB, one rank {alone:.0f} MB")


# --- between hosts ---

def encryption(bench):
    """sgd_mf between two namespaces, with and without, in turn."""
    if not bench.network:
        return
    seconds = {"1": [], "0": []}
    for _ in range(bench.options.runs):
        for encrypt, values in seconds.items():
            bench.wait_for_cores()
            command = [bench.launcher, "--no-prefix", "--quiet", *bench.on_hosts(2), "--encrypt", encrypt, "--",
                       *bench.program("stradsap", "gen1m", 64, 10)]
            values.append(statistics.median(bench.passes(command, 10)[1:]))
    plain = statistics.median(seconds["0"])
    yield Aim("encryption: throughput of sgd_mf gen1m on 2 namespaces, in times of that without",
              [plain / value for value in seconds["1"]], "", least=0.75,
              note=f"{statistics.median(seconds['1']) * 1e3:.1f} ms a pass, without {plain * 1e3:.1f} ms")


def mpirun(bench, program):
    network = bench.network
    return ["mpirun", "--mca", "plm_rsh_agent", f"ssh -F {network.folder}/ssh_config", "--mca", "oob_tcp_if_include",
            f"{network.subnet}.0/24", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include",
            f"{network.subnet}.0/24", "--bind-to", "none", "-H", "n0:1,n1:1", "-n", "2", *program]


def mpi(bench):
    """sgd_mf on gen10m against MPI by hand, both over links of 1 Gbit."""
    if not bench.network:
        return
    passes, k = 10, 64
    sides = {"mpi-strata": None, "mpi": None, "stradsap": "1", "in the clear": "0"}
    seconds, later = {side: [] for side in sides}, {side: [] for side in sides}
    bench.network.shape(LINK)
    try:
        for _ in range(max(1, bench.options.runs // 2 + 1)):
            for side, encrypt in sides.items():
                bench.wait_for_cores()
                if encrypt is None:
                    command, more = mpirun(bench, bench.program(side, "gen10m", k, passes)), AS_ROOT
                else:
                    command, more = [bench.launcher, "--no-prefix", "--quiet", *bench.on_hosts(2), "--encrypt", encrypt, "--",
                                     *bench.program("stradsap", "gen10m", k, passes)], {}
                found = bench.passes(command, passes, more)
                seconds[side].append(sum(found) / passes)
                later[side].append(statistics.median(found[1:]))
    finally:
        bench.network.shape(None)
    medians = {side: statistics.median(values) for side, values in seconds.items()}
    texts = ", ".join(f"{side} {value:.3f} s" for side, value in medians.items())
    for rival, most in (("mpi-strata", 1.0), ("mpi", 1.2)):
        yield Aim(f"sgd_mf gen10m on 2 namespaces at 1 Gbit, in times of {rival}",
                  [value / medians[rival] for value in seconds["stradsap"]], "", most=most, note=f"a pass: {texts}")
    texts = ", ".join(f"{side} {statistics.median(values):.3f} s" for side, values in later.items())
    yield Aim("the same without encryption, in times of mpi", [value / medians["mpi"] for value in seconds["in the clear"]], "",
              note=f"a pass after the first, which plans: {texts}")


def simulation(bench):
    """4 namespaces at 1 Gbit. Four ranks share the cores of this machine: hosts of a quarter of them each are predicted as hosts
    with whole cores and a network as many times as fast, of which all times are as many times as long."""
    if not bench.network:
        return
    passes, cores = 10, min(4, len(os.sched_getaffinity(0)))
    slower = 4 / cores
    real, predicted, links = [], [], []
    bench.network.shape(LINK)
    try:
        for _ in range(bench.options.runs):
            program = bench.program("stradsap", "gen1m", 64, passes)
            bench.wait_for_cores()
            command = [bench.launcher, "--no-prefix", "--quiet", *bench.on_hosts(4), "--", *program]
            real.append(statistics.median(bench.passes(command, passes)[1:]))
            bench.wait_for_cores()
            links.append(measure_link(bench))
            predicted.append(slower * predict(bench, program, f"4x1,{links[-1].as_seen_from(slower)}", passes))
    finally:
        bench.network.shape(None)
    wanted = statistics.median(real)
    for name, most, least in (("most", 1.25, None), ("least", None, 0.75)):
        yield Aim(f"predicted time of sgd_mf on 4 namespaces at 1 Gbit, in times of the real one, at {name}",
                  [value / wanted for value in predicted], "", most=most, least=least,
                  note=f"{statistics.median(predicted) * 1e3:.1f} ms a pass, real {wanted * 1e3:.1f} ms; {links[-1]}")


class Link:
    """Messages between two hosts, for --simulate: latency and processor time, as measured there."""

    def __init__(self, latency, of_message, of_byte):
        self.latency, self.of_message, self.of_byte = latency, of_message, of_byte

    def as_seen_from(self, slower):
        """Bandwidth, latency and processor time for cores that are so many times as slow."""
        return f"{slower * LINK_BYTES * 8e-9:g}Gbit,{self.latency / slower * 1e6:.3f}us,{self.of_message * 1e6:.3f}us+{self.of_byte * 1e9:.4f}ns"

    def __str__(self):
        return (f"messages: latency {self.latency * 1e6:.0f} us, on each side {self.of_message * 1e6:.0f} us and "
                f"{self.of_byte * 1e9:.2f} ns a byte of processor time")


def throw_balls(bench, size, messages):
    """(seconds of a flight, processor time of a message on each side) between two hosts, encrypted as always."""
    command = [bench.launcher, "--no-prefix", "--quiet", *bench.on_hosts(2), "--", bench.binaries["messages"], str(size), str(messages)]
    found = re.fullmatch(r"flight (\S+) processor (\S+)", execute(command, bench.environment(), deadline=120).stdout.strip())
    return float(found[1]), float(found[2])


def link_of(small, large):
    """The link by two sizes of messages: (bytes, seconds of a flight, processor time on each side)."""
    of_byte = max(0.0, (large[2] - small[2]) / (large[0] - small[0]))
    of_message = max(0.0, small[2] - small[0] * of_byte)
    return Link(max(0.0, small[1] - 2 * small[2] - small[0] / LINK_BYTES), of_message, of_byte)


def measure_link(bench):
    sizes = ((1024, 5000), (65536, 1000))
    return link_of(*((size, *throw_balls(bench, size, messages)) for size, messages in sizes))


def predict(bench, program, cluster, passes):
    """Seconds of a pass."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        execute([bench.launcher, "--simulate", cluster, "--threads", "1", "--no-prefix", "--stats", stats, "--", *program],
                bench.environment(), deadline=300)
        with open(stats, encoding="utf-8") as file:
            return simulate.read_prediction(json.load(file)["loops"], "sgd_mf", passes)[0]


ALL = {"start": start, "recovery": recovery, "checkpoint": checkpoint, "memory": memory, "encryption": encryption, "mpi": mpi, "simulation": simulation}
