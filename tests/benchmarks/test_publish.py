"""Published tables: the refusals, the rendering, and the agreement of results.md with the committed figures."""

import copy
import glob
import io
import os
import re
import tempfile
import unittest
import unittest.mock

import support
import measure
import program_table
import plain_table
import programs
import publish
import texts

driver = support.load_driver()
RESULTS = os.path.join(support.BENCHMARKS, "results")
ROOT = os.path.dirname(support.BENCHMARKS)


def row(side, ranks, threads, seconds, quality=0.5):
    return {"side": side, "ranks": ranks, "threads": threads, "seconds_per_pass": seconds, "quality": quality,
            "gated": [True] * len(seconds)}


REPORT = {
    "workload": "sgd_mf", "data": "ratings/train.txt", "k": 16, "passes": 20, "runs": 3, "flags": ["-O3"],
    "machine": {"cpu": "a CPU", "cores": 2, "caches": {"L1d": "48K", "L2": "1024K"}}, "compiler": "g++ 12",
    "commit": "0123456789ab", "dirty": False, "date": "2026-11-23",
    "rows": [row("sequential", 1, 1, [2.0, 9.0, 1.0]), row("openmp-strata", 1, 2, [1.0] * 3),
             row("openmp", 1, 2, [0.5] * 3), row("mpi", 2, 1, [0.8] * 3), row("stradsap", 1, 2, [0.6] * 3, 0.502),
             row("stradsap", 2, 1, [0.4] * 3)],
}


def changed(**changes):
    return {**copy.deepcopy(REPORT), **changes}


class Refusals(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = held.name

    def test_a_run_without_a_gate_is_refused_and_named(self):
        report = changed()
        report["rows"][2]["gated"][1] = False
        with self.assertRaisesRegex(measure.Failure, r"openmp \(1,2\): 1 runs were not gated"):
            publish.store(self.root, "table", report)
        self.assertEqual(os.listdir(self.root), [])

    def test_files_that_are_not_committed_are_refused(self):
        for changes in ({"dirty": True}, {"commit": "none"}):
            with self.assertRaisesRegex(measure.Failure, "commit them first"):
                publish.store(self.root, "table", changed(**changes))

    def test_a_measurement_replaces_the_one_of_the_same_data_k_and_flags_alone(self):
        for changes in ({}, {"k": 8}, {"flags": ["-O3", "-ffast-math"]}, {"k": 8, "runs": 5}, {"title": "long rows"}, {"consistency": "sync"}):
            publish.store(self.root, "table", changed(**changes))
        found = publish.load(os.path.join(self.root, "benchmarks", "results", "table.json"))["measurements"]
        self.assertEqual([(one["k"], one["runs"]) for one in found], [(16, 3), (8, 5), (16, 3), (16, 3), (16, 3)])

    def test_a_macro_is_for_every_side_and_needs_a_title(self):
        options = programs.parse_arguments("word2vec", ["--define", "NUMBERS=100", "--title", "100 numbers", "--publish"])
        self.assertEqual((options.define, options.title), (["NUMBERS=100"], "100 numbers"))
        for arguments in (["--define", "NUMBERS"], ["--define", "NUMBERS=100", "--publish"]):
            with self.assertRaises(SystemExit), open(os.devnull, "w") as nowhere:
                with unittest.mock.patch("sys.stderr", nowhere):
                    programs.parse_arguments("word2vec", arguments)

    def test_another_compiler_s_sides_are_measured_if_named_and_published_apart(self):
        def options(*arguments):
            return programs.parse_arguments("pagerank", arguments)

        program = programs.Program("pagerank")
        self.assertNotIn("plain", programs.chosen_sides(program, options()))
        named = options("--sides", "sequential,plain,plain-flat,plain-class", "--publish")
        self.assertEqual((programs.chosen_sides(program, named), named.table), (named.sides, "plain"))
        self.assertEqual(options("--sides", "sequential,stradsap", "--publish").table, "programs")
        with self.assertRaises(SystemExit), open(os.devnull, "w") as nowhere:
            with unittest.mock.patch("sys.stderr", nowhere):
                options("--sides", "sequential,stradsap,plain", "--publish")

    def test_a_consistency_is_that_of_sync_and_for_our_sides_alone(self):
        self.assertEqual(programs.parse_arguments("kmeans", ["--consistency", "sync=64"]).consistency, "sync=64")
        for arguments in (["--consistency", "stale=2"], ["--consistency", "sync=0"], ["--consistency", "sync", "--sides", "openmp"],
                          ["--consistency", "sync", "--sides", "stradsap-relaxed"]):
            with self.assertRaises(SystemExit), open(os.devnull, "w") as nowhere:
                with unittest.mock.patch("sys.stderr", nowhere):
                    programs.parse_arguments("kmeans", arguments)
        options = programs.parse_arguments("word2vec", ["--consistency", "sync"])
        self.assertEqual(programs.chosen_sides(programs.Program("word2vec"), options),
                         ["sequential", "stradsap", "sequential-flat", "stradsap-flat"])

    def test_under_sync_a_side_may_differ_from_the_original_but_not_between_shapes(self):
        program, nan = programs.Program("kmeans"), float("nan")
        for qualities, wrong in (([1.0, 2.0, 2.0], []), ([1.0, nan, nan], []), ([1.0, 2.0, 2.1], ["2.1"]), ([1.0, 2.0, nan], ["nan"])):
            rows = [programs.Row("sequential", 1, 1), programs.Row("stradsap", 1, 1), programs.Row("stradsap", 1, 2)]
            for one, quality in zip(rows, qualities):
                one.quality, one.measure, one.hits = [quality], "loss", []
            found = programs.complaints(program, rows, real=False, consistency="sync")
            self.assertEqual(len(found), len(wrong), qualities)
            for text, part in zip(found, wrong):
                self.assertIn(f"kmeans stradsap (1,2): {part} differs from 2 of stradsap (1,1)", text)

    def test_a_program_that_fails_is_named_and_the_others_are_measured(self):
        def measured(program, *_):
            if program.name == "svm":
                raise measure.Failure("svm: status -6")
            return []

        with unittest.mock.patch.multiple(programs, measure=measured, CapacityGate=unittest.mock.Mock(), build_capacity=unittest.mock.Mock(),
                                          complaints=lambda program, *_: [program.name]), \
                unittest.mock.patch("sys.stdout", io.StringIO()), unittest.mock.patch.object(publish, "render", return_value=[]):
            self.assertEqual(programs.run("kmeans,svm,mlr", ["--runs", "1"]), ["kmeans", "svm: status -6", "mlr"])

    def test_the_command_line_refuses_a_bad_name_and_a_table_without_its_base(self):
        for arguments in (["sgd_mf", "--publish", "../x"], ["sgd_mf", "--publish", "x", "--sides", "openmp"]):
            with self.assertRaises(SystemExit), open(os.devnull, "w") as nowhere:
                with unittest.mock.patch("sys.stderr", nowhere):
                    driver.parse_arguments(arguments)


class Rendering(unittest.TestCase):
    def test_a_table_has_medians_as_ratios_and_ours_against_the_strong_rival_alone(self):
        place, *_, head, _, cells = publish.render({"measurements": [REPORT]})
        self.assertIn("Commit 0123456789ab, 2026-11-23: a CPU, 2 cores (L1d 48K, L2 1024K)", place)
        found = dict(zip(head.strip("| ").split(" | "), cells.strip("| ").split(" | ")))
        self.assertEqual(found, {
            "data, K": "ratings, 16", "sequential, s a pass": "2.0000", "openmp-strata (1,2)": "0.50",
            "openmp (1,2)": "0.25", "mpi (2,1)": "0.40", "stradsap (1,2)": "0.30", "stradsap (2,1)": "0.20",
            "stradsap (1,2) / openmp (1,2)": "**1.20**", "stradsap (2,1) / mpi (2,1)": "0.50",
            "RMSE differs by": "0.4%"})

    def test_planning_is_told_in_sequential_passes_and_bold_above_its_aim(self):
        report = changed()
        for one, seconds in zip(report["rows"][4:], ([0.9, 1.0, 9.0], [3.0, 3.0, 3.0])):
            one["plan_seconds"] = seconds
        *_, head, _, none, cells = publish.render({"measurements": [report, changed(k=8)]})
        found = dict(zip(head.strip("| ").split(" | "), cells.strip("| ").split(" | ")))
        self.assertEqual(found["planning of stradsap (1,2), stradsap (2,1), sequential passes"], "0.50, **1.50**")
        self.assertEqual(none.split(" | ")[-2], "")

    def test_programs_are_compared_run_by_run(self):
        rows = [row("sequential", 1, 1, [1.0, 2.0, 3.0]), row("stradsap", 1, 1, [1.5, 1.0, 3.3])]
        for one in rows:
            one["first_seconds"] = one["seconds_per_pass"]
        report = changed(workload="kmeans", data=None, rows=rows)
        _, line = program_table.table([report])
        self.assertEqual(line[:3], ["kmeans", "2.00000", "**1.10**"])  # the ratios are 1.5, 0.5 and 1.1
        _, line = program_table.table([{**report, "data": "corpus.txt"}])
        self.assertEqual(line[0], "kmeans, corpus.txt")
        _, line = program_table.table([{**report, "data": "corpus.txt", "title": "100 numbers"}])
        self.assertEqual(line[0], "kmeans, corpus.txt, 100 numbers")

    def test_ten_passes_are_the_first_and_nine_later_ones_and_bold_above_their_aim_alone(self):
        rows = [row("sequential", 1, 1, [1.0, 2.0, 4.0]), row("stradsap", 1, 1, [1.0, 2.0, 4.0])]
        rows[0]["first_seconds"] = rows[0]["seconds_per_pass"]
        for first, shown in ((2.5, "1.15"), (3.0, "**1.20**")):
            rows[1]["first_seconds"] = [first * one for one in rows[0]["first_seconds"]]
            head, line = program_table.table([changed(workload="kmeans", data=None, rows=rows)])
            found = dict(zip(head, line))
            self.assertEqual((found["10 passes, 1 thread"], found["1 thread"]), (shown, "1.00"))

    def test_a_side_may_be_better_with_real_data_only(self):
        program = programs.Program("kmeans")
        for measure, better, worse in (("loss", 0.9, 1.1), ("accuracy", 1.1, 0.9)):
            rival, ours = (unittest.mock.Mock(side=side, measure=measure) for side in ("openmp", "stradsap"))
            for side in (rival, ours):
                self.assertTrue(programs.is_near(program, side, better, 1.0, real=True))
                for quality, real in ((worse, True), (better, False), (float("nan"), True)):
                    self.assertFalse(programs.is_near(program, side, quality, 1.0, real), (measure, quality, real))

    def test_a_relaxed_side_has_a_line_and_a_difference_of_its_own(self):
        rows = [row(side, 1, 1, [seconds]) for side, seconds in (("sequential", 2.0), ("stradsap", 1.8), ("stradsap-relaxed", 1.2))]
        for one, quality in zip(rows, (1.0, 1.001, 1.01)):
            one.update(first_seconds=one["seconds_per_pass"], quality=quality)
        _, line, relaxed = program_table.table([changed(workload="kmeans", data=None, rows=rows)])
        self.assertEqual((line[0], line[2], line[-2]), ("kmeans", "0.90", "0.1%"))
        self.assertEqual((relaxed[0], relaxed[2], relaxed[-2]), ("kmeans, relaxed", "0.60", "1.0%"))

    def test_a_packed_side_has_a_line_of_its_own_beside_the_original(self):
        rows = [row(side, 1, 1, [seconds]) for side, seconds in (("sequential", 2.0), ("stradsap", 1.8), ("stradsap-packed", 0.4))]
        for one, quality in zip(rows, (1.0, 1.001, 1.002)):
            one.update(first_seconds=one["seconds_per_pass"], quality=quality)
        _, line, packed = program_table.table([changed(workload="kmeans", data=None, rows=rows)])
        self.assertEqual((line[0], line[2], line[-2]), ("kmeans", "0.90", "0.1%"))
        self.assertEqual((packed[0], packed[2], packed[-2]), ("kmeans, packed", "0.20", "0.2%"))

    def test_layouts_are_lines_of_their_own_beside_their_own_original(self):
        rows = [row(side, 1, 1, [seconds]) for side, seconds in (
            ("sequential", 2.0), ("stradsap", 1.8), ("sequential-class", 4.0), ("stradsap-class", 4.4))]
        for one in rows:
            one["first_seconds"] = one["seconds_per_pass"]
        report = changed(workload="pagerank", data=None, rows=rows)
        _, in_rows, in_class = program_table.table([report])
        self.assertEqual((in_rows[0], in_rows[2]), ("pagerank", "0.90"))
        self.assertEqual(in_class[:3], ["pagerank, class", "4.00000", "**1.10**"])
        self.assertEqual([line.name for line in texts.lines_of({"measurements": [report]})], ["`pagerank`", "`pagerank`, class"])

    def test_sides_that_make_their_own_data_are_left_out_for_a_file(self):
        program = programs.Program("pagerank")
        own = {"sequential-flat", "stradsap-flat", "sequential-class", "stradsap-class", "stradsap-packed"}
        self.assertLessEqual(own, set(programs.chosen_sides(program, programs.parse_arguments("pagerank", []))))
        chosen = programs.chosen_sides(program, programs.parse_arguments("pagerank", ["--data", __file__]))
        self.assertEqual([side for side in chosen if side in own], [])
        self.assertIn("stradsap", chosen)

    def test_programs_by_another_compiler_have_a_table_of_their_own(self):
        report = self.plain_report([2.0, 3.0, 4.0], [2.4, 3.0, 4.4], [2.0, 3.0, 4.0], [2.1, 3.6, 4.8])
        head, in_rows, flat = plain_table.table([report])
        wanted = [("svm", "3.00000", "1.10", "1.10", "1.10", "0.4%"), ("svm, flat", "3.00000", "**1.20**", "**1.20**", "**1.20**", "0.0%")]
        self.assertEqual([tuple(in_rows), tuple(flat)], wanted)
        text = "\n".join(publish.render({"measurements": [report]}))
        self.assertIn(" | ".join(head), text)
        self.assertNotIn(" | ".join(program_table.HEAD), text)
        both = {**report, "rows": [*report["rows"], {**report["rows"][0], "side": "stradsap"}]}
        text = "\n".join(publish.render({"measurements": [both]}))
        self.assertLess(text.index(" | ".join(program_table.HEAD)), text.index("\n\n| " + " | ".join(head)))

    @staticmethod
    def plain_report(sequential, plain, sequential_flat, plain_flat, **changes):
        sides = {"sequential": sequential, "plain": plain, "sequential-flat": sequential_flat, "plain-flat": plain_flat}
        rows = [{**row(side, 1, 1, seconds, 0.502 if side == "plain" else 0.5), "first_seconds": seconds}
                for side, seconds in sides.items()]
        return changed(workload="svm", data=None, rows=rows, **changes)

    def test_programs_by_another_compiler_are_counted(self):
        fast = {"flags": ["-O3", "-ffast-math"]}
        document = {"measurements": [self.plain_report([2.0], [2.2], [2.0], [2.6]), self.plain_report([2.0], [2.0], [2.0], [1.8], **fast)]}
        self.assertEqual(texts.plain_counts(document), [
            "Of the 2 rows at `-O3`, 1 are at most 1.1 (the aim), and the greatest is 1.30 (`svm`, flat).", "",
            "Of the 2 rows with -ffast-math, 2 are at most 1.1 (the aim), and the greatest is 1.00 (`svm`)."])

    def test_rows_of_another_consistency_are_named_apart_and_come_last(self):
        rows = [row("sequential", 1, 1, [2.0]), row("stradsap", 1, 1, [1.0], quality=float("nan"))]
        for one in rows:
            one["first_seconds"] = one["seconds_per_pass"]
        usual = changed(workload="svm", data=None, rows=rows[:1] + [{**rows[1], "quality": 0.5}])
        *_, line, sync = publish.render({"measurements": [{**usual, "workload": "kmeans", "rows": rows, "consistency": "sync"}, usual]})
        self.assertTrue(line.startswith("| svm |"), line)
        self.assertTrue(sync.startswith("| kmeans, sync |"), sync)
        self.assertIn("| nan% |", sync)

    def test_measurements_with_other_flags_are_named_apart(self):
        *_, plain, fast = publish.render({"measurements": [REPORT, changed(flags=["-O3", "-ffast-math"])]})
        self.assertTrue(plain.startswith("| ratings, 16 |"), plain)
        self.assertTrue(fast.startswith("| ratings, 16, -ffast-math |"), fast)

    def test_the_flat_form_is_compared_with_ours(self):
        self.assertEqual(publish.measure_for(row("stradsap-flat", 2, 1, [1.0])), "stradsap (2,1)")

    def test_the_form_with_the_kernels_of_the_rivals_is_compared_with_them(self):
        self.assertEqual(publish.measure_for(row("stradsap-packed", 1, 2, [1.0])), "openmp (1,2)")
        self.assertEqual(publish.measure_for(row("stradsap-packed", 2, 1, [1.0])), "mpi (2,1)")

    def test_a_table_as_it_is_shown_tells_how_its_figures_were_taken(self):
        place = {key: REPORT[key] for key in ("machine", "compiler", "commit", "dirty", "date", "flags", "workload", "runs")}
        document = {**place, "head": ["a", "b"], "lines": [["1", "2"]]}
        self.assertIn("medians of 3 runs.", " ".join(publish.render(document)))
        told = " ".join(publish.render({**document, "figures": "best of 3 runs"}))
        self.assertIn("sgd_mf, best of 3 runs.", told)
        self.assertNotIn("medians", told)

    def test_only_the_part_between_the_marks_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            publish.write(os.path.join(folder, "one.json"), {"measurements": [REPORT]})
            text = "before\n<!-- table one -->\nold\n<!-- end of table -->\nafter\n"
            new = publish.rendered(text, folder)
            self.assertRegex(new, r"(?s)^before\n<!-- table one -->\n\nCommit.*\|\n\n<!-- end of table -->\nafter\n$")
            self.assertNotIn("old", new)
            self.assertEqual(publish.rendered(new, folder), new)
            self.assertIn("\nNo gated figures yet.\n", publish.rendered(text.replace("one", "two"), folder))


class Counts(unittest.TestCase):
    def measured(self, name, one, two, ranks, first=1.0, **changes):
        """A program with these ratios to its sequential original."""
        rows = [row("sequential", 1, 1, [2.0] * 3), row("stradsap", 1, 1, [2 * one] * 3),
                row("stradsap", 1, 2, [2 * two] * 3), row("stradsap", 2, 1, [2 * ranks] * 3)]
        rows += [{**own, "side": own["side"] + "-relaxed", "seconds_per_pass": [9.0] * 3} for own in rows[1:]]
        for own in rows:
            own["first_seconds"] = [2.0 * (first if own["side"] == "stradsap" else 1)] * 3
        return changed(workload=name, rows=rows, **{"data": None, **changes})

    def setUp(self):
        fast = {"flags": ["-O3", "-ffast-math"]}
        self.document = {"measurements": [
            self.measured("nmf", 1.05, 1.06, 0.9), self.measured("svm", 1.12, 1.32, 1.2, first=1.5), self.measured("mlr", 0.9, 0.5, 0.6),
            self.measured("lda", 1.3, 1.2, 1.2, data="docword.txt"), self.measured("mlp", 1.0, 0.9, 1.7, first=2.5, **fast)]}

    def test_rows_that_meet_the_aims_are_counted_without_relaxed_ones(self):
        plain, fast, real = " ".join(texts.counts(self.document)).split("  ")
        self.assertEqual(plain, "Of the 3 rows at `-O3` with generated data, 2 are at most 1.05 on one thread (the aim), 3 at most "
                         "1.15, and the greatest is 1.12 (`svm`). Over ten passes, 2 are at most 1.15 (the aim), and the greatest "
                         "is 1.16 (`svm`). Two threads are slower than one in 2 rows, by up to 0.20 (`svm`), and two ranks in 1 "
                         "row, by up to 0.08 (`svm`).")
        self.assertIn("Of the 1 rows with -ffast-math, 1 are", fast)
        self.assertIn("and the greatest is 1.30 (`lda`, docword.txt)", real)
        self.assertIn("Two threads are slower than one in none, and two ranks in none.", real)

    def test_sides_with_the_kernels_of_the_rivals_are_divided_by_theirs(self):
        rows = [row("sequential", 1, 1, [2.0]), row("openmp", 1, 2, [0.2]), row("mpi", 2, 1, [0.2])]
        for side, two, ranks in (("stradsap", 1.0, 1.2), ("stradsap-packed", 0.2, 0.23)):
            rows += [row(side, 1, 1, [0.4]), row(side, 1, 2, [two]), row(side, 2, 1, [ranks])]
        for one in rows:
            one["first_seconds"] = one["seconds_per_pass"]
        others = self.document["measurements"]
        _, _, *lines = texts.beside_rivals({"measurements": [changed(workload="kmeans", data=None, rows=rows), *others]})
        self.assertEqual(lines, ["| kmeans | **5.00** | 1.00 | **6.00** | **1.15** |"])
        one, *_ = texts.counts({"measurements": [changed(workload="kmeans", data=None, rows=rows)]})
        self.assertIn("Of the 1 rows at", one)

    def test_rows_under_sync_have_counts_of_their_own(self):
        before = [made(self.document) for made in (texts.counts, texts.speed, texts.flat_beside_rows)]
        self.assertEqual(texts.sync_counts(self.document), [])
        text = texts.rendered("<!-- counts sync -->\n<!-- end of counts -->\n", {"programs": self.document}.get)
        self.assertIn("No gated figures yet.", text)
        for name, one, changes in (("svm", 1.1, {}), ("mlr", 3.0, {}), ("lda", 5.0, {"flags": ["-O3", "-ffast-math"]}), ("nmf", 0.9, {})):
            self.document["measurements"].append(self.measured(name, one, 1.0, 1.0, consistency="sync", **changes))
        self.assertEqual(" ".join(texts.sync_counts(self.document)), "Of the 4 rows under `sync`, 2 are at most 1.1 on one thread "
                         "(the aim), and the greatest is 5.00 (lda, sync, -ffast-math). Above the aim: lda, sync, -ffast-math 5.00; "
                         "mlr, sync 3.00. The least is 0.90 (nmf, sync).")
        self.assertEqual([made(self.document) for made in (texts.counts, texts.speed, texts.flat_beside_rows)], before)

    def test_the_ranges_for_a_reader_of_the_first_page_name_the_slowest(self):
        text = " ".join(texts.speed(self.document))
        for part in (" 5 programs,", "take 0.9 to 1.1 of", "1.05 in the median", "Two threads take 0.5 to 1.3, and two ranks up to 1.20 "
                     "(`svm`)", "The first pass takes up to 1.50 (`svm`)", "two ranks up to 1.70 (`mlp`), and the first pass up to 2.50"):
            self.assertIn(part, text)

    def test_rows_that_are_planned_within_the_aim_are_counted(self):
        def planned(*seconds):
            rows = [row("sequential", 1, 1, [2.0]), *(row("stradsap", *shape, [1.0]) for shape in ((1, 1), (1, 2), (2, 1)))]
            return changed(rows=[{**one, "plan_seconds": [own]} for one, own in zip(rows, (0.0, *seconds))])

        text = " ".join(texts.planning_aim({"measurements": [planned(1.0, 0.8, 3.0), planned(4.2, 1.0, 2.0)]}))
        self.assertIn("Of 2 rows, 1 reach that on one thread, 2 on two threads and 0 on two ranks; the greatest figures are 2.1, 0.5 and "
                      "1.5.", text)

    def test_flat_arrays_are_compared_with_rows_of_the_same_turn(self):
        rows = []
        for layout, factor, memory in (("", 1, 20), ("-flat", 1.2, 30)):
            for number, shape in enumerate(((1, 1), (1, 2), (2, 1)), 1):
                rows.append({**row("stradsap" + layout, *shape, [2.0 * factor ** number, 9.0, 1.0 * factor ** number]),
                             "first_seconds": [3.0 / factor] * 3, "peak_rss_mb": memory * number})
        _, _, line = texts.flat_beside_rows({"measurements": [changed(workload="lda", data=None, rows=rows),
                                                              changed(workload="svm", data=None, rows=rows)]})
        self.assertEqual(line, "| lda | **1.20** | **1.44** | **1.73** | 0.83 | **1.11** | **1.50** | **1.50** |")

    def test_cells_after_aims_tell_whether_they_are_met(self):
        report = self.measured("glove", 0.4, 0.6, 0.76, data="corpus.txt")
        report["rows"].append(row("openmp", 1, 2, [0.5] * 3))
        text = "<!-- aims -->\n| aim of |\n| `glove`, corpus.txt | 0.3 | x | 0.6 | x | 1.0 | x | x | 1 % | 0 |\n| `other` | 1 |\n<!-- end of aims -->\n"
        new = texts.rendered(text, {"programs": {"measurements": [report]}}.get)
        self.assertEqual(new, "<!-- aims -->\n| aim of |\n| `glove`, corpus.txt | 0.3 | 0.40 missed | 0.6 | 0.60 met | 1.0 | 2.40 missed | "
                         "1.27 missed | 1 % | 0 |\n| `other` | 1 |\n<!-- end of aims -->\n")

    def test_every_line_with_aims_has_figures(self):
        document = publish.load(os.path.join(RESULTS, "programs.json"))
        names = {program_table.name_of(report, layout) for report in document["measurements"] for layout in program_table.LAYOUTS
                 if program_table.ratios(report, layout)}
        self.assertLessEqual(set(texts.LINES_WITH_AIMS.values()), names)
        with open(os.path.join(ROOT, "benchmarks", "results.md")) as file:
            lines = {line.split(" | ")[0].removeprefix("| ") for line in file}
        self.assertLessEqual(set(texts.LINES_WITH_AIMS), lines)

    def test_texts_and_last_cells_between_the_marks_alone_change(self):
        cell = "| nmf | 1 |  | old |\n"
        text = f"a\n<!-- counts speed -->\nold\n<!-- end of counts -->\n{cell}<!-- now -->\n{cell}| --- |\n<!-- end of now -->\n"
        with tempfile.TemporaryDirectory() as folder:
            publish.write(os.path.join(folder, "programs.json"), self.document)
            new = publish.rendered(text, folder)
            self.assertEqual(publish.rendered(new, folder), new)
        wanted = "\n".join(texts.speed(self.document))
        self.assertEqual(new, f"a\n<!-- counts speed -->\n\n{wanted}\n\n<!-- end of counts -->\n{cell}<!-- now -->\n| nmf | 1 |  | 1.05 |\n"
                         "| --- |\n<!-- end of now -->\n")


class Committed(unittest.TestCase):
    def setUp(self):
        self.text = self.read("benchmarks/results.md")
        self.names = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(RESULTS, "*.json")))

    @staticmethod
    def read(document):
        with open(os.path.join(ROOT, document)) as file:
            return file.read()

    def test_tables_and_counts_of_the_documents_are_those_of_the_committed_figures(self):
        for document in publish.DOCUMENTS:
            text = self.read(document)
            self.assertEqual(publish.rendered(text, RESULTS), text, "run benchmarks/run render")
        self.assertLessEqual(set(self.names), set(re.findall(r"<!-- table ([\w-]+) -->", self.text)))

    def test_no_committed_figure_is_refused(self):
        for name in self.names:
            document = publish.load(os.path.join(RESULTS, name + ".json"))
            if "lines" in document:  # a table that is stored as it is shown
                self.assertEqual((document["dirty"], document["commit"] == "none"), (False, False), name)
            for report in document.get("measurements", []):
                self.assertEqual(publish.faults(report), [], name)


if __name__ == "__main__":
    unittest.main()
