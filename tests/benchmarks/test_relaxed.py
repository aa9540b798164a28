"""benchmarks/run budget and late_ranks: their tables from scripted figures, their refusals, and a short real run of each."""

import contextlib
import io
import os
import tempfile
import unittest
import unittest.mock

import support
import budget
import late_ranks
import measure
import publish
import gated_runs


def budget_side(order, bytes_sent, objective):
    side = gated_runs.Side(f"by {order}", 2, ["--budget", str(bytes_sent), "--order", order] if order else [])
    side.figures = [{"bytes": bytes_sent, "seen": 1.0, "objective": one} for one in (objective, 9.0, objective)]
    return side


class Budget(unittest.TestCase):
    def setUp(self):
        self.sides = [budget_side("", 1000, 0.500), budget_side("age", 800, 0.505), budget_side("age", 600, 0.511),
                      budget_side("significance", 400, 0.509), budget_side("significance", 300, 0.520)]

    def test_bytes_are_compared_at_objectives_within_two_percent(self):
        lines = list(budget.lines_of("words", self.sides))
        self.assertEqual([line[6:] for line in lines], [["", ""], ["yes", "1.00"], ["no", ""], ["yes", "0.50"], ["no", ""]])
        self.assertEqual(lines[3][:6], ["words", "by significance", "400", "400", "1.0000", "0.5090"])
        self.assertEqual(budget.complaints_on("words", self.sides), [])

    def test_an_order_without_such_an_objective_is_a_complaint(self):
        complaint, = budget.complaints_on("words", [self.sides[0], *self.sides[2:]])
        self.assertIn("by age", complaint)
        self.assertEqual([line[7] for line in budget.lines_of("words", [self.sides[0], *self.sides[2:]])], [""] * 4)


class LateRanks(unittest.TestCase):
    def test_the_least_number_of_calls_with_the_objective_is_found(self):
        for calls in (1, 29, 30, 57, 120):
            self.assertEqual(late_ranks.least_calls(lambda n: 120 - n, 120 - calls), calls)
        self.assertIsNone(late_ranks.least_calls(lambda n: 1.0, 0.5))

    def test_seconds_are_compared_with_those_of_sync_by_medians(self):
        sides = [gated_runs.Side(f"{name} on 2 ranks", 2, ["--model", name, "--calls", calls]) for name, calls in
                 (("sync", "30"), ("stale(2)", "33"))]
        for side, seconds in zip(sides, ((1.0, 7.0, 1.2), (0.8, 0.1, 0.9))):
            side.figures = [{"seconds": one, "objective": 0.25} for one in seconds]
        self.assertEqual(list(late_ranks.lines_of(2, 2000, "1", sides)),
                         [["2", "2 ms", "1", "sync", "30", "0.25000", "1.200", "1.00"],
                          ["2", "2 ms", "1", "stale(2)", "33", "0.25000", "0.800", "1.50"]])

    def test_a_model_that_never_has_the_objective_is_a_complaint(self):
        def figures(root, side, program):
            return {"seconds": 1.0, "objective": 1.0 if side.name == "2" else 0.5}

        with unittest.mock.patch.object(late_ranks, "measured", side_effect=figures):
            calls, (complaint,) = late_ranks.calls_of("/", "/program", 2, "1")
        self.assertEqual(calls, {"sync": 30, "0": 1, "1": 1})
        self.assertIn("stale(2)", complaint)


class Gate:
    def __init__(self, gated):
        self.gated = gated

    def wait(self, workers):
        return 0.5, self.gated


class Refusals(unittest.TestCase):
    def test_figures_of_busy_cores_or_few_runs_cannot_be_published(self):
        for module in (budget, late_ranks):
            self.assertTrue(module.parse_arguments(["--publish"]).publish)
            for arguments in (["--publish", "--busy"], ["--publish", "--runs", "4"], ["--runs", "0"]):
                with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                    module.parse_arguments(arguments)

    def test_a_run_without_its_cores_ends_the_measurement_that_is_to_be_published(self):
        sides = [gated_runs.Side("one", 2, [])]
        with contextlib.redirect_stderr(io.StringIO()):
            options = late_ranks.parse_arguments(["--runs", "2"])
            gated_runs.run_in_turn(sides, Gate(False), options, lambda side: {"seconds": 1.0})
            self.assertEqual((sides[0].gated, len(sides[0].figures)), ([False, False], 2))
            with self.assertRaisesRegex(measure.Failure, "one: the cores gave 50% of their speed, so nothing is published"):
                gated_runs.run_in_turn(sides, Gate(False), late_ranks.parse_arguments(["--publish"]), lambda side: {})

    def test_a_table_with_ungated_runs_is_refused(self):
        document = {"dirty": False, "commit": "0123", "rows": [{"side": "one", "gated": [True, False]}]}
        with tempfile.TemporaryDirectory() as root:
            with self.assertRaisesRegex(measure.Failure, "runs were not gated: one"):
                publish.store_table(root, "table", document)
            self.assertEqual(os.listdir(root), [])


class RealRuns(unittest.TestCase):
    def test_a_budget_limits_the_bytes_of_a_call(self):
        program = gated_runs.built(support.ROOT, "budget")
        arguments = ("--words", "1000", "--documents", "2000", "--calls", "40")
        apart = budget.bytes_of_first_call(support.ROOT, program, arguments)
        for order in budget.ORDERS:
            side = gated_runs.Side(order, 2, [*arguments, "--budget", "50000", "--order", order])
            found = budget.measured(support.ROOT, side, program, 40, apart)
            self.assertLess(found["bytes"], 200000)
            self.assertGreater(found["bytes"], 20000)
            self.assertGreater(found["objective"], 0)

    def test_a_stale_loop_without_a_bound_has_the_objective_of_sync(self):
        program = gated_runs.built(support.ROOT, "late_ranks")
        found = [late_ranks.measured(support.ROOT, gated_runs.Side(model, 2, ["--model", model, "--calls", "5"]), program)
                 for model in ("sync", "0", "2")]
        self.assertAlmostEqual(found[0]["objective"], found[1]["objective"], places=5)
        self.assertNotEqual(found[1]["objective"], found[2]["objective"])


if __name__ == "__main__":
    unittest.main()
