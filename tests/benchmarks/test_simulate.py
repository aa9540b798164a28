"""benchmarks/run simulate: its table, from trials with scripted output, and one real trial on a tiny data set."""

import argparse
import contextlib
import io
import os
import subprocess
import tempfile
import unittest

import support
import simulate

driver = support.load_driver()


class Told:
    def real(self, ranks, threads):
        return 0.4 / (ranks * threads)

    def predicted(self, ranks, threads, here):
        return 0.3 / (ranks * threads) * here, 2.5e6 * (ranks - 1)


class Gate:
    def wait(self, workers):
        return 1.0, workers < 2


class Table(unittest.TestCase):
    def test_each_shape_has_what_was_real_and_what_was_predicted(self):
        out = io.StringIO()
        options = argparse.Namespace(workload="sgd_mf", data="tiny", k=8, passes=2, runs=2, link="20Gbit,30us")
        with contextlib.redirect_stdout(out):
            simulate.run(Told(), Gate(), lambda text: None, options, ("a machine", "a commit"))
        lines = out.getvalue().splitlines()
        self.assertIn("ungated", lines[1])
        rows = {tuple(line.split()[:3]): line.split()[3:] for line in lines[3:]}
        self.assertEqual(set(rows), {("1", "x", "1"), ("1", "x", "2"), ("2", "x", "1"), ("2", "x", "2")})
        self.assertEqual(rows["2", "x", "1"], ["0.2000", "0.2000-0.2000", "0.1500", "0.1500-0.1500", "0.3000",
                                               "0.3000-0.3000", "2.50"])

    def test_a_real_trial_reads_the_passes_and_the_predictions(self):
        with tempfile.TemporaryDirectory() as folder:
            data = support.write_ratings(folder)
            options = argparse.Namespace(k=8, passes=2, link="1Gbit,50us")
            workload, binary = driver.WORKLOADS["sgd_mf"], os.path.join(folder, "sgd_mf")
            subprocess.run(workload.build_command("stradsap", support.ROOT, binary, ["-O1"]), check=True, timeout=120)
            trial = simulate.Trial(support.ROOT, workload, binary, data, options)
            self.assertGreater(trial.real(1, 1), 0)
            seconds, moved = trial.predicted(2, 1, 1)
            self.assertGreater(seconds, 0)
            self.assertGreater(moved, 0)


if __name__ == "__main__":
    unittest.main()
