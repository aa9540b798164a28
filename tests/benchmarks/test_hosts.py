"""benchmarks/run hosts: its lines, the loud skip without namespaces, and a real start on this machine."""

import contextlib
import io
import unittest
import unittest.mock

import support

driver = support.load_driver()
from hosts import command, measurements  # noqa: E402
from measure import CapacityGate, Result  # noqa: E402


class Lines(unittest.TestCase):
    def test_a_figure_is_the_median_and_is_compared_with_its_aim(self):
        for values, wanted, aim in (([1, 9, 2], "yes", {"most": 2}), ([3, 2.5, 1], "**no**", {"most": 2}),
                                    ([0.5, 0.8, 0.9], "yes", {"least": 0.7}), ([0.5, 0.6, 0.9], "**no**", {"least": 0.7}), ([1], "", {})):
            cells = measurements.Aim("a start", values, " s", **aim).cells()
            self.assertEqual(len(cells), len(command.HEAD))
            self.assertEqual((cells[0], cells[4]), ("a start", wanted))
        self.assertEqual(cells[1:4], ["1.000 s", "1.000 to 1.000", ""])

    def test_a_prediction_is_wrong_if_it_is_too_low_or_too_high(self):
        met = [[measurements.Aim("", [ratio], "", most=most, least=least).is_met() for most, least in ((1.25, None), (None, 0.75))]
               for ratio in (0.7, 1, 1.3)]
        self.assertEqual(met, [[True, False], [True, True], [False, True]])

    def test_latency_and_processor_time_of_messages_follow_from_two_sizes(self):
        link = measurements.link_of((1000, 150e-6, 22e-6), (65000, 9e-4, 150e-6))
        self.assertAlmostEqual(link.of_byte, 2e-9)
        self.assertAlmostEqual(link.of_message, 20e-6)
        self.assertAlmostEqual(link.latency, (150 - 2 * 22 - 8) * 1e-6)
        self.assertEqual(link.as_seen_from(2), "2Gbit,49.000us,20.000us+2.0000ns")

    def test_memory_of_a_rank_is_compared_with_that_of_one_rank(self):
        options = command.parse_arguments(["--only", "memory", "--runs", "1"])
        bench = measurements.Bench("/", {"stradsap": "s", "lda": "l"}, {"gen10m": ("train", "test")}, options, None, None)
        results = iter([Result("", [200 << 10]), Result("", [60 << 10, 70 << 10]), Result("", [80 << 10, 50 << 10])] * 2)
        with unittest.mock.patch.object(measurements, "execute", lambda *_: next(results)):
            lines = list(measurements.memory(bench))
        self.assertEqual([(one.value, one.is_met()) for one in lines], [(0.35, True), (0.4, False)] * 2)

    def test_a_line_of_the_program_is_read_and_an_early_end_is_a_failure(self):
        self.assertEqual(measurements.epoch_of("epoch 3 seconds 0.1234 at 5678.9000\n"), (3, 0.1234))
        with self.assertRaisesRegex(measurements.Failure, "ended early"):
            measurements.epoch_of("")


class WithoutNamespaces(unittest.TestCase):
    def run_it(self, *words):
        options = command.parse_arguments(["--only", "start,encryption", "--runs", "1", *words])
        told = io.StringIO()
        with contextlib.redirect_stderr(told), unittest.mock.patch.object(CapacityGate, "DEADLINE", 0.0), \
                unittest.mock.patch.object(command, "reason_without_hosts", lambda: "not permitted here"):
            return command.run(options, {}, {})[0], told.getvalue()

    def test_the_figures_of_this_machine_remain_and_the_others_are_named_as_left_out(self):
        lines, told = self.run_it()
        self.assertEqual([one.name for one in lines], ["start to first loop, 8 ranks of this machine"])
        self.assertLess(lines[0].value, 30)
        self.assertIn("SKIPPED: all figures between hosts: not permitted here", told)

    def test_nothing_is_published(self):
        with self.assertRaisesRegex(command.Failure, "nothing is published"):
            self.run_it("--publish")


class Refusals(unittest.TestCase):
    def test_an_unknown_figure_is_refused_by_name(self):
        told = io.StringIO()
        with contextlib.redirect_stderr(told), self.assertRaises(SystemExit):
            command.parse_arguments(["--only", "start,stops"])
        self.assertIn("'stops' is none of start", told.getvalue())


if __name__ == "__main__":
    unittest.main()
