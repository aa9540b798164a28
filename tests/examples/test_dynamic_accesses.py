"""The dynamic scheduler by depends_on_accesses(): a serial order in sets and free, the same bits everywhere, and reasons against sets."""

import json
import os
import re
import signal
import tempfile
import unittest
import subprocess

from example_case import COMPILER, HERE, ExampleTest, line_of

FREE = ("--free-running",)
NO_EFFECT = ("--free-running had no effect: it is for loops of schedule::dynamic() with depends_on_accesses() and without priority(), on "
             "one rank\n")
SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
ALONE = {  # kind of program: why updates run one after the other, in --summary
    "chosen": "`X`, which the body writes, decides the elements that it touches",
    "chained": "`all`, which the body writes, decides the elements that it touches",
    "keyed": "the body writes the map `counts`: `[]` counts as a write, and `at` and `find` do not",
    "shared": "100 of 100 iterations touch element 7 of `all`",
    "few": "an update touches 1.0 shared elements or rows of 8 bytes on average, too short to pay for choosing sets",
    "short": "the updates of a set touch 8192 bytes of shared elements, too few to pay for threads",
}
MISTAKES = {  # kind of program: the output
    "both": "4: {site}: schedule::dynamic() takes depends() or depends_on_accesses(), not both\n",
    "over": "4: schedule::dynamic().over() takes no depends_on_accesses(): it has no body\n",
    "throws": "2: {site}: iteration 70 on rank {rank}: above one\n",
}


class DynamicAccesses(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        cls.program = os.path.join(built.name, "by_accesses")
        subprocess.run([COMPILER, "-std=c++20", "-O2", os.path.join(HERE, "programs", "by_accesses.cpp"), "-o", cls.program], check=True)

    def run_words(self, *words, ranks=1, threads=1, options=()):
        done = self.run_program(self.program, *words, ranks=ranks, threads=threads, options=options)
        self.assertEqual(done.status, 0, done.errors)
        return done

    def statistics(self, *words, options=(), **shape):
        stats = os.path.join(self.folder, "stats.json")
        done = self.run_words(*words, options=("--stats", stats, *options), **shape)
        with open(stats, encoding="utf-8") as file:
            (loop,) = json.load(file)["loops"]
        return done, loop

    def test_a_loop_has_the_bits_of_one_serial_order_on_any_ranks_and_threads(self):
        for words in (("512", "0", "0", "0"), ("64", "64", "0", "0"), ("256", "0", "2", "0"), ("256", "0", "0", "1")):
            bits = set()
            for ranks, threads in SHAPES:
                logs = "1" if ranks == 1 else "0"
                output = self.run_words("serial", *words, logs, ranks=ranks, threads=threads).output
                found = re.match(r"counted=12288 bits=(\w{32})( serial)?\n$", output)
                self.assertTrue(found, output)
                self.assertEqual(found[2] is not None, ranks == 1)
                bits.add(found[1])
            self.assertEqual(len(bits), 1, words)

    def test_dependent_candidates_wait_and_are_counted(self):
        done, loop = self.statistics("serial", "512", "0", "0", "0", "1", threads=2)
        self.assertTrue(done.output.endswith(" serial\n"), done.output)
        self.assertGreater(loop["rejected"], 0)
        self.assertGreater(loop["refilled"], 0)
        self.assertEqual((loop["undone"], loop["dependence_calls"], loop["shards"], loop["why_no_sets"]), (0, 0, 8, ""))
        self.assertGreaterEqual(loop["sets"], 4 * 3072 // 512)
        self.assertGreater(loop["choice_seconds"], 0)
        self.assertGreater(loop["set_seconds"], 0)

    def test_rows_lists_and_folds_by_others_than_sums_run_in_sets(self):
        for kind in ("rows", "owning", "least"):
            runs = [self.statistics(kind, ranks=ranks, threads=threads) for ranks, threads in SHAPES]
            self.assertEqual(len({done.output for done, _ in runs}), 1, kind)
            self.assertEqual({(loop["sets"] > 0, loop["why_no_sets"]) for _, loop in runs}, {(True, "")}, kind)

    def test_without_elements_known_beforehand_updates_run_one_after_the_other(self):
        for kind, why in ALONE.items():
            done = self.run_words(kind, threads=2, options=("--summary",))
            self.assertIn(f"300 updates one after the other ({why})", done.errors)

    def test_elements_that_others_only_read_count_as_changes_and_not_as_conflicts(self):
        runs = [self.statistics("averages", ranks=ranks, threads=threads) for ranks, threads in SHAPES]
        self.assertEqual(len({done.output for done, _ in runs}), 1, [done.output for done, _ in runs])
        self.assertRegex(runs[0][0].output, "^solved=1 ")
        loop = runs[0][1]
        self.assertGreater(loop["passes"], 1)
        self.assertLess(3 * loop["rejected"], loop["iterations"])  # 0.46 of them if reads were conflicts
        done, loop = self.statistics("averages", threads=2, options=FREE)
        self.assertRegex(done.output, "^solved=1 ")
        self.assertEqual(loop["free_executors"], 2)

    def test_free_updates_have_the_result_of_some_serial_order(self):
        for _ in range(5):
            done, loop = self.statistics("serial", "512", "0", "0", "0", "1", threads=2, options=FREE)
            self.assertRegex(done.output, r"^counted=12288 bits=\w{32} serial\n$")
            self.assertEqual((loop["free_executors"], loop["sets"], loop["iterations"], loop["why_no_sets"]), (2, 0, 12288, ""))
            self.assertNotIn("no effect", done.errors)

    def test_free_updates_end_at_the_optimum_and_lose_no_addition(self):
        for kind in ("lasso", "lasso-limit"):
            done, loop = self.statistics(kind, threads=3, options=(*FREE, "--summary"))
            found = re.match(r"updates=(\d+) violation=(\S+) drift=(\S+)\n$", done.output)
            self.assertTrue(found, done.output)
            self.assertEqual((loop["free_executors"], loop["iterations"]), (3, int(found[1])))
            self.assertIn(f"{found[1]} updates free on 3 threads", done.errors)
            self.assertLess(float(found[3]), 1e-12)
            self.assertEqual((loop["converged"], float(found[2]) < 1e-8), (kind == "lasso",) * 2, done.output)
            self.assertEqual(int(found[1]) == 12345, kind == "lasso-limit")

    def test_an_exception_ends_free_updates(self):
        done = self.run_words("lasso-throws", threads=2, options=FREE)
        self.assertRegex(done.output, r"^2: \S*by_accesses\.cpp:%d: iteration 3333 on rank 0: column 3333\n$"
                         % line_of("by_accesses", "// lasso"))

    def test_an_exception_leaves_no_update_by_halves(self):
        for kind, options, shapes in (("halves", (), SHAPES), ("halves-apart", (), SHAPES), ("halves", FREE, [(1, 2), (1, 3)])):
            for ranks, threads in shapes:
                output = self.run_words(kind, ranks=ranks, threads=threads, options=options).output
                found = re.search(r"no body 700\nupdates=(\d+) written=(\d+) counted=(\d+)\n$", output)
                self.assertTrue(found, output)
                self.assertEqual(len(set(found.groups())), 1, f"{kind} {ranks}x{threads}: {output}")

    def test_free_running_changes_no_other_loops(self):
        for words, ranks in ((("256", "0", "0", "1", "0"), 1), (("512", "0", "0", "0", "0"), 2)):
            plain = self.run_words("serial", *words, ranks=ranks, threads=2)
            done, loop = self.statistics("serial", *words, ranks=ranks, threads=2, options=FREE)
            self.assertEqual((done.output, loop["free_executors"]), (plain.output, 0))
            self.assertIn(NO_EFFECT, done.errors)
            self.assertNotIn("no effect", plain.errors)
        _, loop = self.statistics("serial", "256", "0", "0", "0", "0", options=FREE)
        self.assertEqual((loop["free_executors"], loop["why_no_sets"]), (0, "--free-running, on one thread"))

    def test_a_program_alone_takes_the_words_of_the_launcher_for_one_and_zero(self):
        stats = os.path.join(self.folder, "alone.json")
        for word, executors in (("yes", 2), ("On", 2), ("1", 2), ("off", 0), ("FALSE", 0)):
            variables = {**self.env, "STRADSAP_FREE_RUNNING": word, "STRADSAP_THREADS": "2", "STRADSAP_STATS": stats}
            subprocess.run([self.program, "serial", "512", "0", "0", "0", "1"], env=variables, check=True, capture_output=True)
            with open(stats, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["loops"][0]["free_executors"], executors, word)
        done = subprocess.run([self.program, "serial", "512", "0", "0", "0", "1"], env={**self.env, "STRADSAP_FREE_RUNNING": "maybe"},
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("STRADSAP_FREE_RUNNING=maybe: expected 1 or 0", done.stderr)

    def test_a_killed_rank_ends_a_run_with_free_updates(self):
        for ranks, victim in ((1, 0), (2, 1), (2, 0)):
            run = self.start_program(self.program, "endless", ranks=ranks, threads=2, options=FREE)
            for _ in range(3):
                self.assertTrue(run.read_line().startswith("[0] counted=12288 "))
            pids = {int(environment[b"STRADSAP_RANK"]): pid for pid, environment in self.processes_of_runs().items()
                    if b"STRADSAP_RANK" in environment}
            os.kill(pids[victim], signal.SIGKILL)
            status, _, errors = run.finish()
            self.assertEqual(status, 137, errors)
            self.assertIn(f"stradsap-run: rank {victim} (pid {pids[victim]}) was killed by SIGKILL (9) after", errors)
            self.assert_nothing_left()

    def test_mistakes_are_errors(self):
        for kind, text in MISTAKES.items():
            place = line_of("by_accesses", f"// {kind}") if "{site}" in text else 0
            pattern = re.escape(text).replace(re.escape("{site}"), rf"\S*by_accesses\.cpp:{place}")
            for ranks, threads in ((1, 2), (2, 1)):
                done = self.run_words(kind, ranks=ranks, threads=threads)
                self.assertRegex(done.output, f"^{pattern}$".replace(re.escape("{rank}"), r"\d"))


if __name__ == "__main__":
    unittest.main()
