"""tools/plot: curves of metrics as SVG for light and dark pages, and files that it refuses."""

import os
import re
import tempfile
import unittest
import xml.etree.ElementTree

from support import ROOT, subprocess

PLOT = os.path.join(ROOT, "tools", "plot")
HEADER = "iter,seconds,seconds_compute,seconds_wait,seconds_plan,bytes_sent,staleness"
DRAWS = subprocess.run(["/usr/bin/python3", "-Ic", "import matplotlib"], capture_output=True, check=False).returncode == 0


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="st-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def metrics(self, name, losses):
        rows = (f"{k},{k / 4},0.1,0,0,0,0,{loss},{k}" for k, loss in enumerate(losses))
        return self.file(name, "\n".join([HEADER + ",loss,rate", *rows]) + "\n")

    def plot(self, *words, status=0, python=()):
        output = os.path.join(self.folder, "p.svg")
        done = subprocess.run([*python, PLOT, *words, "-o", output], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(os.path.exists(output), status == 0)
        if status:
            return done.stderr
        with open(output, encoding="utf-8") as file:
            return file.read()

    @unittest.skipUnless(DRAWS, "python3-matplotlib is not installed")
    def test_it_draws_each_value_of_each_file_against_iterations_and_seconds(self):
        svg = self.plot(self.metrics("one/m.csv", [3, 2, 1]), self.metrics("two/m.csv", [3, "nan", "", 0.5]))
        xml.etree.ElementTree.fromstring(svg)
        words = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
        for word, count in (("one/m", 1), ("two/m", 1), ("loss", 1), ("rate", 1), ("iterations", 2), ("seconds", 2)):
            self.assertEqual(words.count(word), count, word)
        self.assertIn("@media (prefers-color-scheme:dark)", svg)
        self.assertEqual(svg, self.plot(os.path.join(self.folder, "one/m.csv"), os.path.join(self.folder, "two/m.csv")))

    @unittest.skipUnless(DRAWS, "python3-matplotlib is not installed")
    def test_values_are_chosen_by_name(self):
        svg = self.plot(self.metrics("m.csv", [3, 2, 1]), "--values", "rate")
        self.assertIn(">rate<", svg)
        self.assertNotIn(">loss<", svg)

    @unittest.skipUnless(DRAWS, "python3-matplotlib is not installed")
    def test_another_column_takes_the_place_of_iterations_and_seconds(self):
        path = self.file("m.csv", "updates,above\n100,1\n200,0.1\n300,0.001\n")
        plain = self.plot(path, "--against", "updates")
        words = re.findall(r"<text[^>]*>([^<]*)</text>", plain)
        self.assertEqual((words.count("updates"), words.count("above"), words.count("seconds")), (1, 1, 0))
        self.assertNotEqual(self.plot(path, "--against", "updates", "--log"), plain)

    def test_a_wrong_file_or_name_is_refused_by_name(self):
        good = self.metrics("m.csv", [1])
        for path, reason in ((os.path.join(self.folder, "absent.csv"), "No such file or directory"),
                             (self.file("a.csv", "iter,loss\n0,1\n"), "no column seconds"),
                             (self.file("b.csv", HEADER + ",loss\n"), "no values in this file"),
                             (self.file("c.csv", ""), "no column iter")):
            self.assertEqual(self.plot(good, path, status=2), f"plot: {path}: {reason}\n")
        self.assertEqual(self.plot(good, "--against", "updates", status=2), f"plot: {good}: no column updates\n")
        self.assertEqual(self.plot(good, "--values", "los", status=2), "plot: no file reports los; they have loss, rate\n")

    def test_it_says_which_package_is_missing(self):
        said = self.plot(self.metrics("m.csv", [1]), status=3, python=["/usr/bin/python3", "-ISB"])
        self.assertEqual(said, "plot: matplotlib is not installed: apt-get install python3-matplotlib, or "
                               "tools/install-deps --benchmarks\n")


if __name__ == "__main__":
    unittest.main()
