"""stradsap-run doctor: checks this machine, and the hosts of -H, for the things that a run needs.

Each check gives findings: a level (ok, warn or fail), a name, a text, and for the last two levels a remedy. On another host the
same checks run over ssh, with this source, as an agent does (bundle.py).
"""

import collections
import ctypes
import json
import mmap
import os
import resource
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time

from launcher import VERSION, bundle, cores as usable_cores, mpi, run_dir
from launcher.errors import StartError
from launcher.hosts import is_here

Finding = collections.namedtuple("Finding", "level name text remedy", defaults=("",))

MAGIC = b"\nSTRADSAP DOCTOR\n"
SSH_SECONDS = 15
CC_SECONDS = 20
RESERVED_BYTES = 1 << 36  # a container reserves addresses, more than memory
LARGEST_CLOCK_DIFFERENCE = 1.0
SLOW_ROUND_TRIP = 1e-3


def ok(name, text):
    return Finding("ok", name, text)


def _read(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _size(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} TiB"


# --- the checks ---

def python():
    version = "%d.%d.%d" % sys.version_info[:3]
    text = f"stradsap-run {VERSION}, Python {version}"
    if sys.version_info < (3, 9):
        return Finding("fail", "launcher", text, "install Python 3.9 or later")
    return ok("launcher", text)


def cores(ranks):
    usable, present = usable_cores.count(), os.cpu_count() or 1
    text = f"{usable} usable of {present}"
    if ranks > usable:
        return Finding("warn", "cores", f"{text}, for {ranks} ranks", "fewer ranks, or more hosts: ranks that share a core wait")
    if usable < present:
        return ok("cores", text + " (affinity mask or control group)")
    return ok("cores", text)


def memory():
    fields = dict(line.split(":", 1) for line in _read("/proc/meminfo").splitlines() if ":" in line)
    free = int(fields.get("MemAvailable", "0 kB").split()[0]) * 1024
    limit = _read("/sys/fs/cgroup/memory.max")
    text = f"{_size(free)} available" + (f", control group {_size(int(limit))}" if limit.isdecimal() else "")
    if free < 1 << 29:
        return Finding("warn", "memory", text, "end other programs: the kernel kills ranks when memory runs out")
    return ok("memory", text)


def addresses_to_reserve():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    at = libc.mmap(None, RESERVED_BYTES, 0, flags, -1, 0)
    if at == ctypes.c_void_p(-1).value:
        return Finding("fail", "addresses", f"cannot reserve {_size(RESERVED_BYTES)}: {os.strerror(ctypes.get_errno())}",
                       "ulimit -v unlimited")
    libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(RESERVED_BYTES))
    return ok("addresses", f"{_size(RESERVED_BYTES)} can be reserved")


def shared_memory():
    """Ranks open each other's memory by /proc, as shared_memory of the runtime does."""
    memory_file = os.memfd_create("doctor")
    code = f"import os; os.open('/proc/{os.getpid()}/fd/{memory_file}', os.O_RDWR)"
    done = subprocess.run([sys.executable, "-ISc", code], capture_output=True, check=False)
    os.close(memory_file)
    shm = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
    beside = f"/dev/shm has {_size(shm.f_bavail * shm.f_frsize)} free, which ranks do not need" if shm else "no /dev/shm: not needed"
    if done.returncode != 0:
        return Finding("warn", "shared memory", "processes cannot open each other's memory by /proc",
                       "a container needs /proc and one user; ranks use sockets meanwhile, which is slower")
    return ok("shared memory", f"between processes; {beside}")


def _limit(kind):
    soft, hard = resource.getrlimit(kind)
    return [float("inf") if value == resource.RLIM_INFINITY else value for value in (soft, hard)]


def _text(value):
    return "unlimited" if value == float("inf") else str(value)


def limits(ranks):
    files, needed = _limit(resource.RLIMIT_NOFILE)[1], 64 + 6 * ranks
    processes = _limit(resource.RLIMIT_NPROC)[0]
    locked = _limit(resource.RLIMIT_MEMLOCK)[0]
    core = "on" if _limit(resource.RLIMIT_CORE)[0] else "off"
    text = (f"open files {_text(files)} (needed {needed}), processes {_text(processes)}, locked memory "
            f"{'unlimited' if locked == float('inf') else _size(locked)} (not needed), core files {core}")
    if files < needed:
        return Finding("fail", "limits", text, f"ulimit -Hn {needed}, in limits.conf")
    if processes < 64 * ranks:
        return Finding("warn", "limits", text, "ulimit -u, in limits.conf: each rank has some threads")
    return ok("limits", text)


def folder():
    try:
        base = run_dir.choose_base(os.environ)
    except StartError as error:
        return Finding("fail", "run folder", str(error), "set TMPDIR to a short path that is writable")
    return ok("run folder", f"in {base}")


def huge_pages():
    text = _read("/sys/kernel/mm/transparent_hugepage/enabled")
    if "[never]" in text or not text:
        return Finding("warn", "huge pages", "off", "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled, as root")
    return ok("huge pages", text[text.find("[") + 1:text.find("]")])


def clock():
    source = _read("/sys/devices/system/clocksource/clocksource0/current_clocksource") or "unknown"
    if source in ("hpet", "acpi_pm", "refined-jiffies"):
        return Finding("warn", "clock", source, "boot with clocksource=tsc if the machine's counter is stable: each reading is slow")
    return ok("clock", source)


def debuggers():
    scope = _read("/proc/sys/kernel/yama/ptrace_scope")
    if scope in ("2", "3"):
        return Finding("warn", "debuggers", f"ptrace_scope {scope}: --debug-rank cannot be attached to",
                       "sysctl kernel.yama.ptrace_scope=1, as root")
    return ok("debuggers", "may attach to ranks of --debug-rank")


def ports(port_range, ranks, address):
    if port_range is None:
        return ok("ports", "chosen by the system")
    first, last = (int(end) for end in port_range.split("-"))
    family = socket.AF_INET6 if address and ":" in address else socket.AF_INET
    free = 0
    for port in range(first, last + 1):
        with socket.socket(family, socket.SOCK_STREAM) as one:
            try:
                one.bind((address or "", port))
                free += 1
            except OSError:
                pass
    text = f"{free} of {last - first + 1} in {port_range} are free"
    if free < ranks:
        return Finding("fail", "ports", f"{text}, for {ranks} ranks", "a wider --port-range; ss -ltn shows the listeners")
    return ok("ports", text)


def _answer(connection, rounds, size):
    for _ in range(rounds):
        connection.sendall(connection.recv(1))
    left = size
    while left:
        left -= len(connection.recv(1 << 20))
    connection.sendall(b"e")


def loopback():
    rounds, size = 500, 64 << 20
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as here:
            there, _ = server.accept()
            with there:
                for one in (here, there):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                peer = threading.Thread(target=_answer, args=(there, rounds, size))
                peer.start()
                times = []
                for _ in range(rounds):
                    start = time.perf_counter()
                    here.sendall(b"x")
                    here.recv(1)
                    times.append(time.perf_counter() - start)
                start = time.perf_counter()
                here.sendall(bytes(size))
                here.recv(1)
                seconds = time.perf_counter() - start
                peer.join()
    trip = sorted(times)[rounds // 2]
    text = f"{trip * 1e6:.0f} us round trip between threads of Python, {_size(size / seconds)}/s"
    if trip > SLOW_ROUND_TRIP:
        return Finding("warn", "loopback", text, "other programs keep the cores busy; a virtual machine may have too few")
    return ok("loopback", text)


def _version_of(command):
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=CC_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    lines = done.stdout.splitlines() or done.stderr.splitlines() or ["no version"]
    return (lines if done.returncode == 0 else None), lines[0]


def compiler():
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), "stradsap-cc")
    started = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "stradsap-cc")
    path = next((p for p in (started, beside, shutil.which("stradsap-cc")) if p and os.access(p, os.X_OK)), None)
    if path is None:
        return [Finding("warn", "stradsap-cc", "neither beside stradsap-run nor in the PATH",
                        "needed to compile programs, not to run them")]
    lines, text = _version_of([path])
    if lines is None:
        return [Finding("fail", "stradsap-cc", f"{path}: {text}", "tools/install-deps, then tools/build")]
    return [ok("stradsap-cc", "; ".join(lines[:2]))]


def mpirun():
    try:
        path, version = mpi.find(os.environ)
    except StartError as error:
        return Finding("fail", "mpirun", str(error), "apt-get install openmpi-bin, or another PATH")
    return ok("mpirun", f"{version}, {path}")


def of_machine(ranks, port_range, address=None):
    return [python(), cores(ranks), memory(), addresses_to_reserve(), shared_memory(), limits(ranks), folder(), huge_pages(),
            clock(), debuggers(), ports(port_range, ranks, address), loopback()]


# --- other hosts ---

def on_host():
    """Runs on a host, with the request on the rest of its standard input: prints its findings."""
    request = json.loads(sys.stdin.buffer.readline())
    found = of_machine(request["ranks"], request["port_range"])
    if not os.path.isdir(request["directory"]):
        found.append(Finding("fail", "directory", f"no {request['directory']}", "the same path on all hosts, or --wdir"))
    answer = {"findings": found, "now": time.time()}
    sys.stdout.buffer.write(MAGIC + json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


def _ask(place, settings):
    name = place.name.removeprefix("[").removesuffix("]")
    python_words = "python3 -ISc " + shlex.quote(bundle.COMMAND)
    command = [*shlex.split(settings.ssh), "-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={SSH_SECONDS}", name, python_words]
    if settings.launcher != "ssh" and is_here(place.name):
        command = [sys.executable, "-ISc", bundle.COMMAND]
    request = {"ranks": len(place.ranks), "port_range": settings.port_range, "directory": settings.wdir or os.getcwd()}
    try:
        return subprocess.run(command, input=bundle.source("doctor", "on_host") + json.dumps(request).encode() + b"\n",
                              capture_output=True, timeout=2 * SSH_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 255, b"", str(error).encode())


def of_host(place, settings):
    name = f"host {place.name}"
    start = time.time()
    done = _ask(place, settings)
    end = time.time()
    if MAGIC not in done.stdout:
        words = " | ".join(line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines()[-3:] if line.strip())
        return [Finding("fail", name, words or f"status {done.returncode}",
                        f"`ssh -o BatchMode=yes {place.name} python3 --version` must work without a question")]
    answer = json.loads(done.stdout.partition(MAGIC)[2])
    found = [Finding(*one) for one in answer["findings"]]
    result = [ok(name, f"answers after {end - start:.1f} s; {found[0].text.partition(', ')[2]}; {found[1].text} cores")]
    apart = max(start - answer["now"], answer["now"] - end, 0.0)
    if apart > LARGEST_CLOCK_DIFFERENCE:
        result.append(Finding("warn", name, f"its clock differs by {apart:.0f} s", "chronyd or ntpd: times in logs do not match"))
    return result + [one._replace(name=f"{name}: {one.name}") for one in found if one.level != "ok"]


# --- the screen ---

def examine(settings):
    places = settings.places or []
    here = max([len(place.ranks) for place in places if is_here(place.name)], default=0 if places else settings.nproc or 1)
    found = of_machine(max(1, here), settings.port_range) + compiler()
    if settings.launcher == "mpi":
        found.append(mpirun())
    for place in places:
        found += of_host(place, settings)
    return found


def screen(found):
    width = max(len(one.name) for one in found)
    lines = []
    for one in found:
        lines.append(f"{one.level:<4}  {one.name:<{width}}  {one.text}")
        if one.level != "ok":
            lines.append(f"      {'':<{width}}  remedy: {one.remedy}")
    return "\n".join(lines) + "\n"


def status_of(found):
    return 1 if any(one.level == "fail" for one in found) else 0
