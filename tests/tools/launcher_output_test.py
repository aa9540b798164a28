"""The launcher's treatment of the ranks' output: whole lines, marked, in the right stream, never lost, never stuck."""

import os
import re
import unittest

from support import LAUNCHER, LauncherTest, launch, subprocess

PYTHON = ["python3", "-S", "-c"]


class OutputTest(LauncherTest):
    def test_each_line_carries_its_rank_and_keeps_its_stream(self):
        status, output, errors = self.shell("-n", "3", "echo out $STRADSAP_RANK; echo err $STRADSAP_RANK >&2")
        self.assertEqual(status, 0)
        self.assertEqual(sorted(output.splitlines()), [b"[%d] out %d" % (r, r) for r in range(3)])
        words = [line for line in errors.splitlines() if not line.startswith(b"stradsap-run:")]
        self.assertEqual(sorted(words), [b"[%d] err %d" % (r, r) for r in range(3)])

    def test_lines_written_in_pieces_by_many_ranks_stay_whole(self):
        script = ("import os,sys\n"
                  "r = os.environ['STRADSAP_RANK']\n"
                  "for i in range(300):\n"
                  "  for piece in ('rank ', r, ' line ', str(i), ' ' + r * 50, '\\n'):\n"
                  "    os.write(1, piece.encode())\n")
        status, output, _ = launch("-n", "3", *PYTHON, script, env=self.env)
        self.assertEqual(status, 0)
        lines = output.decode().splitlines()
        self.assertEqual(len(lines), 900)
        for rank in "012":
            own = [line for line in lines if line.startswith(f"[{rank}] ")]
            self.assertEqual(own, [f"[{rank}] rank {rank} line {i} {rank * 50}" for i in range(300)])

    def test_a_last_line_without_newline_gets_one(self):
        _, output, _ = self.shell("-n", "2", "printf 'no end %s' $STRADSAP_RANK")
        self.assertEqual(sorted(output.splitlines(keepends=True)), [b"[0] no end 0\n", b"[1] no end 1\n"])

    def test_an_empty_line_is_a_line(self):
        _, output, _ = self.shell("echo a; echo; echo b")
        self.assertEqual(output, b"[0] a\n[0] \n[0] b\n")

    def test_without_prefix_one_rank_is_passed_on_byte_for_byte(self):
        data = bytes(range(256)) * 4000 + b"\n\n\0no newline at the end"
        path = os.path.join(self.folder, "data")
        with open(path, "wb") as file:
            file.write(data)
        status, output, _ = launch("--no-prefix", "cat", path, env=self.env)
        self.assertEqual((status, output == data), (0, True))

    def test_the_output_of_some_ranks_alone_is_passed_on(self):
        copies = os.path.join(self.folder, "copies")
        status, output, errors = self.shell("-n", "4", "--ranks", "3,1", "-o", copies, "echo out; echo err >&2")
        self.assertEqual((status, sorted(output.splitlines())), (0, [b"[1] out", b"[3] out"]))
        self.assertEqual(sorted(line for line in errors.splitlines() if line.startswith(b"[")), [b"[1] err", b"[3] err"])
        with open(os.path.join(copies, "rank.0", "stdout"), "rb") as file:
            self.assertEqual(file.read(), b"out\n")
        status, output, errors = self.shell("-n", "2", "--ranks", "0", "[ $STRADSAP_RANK = 0 ] || { echo why >&2; exit 7; }")
        self.assertEqual((status, output), (7, b""))
        self.assertIn(b"stradsap-run:   | why\n", errors)
        self.assertNotIn(b"[1]", errors)
        status, _, errors = self.shell("-n", "2", "--ranks", "2", "true")
        self.assertEqual((status, b"--ranks: there is no rank 2, only 0 to 1" in errors), (2, True), errors)

    def test_without_prefix_lines_of_several_ranks_are_not_mixed(self):
        _, output, _ = self.shell("-n", "2", "--no-prefix", "printf 'a%s\\nb%s' $STRADSAP_RANK $STRADSAP_RANK")
        self.assertEqual(sorted(output.split()), [b"a0", b"a1", b"b0", b"b1"])

    def test_a_line_longer_than_any_buffer_arrives_complete(self):
        status, output, _ = self.shell("head -c 5000000 /dev/zero | tr '\\0' x; echo")
        self.assertEqual((status, output == b"[0] " + b"x" * 5000000 + b"\n"), (0, True))

    def test_much_output_on_both_streams_of_all_ranks_is_complete(self):
        script = ("import os\n"
                  "line = b'y' * 99 + b'\\n'\n"
                  "for i in range(2000): os.write(1 + i % 2, line * 10)\n")
        status, output, errors = launch("-n", "4", *PYTHON, script, env=self.env)
        self.assertEqual(status, 0)
        self.assertEqual(output.count(b"y" * 99 + b"\n"), 40000)
        self.assertEqual(errors.count(b"y" * 99 + b"\n"), 40000)

    def test_a_slow_reader_gets_everything(self):
        # The reader starts to read only after the ranks have filled every buffer on the way.
        script = f"'{LAUNCHER}' -n 2 sh -c 'seq 1 300000; echo done >&3' 3>'{self.folder}/done' | (read x; wc -l)"
        os.mkfifo(os.path.join(self.folder, "unused"))
        done = subprocess.run(["bash", "-c", script], env=self.env, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.stdout.strip(), b"599999")

    def test_a_reader_that_leaves_ends_the_run_quietly(self):
        done = subprocess.run(["bash", "-c", f"'{LAUNCHER}' -n 2 yes | head -n 1; echo ${{PIPESTATUS[0]}}"],
                              env=self.env, capture_output=True, timeout=30, check=False)
        self.assertRegex(done.stdout, rb"^\[\d\] y\n141\n$")
        self.assertNotIn(b"rank", done.stderr.replace(b"ranks", b""))

    def read(self, *parts):
        with open(os.path.join(self.folder, *parts), encoding="utf-8") as file:
            return file.read()

    def test_output_goes_to_a_file_for_each_rank_too(self):
        folder = os.path.join(self.folder, "new", "out")
        for words, raw in ((["-o", folder, "-n", "2"], False), (["--output=" + folder, "--no-prefix"], True)):
            status, output, errors = self.shell(*words, "echo out $STRADSAP_RANK; printf err >&2; touch $STRADSAP_RUN_DIR/x")
            self.assertEqual((status, b"out 0\n" in output, b"err" in errors), (0, True, True), errors)
            for rank in range(1 if raw else 2):
                self.assertEqual((self.read(folder, f"rank.{rank}", "stdout"), self.read(folder, f"rank.{rank}", "stderr")),
                                 (f"out {rank}\n", "err"))

    def test_a_pipe_without_a_reader_in_place_of_a_file_is_refused(self):
        os.mkdir(os.path.join(self.folder, "rank.0"))
        os.mkfifo(os.path.join(self.folder, "rank.0", "stdout"))
        status, _, errors = self.shell("-o", self.folder, "true")
        self.assertEqual((status, b"rank.0/stdout: No such device or address" in errors), (3, True), errors)

    def test_files_of_output_have_all_starts_of_a_run(self):
        script = "echo start $STRADSAP_RESTART_COUNT; touch $STRADSAP_RUN_DIR/x; [ $STRADSAP_RESTART_COUNT = 0 ] && kill -9 $$; :"
        for _ in range(2):  # a second run begins anew
            self.assertEqual(self.shell("-o", self.folder, "--max-restarts", "1", script)[0], 0)
            self.assertEqual(self.read("rank.0", "stdout"), "start 0\nstart 1\n")

    def test_a_folder_that_cannot_be_made_is_named_and_a_full_disk_costs_the_file_alone(self):
        status, output, errors = self.shell("-o", "/dev/null/x", "echo never")
        self.assertEqual((status, output), (3, b""))
        self.assertIn(b"--output: /dev/null/x/rank.0/stdout: Not a directory", errors)
        os.makedirs(os.path.join(self.folder, "rank.0"))
        os.symlink("/dev/full", os.path.join(self.folder, "rank.0", "stdout"))
        status, output, errors = self.shell("-o", self.folder, "echo one; echo two")
        self.assertEqual((status, output), (0, b"[0] one\n[0] two\n"))
        self.assertEqual(errors.count(b"stdout: cannot be written: No space left on device; it lacks all further output"), 1)

    def test_rank_0_reads_the_standard_input_and_others_nothing(self):
        _, output, _ = launch("-n", "2", "cat", env=self.env, input_bytes=b"typed\n")
        self.assertEqual(output, b"[0] typed\n")

    def test_more_threads_than_cores_warns_once_and_works(self):
        cores = len(os.sched_getaffinity(0))
        status, output, errors = self.shell("-n", str(cores + 1), "echo $STRADSAP_THREADS")
        self.assertEqual((status, len(output.splitlines())), (0, cores + 1))
        warnings = [line for line in errors.decode().splitlines() if "oversubscribed" in line]
        self.assertEqual(len(warnings), 1)
        self.assertTrue(re.search(r"on \d+ cores", warnings[0]))
        _, _, errors = self.shell("-n", "1", "--threads", "1", "true")
        self.assertEqual(errors, b"")


if __name__ == "__main__":
    unittest.main()
