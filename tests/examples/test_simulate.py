"""--simulate: the program prints the same as without it, and the statistics of its loops are consistent."""

import json
import os
import re
import subprocess
import unittest

from example_case import DEADLINE, ExampleTest, program

KEYS = {"ranks", "threads", "bytes_per_second", "seconds_latency", "seconds_message", "seconds_byte", "seconds", "seconds_one_thread", "speedup", "efficiency",
        "balance", "seconds_blocks", "seconds_around", "seconds_critical_path", "critical_path", "blocks", "threads_used",
        "bytes_moved", "messages", "bytes_held", "limit", "advice"}


class Simulate(ExampleTest):
    def predict(self, shape, data, epochs=1, threads=1, name="sgd_mf"):
        """(the finished run, the statistics of its loops)."""
        path = os.path.join(self.folder, "stats.json")
        passes = "--epochs" if name == "sgd_mf" else "--iterations"
        done = self.run_program(name, *data, "--rank", "16", passes, str(epochs), "--hash", threads=threads,
                                options=["--simulate", shape, "--stats", path])
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            return done, json.load(file)["loops"]

    def test_on_one_thread_a_launch_takes_the_time_of_its_blocks(self):
        for threads in (1, 2):
            _, loops = self.predict("1x1", self.make_ratings(), threads=threads)
            self.assertEqual(len(loops), 2)
            for loop in loops:
                found = loop["simulated"]
                self.assertEqual(set(found), KEYS)
                self.assertAlmostEqual(found["seconds"] / (found["seconds_blocks"] + found["seconds_around"]), 1, 6)
                self.assertAlmostEqual(found["speedup"], 1, 6)
                self.assertEqual((found["bytes_moved"], found["threads_used"]), (0, 1))
                # Executors also count their work before their first block and after their last.
                self.assertLessEqual(found["seconds_blocks"], loop["seconds_compute"])
                self.assertGreater(found["seconds_blocks"], 0.2 * loop["seconds_compute"])
                self.assertEqual(found["blocks"], loop["blocks"])

    def test_two_threads_are_at_least_as_good_as_one_and_at_most_twice(self):
        _, loops = self.predict("1x2,inf,0us", self.make_ratings(), epochs=5)
        for loop in loops:
            self.assertGreaterEqual(loop["simulated"]["speedup"], 1)
            self.assertLessEqual(loop["simulated"]["speedup"], 2)

    def test_the_program_prints_what_it_prints_without(self):
        data = self.make_ratings()
        for name in ("sgd_mf", "cd_mf"):
            done, _ = self.predict("64x4", data, epochs=2, threads=2, name=name)
            passes = "--epochs" if name == "sgd_mf" else "--iterations"
            plain = self.run_program(name, *data, "--rank", "16", passes, "2", "--hash")
            timeless = [re.sub(r"seconds=\S+", "", text) for text in (done.output, plain.output)]
            self.assertEqual(timeless[0], timeless[1])
            self.assertEqual(plain.errors, "")
            self.assertIn("stradsap: predicted for 64 ranks x 4 threads, 10 Gbit/s, 50 us", done.errors)

    def test_each_loop_has_a_row_and_the_same_figures_in_the_statistics(self):
        done, loops = self.predict("16x4,100Gbit,5us", self.make_ratings(), epochs=2)
        rows = [line.split() for line in done.errors.splitlines()]
        for loop in loops:
            (row,) = [row for row in rows if row[:2] == ["stradsap:", loop["site"]]]
            self.assertEqual(row[2:5], [str(loop["iterations"] // 2), str(loop["blocks"]), "2"])
            self.assertTrue(" ".join(row).endswith(loop["simulated"]["limit"]), row)
            if loop["simulated"]["advice"]:
                self.assertIn(f"stradsap: {loop['site']}: {loop['simulated']['advice']}\n", done.errors)

    def test_a_launch_moves_the_bytes_that_it_really_moves(self):
        data = self.make_ratings()
        _, loops = self.predict("2x1", data, epochs=5)
        sent = []
        for epochs in (2, 8):  # the difference leaves out planning and all work before it
            path = os.path.join(self.folder, "real.json")
            self.run_program("sgd_mf", *data, "--rank", "16", "--epochs", str(epochs), ranks=2,
                             options=["--in-place", "never", "--stats", path])
            with open(path, encoding="utf-8") as file:
                sent.append(sum(rank["bytes_sent"] for rank in json.load(file)["ranks"]))
        predicted = sum(loop["simulated"]["bytes_moved"] for loop in loops)
        self.assertLess(abs(predicted / ((sent[1] - sent[0]) / 6) - 1), 0.25, (predicted, sent))

    def test_the_variable_does_it_too_and_a_wrong_one_ends_the_program(self):
        words = [program("sgd_mf"), *self.make_ratings(), "--rank", "16", "--epochs", "1"]
        for value, status, text in (("4x2", 0, "stradsap: predicted for 4 ranks x 2 threads"),
                                    ("4", 2, "STRADSAP_SIMULATE: '4' is not RANKSxTHREADS[,BANDWIDTH[,LATENCY[,PROCESSOR]]]")):
            done = subprocess.run(words, env={**self.env, "STRADSAP_SIMULATE": value}, capture_output=True, text=True,
                                  timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
