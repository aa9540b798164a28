"""The readers: the same containers on every number of ranks and threads, equal to those of other tools, and one
message, `file:line: message`, for each kind of bad input."""

import gzip
import json
import pathlib
import random
import subprocess
import tempfile
import textwrap
import unittest

from programs_case import BIN, SHAPES, ProgramsCase, run

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
BAD_SHAPES = [shape for shape in SHAPES if shape in [(1, 1), (1, 2), (2, 1)]] or SHAPES
MOST = 2**31 - 1

BAD_LIBSVM = {  # content: expected message after the file's name
    "1 0:1\n": ":1: index 0, but the first index is 1: set .index_base = 0",
    "1 1:1\n\n1 3:1 2:1\n": ":3: index 2 follows index 3: indices must ascend",
    "1 3:1 3:1\n": ":1: index 3 follows index 3: indices must ascend",
    "1 1:1\r\n1 2:nan\r\n": ":2: value is not a finite number: 'nan'",
    "1 1:1\n1 2:-inf": ":2: value is not a finite number: '-inf'",
    "1 2:1e50\n": ":1: value does not fit: '1e50'",
    "inf 2:1\n": ":1: label is not a finite number: 'inf'",
    "x 2:1\n": ":1: label is not a finite number: 'x'",
    "1,2 2:1\n": ":1: label is not a finite number: '1,2'",
    f"1 {MOST}:1\n1 {MOST + 1}:1\n1 {MOST + 2}:1\n": f":2: index {MOST + 1} is beyond the last one, {MOST}",
    "1 qid:3 1:1\n": ":1: query ids (qid:) are not supported",
    "1 2:\n": ":1: value is not a finite number: ''",
    "1 2 :1\n": ":1: expected index:value, found '2'",
    "1 -2:1\n": ":1: expected index:value, found '-2:1'",
    "1 2:1:1\n": ":1: value is not a finite number: '1:1'",
    "1 2:+-1\n": ":1: value is not a finite number: '+-1'",
    "1 2:0x10\n": ":1: value is not a finite number: '0x10'",
    "1 \x1b:1\n": ":1: expected index:value, found '?:1'",
}


class ReadersCase(ProgramsCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def read(self, kind, path, *options):
        """The lines of the output, by their first words."""
        lines = self.same_everywhere("readers", kind, path, *options).splitlines()
        return {line.split()[0].rstrip(":"): line for line in lines}

    def made_by(self, script):
        """Runs a script of NumPy and its friends, which writes files into `folder`; returns the arrays in `found`."""
        lines = ["import json, sys", "folder = sys.argv[1]", textwrap.dedent(script),
                 "print(json.dumps({name: list(map(float, all)) for name, all in found.items()}))"]
        done = subprocess.run(["/usr/bin/python3", "-c", "\n".join(lines), self.folder], capture_output=True, text=True)
        if "ModuleNotFoundError" in done.stderr:
            self.skipTest(f"SKIPPED: {done.stderr.splitlines()[-1]}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_refused(self, message, *args):
        for ranks, threads in BAD_SHAPES:
            done = run("readers", ranks, threads, *args)
            self.assertEqual((done.returncode, done.stdout), (0, f"error: {message}\n"), (ranks, threads, done.stderr))

    def assert_begins(self, line, values):
        name, numbers = line.split(":")
        self.assertEqual(name.split()[1], str(len(values)))
        shown = [float(word) for word in numbers.split(" hash ")[0].split()]
        self.assertEqual(shown, [float(f"{float(value):.9g}") for value in values[:20]])


class Lines(ReadersCase):
    NUMBERS = [(7 * j) % 100003 for j in range(60000)]

    def text(self):
        return "head\n" + "".join(f"{x}\n" + ("# no x\n\n" if x % 5000 == 3 else "") for x in self.NUMBERS)

    def test_functions_lambdas_and_lambdas_with_captures_read_the_same(self):
        path = self.write("numbers", self.text())
        found = {self.read(kind, path)["numbers"] for kind in ("function", "lambda", "capture")}
        self.assertEqual(len(found), 1)
        self.assert_begins(found.pop(), self.NUMBERS)

    def test_the_first_bad_line_of_the_file_is_named(self):
        lines = self.text().splitlines(keepends=True)
        lines[40000] = lines[50000] = "x\n"
        path = self.write("numbers", "".join(lines))
        for kind in ("function", "capture"):
            self.assert_refused(f"{path}:40001: an x", kind, path)

    def test_lines_may_be_longer_than_a_piece(self):
        lines = ["a" * n for n in (3, 70000, 1, 300000, 65535, 65536, 5)]
        path = self.write("long", "\n".join(lines))
        self.assertEqual(self.same_everywhere("readers", "lines", path),
                         f"lines {len(lines)}, bytes {sum(map(len, lines))}\n")

    def test_odd_files(self):
        for text, lines, size in (("", 0, 0), ("\n\r\n \t\n", 0, 0), ("a", 1, 1), ("\ufeffa\r\nb\r\n", 2, 2)):
            path = self.write("odd", text)
            self.assertEqual(run("readers", 1, 2, "lines", path).stdout, f"lines {lines}, bytes {size}\n")

    def test_compressed_files_and_pipes_are_read_as_they_are(self):
        text = self.text().encode()
        wanted = self.read("function", self.write("numbers", text))["numbers"]
        half = text.index(b"\n", len(text) // 2) + 1
        members = gzip.compress(text[:half]) + gzip.compress(text[half:])
        self.assertEqual(self.read("function", self.write("numbers.gz", members))["numbers"], wanted)
        piped = subprocess.run([f"{BIN}/program_readers", "function", "/dev/stdin"], input=members,
                               stdout=subprocess.PIPE, check=True)
        self.assertEqual(piped.stdout.decode(), wanted + "\n")
        short = self.write("short.gz", members[:-len(members) // 3])
        self.assert_refused(f"{short}: its gzip data end early", "function", short)
        damaged = bytearray(members)
        damaged[len(members) // 3] ^= 255
        self.assert_refused(f"{short}: its gzip data are damaged", "function", self.write("short.gz", bytes(damaged)))

    def test_zstd_is_undone(self):
        text = self.text()
        path = self.write("numbers", text)
        wanted = self.read("function", path)["numbers"]
        try:
            subprocess.run(["zstd", "-q", path], check=True)
        except FileNotFoundError:
            self.skipTest("SKIPPED: there is no zstd")
        self.assertEqual(self.read("function", path + ".zst")["numbers"], wanted)
        with open(path + ".zst", "rb") as file:
            short = self.write("short.zst", file.read()[:-9])
        self.assert_refused(f"{short}: its zstd data end early", "function", short)

    def test_files_of_a_pattern_are_read_in_sorted_order(self):
        for name, first in (("part-2", 20), ("part-1", 10), ("part-3.gz", 30)):
            text = f"head\n{first}\n{first + 1}".encode()
            self.write(name, gzip.compress(text) if name.endswith("gz") else text)
        line = self.read("function", f"{self.folder}/part-*")["numbers"]
        self.assert_begins(line, [10, 11, 20, 21, 30, 31])
        self.write("part-2", "head\n1\nx\n")
        self.assert_refused(f"{self.folder}/part-2:3: an x", "function", f"{self.folder}/part-*")

    def test_files_that_cannot_be_read_are_named(self):
        missing = f"{self.folder}/missing"
        for path in (missing, missing + "*"):
            self.assert_refused(f"{path}: cannot be read: No such file or directory", "function", path)
        self.assert_refused(f"{self.folder}: cannot be read: is a directory", "function", str(self.folder))


class Libsvm(ReadersCase):
    def matrix(self, base):
        """A text of several pieces, and its containers."""
        draw = random.Random(1)
        labels, ends, index, value, lines = [], [0], [], [], []
        for _ in range(4000):
            columns = sorted(draw.sample(range(900), draw.randrange(9)))
            values = [draw.choice([1, -0.5, 1e-7, 3.14159274, 123456.789]) for _ in columns]
            labels.append(draw.choice([-1, 1]))
            index += columns
            value += values
            ends.append(len(index))
            lines.append(" ".join([f"{labels[-1]:+d}", *(f"{c + base}:{v!r}" for c, v in zip(columns, values))]))
        lines[7] += " # 1:2"
        lines.insert(9, "# 3:4")
        return "\n".join(lines), labels, ends, index, value

    def test_rows_arrive_as_arrays_and_as_structs(self):
        for base in (0, 1):
            text, labels, ends, index, value = self.matrix(base)
            found = self.read("libsvm_double", self.write("rows", text), str(base))
            self.assertEqual(found["4000"], f"4000 x {max(index) + 1}")
            for name, wanted in (("labels", labels), ("indptr", ends), ("index", index), ("value", value)):
                self.assert_begins(found[name], wanted)
            self.assertEqual(found["rows"], "rows: same")

    def test_bad_lines_are_refused_with_their_number(self):
        for content, message in BAD_LIBSVM.items():
            path = self.write("bad", content)
            with self.subTest(content):
                self.assert_refused(path + message, "libsvm", path)
        path = self.write("bad", "1 1:1\n1 5:1\n")
        self.assert_refused(f"{path}:2: index 5 is beyond the last one, 4", "libsvm", path, "1", "4")
        self.assert_refused(f"{path}:2: index 5 is beyond the last one, 4", "libsvm", path, "0", "5")
        path = self.write("bad", "1 1:1\n1 5:1.5\n")
        self.assert_refused(f"{path}:2: value is not a finite number: '1.5'", "libsvm_whole", path)

    def test_an_empty_file_has_no_rows(self):
        self.assertIn("labels 0:", run("readers", 1, 1, "libsvm", self.write("empty", "")).stdout)

    def test_files_of_scikit_learn(self):
        made = self.made_by("""
            import scipy.sparse, numpy
            from sklearn.datasets import dump_svmlight_file
            matrix = scipy.sparse.random(3000, 500, 0.01, "csr", random_state=1)
            matrix.sort_indices()
            labels = numpy.random.default_rng(1).integers(0, 3, 3000)
            for base in (0, 1):
                dump_svmlight_file(matrix, labels, f"{folder}/{base}", zero_based=base == 0, comment="made by a test")
            found = dict(labels=labels, indptr=matrix.indptr, index=matrix.indices, value=matrix.data)
        """)
        for base in ("0", "1"):
            found = self.read("libsvm_double", f"{self.folder}/{base}", base, "500")
            self.assertEqual(found["3000"], "3000 x 500")
            for name, wanted in made.items():
                self.assert_begins(found[name], wanted)

    def test_a_real_file(self):
        path = DATA / "libsvm" / "a9a"
        if not path.exists():
            self.skipTest(f"SKIPPED: there is no {path}")
        found = self.read("libsvm", str(path))
        self.assertEqual(found["32561"], "32561 x 123")
        self.assertEqual(found["index"].split(":")[0], "index 451592")


if __name__ == "__main__":
    unittest.main()
