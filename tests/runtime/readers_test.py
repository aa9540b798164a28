"""The readers: the same containers on every number of ranks and threads, equal to those of other tools, and one
message, `file:line: message`, for each kind of bad input."""

import gzip
import json
import pathlib
import os
import random
import struct
import subprocess
import tempfile
import textwrap
import unittest

from programs_case import BIN, SHAPES, ProgramsCase, run

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
BAD_SHAPES = [shape for shape in SHAPES if shape in [(1, 2), (2, 1)]] or SHAPES
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


BAD_CSV = {
    "": ": has no header line",
    "\n\n": ": has no header line",
    "1,2.5,-3\n4,5,6\n": ":1: all names in the header are numbers: set .header = false if there is no header, "
        "else name the columns in .columns",
    "a,b,c\n1,2,3\n1,2\n": ":3: 2 fields, expected 3",
    "a,b,c\n1,2,3,4\n": ":2: 4 fields, expected 3",
    "a,b,c\n1,2,x\n": ":2: column 'c' is not a finite number: 'x'; .columns can leave it out, .missing can make it NaN",
    "a,b,c\n1,2,3x\n": ":2: column 'c' is not a finite number: '3x'",
    "a\nx\n": ":2: column 'a' is not a finite number: 'x'",
    "a;b\n1;2\n": ":2: column 'a;b' is not a finite number: '1;2'; is the delimiter ';'?",
    "a;b\n1,5;2\n": ":2: 2 fields, expected 1; is the delimiter ';'?",
    "a\tb\n1\t2\n": ":2: column 'a\tb' is not a finite number: '1?2'; is the delimiter '\\t'?",
    "a,b,c\r\n1,2,inf\r\n": ":2: column 'c' is not a finite number: 'inf'",
    "a,b,c\n1,2,1e999\n": ":2: column 'c' does not fit: '1e999'",
    'a,b,c\n1,2,"3\n"\n': ":2: a quoted field does not end on its line",
    'a,b,c\n1,"2"3,4\n': ":2: '3' follows a quoted field",
    'a,"b\nc"\n1,2\n': ":1: a quoted field does not end on its line",
}


BANNER = "%%MatrixMarket matrix coordinate real general\n"
BAD_MARKET = {
    "": ": has no header of Matrix Market with the matrix's size",
    BANNER + "% none\n": ": has no header of Matrix Market with the matrix's size",
    "1 2 3\n": ":1: expected %%MatrixMarket matrix",
    BANNER.replace("general", "symmetric") + "5 2 1\n5 1 1\n": ":2: a symmetric matrix has as many rows as columns",
    BANNER.replace("coordinate", "array") + "2 2\n": ":1: format 'array' is not supported, only coordinate",
    BANNER.replace("real", "complex"): ":1: entries of type 'complex' are not supported",
    BANNER.replace("general", "hermitian"): ":1: symmetry 'hermitian' is not supported",
    BANNER + "2 x 1\n": ":2: number of columns is not a whole number: 'x'",
    BANNER + "2 3000000000 1\n": f":2: number of columns 3000000000 is not between 0 and {MOST}",
    BANNER + "2 2 1\n\n0 1 1\n": ":4: row 0 is not between 1 and 2",
    BANNER + "2 2 1\n1 3 1\n": ":3: column 3 is not between 1 and 2",
    BANNER + "2 2 2\n1 1 x\n0 1 1\n": ":3: value is not a finite number: 'x'",
    BANNER + "2 2 1\n1 2 nan\n": ":3: value is not a finite number: 'nan'",
    BANNER + "2 2 1\n1 2\n": ":3: value is not a finite number: ''",
    BANNER + "2 2 1\n1 2 3 4\n": ":3: unexpected '4'",
    BANNER + "2 2 2\n1 2 3\n": ": has 1 entries, and its header says 2",
}
BAD_DOCWORD = {
    "3\n2\n": ": has no header: the numbers of documents, words and entries",
    "3\n2\n2\n2 1 1\n1 1 1\n": ":5: document 1 follows document 2: they must ascend",
    "3\n2\n1\n4 1 1\n": ":4: row 4 is not between 1 and 3",
    "3\n2\n2\n1 x 1\n4 1 1\n": ":4: column is not a whole number: 'x'",
    "3\n2\n1\n1 1 1.5\n": ":4: value is not a whole number: '1.5'",
}


def zstd_of(*blocks):
    """A frame of zstd without a checksum: blocks of bytes as they are, and of (byte, number of times)."""
    frame = struct.pack("<IBB", 0xFD2FB528, 0, 7 << 3)
    for number, block in enumerate(blocks, 1):
        kind, size, data = (0, len(block), block) if isinstance(block, bytes) else (1, block[1], block[0])
        frame += struct.pack("<I", size << 3 | kind << 1 | (number == len(blocks)))[:3] + data
    return frame


def skippable_zstd(data):
    return struct.pack("<II", 0x184D2A50, len(data)) + data


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

    def test_a_long_read_shows_its_progress(self):
        path = self.write("long", ("a" * 1999 + "\n") * 1250)  # 38 pieces of 0.13 s
        for name in (path, self.write("long.gz", gzip.compress(pathlib.Path(path).read_bytes()))):
            done = run("readers", 1, 2, "slow", name)
            shown = r"(?m)^stradsap: reading long: \d+ %, [\d.]+ k bytes/s, \d+ s left$" if name == path else \
                r"(?m)^stradsap: reading long.gz: \d+ s$"
            self.assertRegex(done.stderr, shown)
            self.assertLess(len(done.stderr.splitlines()), 5, "a row in ten seconds: " + done.stderr)

    def test_a_parser_may_read(self):
        path = self.write("few", "3\n5\n7\n")
        self.assert_begins(self.read("nested", path)["numbers"], [3, 5, 7])

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

    def test_compressed_files_of_any_size_and_number(self):
        # of 1 MB pieces, 8 at a time
        lines = [str(n) * 1500000 for n in range(1, 10)] * 2
        lines[1:1] = ["12"] * 400000
        large = "\n".join(lines).encode()
        self.write("2", gzip.compress(large, 1))
        names = ["1"] + [f"3{n:02}" for n in range(20)] + ["4"]
        for n, name in enumerate(names):
            text = b"\n".join([b"short"] * n)
            self.write(name, text if n % 3 == 0 else gzip.compress(text))
        count = len(lines) + sum(range(len(names)))
        size = sum(map(len, lines)) + 5 * sum(range(len(names)))
        self.assertEqual(self.same_everywhere("readers", "lines", f"{self.folder}/[1-4]*"),
                         f"lines {count}, bytes {size}\n")
        self.write("2", gzip.compress(large + b"\n\xff")[:-6])
        self.assert_refused(f"{self.folder}/2: its gzip data end early", "lines", f"{self.folder}/[1-4]*")

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

    def test_frames_of_zstd_may_be_skippable(self):
        parts = [skippable_zstd(b"abc"), zstd_of(b"one\ntwo"), skippable_zstd(b"one"), zstd_of((b"a", 3), b"\n4"),
                 skippable_zstd(b"")]
        self.assertEqual(self.same_everywhere("readers", "lines", self.write("frames", b"".join(parts))), "lines 3, bytes 10\n")
        self.assertEqual(run("readers", 1, 1, "lines", self.write("frames", parts[0])).stdout, "lines 0, bytes 0\n")
        for whole in range(1, 5):  # a part of the next frame: of its magic number, of its size, of a block
            for more in (1, 7, len(parts[whole]) - 1):
                path = self.write("frames", b"".join(parts[:whole]) + parts[whole][:more])
                self.assertEqual(run("readers", 1, 1, "lines", path).stdout, f"error: {path}: its zstd data end early\n", (whole, more))

    LONG = [(b"a", 1 << 17), b"\n"] * 160  # 20 MB: the driver reads 8 MB, and 8 MB ahead

    def test_a_file_that_changes_while_it_is_read_is_refused(self):
        path = str(self.folder / "long.zst")
        self.write("long.zst", zstd_of(f"change {path}\n".encode(), *self.LONG))
        for shape in BAD_SHAPES:  # the parser changes the first letter of the file
            done = run("readers", *shape, "changing", path)
            self.assertEqual(done.stdout, f"error: {path}: has changed while it was read\n", shape)
            self.assertEqual(pathlib.Path(path).read_bytes()[9:10], b"b")
            self.write("long.zst", zstd_of(f"change {path}\n".encode(), *self.LONG))

    def test_the_file_of_a_pattern_that_changes_is_named(self):
        self.write("1", zstd_of(f"change {self.folder}/2\n".encode(), *self.LONG))
        self.write("3", zstd_of(b"3\n"))
        for kind in ("changing", "changing_unseen"):  # the second with the old time of change: by its number of pieces
            for shape in BAD_SHAPES:
                self.write("2", zstd_of((b"\n", 1 << 17), *[(b"a", 1 << 17)] * 12))
                done = run("readers", *shape, kind, f"{self.folder}/[123]")
                self.assertEqual(done.stdout, f"error: {self.folder}/2: has changed while it was read\n", (kind, shape))

    def test_files_without_a_size_and_deleted_ones_are_read(self):
        with open("/proc/version", encoding="utf-8") as file:
            size = len(file.read().rstrip("\n"))
        self.assertEqual(self.same_everywhere("readers", "lines", "/proc/version"), f"lines 1, bytes {size}\n")
        for ranks, threads in SHAPES:
            with tempfile.TemporaryFile(dir=self.folder) as file:  # it has no name
                file.write(b"abc\nde\n" * 200000)  # pieces for all ranks
                file.seek(0)
                done = run("readers", ranks, threads, "lines", "/dev/stdin", stdin=file)
                self.assertEqual(done.stdout, "lines 400000, bytes 1000000\n", done.stderr)

    def test_names_of_files_may_be_any_bytes(self):
        for data in (b"1\n2\nx", gzip.compress(b"1\n2\nx")):
            name = os.fsdecode(b"odd\xff\xfe")
            path = self.write(name, data)
            self.assertEqual(self.same_everywhere("readers", "lines", path), "lines 3, bytes 3\n")
            self.assert_refused(f"{path}:3: an x", "function", path)
            none = f"{self.folder}/odd*{name}"
            self.assert_refused(f"{none}: cannot be read: No such file or directory", "lines", none)

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
        path = self.write("bad", f"1 {MOST}:1\n1 {MOST + 1}:1\n")
        self.assert_refused(f"{path}:2: index {MOST + 1} is beyond the last one, {MOST}", "libsvm", path, "1", str(MOST + 5))
        self.assert_refused(f"{path}: .columns is a number of columns, or 0", "libsvm", path, "1", "-1")
        for base in ("2", "-1"):
            self.assert_refused(f"{path}: .index_base is 0 or 1", "libsvm", path, base)
        path = self.write("bad", "1 1:1\n1 5:1.5\n")
        self.assert_refused(f"{path}:2: value is not a whole number: '1.5'", "libsvm_whole", path)

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


class Csv(ReadersCase):
    def test_tables_of_numbers(self):
        draw = random.Random(2)
        rows = [[draw.choice([1, 0.1, -2.5e-7, 16777217, 9007199254740993]) for _ in range(4)] for _ in range(9000)]
        text = 'a,"b ""x"", y",c,d\n' + "\n".join(",".join(f"{x}" for x in row) for row in rows)
        text = text.replace("\n", "\r\n", 70).replace(",16777217,", ', "16777217" ,')
        found = self.read("csv", self.write("table", text))
        self.assertEqual((found["9000"], found["names"]), ("9000 x 4", 'names [a] [b "x", y] [c] [d]'))
        self.assert_begins(found["value"], [x for row in rows for x in row])
        found = self.read("csv_two", self.write("table", text))
        self.assertEqual((found["9000"], found["names"]), ("9000 x 2", "names [c] [a]"))

    def test_a_number_may_stand_for_a_missing_one_and_a_row_may_have_none(self):
        path = self.write("marked.tsv", "a\tb\n1\t-999\n\t\n\n4\t5\n")
        self.assertRegex(self.read("csv_marked", path)["value"], r"^value 6: 1 -?nan -?nan -?nan 4 5 ")

    def test_missing_numbers_are_nan_and_missing_whole_numbers_are_refused(self):
        path = self.write("table", 'a,b,c\n1,,3\nNA,"nan",NaN\n')
        self.assertIn("value 6: 1 nan 3 nan nan nan hash", self.read("csv", path)["value"])
        self.assert_refused(f"{path}:2: column 'b' has no value: whole numbers cannot be missing", "csv_whole", path)
        path = self.write("table", "a,street\n1,Main\n")
        self.assert_refused(f"{path}:2: column 'street' is not a whole number: 'Main'; .columns can leave it out", "csv_whole", path)

    def test_rows_become_structs(self):
        text = '# houses\nprice;rooms;note;street\n1.5; 3 ;x;"Main ""A""; 1"\n\n# none\n;4;;\ufeffÜ\n'
        self.assertEqual(self.same_everywhere("readers", "csv_rows", self.write("houses", text)),
                         '1.5 3 [Main "A"; 1]\nnan 4 [\ufeffÜ]\n')
        path = self.write("houses", "price;rooms\n1;2\n")
        self.assert_refused(f"{path}:1: there is no column 'street'", "csv_rows", path)
        path = self.write("houses", "price,rooms,street\n1,2,3\n")
        self.assert_refused(f"{path}:1: there is no column 'street'; is the delimiter ','?", "csv_rows", path)
        path = self.write("houses", "price;rooms;street;rooms\n1;2\n")
        self.assert_refused(f"{path}:1: column 'rooms' is there twice", "csv_rows", path)

    def test_bad_lines_are_refused_with_their_number(self):
        for content, message in BAD_CSV.items():
            path = self.write("bad", content)
            with self.subTest(content):
                self.assert_refused(path + message, "csv", path)

    def test_files_of_a_pattern_have_one_header(self):
        self.write("part-1", "a,b\n1,2\n")
        self.write("part-2", "a,b\n3,4\n")
        found = self.read("csv", f"{self.folder}/part-*")
        self.assert_begins(found["value"], [1, 2, 3, 4])
        path = self.write("part-3", "a,c\n")
        self.assert_refused(f"{path}:1: the header is not that of the first file", "csv", f"{self.folder}/part-*")


class Matrices(ReadersCase):
    def test_matrices_of_scipy(self):
        made = self.made_by("""
            import scipy.io, scipy.sparse
            matrix = scipy.sparse.random(4000, 700, 0.004, "coo", random_state=1)
            scipy.io.mmwrite(f"{folder}/m.mtx", matrix, comment="made by a test", precision=17)
            found = dict(row=matrix.row, column=matrix.col, value=matrix.data)
        """)
        found = self.read("market", str(self.folder / "m.mtx"))
        self.assertEqual(found["4000"], "4000 x 700")
        for name, wanted in made.items():
            self.assert_begins(found[name], wanted)

    def test_mirrors_and_patterns(self):
        for symmetry, sign in (("symmetric", 1), ("skew-symmetric", -1)):
            text = f"%%matrixmarket MATRIX coordinate integer {symmetry}\n%\n\n 3 3 2\n2 1 5\n3 3 7\n"
            found = self.read("market_whole", self.write("m", text))
            self.assert_begins(found["row"], [1, 0, 2])
            self.assert_begins(found["column"], [0, 1, 2])
            self.assert_begins(found["value"], [5, sign * 5, 7])
        found = self.read("market", self.write("m", BANNER.replace("real", "pattern") + "2 2 1\n2 1\n"))
        self.assert_begins(found["value"], [1])

    def test_bad_matrices_are_refused(self):
        for kind, table in (("market", BAD_MARKET), ("docword", BAD_DOCWORD)):
            for content, message in table.items():
                path = self.write("bad", content)
                with self.subTest(content):
                    self.assert_refused(path + message, kind, path)

    def test_bags_of_words_become_rows(self):
        draw = random.Random(3)
        rows = [sorted(draw.sample(range(1, 500), draw.choice([0, 1, 9]))) for _ in range(6000)]
        entries = [(d + 1, w, draw.randrange(1, 99)) for d, row in enumerate(rows) for w in row]
        text = f"6003\n500\n{len(entries)}\n" + "".join("%d %d %d\n" % entry for entry in entries)
        found = self.read("docword", self.write("docword.gz", gzip.compress(text.encode())))
        plain = self.read("docword", self.write("docword", text))
        self.assertEqual(found, plain)
        self.assertEqual(found["6003"], "6003 x 500")
        ends = [0]
        for row in rows:
            ends.append(ends[-1] + len(row))
        ends += [ends[-1]] * 3
        self.assert_begins(found["indptr"], ends)
        self.assertEqual(found["indptr"].split()[-1], self.read("docword", self.write("d", text))["indptr"].split()[-1])
        self.assert_begins(found["index"], [w - 1 for _, w, _ in entries])
        self.assert_begins(found["value"], [n for _, _, n in entries])

    def test_a_real_bag_of_words(self):
        path = DATA / "text" / "docword.20news.train.txt"
        if not path.exists():
            self.skipTest(f"SKIPPED: there is no {path}")
        sizes = path.read_text().split("\n", 3)[:3]
        found = self.read("docword", str(path))
        self.assertEqual(found[sizes[0]], f"{sizes[0]} x {sizes[1]}")
        self.assertTrue(found["index"].startswith(f"index {sizes[2]}:"))


class Corpus(ReadersCase):
    def test_words_become_numbers(self):
        draw = random.Random(4)
        words = [f"w{int(draw.paretovariate(0.7)) % 3000}" for _ in range(60000)]
        lines, at = [], 0
        while at < len(words):
            lines.append(words[at:at + draw.choice([0, 1, 30])])
            at += len(lines[-1])
        text = "\n".join(" \t".join(line) for line in lines) + "\r\n"
        counts = {word: words.count(word) for word in set(words)}
        known = sorted((word for word in counts if counts[word] >= 9), key=lambda word: (-counts[word], word))
        number = {word: n for n, word in enumerate(known)}
        found = self.read("corpus", self.write("text", text), "9")
        self.assertEqual(found["words"], " ".join(["words"] + [f"{word}={counts[word]}" for word in known[:12]]))
        ids = [[number[word] for word in line if word in number] for line in lines if line]
        self.assert_begins(found["ids"], sum(ids, []))
        ends = [0]
        for line in ids:
            ends.append(ends[-1] + len(line))
        self.assert_begins(found["indptr"], ends)
        self.assertEqual(found["again"], "again: same")

    def test_a_text_without_frequent_words(self):
        path = self.write("text", "a b\n\nc\n")
        found = self.read("corpus", path, "2")
        self.assertEqual(found["words"], "words")
        self.assert_begins(found["indptr"], [0, 0, 0])
        self.assertEqual(found["error"], f"error: {path}: .words has no word, so that all words would be left out")

    def test_a_real_text(self):
        path = DATA / "text" / "corpus.txt"
        if not path.exists():
            self.skipTest(f"SKIPPED: there is no {path}")
        self.assertEqual(self.read("corpus", str(path), "5")["again"], "again: same")


if __name__ == "__main__":
    unittest.main()
