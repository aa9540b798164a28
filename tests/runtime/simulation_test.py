"""--simulate predicts how long a launch takes on other shapes: as long as it really does there.

Iterations of program_paced wait, so the times are those of an idle machine on a busy one, and several of these runs go on at
the same time.
"""

import concurrent.futures
import re
import unittest

from programs_case import ProgramsCase, about_plans, run

TOLERANCE = 0.25
AT_ONCE = 3


class Predictions(ProgramsCase):
    def real(self, kind, ranks, threads):
        done = run("paced", ranks, threads, kind)
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(re.search(r"seconds=(\S+)", done.stderr)[1])

    def predicted(self, kind, ranks, threads):
        loop, = self.statistics("paced", 1, 1, kind, options=["--simulate", f"{ranks}x{threads}"])["loops"]
        return loop["simulated"]["seconds"]

    def at_once(self, *checks):
        """Runs checks side by side. Assertions arrive here."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for done in [pool.submit(check) for check in checks]:
                done.result()

    def agree(self, kind, ranks, threads):
        return abs(self.predicted(kind, ranks, threads) / self.real(kind, ranks, threads) - 1) < TOLERANCE

    @about_plans
    def test_a_launch_takes_as_long_as_was_predicted(self):
        def compare(kind, ranks, threads):
            self.assert_mostly(lambda: self.agree(kind, ranks, threads), f"{kind} on {ranks}x{threads}")
        shapes = (("aligned", 1, 2), ("aligned", 2, 1), ("aligned", 2, 2), ("pairs", 1, 2), ("pairs", 2, 1), ("one", 2, 2))
        self.at_once(*(lambda shape=shape: compare(*shape) for shape in shapes))

    @about_plans
    def test_more_workers_are_faster_where_iterations_are_apart_and_nowhere_else(self):
        self.at_once(
            lambda: self.assert_mostly(lambda: self.real("aligned", 2, 2) < 0.4 * self.real("aligned", 1, 1), "aligned"),
            lambda: self.assert_mostly(lambda: self.real("one", 2, 2) > 0.8 * self.real("one", 1, 1), "one"))

    def test_what_is_simulated_prints_the_same(self):
        self.same_everywhere("paced", "pairs")


if __name__ == "__main__":
    unittest.main()
