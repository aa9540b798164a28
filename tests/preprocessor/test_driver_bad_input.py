"""Input that is no program: an ordinary error at the right place, status 1, no output, no crash."""

import os
import subprocess
import unittest

from driver_case import LOOP, PLAIN, DriverCase, main

ORDINARY = r"(?m)^(\S+: )+(fatal )?error: "


class BadInput(DriverCase):
    def refused(self, *arguments, status=1):
        """The messages of a failed compilation. All files must stay as they were."""
        before = {name: (self.folder / name).stat().st_mtime_ns for name in self.files()}
        done = self.cc(*arguments, status=status)
        self.assertEqual({name: (self.folder / name).stat().st_mtime_ns for name in self.files()}, before)
        self.assertRegex(done.stderr, ORDINARY)
        self.assertNotIn("Stack dump", done.stderr)
        self.assert_no_temporary_files()
        return done.stderr

    def all_ways(self, name="a.cpp"):
        self.refused("-c", name, "-o", "a.o")
        self.refused("--emit-source", name, "-o", "a.sap.cpp")
        return self.refused("-MMD", name, "-o", "program")

    def write_bytes(self, data, name="a.cpp"):
        (self.folder / name).write_bytes(data)

    def test_syntax_errors(self):
        self.write("a.cpp", LOOP.replace("double sum = 0;", "double sum = ;"))
        self.assertIn("a.cpp:11:16: error: ", self.all_ways())

    def test_a_value_of_a_wrong_type_in_a_list(self):
        self.needs_header()
        self.write("a.cpp", "#include <stradsap/stradsap.hpp>\nstruct entry { int number; bool (*run)(int); int last; };\nvoid f(int);\n"
                            "entry made{1, &f, 2};\n")
        self.assertRegex(self.refused("-c", "a.cpp"), r"(?m)^a\.cpp:4:\d+: error: ")

    def test_a_loop_without_a_model(self):
        self.needs_header()
        self.write("a.cpp", LOOP.replace(", stradsap::consistency::async", ""))
        said = self.all_ways()
        self.assertRegex(said, r"(?m)^a\.cpp:\d+:\d+: error: ")
        self.assertIn("write one after the body: `consistency::async`", said)

    def test_an_older_standard_is_one_error(self):
        self.needs_header()
        body = "[&x](int64_t j) { x[j] = j; }"
        self.write("a.cpp", PLAIN + f"#include <stradsap/stradsap.hpp>\nvoid f(stradsap::dvector<int>& x) {{ stradsap::async_for(9, {body}); }}\n")
        said = self.refused("-std=c++17", "-c", "a.cpp")
        self.assertIn("StradsAP needs C++20", said)
        self.assertNotIn("SAP038", said)

    def test_an_unclosed_brace_and_an_unclosed_comment(self):
        self.write("a.cpp", PLAIN.rstrip()[:-1])
        self.assertIn("a.cpp:9:", self.all_ways())
        self.write("a.cpp", PLAIN + "/* no end")
        self.assertIn("a.cpp:11:1: error: unterminated comment", self.all_ways())

    def test_a_missing_header(self):
        self.write("a.cpp", PLAIN + '#include "nowhere.hpp"\n')
        self.assertIn("a.cpp:11:10: fatal error: nowhere.hpp", self.all_ways())

    def test_wrong_flags(self):
        self.write("a.cpp", PLAIN)
        for flag in ("-fno-such-flag", "-std=c++99", "-march=pdp11"):
            self.assertIn(flag.split("=")[-1], self.refused(flag, "-c", "a.cpp"))

    def test_flags_without_their_argument_are_usage_errors(self):
        for flag in ("-o", "-I", "-include", "-MF", "-x"):
            self.assertIn(flag, self.refused("-c", "a.cpp", flag, status=2))

    def test_a_folder_in_the_place_of_a_source(self):
        (self.folder / "a.cpp").mkdir()
        self.assertIn("a.cpp", self.all_ways())

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"), "root reads everything")
    def test_an_unreadable_source_and_an_unreadable_header(self):
        self.write("h.hpp", "int h();\n")
        self.write("b.cpp", '#include "h.hpp"\n')
        self.write("a.cpp", LOOP)
        for name, source in (("a.cpp", "a.cpp"), ("h.hpp", "b.cpp")):
            (self.folder / name).chmod(0)
            if os.geteuid() == 0:
                for folder in (self.folder, self.folder.parent, self.temporary):
                    folder.chmod(0o777)
                words = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", self.compiler, "-c", source],
                                       cwd=self.folder, capture_output=True, text=True, timeout=240)
                self.assertEqual(words.returncode, 1)
                self.assertIn("Permission denied", words.stderr)
            else:
                self.assertIn("Permission denied", self.refused("-c", source))

    def test_nul_bytes_and_text_that_is_not_utf8(self):
        self.write_bytes(PLAIN.replace("sum = 0;", "sum = \0;").encode())
        self.assertIn("a.cpp:7:", self.all_ways())
        self.write_bytes(PLAIN.replace("sum = 0;", "sum\xfc = 0;").encode("latin-1"))
        self.assertIn("a.cpp:7:", self.all_ways())
        self.write_bytes(bytes(range(256)) * 40)
        self.assertIn("a.cpp:", self.all_ways())
        self.write_bytes(PLAIN.encode("utf-16"))
        self.assertIn("a.cpp:", self.all_ways())

    def test_an_output_folder_that_is_not_writable(self):
        self.write("a.cpp", LOOP)
        for arguments in (["-c", "a.cpp", "-o", "/proc/a.o"], ["a.cpp", "-o", "/proc/program"],
                          ["--emit-source", "a.cpp", "-o", "/proc/a.sap.cpp"], ["--save-temps=/proc/kept", "-c", "a.cpp"],
                          ["-MMD", "-MF", "/proc/a.d", "-c", "a.cpp"], ["-E", "a.cpp", "-o", "/proc/a.ii"]):
            done = self.cc(*arguments, status=1)
            self.assertIn("/proc", done.stderr)
            self.assertEqual(self.files(), ["a.cpp"])

    def test_a_full_disk(self):
        self.write("a.cpp", LOOP)
        for arguments in (["--emit-source", "a.cpp", "-o", "/dev/full"], ["-S", "a.cpp", "-o", "/dev/full"],
                          ["-E", "a.cpp", "-o", "/dev/full"]):
            self.assertIn("No space left on device", self.cc(*arguments, status=1).stderr)
        with open("/dev/full", "w") as full:
            for arguments in (["--emit-source", "a.cpp", "-o", "-"], ["--show-rewrite", "a.cpp"], ["-E", "a.cpp"], ["--help"]):
                done = subprocess.run([self.compiler, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=240)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertIn("cannot write standard output", done.stderr)
        self.assertEqual(self.files(), ["a.cpp"])

    def test_a_temporary_folder_that_is_not_there(self):
        self.write("a.cpp", LOOP)
        done = self.cc("-c", "a.cpp", environment={"TMPDIR": "/no/such/folder"}, status=1)
        self.assertIn("cannot make a temporary folder", done.stderr)

    def test_a_source_that_vanishes_while_it_is_compiled(self):
        self.write("vanishing-g++", '#!/bin/sh\ncase "$*" in *-print-*) exec g++ "$@" ;; esac\nrm -f a.cpp\nexec g++ "$@"\n')
        (self.folder / "vanishing-g++").chmod(0o755)
        native = {"CXX": str(self.folder / "vanishing-g++")}
        self.write("a.cpp", LOOP)
        self.cc("-c", "a.cpp", environment=native)  # the compiler had read all of it
        self.write("a.cpp", "int f();\n")
        done = self.cc("-c", "a.cpp", "-o", "b.o", environment=native, status=1)
        self.assertRegex(done.stderr, ORDINARY + "a.cpp: No such file")
        self.assertEqual(self.files(), ["a.o", "vanishing-g++"])

    def test_an_expression_that_never_ends(self):
        for depth in (5000, 100000):
            self.write("a.cpp", LOOP.replace("sum += row.value;", f"sum += row.value{' + 0' * depth};"))
            done = subprocess.run([self.compiler, "--emit-source", "a.cpp", "-o", "a.sap.cpp"], cwd=self.folder,
                                  capture_output=True, text=True, timeout=240)
            self.assertIn(done.returncode, (0, 1), done.stderr[-500:])


class OddInput(DriverCase):
    """Unusual texts that are valid."""

    def assert_compiles(self, data):
        (self.folder / "a.cpp").write_bytes(data)
        self.cc("-c", "a.cpp")
        self.cc("--emit-source", "a.cpp", "-o", "b.cpp")
        self.run_in_folder("g++", *self.cc("--showme:compile").stdout.split(), "-fsyntax-only", "b.cpp")

    def test_an_empty_file(self):
        self.assert_compiles(b"")

    def test_line_ends_of_windows_and_a_byte_order_mark(self):
        self.assert_compiles(b"\xef\xbb\xbf" + LOOP.replace("\n", "\r\n").encode())
        (self.folder / "a.cpp").write_bytes(LOOP.replace("sum == 90", "nobody").replace("\n", "\r\n").encode())
        self.assertIn("a.cpp:17:10: error: ", self.cc("-c", "a.cpp", status=1).stderr)

    def test_lines_that_a_backslash_joins(self):
        self.assert_compiles(LOOP.replace("[scale, &rows, &sum](int64_t j) {", "[sca\\\nle, &rows\\\n, &sum](int64_t \\\nj) {\\\n").encode())

    def test_trigraphs_where_they_are_asked_for(self):
        self.write("a.cpp", LOOP.replace("(int64_t j) {", "(int64_t j) ??<"))
        self.cc("-trigraphs", "-c", "a.cpp")

    def test_comments_and_strings_that_are_not_utf8_and_a_missing_final_newline(self):
        self.assert_compiles(("// gr\xfc\xdfe\nconst char* name = \"\xe9\";\n" + LOOP).rstrip().encode("latin-1"))

    def test_twenty_thousand_lines(self):
        functions = "".join(f"double f{i}(double x) {{\n  double y = x * {i};\n  for (int k = 0; k < {i % 7}; ++k) y += k;\n"
                            f"  return y;\n}}\n" for i in range(3400))
        loops = "".join(f"void g{i}(stradsap::dvector<Row>& rows) {{\n  stradsap::parallel_for(rows.size(), [&rows](int64_t j)"
                        f" {{\n    rows[j].value = f{i}(1);\n  }}, stradsap::consistency::async);\n}}\n" for i in range(600))
        text = LOOP.replace("int main", functions + loops + "int main")
        self.assertGreater(text.count("\n"), 20000)
        self.write("a.cpp", text)
        used = float(self.cc("-time", "-fsyntax-only", "a.cpp").stderr.split()[2])
        self.assertLess(used, 20)
        self.write("a.cpp", text + "int wrong = nobody;\n")
        self.assertIn(f"a.cpp:{text.count(chr(10)) + 1}:13: error: ", self.cc("-c", "a.cpp", status=1).stderr)


if __name__ == "__main__":
    main()
