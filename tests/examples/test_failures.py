"""Killed ranks, bodies that throw, more ranks than cores: the end of the run and its messages."""

import os
import re
import signal
import time
import unittest

from example_case import ExampleTest, cores, line_of, seconds_until_dead

LOOP = line_of("throwing", "parallel_for(")


def put_last(victim, pids):
    """All ranks share a core, and the victim runs last on it: the others learn of its end long before it has ended."""
    core = min(os.sched_getaffinity(0))
    for rank, pid in pids.items():
        for thread in map(int, os.listdir(f"/proc/{pid}/task")):
            os.sched_setaffinity(thread, {core})
            if rank == victim:
                os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))


class KilledRank(ExampleTest):
    def start_long_run(self, ranks, threads):
        """A run in the middle of its work, and the process of each rank."""
        data = self.make_ratings()
        run = self.start_program("sgd_mf", *data, "--rank", "16", "--epochs", "1000000", ranks=ranks, threads=threads)
        for epoch in range(3):
            self.assertTrue(run.read_line().startswith(f"[0] iter={epoch} "))
        pids = {int(environment[b"STRADSAP_RANK"]): pid for pid, environment in self.processes_of_runs().items()
                if b"STRADSAP_RANK" in environment}
        self.assertEqual(sorted(pids), list(range(ranks)))
        self.assertEqual(len(self.run_folders()), 1)
        return run, pids

    def kill(self, victim, ranks, threads=1):
        run, pids = self.start_long_run(ranks, threads)
        put_last(victim, pids)
        start = time.monotonic()
        os.kill(pids[victim], signal.SIGKILL)
        status, _, errors = run.finish()
        self.assertLess(time.monotonic() - start, 10)
        self.assert_nothing_left()
        self.assertEqual(status, 137, errors)
        report = [line for line in errors.splitlines() if line.startswith("stradsap-run: ") and "warning:" not in line]
        dead = rf"rank {victim} \(pid {pids[victim]}\)"
        self.assertRegex(report[0], rf"^stradsap-run: {dead} was killed by SIGKILL \(9\) after")
        self.assertEqual(report[-1], f"stradsap-run: rank {victim} said nothing on stderr")
        self.assertEqual(errors.splitlines()[-len(report):], report)  # no rank prints after the report
        for line in errors.splitlines():
            self.assertRegex(line, r"^(\[\d\] stradsap: error: |stradsap-run: )")

    # The survivors end as soon as they learn of the death. The status of the killed rank decides nevertheless. The launcher
    # may see either end first, so the test runs more than once.
    def test_a_killed_worker_ends_the_run(self):
        for _ in range(5):
            self.kill(victim=1, ranks=2)

    def test_a_killed_driver_ends_the_run(self):
        for _ in range(5):
            self.kill(victim=0, ranks=2)
        self.kill(victim=0, ranks=4)

    def test_one_of_many_ends_the_run(self):
        self.kill(victim=2, ranks=4)
        self.kill(victim=1, ranks=2, threads=2)

    def test_a_death_is_noticed_within_a_tenth_of_a_second(self):
        for victim, limit in ((0, 0.2), (1, 0.1)):  # without its driver a rank waits 0.1 s for a signal that explains the death
            seconds = []
            for _ in range(5):
                run, pids = self.start_long_run(ranks=2, threads=1)
                os.kill(pids[victim], signal.SIGKILL)
                seconds.append(seconds_until_dead(pids[1 - victim]))
                run.finish()
            print(f"rank {victim} killed: the other one has ended after", ", ".join(f"{one:.3f} s" for one in sorted(seconds)))
            self.assertLess(min(seconds), limit)  # other work of the machine delays some

    def test_the_only_rank_ends_the_run(self):
        self.kill(victim=0, ranks=1, threads=2)

    def test_a_killed_launcher_takes_its_ranks_with_it(self):
        run, pids = self.start_long_run(ranks=2, threads=1)
        run.signal(signal.SIGKILL)
        self.assertEqual(run.finish()[0], -signal.SIGKILL)
        self.assert_nothing_left()
        self.assertEqual(len(pids), 2)


class ThrowingBody(ExampleTest):
    def test_the_error_says_what_where_and_which_iteration(self):
        for ranks, threads in ((1, 1), (1, 2), (2, 1), (2, 2)):
            for iteration in (77, 9876):
                done = self.run_program("throwing", str(iteration), "caught", ranks=ranks, threads=threads)
                self.assertEqual(done.status, 5, done.errors)
                found = re.fullmatch(
                    rf"rank=(\d) iteration={iteration} location=(\S*throwing\.cpp:{LOOP})\n"
                    rf"\2: iteration {iteration} on rank \1: element {iteration} is bad\n"
                    r"sum=50005000\n", done.output)
                self.assertIsNotNone(found, done.output)
                self.assertEqual(int(found.group(1)), 0 if iteration == 77 else ranks - 1)

    def test_an_error_that_nobody_catches_ends_the_run_with_its_words(self):
        for ranks in (1, 2):
            done = self.run_program("throwing", "9876", ranks=ranks)
            self.assertEqual(done.status, 128 + signal.SIGABRT, done.errors)
            report = done.errors[done.errors.index("stradsap-run: rank 0"):].splitlines()
            self.assertRegex(report[0], r"rank 0 \(pid \d+\) was killed by SIGABRT \(6\)")
            self.assertRegex(report[-1], rf"\|   what\(\):  \S*throwing\.cpp:{LOOP}: iteration 9876 "
                                         rf"on rank {ranks - 1}: element 9876 is bad$")

    def test_without_a_throw_there_is_no_error(self):
        for ranks in (1, 2):
            done = self.run_program("throwing", "-1", "caught", ranks=ranks)
            self.assertEqual((done.status, done.output), (0, "no error\n"), done.errors)


class Oversubscription(ExampleTest):
    def test_more_ranks_than_cores_is_one_warning_and_works(self):
        data = self.make_ratings()
        many = cores() + 1
        done = self.run_program("sgd_mf", *data, "--rank", "16", "--epochs", "2", "--hash", ranks=many)
        self.assertEqual(self.model(done, 2), self.fit("sgd_mf", data, 2))
        self.assertRegex(done.errors, rf"\Astradsap-run: warning: oversubscribed: {many} ranks .* on {cores()} .*\n\Z")

    def test_as_many_as_there_are_is_no_warning(self):
        self.assertEqual(self.run_program("uniform", ranks=cores()).errors, "")


if __name__ == "__main__":
    unittest.main()
