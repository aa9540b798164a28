"""Command lines: stradsap-cc accepts the options of g++, with the same meaning."""

import unittest

from driver_case import LOOP, PLAIN, DriverCase, main


class CommandLine(DriverCase):
    def test_object_file_has_the_default_name(self):
        self.write("a.cpp", LOOP)
        self.cc("-c", "a.cpp")
        self.assertEqual(self.files(), ["a.cpp", "a.o"])

    def test_several_sources_become_several_objects(self):
        self.write("a.cpp", LOOP)
        self.write("lib/b.cpp", "int b() { return 1; }\n")
        self.cc("-c", "a.cpp", "lib/b.cpp")
        self.assertEqual(self.files(), ["a.cpp", "a.o", "b.o", "lib/b.cpp"])

    def test_one_output_for_several_objects_is_a_usage_error(self):
        self.write("a.cpp", PLAIN)
        done = self.cc("-c", "a.cpp", "a.cpp", "-o", "x.o", status=2)
        self.assertIn("-o with several sources", done.stderr)

    def test_usage_errors_name_the_option(self):
        self.assertIn("no input files", self.cc("-O2", status=2).stderr)
        self.assertIn("-o needs a file name", self.cc("a.cpp", "-o", status=2).stderr)
        self.assertIn("--showme:everything", self.cc("--showme:everything", status=2).stderr)
        self.assertEqual(self.files(), [])

    def test_help_fits_one_screen(self):
        text = self.cc("--help").stdout
        self.assertLessEqual(len(text.splitlines()), 24)
        for option in ("--emit-source", "--show-rewrite", "--save-temps", "--dry-run", "--showme", "--version"):
            self.assertIn(option, text)

    def test_version(self):
        self.assertRegex(self.cc("--version").stdout, r"^stradsap-cc \d+\.\d+\.\d+\nnative compiler: g\+\+ ")

    def test_dry_run_prints_commands_and_runs_none(self):
        self.write("a.cpp", LOOP)
        done = self.cc("--dry-run", "-O2", "a.cpp", "-o", "program")
        self.assertRegex(done.stdout, r"(?m)^g\+\+ .*-O2 .*-DSTRADSAP_INSTRUMENTED")
        self.assertRegex(done.stdout, r"(?m)-o program .*-lstradsap")
        self.assertEqual(self.files(), ["a.cpp"])

    def test_arguments_come_from_a_file_too(self):
        self.write("a.cpp", PLAIN)
        self.write("flags", "-c -DNAME='two words'\n-o b.o")
        self.cc("@flags", "a.cpp")
        self.assertIn("b.o", self.files())

    def test_a_macro_of_the_command_line_is_seen(self):
        self.write("a.cpp", "#ifndef ROWS\n#error no ROWS\n#endif\n" + PLAIN)
        self.cc("-DROWS=3", "-c", "a.cpp")
        self.cc("-D", "ROWS=3", "-c", "a.cpp")
        self.cc("-c", "a.cpp", status=1)

    def test_preprocessed_and_assembly_output(self):
        self.write("a.cpp", LOOP)
        self.assertIn("::stradsap::stradsap_loop<", self.cc("-E", "a.cpp").stdout)
        self.cc("-S", "a.cpp")
        self.assertIn("a.s", self.files())

    def test_dependency_file_names_the_originals_only(self):
        self.write("h/part.hpp", "#pragma once\nstruct Part { int a; };\n")
        self.write("a.cpp", '#include "h/part.hpp"\n' + LOOP.replace("rows(10);", "rows(10); stradsap::dvector<Part> parts;"))
        self.cc("-MMD", "-c", "a.cpp", "-o", "a.o")
        names = (self.folder / "a.d").read_text().replace("\\\n", " ").split()
        self.assertEqual(names[0], "a.o:")
        self.assertEqual(sorted(n for n in names[1:] if not n.endswith(":")), ["a.cpp", "h/part.hpp"])
        self.assertEqual(self.cc("-MM", "a.cpp").stdout.split()[:2], ["a.o:", "a.cpp"])

    def test_dependency_file_where_it_was_asked_for(self):
        self.write("a.cpp", LOOP)
        self.cc("-MD", "-MF", "deps/x.d", "-c", "a.cpp", status=1)
        (self.folder / "deps").mkdir()
        self.cc("-MD", "-MF", "deps/x.d", "-MT", "target", "-c", "a.cpp")
        text = (self.folder / "deps/x.d").read_text()
        self.assertTrue(text.startswith("target: a.cpp"), text)
        self.assertNotIn("stradsap-cc.", text)

    def test_a_source_without_loops_passes_unedited(self):
        self.write("a.cpp", "int f() { return __LINE__; }\n")
        self.assertEqual(self.cc("--show-rewrite", "a.cpp").stdout, "")
        self.cc("-c", "a.cpp")

    def test_paths_with_blanks(self):
        self.write("my dir/my program.cpp", LOOP)
        self.cc("-MMD", "-c", "my dir/my program.cpp", "-o", "my dir/my program.o")
        self.assertIn("my dir/my program.o", self.files())
        self.assertIn("my\\ dir/my\\ program.cpp", (self.folder / "my dir/my program.d").read_text())

    def test_programs_are_linked_from_sources_objects_and_archives(self):
        self.needs_library()
        self.write("a.cpp", LOOP.replace("return sum == 90", "return sum == 90 && b() == 1 && c() == 2")
                   .replace("int main", "int b();\nint c();\nint main"))
        self.write("b.cpp", "int b() { return 1; }\n")
        self.write("c.cpp", "int c() { return 2; }\n")
        self.cc("-c", "b.cpp", "c.cpp")
        self.run_in_folder("ar", "rcs", "libc_part.a", "c.o")
        self.cc("a.cpp", "b.o", "-L.", "-lc_part", "-o", "one")
        self.run_in_folder("./one")
        self.cc("a.cpp", "b.cpp", "c.cpp", "-o", "all")
        self.run_in_folder("./all")
        self.cc("-c", "a.cpp")
        self.cc("a.o", "b.o", "c.o")
        self.run_in_folder("./a.out")

    def test_the_compiler_works_from_another_place(self):
        import pathlib
        import shutil
        self.needs_header()
        home = pathlib.Path(self.compiler).parent.parent
        moved = self.folder / "moved here"
        (moved / "bin").mkdir(parents=True)
        shutil.copy(self.compiler, moved / "bin")
        include = next(w for w in self.cc("--showme:compile").stdout.split() if w.endswith("/include"))
        shutil.copytree(include, moved / "include")
        if self.library().exists():
            shutil.copytree(home / "lib", moved / "lib")
        compiler = str(moved / "bin/stradsap-cc")
        self.assertIn(str(moved / "include"), self.cc("--showme:compile", compiler=compiler).stdout)
        self.write("a.cpp", LOOP)
        self.cc("-c", "a.cpp", compiler=compiler)
        if self.library().exists():
            self.cc("a.o", "-o", "program", compiler=compiler)
            self.run_in_folder("./program")


if __name__ == "__main__":
    main()
