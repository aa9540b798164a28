"""benchmarks/run costs: its table, its counts, and its message when the program fails. The driver builds the program on demand."""

import argparse
import os
import subprocess
import tempfile
import unittest
import unittest.mock

import support
import cost_table
import costs
import gated_runs
import measure
import publish
import texts

LAUNCHER = """#!/bin/sh
# stands in for stradsap-run: --benchmark_out=F gets one launch of 10 us a rank
ranks=$2
for word; do
  case $word in --benchmark_out=*) out=${word#*=} ;; esac
done
echo "{\\"benchmarks\\": [{\\"name\\": \\"launch/empty/real_time\\", \\"real_time\\": ${ranks}0000}]}" > "$out"
"""


def row(ranks, threads, **figures):
    """A shape with three runs."""
    return {"side": f"costs on {ranks} x {threads}", "ranks": ranks, "threads": threads, "gated": [True] * 3,
            "figures": [{name.replace("__", "/"): factor * value for name, value in figures.items()} for factor in (1, 9, 0.5)]}


class Costs(unittest.TestCase):
    def bin_folder(self, launcher):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        path = os.path.join(held.name, "stradsap-run")
        with open(path, "w") as file:
            file.write(launcher)
        os.chmod(path, 0o755)
        return held.name

    def test_each_shape_waits_for_its_cores_and_has_a_row_with_its_median_in_microseconds(self):
        class Gate:
            waited = []

            def wait(self, workers):
                self.waited.append(workers)
                return 1.0, True

        sides = costs.sides()
        options = argparse.Namespace(runs=2, busy=False, publish=False, seconds=0.1)
        costs.measure(self.bin_folder(LAUNCHER), sides, Gate(), options)
        cores = len(os.sched_getaffinity(0))
        self.assertEqual(Gate.waited, [min(ranks * threads, cores) for ranks, threads in costs.SHAPES] * 2)
        self.assertEqual([one["launch/empty"] for one in sides[-1].figures], [80.0, 80.0])
        lines = cost_table.lines([side.report() for side in sides])
        self.assertEqual(lines[2], ["an empty loop", "2 x 1", "20.0", "20.0 to 20.0", "", "60"])
        self.assertEqual(len(lines), len(costs.SHAPES))

    def test_a_shape_that_leaves_no_figures_is_named(self):
        with self.assertRaisesRegex(measure.Failure, "costs on 1 x 1 left no figures"):
            costs.run_shape(self.bin_folder("#!/bin/sh\n"), (1, 1), 0.1)

    def test_figures_of_a_busy_machine_are_not_published(self):
        for arguments in (["--publish", "--busy"], ["--publish", "--runs", "2"]):
            with self.assertRaises(SystemExit), open(os.devnull, "w") as nowhere:
                with unittest.mock.patch("sys.stderr", nowhere):
                    costs.parse_arguments(arguments)
        self.assertEqual(costs.parse_arguments(["--busy", "--json", "f"]).json, "f")

    def test_what_google_benchmark_adds_to_a_name_is_left_out(self):
        self.assertEqual(costs.plain_name("hop/ranks/512/iterations:100/manual_time"), "hop/ranks/512")
        for name in cost_table.TITLES:
            self.assertEqual(costs.plain_name(name), name)

    def test_the_program_compiles_without_a_warning(self):
        if not os.path.isdir("/usr/include/benchmark"):
            self.skipTest("Google Benchmark is not installed")
        source = os.path.join(support.BENCHMARKS, "costs", "launches.cpp")  # has a loop without captures
        done = subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{support.ROOT}",
                               f"-I{support.ROOT}/include", source], capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr[-2000:]), (0, ""))


class Table(unittest.TestCase):
    ROWS = [row(1, 1, launch__empty=4.0, launch__sum=10.0), row(1, 2, launch__empty=10.1, hop__executors=2.0),
            row(2, 1, launch__empty=70.0, launch__sum=60.0, fetch__small=5.0), row(2, 2, launch__empty=70.0)]

    def test_launches_above_their_aim_are_bold_and_shapes_beyond_two_executors_have_none(self):
        self.assertEqual(cost_table.lines(self.ROWS), [
            ["an empty loop", "1 x 1", "4.0", "2.0 to 36.0", "", "10"], ["an empty loop", "1 x 2", "**10.1**", "5.0 to 90.9", "", "10"],
            ["an empty loop", "2 x 1", "**70.0**", "35.0 to 630.0", "", "60"], ["an empty loop", "2 x 2", "70.0", "35.0 to 630.0", "", ""],
            ["a loop that sums", "1 x 1", "10.0", "5.0 to 90.0", "", "10"], ["a loop that sums", "2 x 1", "60.0", "30.0 to 540.0", "", "60"],
            ["a token to another executor", "-", "2.0", "1.0 to 18.0", "", ""], ["a foreseen fetch of 512 B", "2 x 1", "5.0", "2.5 to 45.0", "", ""]])

    def test_launches_that_reach_their_aim_are_counted_and_the_others_named(self):
        text = texts.rendered("<!-- counts launches -->\n<!-- end of counts -->\n", {"costs": {"rows": self.ROWS}}.get)
        self.assertIn("Of 3 rows of launches in a process, 2 take at most 10 us (the aim); above it is an empty loop on 1 x 2 10.1. Of 2 rows "
                      "on two ranks, 1 take at most 60 us (the aim); above it is an empty loop on 2 x 1 70.0.", " ".join(text.split()))
        all_good = texts.rendered("<!-- counts launches -->\n<!-- end of counts -->\n", {"costs": {"rows": [row(1, 1, launch__sum=3.0)]}}.get)
        self.assertIn("Of 1 rows of launches in a process, 1 take at most 10 us (the aim).\n", all_good)

    def test_first_calls_have_an_aim_of_time_or_of_passes(self):
        rows = [row(1, 1, first__plain__1000=300.0, pass__plain__1000=3.0), row(2, 1, first__planned__100=300.1, pass__planned__100=1.0)]
        long = row(1, 2, first__planned__100000=900.0, pass__planned__100000=450.0)
        for run, factor in zip(long["figures"], (1, 1.5, 4)):
            run["pass/planned/100000"] = 450.0 / factor  # 2, 27 and 4 passes
        self.assertEqual(cost_table.lines([*rows, long]), [
            ["first call, own elements, 1,000 iterations", "1 x 1", "300.0", "150.0 to 2700.0", "100.0", "300 us"],
            ["first call, planned, 100 iterations", "2 x 1", "**300.1**", "150.1 to 2700.9", "300.1", "300 us"],
            ["first call, planned, 100,000 iterations", "1 x 2", "900.0", "450.0 to 8100.0", "**4.0**", "2 passes"]])
        text = texts.rendered("<!-- counts first-calls -->\n<!-- end of counts -->\n", {"costs": {"rows": [*rows, long]}}.get)
        self.assertIn("Of 2 first calls of 1,000 iterations or fewer, 1 take at most 300 us (the aim); above it is planned, 100 iterations on "
                      "2 x 1 300.1. Of 1 of 100,000 iterations, 0 take at most 2 sequential passes (the aim); above it is planned, "
                      "100,000 iterations on 1 x 2 4.0.", " ".join(text.split()))
        self.assertNotIn("first call", texts.rendered("<!-- counts launches -->\n<!-- end of counts -->\n", {"costs": {"rows": rows}}.get))

    def test_each_first_call_is_that_of_a_process(self):
        commands = []

        def output(root, side, program, launcher=(), arguments=()):
            commands.append((side.ranks, side.threads, *arguments))
            return "first=812.3 plain=101.7\n"

        side = costs.sides_of_first_calls()[1]
        with unittest.mock.patch.object(gated_runs, "output", output):
            found = costs.run_first_calls("/", side, "/program")
        self.assertEqual(len(set(commands)), 9)
        self.assertIn((1, 2, "accumulated", "100000"), commands)
        self.assertEqual((found["first/planned/1000"], found["pass/planned/1000"]), (812.3, 101.7))
        with unittest.mock.patch.object(gated_runs, "output", lambda *_, **__: "nothing"):
            with self.assertRaisesRegex(measure.Failure, "first calls on 1 x 2: no figures in"):
                costs.run_first_calls("/", side, "/program")

    def test_a_published_table_shows_its_lines(self):
        place = {"machine": {"cpu": "a CPU", "cores": 2, "caches": {}}, "compiler": "g++ 12", "commit": "0123", "dirty": False,
                 "date": "2026-11-29", "flags": gated_runs.FLAGS, "workload": "costs", "runs": 5}
        document = {**place, "head": cost_table.HEAD, "lines": cost_table.lines(self.ROWS), "rows": self.ROWS}
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "benchmarks", "results"))
            publish.store_table(root, "costs", document)
            text = publish.rendered("<!-- table costs -->\n<!-- end of table -->\n", os.path.join(root, "benchmarks", "results"))
            self.assertIn("| an empty loop | 2 x 1 | **70.0** | 35.0 to 630.0 |  | 60 |", text)
            self.ROWS[0]["gated"][0] = False
            with self.assertRaisesRegex(measure.Failure, "costs on 1 x 1"):
                publish.store_table(root, "costs", document)
            self.ROWS[0]["gated"][0] = True


if __name__ == "__main__":
    unittest.main()
