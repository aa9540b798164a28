"""A copy of the tree, one mutant at a time: applied, built, tested until a test fails.

Each copy owns a folder: `tree` and its `build`. One thread a copy. The caller's tree is only read.
"""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

SECONDS_LEAST = 60  # of a test, on a machine with other work
SLOWER = 6          # than without the mutant: a test that takes longer counts as failed
ENVIRONMENT = {"TEST_ROOT": "{tree}", "TEST_BIN": "{build}/bin", "TEST_FEW_SHAPES": "{few}"}


class Failed(Exception):
    """The tree as it is does not build, or a test fails without a mutant."""


def _kill_first():
    """A mutant may ask for all memory: the kernel ends it before others."""
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


_running = set()


def end_with(status):
    """A handler of signals: ends the running commands, each in a session of its own, and then this process."""
    def end(number, _):
        os.write(2, f"mutate: ended by signal {number}; the same command goes on\n".encode())
        for process in list(_running):
            os.killpg(process.pid, signal.SIGTERM)
        os._exit(status)
    return end


def run(command, folder, seconds, environment=None):
    """(status, output); the status is None after a time-out."""
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=_kill_first)
    _running.add(process)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)  # a launcher ends its ranks
        try:
            process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        return None, f"no end within {seconds:.0f} s"
    finally:
        _running.discard(process)


class Copy:
    def __init__(self, root, names, folder):
        self.root, self.names = pathlib.Path(root), names
        self.tree, self.build_folder = pathlib.Path(folder) / "tree", pathlib.Path(folder) / "build"
        self.seconds = {}
        self._copy()

    def _copy(self):
        """Only changed files are written, so that a second run builds little."""
        wanted = set(self.names)
        for name in self.names:
            source, target = self.root / name, self.tree / name
            if not target.is_file() or source.read_bytes() != target.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        for folder, _, files in os.walk(self.tree):
            for file in files:
                path = pathlib.Path(folder) / file
                if str(path.relative_to(self.tree)) not in wanted:
                    path.unlink()

    def configure(self, command):
        status, output = run(command, self.tree, 600)
        if status != 0:
            raise Failed(output)

    def run(self, command, seconds, folder=".", few=""):
        """`few`: not empty if some ranks and threads are enough."""
        environment = {name: value.format(tree=self.tree, build=self.build_folder, few=few) for name, value in ENVIRONMENT.items()}
        return run(list(command), self.tree / folder, seconds, environment)

    def measure(self, test):
        """The time of a test without a mutant, which it has to pass."""
        start = time.monotonic()
        status, output = self.run(test.command, 1200, test.folder, few="1" if test.stage == 0 else "")
        if status != 0:
            raise Failed(f"{test.name} fails without a mutant:\n{output[-3000:]}")
        self.seconds[test.name] = time.monotonic() - start

    def hash_of_results(self, patterns):
        """One hash of all files of the build that match."""
        state = hashlib.sha256()
        for pattern in patterns:
            for path in sorted(self.build_folder.glob(pattern)):
                state.update(path.name.encode() + path.read_bytes())
        return state.hexdigest()

    def passes(self, test):
        limit = max(test.seconds, SECONDS_LEAST, SLOWER * self.seconds.get(test.name, 0))
        return self.run(test.command, limit, test.folder, few="1" if test.stage == 0 else "")

    def write(self, name, text):
        (self.tree / name).write_text(text)

    def restore(self, name):
        self.write(name, (self.root / name).read_text())
