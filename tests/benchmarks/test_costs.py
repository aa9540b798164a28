"""benchmarks/run costs: its table, and its message when the program fails. The driver builds the program on demand."""

import contextlib
import io
import os
import tempfile
import unittest

import support  # noqa: F401, it finds benchmarks/
import costs
import measure

LAUNCHER = """#!/bin/sh
# stands in for stradsap-run: --benchmark_out=F gets one launch of 10 us a rank
ranks=$2
for word; do
  case $word in --benchmark_out=*) out=${word#*=} ;; esac
done
echo "{\\"benchmarks\\": [{\\"name\\": \\"launch/empty/real_time\\", \\"real_time\\": ${ranks}0000}]}" > "$out"
"""


class Costs(unittest.TestCase):
    def bin_folder(self, launcher):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        path = os.path.join(held.name, "stradsap-run")
        with open(path, "w") as file:
            file.write(launcher)
        os.chmod(path, 0o755)
        return held.name

    def test_each_shape_has_a_row_with_its_median_in_microseconds(self):
        figures = costs.measure(self.bin_folder(LAUNCHER), 2, 0.1)
        self.assertEqual(figures["launch/empty", (8, 1)], [80.0, 80.0])
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            costs.print_table(figures)
        self.assertEqual(len(out.getvalue().splitlines()), 1 + len(costs.SHAPES))
        self.assertRegex(out.getvalue(), r"(?m)^an empty loop +2 x 1 +20\.0 +20\.0-20\.0$")

    def test_a_shape_that_leaves_no_figures_is_named(self):
        with self.assertRaisesRegex(measure.Failure, "costs on 1 x 1 left no figures"):
            costs.measure(self.bin_folder("#!/bin/sh\n"), 1, 0.1)

    def test_what_google_benchmark_adds_to_a_name_is_left_out(self):
        self.assertEqual(costs.plain_name("hop/ranks/512/iterations:100/manual_time"), "hop/ranks/512")
        for name in costs.TITLES:
            self.assertEqual(costs.plain_name(name), name)


if __name__ == "__main__":
    unittest.main()
