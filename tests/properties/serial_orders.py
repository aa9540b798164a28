"""Random loop programs: the same bits on every number of ranks and threads. Where the model promises it, they follow
program order. All others have a proven serial order, and its replay in Python ends in the same bits.

    python3 -B tests/properties/serial_orders.py [--seed S] [--trials N] [--first N] [--data N] [--seconds T] [--bin DIR] [--keep DIR]

A trial is a source of four programs, each run with some sets of data. Trial N of a seed is always the same. A failed
trial is kept, with a line that describes the fault. Status 1 after any fault.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time

from trial import Batch, Fault

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the programs (1)")
    parser.add_argument("--trials", type=int, default=5, help="sources of four programs (5)")
    parser.add_argument("--first", type=int, default=0, help="the first trial (0)")
    parser.add_argument("--data", type=int, default=3, help="sets of data for each program (3)")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no trial after so long")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--keep", default=os.path.join(ROOT, "build", "finds"), help="folder for what fails")
    return parser.parse_args(words)


def keep(options, batch):
    os.makedirs(options.keep, exist_ok=True)
    return shutil.copy(batch.source, options.keep)


def try_batch(options, number):
    """(runs, runs in another order than the program's, runs of transactions alone, faults) of one trial."""
    with tempfile.TemporaryDirectory(prefix="st-") as folder:
        batch = Batch(options.bin, folder, options.seed, number)
        faults = []
        try:
            batch.build()
        except Fault as fault:
            print(f"{keep(options, batch)}: seed {options.seed} trial {number}: {fault}", flush=True)
            return 0, 0, 0, 1
        runs = [(program, data) for program in batch.programs for data in range(options.data)]
        for program, data in runs:
            try:
                batch.check(program, data + 1000 * number)
            except Fault as fault:
                faults.append(fault)
                print(f"{keep(options, batch)}: seed {options.seed} trial {number}: {fault}", flush=True)
        return len(runs), batch.orders_differ, batch.transactional, len(faults)


def main():
    options = parse(sys.argv[1:])
    end = time.monotonic() + options.seconds
    runs = reordered = transactional = faults = trials = 0
    print(f"seed {options.seed}", flush=True)
    for number in range(options.first, options.first + options.trials):
        if time.monotonic() > end:
            break
        counts = try_batch(options, number)
        trials, runs, reordered = trials + 1, runs + counts[0], reordered + counts[1]
        transactional, faults = transactional + counts[2], faults + counts[3]
    print(f"seed {options.seed}: {trials} trials, {runs} runs, {reordered} in another order than the program's, "
          f"{transactional} of transactions alone, {faults} faults")
    if reordered == 0 and runs > 0:
        print("no run shows its order: these programs prove nothing")
        return 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
