"""NumPy and json read the files that programs save; read_npy takes NumPy's files, and refuses the others."""

import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest

from example_case import COMPILER, DEADLINE, HERE, ROOT, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (3, 1)]  # ranks, threads of each
PYTHON = "/usr/bin/python3"  # Debian's, which has python3-numpy
HAS_NUMPY = shutil.which(PYTHON) and subprocess.run([PYTHON, "-c", "import numpy, scipy"], capture_output=True, check=False).returncode == 0


def numpy(text, folder):
    done = subprocess.run([PYTHON, "-c", "import numpy as np\n" + text], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Saved(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        source = os.path.join(HERE, "programs", "saved.cpp")
        cls.binary, cls.plain = (os.path.join(built.name, name) for name in ("saved", "plain"))
        subprocess.run([*quick_compiler("-std=c++20", "-O1"), source, "-o", cls.binary], check=True)
        link = subprocess.run([COMPILER, "--showme:link"], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(["g++", "-std=c++20", "-I", os.path.join(ROOT, "include"), source, *link, "-o", cls.plain], check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def saved(self, name, ranks=1, threads=1, binary=None):
        done = self.run_program(binary or self.binary, "save", self.path(name), "-", ranks=ranks, threads=threads)
        self.assertEqual((done.status, done.output), (0, "same=1\n"), done.errors)
        files = {}
        for file in sorted(os.listdir(self.path(name))):
            with open(os.path.join(self.path(name), file), "rb") as content:
                files[file] = content.read()
        return files

    def loaded(self, path, kind, ranks=1, threads=1):
        done = self.run_program(self.binary, "load", self.path(path), kind, ranks=ranks, threads=threads)
        return done.status, done.output

    def test_all_shapes_and_the_plain_program_save_the_same_bytes(self):
        wanted = self.saved("alone")
        self.assertEqual(sorted(wanted), sorted([*(f"{name}.npy" for name in ("P", "W", "none", "z", "flags", "rows", "A.indptr", "A.index", "A.value")),
                                                 "words.jsonl", "counts.jsonl", "manifest.json"]))
        for ranks, threads in SHAPES[1:]:
            self.assertEqual(self.saved(f"on{ranks}x{threads}", ranks, threads), wanted)
        plain = self.saved("plain_files", binary=self.plain)
        for files in (wanted, plain):
            manifest = json.loads(files.pop("manifest.json"))
            self.assertEqual(manifest["arrays"]["W"], {"file": "W.npy", "dtype": "<f8", "shape": [3, 4]})
            self.assertEqual((manifest["lines"]["words"], manifest["seed"]), ({"file": "words.jsonl", "count": 5}, 0))
        self.assertEqual(plain, wanted)

    def test_lines_are_json(self):
        files = self.saved("lines")
        self.assertEqual([json.loads(line) for line in files["words.jsonl"].decode().splitlines()],
                         ["plain", 'a "quote"', "two\nlines", "é", "\ufffd"])
        self.assertEqual([json.loads(line) for line in files["counts.jsonl"].decode().splitlines()],
                         [{"key": "b", "value": [2, 0.1]}, {"key": "a", "value": [1, 1e-30]}])

    @unittest.skipUnless(HAS_NUMPY, "python3-numpy is not installed")
    def test_numpy_reads_what_is_saved(self):
        self.saved("alone")
        numpy("P, W, z = (np.load(n + '.npy') for n in 'PWz')\n"
              "i = np.arange(1000, dtype=np.float32)[:, None]\n"
              "assert P.dtype == np.float32 and (P == i + np.float32(0.25) * np.arange(3, dtype=np.float32)).all()\n"
              "assert W.shape == (3, 4) and (W.ravel() == 1 / np.arange(1, 13)).all()\n"
              "assert np.load('none.npy').shape == (0,) and np.load('flags.npy').tolist() == [False, True, False]\n"
              "assert z.dtype == np.complex64 and (z == np.arange(5) - 1j).all()\n"
              "assert np.load('rows.npy').tolist() == [[1, -2]] * 4\n"
              "indptr, index, value = (np.load(f'A.{n}.npy') for n in ('indptr', 'index', 'value'))\n"
              "from scipy.sparse import csr_matrix\n"
              "assert csr_matrix((value, index, indptr), (2, 3)).toarray().tolist() == [[1, 0, 2], [0, 3, 0]]\n", self.path("alone"))

    @unittest.skipUnless(HAS_NUMPY, "python3-numpy is not installed")
    def test_what_numpy_saves_is_read_on_all_shapes(self):
        numpy("A = np.arange(30000, dtype=np.float64).reshape(100, 300) / 7\n"
              "np.save('f8', A)\n"
              "np.save('f4', A.astype('>f4'))\n"
              "np.save('i8', np.arange(-5, 5))\n"
              "np.save('scalar', np.float32(2.5))\n"
              "np.save('empty', np.zeros((0, 3), np.float32))\n"
              "np.lib.format.write_array(open('v2.npy', 'wb'), A, version=(2, 0))\n"
              "np.save('column', np.asfortranarray(A[0]))\n", self.folder)
        place = "(A.ravel() * np.arange(1, 30001)).sum()"
        total = float(numpy(f"A = np.load('f8.npy')\nprint({place})", self.folder))
        for ranks, threads in SHAPES:
            for name in ("f8", "v2"):
                status, output = self.loaded(f"{name}.npy", "f8", ranks, threads)
                self.assertEqual((status, output.split()[:3]), (0, ["shape", "100", "300"]))
                self.assertAlmostEqual(float(output.split()[-1]) / total, 1, 12)
            self.assertAlmostEqual(float(self.loaded("f4.npy", "f4", ranks, threads)[1].split()[-1]) / total, 1, 5)
            self.assertEqual(self.loaded("i8.npy", "i8", ranks, threads), (0, "shape 10 sum 55\n"))
        self.assertEqual(self.loaded("scalar.npy", "f4"), (0, "shape sum 2.5\n"))
        self.assertEqual(self.loaded("empty.npy", "f4"), (0, "shape 0 3 sum 0\n"))
        self.assertEqual(self.loaded("column.npy", "f8")[0], 0)

    def test_each_byte_of_a_boolean_but_0_is_true(self):
        header = "{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }".ljust(117) + "\n"
        with open(self.path("flags.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes([0, 1, 2, 255, 0]))
        for ranks, threads in SHAPES:
            self.assertEqual(self.loaded("flags.npy", "bool", ranks, threads), (0, "shape 5 sum 9\n"))

    @unittest.skipUnless(HAS_NUMPY, "python3-numpy is not installed")
    def test_an_array_of_another_kind_is_refused(self):
        numpy("A = np.ones((4, 3))\n"
              "np.save('f8', A)\n"
              "np.save('fortran', np.asfortranarray(A))\n"
              "np.save('parts', np.zeros(3, dtype=[('x', 'f4'), ('y', 'i4')]))\n"
              "open('short.npy', 'wb').write(open('f8.npy', 'rb').read()[:-1])\n"
              "open('header.npy', 'wb').write(open('f8.npy', 'rb').read()[:50])\n"
              "open('text.npy', 'w').write('1 2 3 4 5 6 7 8 9')\n"
              "open('nothing.npy', 'w')\n", self.folder)
        for name, kind, message in (
                ("f8", "f4", "holds <f8, expected <f4: read the type that the file has, or save it with astype('<f4')"),
                ("fortran", "f8", "is in Fortran order: save it with numpy.ascontiguousarray"),
                ("parts", "f4", "holds a structured type, expected <f4"),
                ("short", "f8", "ends early: shape (4, 3) of <f8 does not fit into 223 bytes"),
                ("header", "f8", "is no .npy file: its header ends early"),
                ("text", "f8", "is no .npy file: it does not begin with \\x93NUMPY"),
                ("nothing", "f8", "is no .npy file: it is too short"),
                ("missing", "f8", "cannot be read: No such file or directory")):
            status, output = self.loaded(f"{name}.npy", kind)
            self.assertEqual(status, 2, name)
            self.assertTrue(output.startswith(f"{self.path(name)}.npy: {message}"), output)
        os.mkfifo(self.path("pipe.npy"))
        self.assertEqual(self.loaded("pipe.npy", "f8"), (2, f"{self.path('pipe.npy')}: is not a regular file\n"))
        self.assertEqual(self.loaded(".", "f8")[1], f"{self.path('.')}: is a directory\n")

    def test_runs_that_save_into_one_folder_at_once_lose_no_entry(self):
        runs = [subprocess.Popen([self.binary, "many", self.path("model"), name], env=self.env) for name in "abcd"]
        for run in runs:
            self.assertEqual(run.wait(DEADLINE), 0)
        with open(os.path.join(self.path("model"), "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        names = {f"{run}{k}" for run in "abcd" for k in range(25)}
        self.assertEqual((set(manifest["arrays"]), set(manifest["lines"])), (names, names))
        self.assertEqual([name for name in os.listdir(self.path("model")) if name.endswith(".part")], [])

    def contents(self, folder):
        found = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
        return found

    def assert_spoils_nothing(self, kind, message, most_bytes=1 << 20):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        folder = self.path("model")
        before = self.contents(folder)
        done = subprocess.run([self.binary, "spoil", folder, kind], capture_output=True, text=True, preexec_fn=limit, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, message))
        self.assertEqual(self.contents(folder), before)

    def test_nothing_is_saved_beside_a_manifest_that_cannot_be_read(self):
        self.saved("model")
        manifest = os.path.join(self.path("model"), "manifest.json")
        with open(manifest, "r+", encoding="utf-8") as file:
            file.truncate(100)
        for kind in ("small", "lines"):
            self.assert_spoils_nothing(kind, f"{manifest}: is no manifest: a JSON object was expected\n")
        os.remove(manifest)
        os.symlink("manifest.json", manifest)  # to itself
        done = subprocess.run([self.binary, "spoil", self.path("model"), "small"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, f"{manifest}: cannot be read: Too many levels of symbolic links\n"))

    def test_an_array_without_room_for_its_entry_is_not_saved(self):
        self.saved("model")
        most = os.path.getsize(os.path.join(self.path("model"), "manifest.json")) - 100
        for kind in ("small", "lines"):
            self.assert_spoils_nothing(kind, f"{self.path('model')}/manifest.json: cannot be written: File too large\n", most)

    def test_a_file_that_cannot_be_written_leaves_the_old_one(self):
        self.saved("model")
        for kind, message in (("rows", "save_npy: row 1 of `W` has 3 numbers, and row 0 has 2\n"),
                              ("shape", "save_npy: `W` has 12 numbers, which is not shape (5, 3)\n"),
                              ("negative", "save_npy: a shape has the negative length -3\n"),
                              ("name", f"{self.path('model')}: `../W` cannot be the name of a file here: write the name without "
                                       "a folder and without the ending .npy\n"),
                              ("bytes", f"{self.path('model')}: the name of a file must be UTF-8\n"),
                              ("size", f"{self.path('model')}/W.npy: cannot be written: File too large\n")):
            self.assert_spoils_nothing(kind, message)


if __name__ == "__main__":
    unittest.main()
