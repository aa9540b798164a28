"""The native compiler sees the user's file: its errors, its debug information, its choice, its reproducibility."""

import shutil
import unittest

from driver_case import LOOP, DriverCase, main


class NativeCompiler(DriverCase):
    def test_an_error_of_the_native_compiler_names_the_users_line(self):
        self.write("src/a.cpp", LOOP.replace("return sum == 90 ? 0 : 1;", "return undeclared_name;"))
        done = self.cc("-c", "src/a.cpp", status=1)
        self.assertRegex(done.stderr, r"(?m)^src/a\.cpp:17:10: error: .*undeclared_name")
        self.assertNotIn("stradsap-cc.", done.stderr)
        self.assertEqual(self.files(), ["src/a.cpp"])
        self.assert_no_temporary_files()

    def test_an_error_that_only_the_rewritten_text_shows_names_the_users_line(self):
        self.write("a.cpp", LOOP.replace("double scale = 2;", "double scale = 2; int unused;"))
        done = self.cc("-Wall", "-Werror", "-c", "a.cpp", status=1)
        self.assertRegex(done.stderr, r"(?m)^a\.cpp:10:25: error: unused variable")
        self.assertEqual(self.files(), ["a.cpp"])

    def test_what_only_clang_refuses_is_told_with_a_note(self):
        self.write("a.cpp", "int outer() {\n  auto int nested() ;\n  return nested();\n}\n")
        self.cc("-c", "a.cpp", status=1)
        gcc_only = "typedef int vector4 __attribute__((vector_size(16)));\n" \
                   "int f(vector4 v) { return __builtin_shuffle(v, v)[0]; }\n"
        self.write("b.cpp", gcc_only)
        done = self.cc("-c", "b.cpp", status=1)
        self.assertRegex(done.stderr, r"(?m)^b\.cpp:2:\d+: error: ")
        self.assertIn("note: g++ accepts this file", done.stderr)

    def test_a_missing_header_and_a_missing_source(self):
        self.write("a.cpp", '#include "nowhere.hpp"\n')
        self.assertIn("a.cpp:1:10: fatal error: nowhere.hpp", self.cc("-c", "a.cpp", status=1).stderr)
        self.assertIn("nobody.cpp", self.cc("-c", "nobody.cpp", status=1).stderr)
        self.assertEqual(self.files(), ["a.cpp"])

    def test_two_builds_are_the_same_bytes_and_name_no_temporary_file(self):
        self.write("src/a.cpp", LOOP)
        self.cc("-g", "-O2", "-c", "src/a.cpp", "-o", "one.o")
        self.cc("-g", "-O2", "-c", "src/a.cpp", "-o", "two.o")
        one = (self.folder / "one.o").read_bytes()
        self.assertEqual(one, (self.folder / "two.o").read_bytes())
        self.assertNotIn(b"stradsap-cc.", one)
        self.assertIn(b"src/a.cpp", one)

    @unittest.skipUnless(shutil.which("clang++-19"), "clang++-19 is not installed")
    def test_another_native_compiler(self):
        self.write("a.cpp", LOOP)
        self.cc("-Wall", "-Wextra", "-Werror", "-c", "a.cpp", environment={"CXX": "clang++-19"})
        self.run_in_folder("sh", "-c", "strings -a a.o | grep -q 'clang version 19'")

    def test_a_native_compiler_that_is_not_there(self):
        self.write("a.cpp", LOOP)
        done = self.cc("-c", "a.cpp", environment={"CXX": "no-such-compiler"}, status=1)
        self.assertIn("cannot run no-such-compiler", done.stderr)

    def test_functions_of_cmath_set_errno_only_where_the_program_may_read_that(self):
        head = ("#include <cerrno>\n#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
                "#include <system_error>\n#include <vector>\n")
        own = "double half(double x) { return x / 2; }\n"
        for text, keeps in (
                ("", False),
                ("void say() { std::fprintf(stderr, \"%s\", std::strerror(errno)); }", False),
                ("void fail() { throw std::system_error(errno, std::generic_category(), \"read\"); }", False),
                ("long read(const char* s) { errno = 0; char* end; long v = std::strtol(s, &end, 10);"
                 " return errno == ERANGE ? 0 : v; }", False),
                ("struct parser { double read(const char* s) { errno = 0; double v = strtod(s, nullptr);"
                 " if (errno) std::exit(2); return v; } };", False),
                ("double root(double x) { errno = 0; x = std::sqrt(x); return errno == EDOM ? 0 : x; }", True),
                ("double root(double x) { errno = 0; x = logf(x); return (errno) ? 0 : x; }", True),
                ("bool failed() { return errno != 0; }", True),
                ("double f(double x) { errno = 0; x = half(x); return errno ? 0 : x; }", True),
                ("double f(double x) { errno = 0; double y = [&] { return std::exp(x); }(); return errno ? 0 : y; }", True),
                ("template <class T> T f(T x) { errno = 0; x = sqrt(x); return errno ? T() : x; }", True),
                ("double (*now)(double) = half; double f(double x) { errno = 0; auto* g = &half; x = g(x);"
                 " return errno ? 0 : x; }", True),
                ("bool is_domain(int e); bool f() { return is_domain(errno); }", True),
                ("#include <utility>\nint f() { return std::exchange(errno, 0); }", True),
                ("bool f() { return std::error_code(errno, std::generic_category()) == std::errc::invalid_argument; }", True),
                ("bool f(double (*g)(double), double x) { errno = 0; x = g(x); return errno == 0; }", True),
                ("#include <functional>\nbool f(std::function<void()> g) { errno = 0; g(); return errno == 0; }", True),
                ("template <class F> bool f(F g) { errno = 0; g(); return errno == 0; }", True),
                ("struct roots { double x; ~roots() { x = std::sqrt(x); } }; bool f(roots* p) { errno = 0; delete p;"
                 " return errno == 0; }", True),
                ("struct root { double x; ~root() { x = std::sqrt(x); } }; bool f() { errno = 0; { root a{-1}; }"
                 " return errno == 0; }", True),
                ("int& place() { return errno; }", True)):
            self.write("a.cpp", head + own + text + "\n" + LOOP)
            self.assertEqual("-fno-math-errno" not in self.cc("-###", "-c", "a.cpp").stderr, keeps, text)

    def test_options_of_the_user_decide_whether_functions_of_cmath_set_errno(self):
        self.write("a.cpp", LOOP)
        self.assertNotIn("-fno-math-errno", self.cc("-###", "-fmath-errno", "-c", "a.cpp").stderr)

    def two_steps(self, native):
        self.needs_header()
        self.write("src/part.hpp", "#pragma once\nstruct Part { int a; };\n")
        self.write("src/plain.hpp", "inline int plain() { return 1; }\n")
        self.write("src/a.cpp", '#include "part.hpp"\n#include "plain.hpp"\n'
                   + LOOP.replace("rows(10);", "rows(10); stradsap::dvector<Part> parts(plain());"))
        self.cc("--emit-source", "src/a.cpp", "-o", "a.sap.cpp")
        flags = self.cc("--showme:compile").stdout.split()
        self.run_in_folder(native, *flags, "-Wall", "-Wextra", "-Werror", "-c", "a.sap.cpp", "-o", "a.o")
        if self.library().exists():
            self.run_in_folder(native, *flags, "a.sap.cpp", *self.cc("--showme:link").stdout.split(), "-o", "a")
            self.run_in_folder("./a")

    def test_two_steps_with_gcc(self):
        self.two_steps("g++")

    @unittest.skipUnless(shutil.which("clang++-19"), "clang++-19 is not installed")
    def test_two_steps_with_clang(self):
        self.two_steps("clang++-19")

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb_stops_at_a_line_of_the_body(self):
        self.needs_library()
        self.write("src/a.cpp", LOOP)
        self.cc("-g", "-O0", "src/a.cpp", "-o", "a")
        done = self.run_in_folder("gdb", "-batch", "-ex", "set breakpoint pending off", "-ex", "break src/a.cpp:14",
                                  "-ex", "run", "-ex", "print scale", "-ex", "info source", "./a")
        self.assertRegex(done.stdout, r"(?m)src/a\.cpp:14\n14\t    row\.value = scale")
        self.assertRegex(done.stdout, r"(?m)^\$1 = .*2")
        self.assertIn("Current source file is src/a.cpp", done.stdout)


if __name__ == "__main__":
    main()
