"""Command lines of a cautious user of g++ mean the same to stradsap-cc."""

import os
import subprocess

from driver_case import LOOP, PLAIN, DriverCase, main

HELPER = "extern \"C\" int helper() { return 7; }\n"
USES_HELPER = LOOP.replace("int main", 'extern "C" int helper();\nint main').replace("sum == 90", "sum == 90 && helper() == 7")


class Inputs(DriverCase):
    def from_standard_input(self, *arguments, text=LOOP):
        done = subprocess.run([self.compiler, *arguments], cwd=self.folder, input=text, capture_output=True, text=True,
                              timeout=240)
        return done.returncode, done.stdout, done.stderr

    def test_macros_of_optimised_builds_are_seen(self):
        self.write("a.cpp", "#if defined(__OPTIMIZE__) != OPTIMIZED\n#error not as g++ sees it\n#endif\n")
        for option in ("-O", "-O1", "-O2", "-O3", "-Os", "-Ofast", "-Og"):
            self.cc(option, "-DOPTIMIZED=1", "-c", "a.cpp")
        for options in ((), ("-O0",), ("-O2", "-O0")):
            self.cc(*options, "-DOPTIMIZED=0", "-c", "a.cpp")
            self.cc(*options, "-DOPTIMIZED=1", "-c", "a.cpp", status=1)

    def test_standard_input_with_loops_becomes_a_program(self):
        self.needs_library()
        self.write("part.hpp", "#define PART 2\n")
        text = '#include "part.hpp"\n' + LOOP.replace("scale = 2", "scale = PART")
        self.assertEqual(self.from_standard_input("-O1", "-x", "c++", "-", "-o", "program", text=text), (0, "", ""))
        self.run_in_folder("./program")

    def test_standard_input_is_named_as_compilers_name_it(self):
        status, _, words = self.from_standard_input("-xc++", "-", "-c", text=LOOP.replace("&rows", "rows"))
        self.assertEqual(status, 1)
        self.assertRegex(words, r"(?m)^<stdin>:\d+:\d+: error: .*\[SAP003\]$")
        status, _, words = self.from_standard_input("-xc++", "-", "-c", text="int f() { return nobody; }\n")
        self.assertEqual(status, 1)
        self.assertIn("<stdin>:1:18: error: ", words)
        self.assertEqual(self.files(), [])

    def test_standard_input_without_loops(self):
        status, out, _ = self.from_standard_input("-dM", "-E", "-x", "c++", "-", text="")
        self.assertEqual(status, 0)
        self.assertIn("#define __GNUC__", out)

    def test_the_language_counts_from_its_place_on(self):
        self.needs_library()
        self.write("a.txt", USES_HELPER)
        self.write("b.cpp", HELPER)
        self.cc("-c", "b.cpp")
        self.cc("-x", "c++", "a.txt", "-x", "none", "b.o", "-o", "program")
        self.run_in_folder("./program")

    def test_other_languages_go_to_the_native_compiler(self):
        self.needs_library()
        self.write("a.cpp", USES_HELPER)
        self.write("b.c", "int restrict_ok(int *restrict p) { return *p; }\nint helper() { return 7; }\n")
        self.write("plain.cpp", 'extern "C" int helper();\nint main() { return helper() == 7 ? 0 : 1; }\n')
        self.cc("plain.cpp", "-x", "c", "b.c", "-x", "none", "-o", "program")
        self.run_in_folder("./program")
        self.cc("-c", "plain.cpp", "-x", "c", "b.c")
        self.assertIn("b.o", self.files())
        self.run_in_folder("gcc", "-S", "b.c")
        self.cc("a.cpp", "b.s", "-o", "program")
        self.run_in_folder("./program")

    def test_a_header_of_the_command_line_is_edited_too(self):
        self.needs_library()
        self.write("row.hpp", "struct Row {\n  int key;\n  double value;\n};\n")
        self.write("a.cpp", LOOP[:LOOP.index("struct")] + LOOP[LOOP.index("int main"):])
        self.cc("-include", "row.hpp", "a.cpp", "-o", "program")
        self.run_in_folder("./program")

    def test_a_precompiled_header_is_used(self):
        self.write("all.hpp", "#include <stradsap/stradsap.hpp>\n#include <map>\n")
        self.write("a.cpp", LOOP)
        self.cc("all.hpp", "-o", "all.hpp.gch")
        self.assertRegex(self.cc("-Winvalid-pch", "-Werror", "-include", "all.hpp", "-H", "-c", "a.cpp").stderr,
                         r"^! (\./)?all\.hpp\.gch\n")
        self.assertIn("all.hpp.sap.pch", self.files())

    def test_a_precompiled_header_serves_sources_with_loops_and_without(self):
        self.needs_header()  # the macro for products that are fused in bodies alone is used there
        self.write("all.hpp", "#include <stradsap/stradsap.hpp>\n")
        self.write("a.cpp", LOOP)
        self.write("b.cpp", "int main() {}\n")
        self.cc("-O1", "all.hpp")
        for source in ("a.cpp", "b.cpp"):
            self.cc("-O1", "-Winvalid-pch", "-Werror", "-include", "all.hpp", "-c", source)

    def test_the_analysis_reads_a_precompiled_header_until_something_changes(self):
        header = self.write("sys/length.hpp", "constexpr int length = 10;\n")
        os.utime(header, (10**9, 10**9))
        self.write("all.hpp", "#include <length.hpp>\n#include <stradsap/stradsap.hpp>\n")
        self.write("a.cpp", LOOP + "static_assert(length == 10);\n")
        show = ("-isystem", "sys", "-include", "all.hpp", "--show-rewrite", "a.cpp")
        wanted = self.cc(*show).stdout
        self.cc("-isystem", "sys", "all.hpp")
        self.assertEqual(self.cc(*show).stdout, wanted)
        header.write_text("constexpr int length = 11;\n")
        self.assertEqual(self.cc(*show, status=1).stdout, "")
        os.utime(header, (10**9, 10**9))  # as if it had not changed
        self.assertEqual(self.cc(*show).stdout, wanted)
        self.cc("-fno-exceptions", *show, status=1)  # read again, with its other language

    def test_headers_with_text_to_edit_are_not_precompiled_for_the_analysis(self):
        self.write("a.cpp", LOOP)
        for text in ("struct Row { int key; };\n", "#define LOOP parallel_for\n"):
            self.write("all.hpp", "#include <stradsap/stradsap.hpp>\n")
            self.cc("all.hpp")
            self.assertIn("all.hpp.sap.pch", self.files())
            self.write("own.hpp", text)
            self.write("all.hpp", '#include <stradsap/stradsap.hpp>\n#include "own.hpp"\n')
            self.cc("all.hpp")
            self.assertNotIn("all.hpp.sap.pch", self.files())


class Options(DriverCase):
    def setUp(self):
        super().setUp()
        self.write("a.cpp", LOOP)

    def test_questions_are_answered_by_the_native_compiler(self):
        for question in ("-dumpversion", "-dumpmachine", "-print-search-dirs", "-print-file-name=libstdc++.so", "--print-prog-name=ld"):
            self.assertEqual(self.cc(question).stdout, self.run_in_folder("g++", question).stdout)
        self.assertIn("gcc version", self.cc("-v").stderr)

    def test_commands_are_shown_and_not_run(self):
        self.assertIn("cc1plus", self.cc("-###", "-c", "a.cpp").stderr)
        self.assertEqual(self.files(), ["a.cpp"])

    def test_long_names_of_options(self):
        self.write("a.cpp", PLAIN)
        self.cc("--std=c++20", "--compile", "--define-macro=X", "a.cpp", "--output=b.o")
        self.assertEqual(self.files(), ["a.cpp", "b.o"])

    def test_macros_with_quotes_and_blanks(self):
        self.write("a.cpp", 'static_assert(sizeof(NAME) == 8);\n' + PLAIN)
        self.cc('-DNAME="a \'b\' c"', "-c", "a.cpp")
        self.cc('-Wp,-DNAME="1234567"', "-c", "a.cpp")
        self.cc("-Xpreprocessor", '-DNAME="1234567"', "-c", "a.cpp")

    def test_dependencies_by_way_of_the_preprocessor(self):
        self.cc("-Wp,-MMD,a.dep", "-c", "a.cpp")
        self.assertEqual((self.folder / "a.dep").read_text(), "a.o: a.cpp\n")

    def test_dependencies_of_a_program(self):
        self.needs_library()
        self.cc("-MMD", "-MP", "a.cpp", "-o", "program")
        self.assertEqual(self.files(), ["a.cpp", "program", "program-a.d"])
        self.assertEqual((self.folder / "program-a.d").read_text(), "a.o: a.cpp\n")

    def test_syntax_only_writes_nothing(self):
        self.cc("-fsyntax-only", "a.cpp")
        self.assertEqual(self.files(), ["a.cpp"])

    def test_the_native_compilers_own_temporary_files(self):
        self.needs_library()
        self.cc("-save-temps", "-c", "a.cpp")
        self.assertEqual(self.files(), ["a.cpp", "a.ii", "a.o", "a.s"])
        self.cc("-save-temps", "--coverage", "a.cpp", "-o", "covered")
        self.assertLessEqual({"covered-a.s", "covered-a.gcno"}, set(self.files()))

    def test_an_object_may_go_to_a_device(self):
        self.cc("-c", "a.cpp", "-o", "/dev/null")
        self.assertEqual(self.files(), ["a.cpp"])

    def test_times_are_printed_as_by_gcc(self):
        self.write("a.cpp", PLAIN)
        self.assertRegex(self.cc("-time", "-c", "a.cpp").stderr, r"(?m)^# stradsap-cc \d+\.\d+ \d+\.\d+$")

    def test_the_variable_may_hold_options(self):
        self.write("a.cpp", "#ifndef X\n#error no X\n#endif\n" + PLAIN)
        self.cc("-c", "a.cpp", environment={"CXX": "g++ -DX"})


class Preprocessed(DriverCase):
    def test_what_is_printed_compiles_and_has_the_users_lines(self):
        self.write("h/row.hpp", LOOP[LOOP.index("struct"):LOOP.index("int main")])
        self.write("src/a.cpp", '#include <row.hpp>\n' + LOOP[:LOOP.index("struct")] + LOOP[LOOP.index("int main"):])
        text = self.cc("-Ih", "-E", "src/a.cpp").stdout
        self.assertIn("::stradsap::stradsap_loop<", text)
        self.assertIn("stradsap_members_", text)
        self.assertNotIn("/proc/", text)
        self.assertNotIn(str(self.temporary), text)
        self.assertIn('# 1 "src/a.cpp"', text)
        self.assertIn('# 1 "h/row.hpp" 1', text)
        self.cc("-Ih", "-E", "src/a.cpp", "-o", "a.ii")
        self.assertEqual((self.folder / "a.ii").read_text(), text)
        self.write("bad.ii", text.replace("return sum", "return nobody"))
        self.run_in_folder("g++", "-std=c++20", "-fsyntax-only", "a.ii")
        bad = self.run_in_folder("g++", "-std=c++20", "-fsyntax-only", "bad.ii", status=1)
        self.assertIn("src/a.cpp:13:10: error:", bad.stderr)

    def test_what_cannot_be_parsed_can_be_preprocessed(self):
        self.write("a.cpp", "#define OOPS (\nint f() { return OOPS; }\n")
        self.assertIn("int f() { return (; }", self.cc("-E", "a.cpp").stdout)


class OwnOptions(DriverCase):
    def setUp(self):
        super().setUp()
        self.write("a.cpp", "#ifdef STRADSAP_CHECKED\nint checked;\n#endif\n" + LOOP)

    def test_a_misspelt_option_is_a_usage_error_with_advice(self):
        for wrong, right in (("--show-rewrit", "--show-rewrite"), ("--chek", "--check"), ("--dryrun", "--dry-run"),
                             ("--shwome:link", "--showme"), ("--explian", "--explain")):
            done = self.cc(wrong, "a.cpp", status=2)
            self.assertIn(f"unknown option {wrong}, did you mean {right}?", done.stderr)
        self.assertEqual(self.files(), ["a.cpp"])

    def test_an_option_that_is_like_none_of_ours_is_the_native_compilers(self):
        self.write("a.cpp", PLAIN)
        self.assertIn("--no-such-thing", self.cc("--no-such-thing", "-c", "a.cpp", status=1).stderr)

    def test_the_check_build_defines_its_macro_for_the_native_compiler_alone(self):
        self.cc("--check", "-c", "a.cpp")
        self.assertIn("checked", self.run_in_folder("nm", "a.o").stdout)
        self.assertIn("-DSTRADSAP_CHECKED", self.cc("--check", "--showme:compile").stdout)
        self.assertNotIn("-DSTRADSAP_CHECKED", self.cc("--showme:compile").stdout)
        self.assertIn(" -g1", self.cc("--check", "--showme:compile").stdout)
        self.assertNotIn(" -g1", self.cc("--check", "-g", "--showme:compile").stdout)
        self.write("a.cpp", LOOP.replace("int main", "#ifdef STRADSAP_CHECKED\nint* x = new Row;\n#endif\nint main"))
        words = self.cc("--check", "-c", "a.cpp", status=1).stderr
        self.assertRegex(words, r"(?m)^a\.cpp:9:14: error: ")

    def test_the_commands_of_a_dry_run_can_be_pasted(self):
        self.needs_library()
        self.write("lib/b.cpp", "int b() { return 1; }\n")
        commands = self.cc("--dry-run", "-O1", "-DX='a b'", "a.cpp", "lib/b.cpp", "-o", "program").stdout
        self.assertEqual(self.files(), ["a.cpp", "lib/b.cpp"])
        path = self.compiler.rpartition("/")[0]
        self.run_in_folder("sh", "-ec", f"PATH={path}:$PATH\n{commands}")
        self.run_in_folder("./program")

    def test_a_dry_run_names_the_compiler_that_was_asked_for(self):
        text = self.cc("--dry-run", "-c", "a.cpp", environment={"CXX": "g++-12 -DX"}).stdout
        self.assertRegex(text, r"^stradsap-cc g\+\+-12 --emit-source -DX a\.cpp -o a\.sap\.cpp\ng\+\+-12 -std=")

    def test_the_last_option_decides_whether_sums_may_be_regrouped(self):
        self.write("a.cpp", LOOP)
        for options, regroups in (("-ffast-math", True), ("-O3 -fassociative-math", True), ("-O2", False),
                                  ("-ffast-math -fno-fast-math", False), ("-fno-fast-math -ffast-math", True),
                                  ("-ffast-math -fno-associative-math", False), ("-Ofast", True), ("-O2 -Ofast", True),
                                  ("-Ofast -O2", False), ("-fno-unsafe-math-optimizations -Ofast", False)):
            commands = self.cc("-###", *options.split(), "-c", "a.cpp").stderr
            self.assertEqual("--param=max-completely-peel-times=8" in commands, regroups, options)


class Launched(DriverCase):
    def test_the_first_words_may_name_the_compiler(self):
        self.write("a.cpp", PLAIN)
        self.cc("/usr/bin/g++", "-c", "a.cpp", "-o", "a.o", environment={"CXX": "no-such-compiler"})
        self.assertEqual(self.cc("env", "-c", "a.cpp", status=1).stdout, "")
        self.assertRegex(self.cc("/usr/bin/g++", "--showme").stdout, "^/usr/bin/g.. -std=c")
        self.assertRegex(self.cc("ccache", "/usr/bin/g++", "--showme").stdout, "^ccache /usr/bin/g.. -std=c")


if __name__ == "__main__":
    main()
