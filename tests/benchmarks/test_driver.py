"""benchmarks/run: its table and JSON on a tiny data set, and its reaction to a side that fails, lies or hangs."""

import contextlib
import io
import json
import os
import select
import shutil
import sys
import tempfile
import unittest
import unittest.mock

import support
import build
import measure
import programs
import ratings
import sides

driver = support.load_driver()
ROW_KEYS = {"side": str, "ranks": int, "threads": int, "seconds_per_pass": list, "plan_seconds": list,
            "quality": float, "peak_rss_mb": float}


def run_driver(*arguments):
    """Returns (status, stdout, stderr)."""
    out, words = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(words):
        try:
            status = driver.main(list(arguments))
        except SystemExit as exit_:
            status = exit_.code
    return status, out.getvalue(), words.getvalue()


def python(text):
    return [sys.executable, "-c", text]


class WholeRun(unittest.TestCase):
    def test_prints_and_writes_every_row_of_the_sides_asked_for(self):
        sides = ["sequential", "openmp"] + (["mpi"] if shutil.which("mpicxx") else [])
        if "mpi" not in sides:
            print("SKIPPED: the MPI side, mpicxx is not installed", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            train, _ = support.write_ratings(folder)
            report = os.path.join(folder, "report.json")
            # A tiny problem never keeps two workers busy. Another test covers the gate itself.
            with unittest.mock.patch.object(measure.CapacityGate, "DEADLINE", 0.0):
                status, out, words = run_driver("sgd_mf", "--sides", ",".join(sides), "--data", train, "--runs", "2",
                                                "--k", "8", "--passes", "30", "--json", report)
            self.assertEqual(status, 0, words)
            with open(report) as file:
                report = json.load(file)
        self.assertEqual((report["workload"], report["data"]), ("sgd_mf", "/".join(train.split("/")[-2:])))
        self.assertGreater(report["machine"]["cores"], 0)
        for name in ("compiler", "commit", "date"):
            self.assertTrue(report[name], name)
        rows = report["rows"]
        wanted = [("sequential", 1, 1), ("openmp", 1, 1), ("openmp", 1, 2), ("mpi", 1, 1), ("mpi", 2, 1)]
        self.assertEqual([(row["side"], row["ranks"], row["threads"]) for row in rows],
                         [row for row in wanted if row[0] in sides])
        for row in rows:
            for key, kind in ROW_KEYS.items():
                self.assertIsInstance(row[key], kind, key)
            self.assertEqual((len(row["seconds_per_pass"]), len(row["gated"])), (2, 2))
            self.assertTrue(all(seconds > 0 for seconds in row["seconds_per_pass"]))
            self.assertEqual(row["side"] == "sequential", row["plan_seconds"] == [0.0, 0.0])
            self.assertLess(row["quality"], 0.2)  # the planted noise is 0.1
            self.assertGreater(row["peak_rss_mb"], 1)
            self.assertIn(f"{row['side']} ({row['ranks']},{row['threads']})", out)

    def test_the_plot_has_the_errors_of_each_pass(self):
        """tools/plot has a test of its own."""
        drawn = {}

        def draw(command):
            for path in command[1:-2]:
                with open(path, encoding="utf-8") as file:
                    drawn[os.path.basename(path)] = file.read().splitlines()

        with tempfile.TemporaryDirectory() as folder:
            train, _ = support.write_ratings(folder)
            with unittest.mock.patch.object(measure.CapacityGate, "DEADLINE", 0.0), \
                    unittest.mock.patch.object(driver, "call", side_effect=draw):
                status, _, words = run_driver("sgd_mf", "--sides", "sequential", "--data", train, "--runs", "1", "--k", "8",
                                              "--passes", "30", "--plot", os.path.join(folder, "p.svg"))
        self.assertEqual(status, 0, words)
        header, *rows = drawn["sequential (1,1).csv"]
        self.assertEqual((header, len(rows)), ("iter,seconds,rmse,test_rmse", 30))
        seconds = [float(row.split(",")[1]) for row in rows]
        self.assertEqual(seconds, sorted(seconds))

    def test_our_rows_are_one_rank_at_each_thread_count_then_one_thread_at_each_further_rank_count(self):
        for side in ("stradsap", "stradsap-flat", "stradsap-packed"):
            rows = driver.WORKLOADS["sgd_mf"].rows([side], [1, 2], [1, 2])
            self.assertEqual([(row.side, row.ranks, row.threads) for row in rows],
                             [(side, 1, 1), (side, 1, 2), (side, 2, 1)])

    def test_a_change_of_any_header_makes_sides_of_ours_stale(self):
        headers = [os.path.relpath(path, os.path.join(support.ROOT, "include", "stradsap")) for path in build.inputs_of_ours()]
        self.assertLessEqual({"dvector.hpp", os.path.join("abi", "plain_dvector.hpp")}, set(headers))

    def test_a_plain_side_is_built_by_another_compiler_with_our_headers_and_library(self):
        commands = []
        with unittest.mock.patch.object(programs, "compile_if_stale", lambda command, *_: commands.append(command("binary"))):
            for side in ("plain", "plain-flat"):
                programs.Program("pagerank").build(side, "/", ["-O3"])
        self.assertEqual([command[0] for command in commands], ["g++", "g++"])
        for command, source in zip(commands, ("examples/pagerank/pagerank.cpp", "benchmarks/pagerank/flat.cpp")):
            self.assertIn(os.path.join(support.ROOT, source), command)
            self.assertIn(os.path.join(support.ROOT, "include"), command)
            self.assertLess(command.index(os.path.join(support.ROOT, source)), command.index("-lstradsap"))

    def test_strata_are_measured_where_there_are_several_workers(self):
        rows = driver.WORKLOADS["sgd_mf"].rows(["openmp-strata", "mpi-strata", "mpi"], [1, 2], [1, 2])
        self.assertEqual([str(row) for row in rows],
                         ["openmp-strata (1,2)", "mpi-strata (2,1)", "mpi (1,1)", "mpi (2,1)"])

    def test_each_workload_has_a_usual_and_a_strong_rival_of_each_kind(self):
        for workload in driver.WORKLOADS.values():
            rivals = [side for side in workload.SIDES if driver.kind_of(side) in ("openmp", "mpi")]
            self.assertEqual([driver.kind_of(side) for side in rivals], ["openmp", "openmp", "mpi", "mpi"])
            commands = [workload.build_command(side, "/", "/binary", []) for side in rivals]
            self.assertEqual([len(commands[i]) - len(commands[i + 1]) for i in (0, 2)], [1, 1])  # the macro


class Refusals(unittest.TestCase):
    def test_usage_errors_end_with_status_2_and_name_the_argument(self):
        for arguments, name in ((["sgd_mf", "--sides", "cuda"], "cuda"), (["sgd_mf", "--threads", "0"], "'0'"),
                                (["sgd_mf", "--k", "10"], "10"),
                                (["sgd_mf", "--data", "gen1m", "--test", "x"], "--test"),
                                (["sgd_mf", "--json", "/no/such/folder/f"], "/no/such/folder/f")):
            status, _, words = run_driver(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(name, words)

    def test_missing_data_ends_with_status_1_and_the_path(self):
        status, _, words = run_driver("sgd_mf", "--sides", "sequential", "--data", "/no/such/file")
        self.assertEqual(status, 1)
        self.assertIn("/no/such/file", words)

    def test_a_side_of_another_quality_is_named_with_both_numbers(self):
        workload = driver.WORKLOADS["sgd_mf"]
        rows = workload.rows(["sequential", "openmp"], [1], [1])
        rows[0].quality, rows[1].quality = [0.8000, 0.8000], [0.8039, 0.8041]
        complaint, = driver.check_quality(workload, rows)
        self.assertIn("0.8041", complaint)
        self.assertIn("0.8000", complaint)
        rows[1].quality = [float("nan")]
        self.assertEqual(len(driver.check_quality(workload, rows)), 1)

    def test_an_output_without_all_passes_is_refused(self):
        row = ratings.Row("openmp", 1, 1)
        line = "iter=0 seconds=0.5 rmse=0.9 test_rmse=0.8\n"
        self.assertEqual(ratings.read_passes(row, "plan_seconds=1\n" + line, 1), (0.5, 0.8))
        with self.assertRaises(measure.Failure):
            ratings.read_passes(row, line, 2)


class Processes(unittest.TestCase):
    def test_output_and_peak_memory_of_a_process_are_reported(self):
        program = os.path.realpath(sys.executable)
        text = "import sys; block = bytearray(b'x') * (200 << 20); sys.stdout.write('o' * 300000); sys.stdout.flush(); "
        result = measure.execute([program, "-c", text + "import threading; threading.Event().wait(1)"], program=program)
        self.assertEqual(result.stdout, "o" * 300000)
        self.assertGreater(result.peak_rss_mb, 200)
        self.assertLess(result.peak_rss_mb, 300)

    def test_peak_memory_is_summed_over_the_processes_of_the_program(self):
        program = os.path.realpath(sys.executable)
        child = "block = bytearray(b'x') * (100 << 20); import threading; threading.Event().wait(1)"
        text = f"import subprocess, sys; p = [subprocess.Popen([sys.executable, '-c', {child!r}]) for _ in '12']; " \
               "[q.wait() for q in p]"
        result = measure.execute([program, "-c", text], program=program)
        self.assertGreater(result.peak_rss_mb, 200)

    def test_a_process_that_hangs_is_ended_at_its_deadline_with_its_children(self):
        with tempfile.TemporaryDirectory() as folder:
            note = os.path.join(folder, "pid")
            command = ["sh", "-c", f"sleep 300 & echo $! > {note}; wait"]
            with self.assertRaisesRegex(measure.Failure, "not done after 1 s"):
                measure.execute(command, deadline=1.0)
            with open(note) as file:
                child = int(file.read())
        self.assertTrue(ends(child))

    def test_a_process_that_fails_is_reported_with_its_status_and_last_words(self):
        with self.assertRaisesRegex(measure.Failure, "status 3\noh no"):
            measure.execute(python("import sys; sys.stderr.write('oh no'); sys.exit(3)"))
        with self.assertRaisesRegex(measure.Failure, "/no/such/program: No such file"):
            measure.execute(["/no/such/program"])


def ends(pid):
    """Whether the process ends within ten seconds. On a busy machine, a signal takes its time."""
    try:
        exited = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(exited):
        return bool(select.select([exited], [], [], 10.0)[0])


class Consistency(unittest.TestCase):
    def test_our_sides_alone_get_the_model_from_their_environment(self):
        for side, ranks, wanted in (("stradsap", 1, "sync=8"), ("stradsap-flat", 2, "sync=8"), ("sequential", 1, None)):
            _, environment = sides.launch(sides.Row(side, ranks, 1), ["/program"], "/", "/stats", consistency="sync=8")
            self.assertEqual(environment.get("STRADSAP_CONSISTENCY"), wanted)
        _, environment = sides.launch(sides.Row("stradsap", 1, 1), ["/program"], "/", "/stats")
        self.assertNotIn("STRADSAP_CONSISTENCY", environment)


class Gate(unittest.TestCase):
    def make(self, rates):
        gate = measure.CapacityGate.__new__(measure.CapacityGate)
        gate.full_speed, rates = 100.0, iter(rates)
        gate._rate = lambda threads, seconds: next(rates)
        return gate

    def test_opens_at_once_when_all_cores_deliver(self):
        self.assertEqual(self.make([95.0]).wait(2), (0.95, True))

    def test_one_worker_waits_for_one_core(self):
        self.assertEqual(self.make([60.0, 97.0]).wait(1), (0.97, True))

    def test_waits_for_a_slow_spell_to_pass(self):
        self.assertEqual(self.make([50.0, 92.0]).wait(2), (0.92, True))

    def test_gives_up_at_the_deadline_and_says_so(self):
        gate = self.make([50.0])
        gate.DEADLINE = 0.0
        self.assertEqual(gate.wait(2), (0.5, False))


if __name__ == "__main__":
    unittest.main()
