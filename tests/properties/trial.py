"""One batch of random programs: built twice, run on every shape, compared with each other and with the replay."""

import json
import os
import random
import subprocess

from emit import cxx
from replay import Replay
from spec import random_program

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 2)]
PROVEN = [(1, 2), (2, 2), (3, 1)]  # shapes on which the check build proves its orders
DEADLINE = 120


class Fault(Exception):
    pass


def by_key(lines):
    """Lines of output with the keys of maps in rising order, as in the replay."""
    def sort(line):
        name, *entries = line.split(" ")
        return " ".join([name, *(sorted(entries, key=lambda e: int(e.partition(":")[0])) if ":" in line else entries)])

    return [sort(line) for line in lines]


class Batch:
    """`size` programs in one source. The same seed and number make the same text."""

    def __init__(self, bin_folder, folder, seed, number, size=4):
        rng = random.Random(f"{seed} {number}")
        self.programs = [random_program(rng, k) for k in range(size)]
        self.bin, self.folder = bin_folder, folder
        self.text = cxx(self.programs, f"tests/properties, seed {seed}, batch {number}")
        self.source = os.path.join(folder, f"seed{seed}_batch{number}.cpp")
        self.transactional = 0  # runs with transactions in all loops
        self.orders_differ = 0  # runs with other bits than program order

    def build(self):
        with open(self.source, "w", encoding="utf-8") as file:
            file.write(self.text)
        for name, options in (("plain", ["-O2"]), ("checked", ["-O1", "--check", "-fsanitize=address"])):
            command = [f"{self.bin}/stradsap-cc", *options, self.source, "-o", os.path.join(self.folder, name)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
            if done.returncode != 0:
                raise Fault(f"{' '.join(command)}:\n{done.stderr}")

    def run(self, name, program, data_seed, *options):
        command = [f"{self.bin}/stradsap-run", "--no-prefix", *options, os.path.join(self.folder, name),
                   str(program.number), str(data_seed)]
        environment = {**os.environ, "ASAN_OPTIONS": "malloc_context_size=0:quarantine_size_mb=16"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False, env=environment)
        if done.returncode != 0:
            raise Fault(f"status {done.returncode}: {' '.join(command)}\n{done.stderr}")
        return done.stdout.splitlines()

    def check(self, program, data_seed):
        """Raises Fault with the command that shows the fault."""
        printed = self.same_everywhere(program, data_seed)
        serial = self.run("plain", program, data_seed, "--serial")
        in_order = Replay(program, data_seed, {"serial": True}).run()
        self.compare(by_key(serial), in_order, program, data_seed, "--serial and program order")
        if self.keeps_program_order(program, data_seed, printed):
            self.compare(by_key(printed), in_order, program, data_seed, "ordered loops or transactions, and program order")
        orders = self.proven_orders(program, data_seed, printed)
        replayed = Replay(program, data_seed, orders).run()
        self.compare(by_key(printed), replayed, program, data_seed, "a run and the replay of its serial orders")
        self.orders_differ += replayed != in_order

    def same_everywhere(self, program, data_seed):
        outputs = {shape: self.run("plain", program, data_seed, "-n", str(shape[0]), "--threads", str(shape[1]))
                   for shape in SHAPES}
        for shape, output in outputs.items():
            self.compare(output, outputs[1, 1], program, data_seed, f"{shape} and (1, 1) ranks x threads")
        return outputs[1, 1]

    def keeps_program_order(self, program, data_seed, printed):
        """Checks that transactions in rounds, and waves, change no output. Returns whether all loops are transactions, or all
        ordered."""
        path = os.path.join(self.folder, "stats")
        for ranks, threads in PROVEN:
            output = self.run("plain", program, data_seed, "-n", str(ranks), "--threads", str(threads),
                              "--in-place", "never", "--stats", path)
            self.compare(output, printed, program, data_seed, f"rounds and waves on {ranks}x{threads}, and otherwise")
        if all(step.model == "ordered" for step in program.loops()):
            return True
        with open(path, encoding="utf-8") as file:
            planners = {loop["planner"] for loop in json.load(file)["loops"]}
        self.transactional += planners == {"transactions"}
        return planners == {"transactions"}

    def proven_orders(self, program, data_seed, printed):
        path = os.path.join(self.folder, "orders")
        found = []
        for ranks, threads in PROVEN:
            output = self.run("checked", program, data_seed, "-n", str(ranks), "--threads", str(threads),
                              "--check", "conflicts", "--check-order", path)
            self.compare(output, printed, program, data_seed, f"the check build on {ranks}x{threads} and the other")
            with open(path, encoding="utf-8") as file:
                found.append({one["launch"]: one["order"] for one in map(json.loads, file)})
        if any(one != found[0] for one in found):
            raise Fault(f"program {program.number}, data {data_seed}: serial orders differ by shape")
        return found[0]

    def compare(self, mine, wanted, program, data_seed, what):
        if mine == wanted:
            return
        for number, (a, b) in enumerate(zip(mine, wanted)):
            for k, (x, y) in enumerate(zip(a.split(" "), b.split(" "))):
                if x != y:
                    raise Fault(f"program {program.number}, data {data_seed}: {what}: line {number}, {a.split(' ')[0]} "
                                f"entry {k}: {x}, expected {y}")
        raise Fault(f"program {program.number}, data {data_seed}: {what}: {len(mine)} lines, expected {len(wanted)}, "
                    "or another number of entries")
