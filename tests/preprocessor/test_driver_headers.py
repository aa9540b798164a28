"""Loops and types in headers: edited copies take the originals' place, and nobody notices."""

from driver_case import DriverCase, main

TYPES = """#pragma once
#include "base.hpp"
struct Row : Base { double value; };
"""
BASE = """#pragma once
struct Base { int key; };
"""
TRAIN = """#pragma once
#include <stradsap/stradsap.hpp>
#include "types.hpp"
template <class T>
double total(stradsap::dvector<T>& rows) {
  double sum = 0;
  stradsap::parallel_for(rows.size(), [&rows, &sum](int64_t j) { sum += rows[j].value; }, stradsap::consistency::async);
  return sum;
}
"""
MAIN = """#include "train/train.hpp"
#include "plain.hpp"
int other();
int main() {
  stradsap::dvector<Row> rows(3);
  for (Row& row : rows) row.value = plain();
  return total(rows) + other() == 9 ? 0 : 1;
}
"""
OTHER = """#include <train/train.hpp>
int other() {
  stradsap::dvector<Row> rows(2);
  for (Row& row : rows) row.value = 3;
  return static_cast<int>(total(rows));
}
"""


class Headers(DriverCase):
    def setUp(self):
        super().setUp()
        self.write("inc/train/types.hpp", TYPES)
        self.write("inc/train/base.hpp", BASE)
        self.write("inc/train/train.hpp", TRAIN)
        self.write("src/plain.hpp", "#pragma once\ninline int plain() { return 1; }\n")
        self.write("src/main.cpp", MAIN)
        self.write("src/other.cpp", OTHER)

    def test_headers_are_edited_the_same_from_every_source(self):
        one = self.cc("-Iinc", "--show-rewrite", "src/main.cpp").stdout.splitlines()
        two = self.cc("-Iinc", "--show-rewrite", "src/other.cpp").stdout.splitlines()
        self.assertEqual([line for line in one if line.startswith("inc/")], two)
        self.assertEqual(sorted({line.split(":")[0] for line in two}),
                         ["inc/train/base.hpp", "inc/train/train.hpp", "inc/train/types.hpp"])

    def test_objects_and_dependency_files(self):
        self.cc("-Wall", "-Wextra", "-Werror", "-g", "-Iinc", "-MMD", "-c", "src/main.cpp", "-o", "main.o")
        names = (self.folder / "main.d").read_text().replace("\\\n", " ").split()
        self.assertEqual(sorted(names[1:]), ["inc/train/base.hpp", "inc/train/train.hpp", "inc/train/types.hpp",
                                             "src/main.cpp", "src/plain.hpp"])
        self.assertNotIn(b"stradsap-cc.", (self.folder / "main.o").read_bytes())

    def test_edits_of_a_forced_header_are_not_lost_in_one_emitted_file(self):
        self.write("types.hpp", TYPES.replace('#include "base.hpp"', "").replace(": Base", ""))
        self.write("all.hpp", '#pragma once\n#include "types.hpp"\n')
        self.write("plain.hpp", "#pragma once\ninline int plain() { return 3; }\n")
        source = "#include <stradsap/stradsap.hpp>\n%sint main() { stradsap::dvector<Row> rows(3); }\n"
        self.write("a.cpp", source % "")
        for header in ("types.hpp", "all.hpp"):
            said = self.cc("-include", header, "--emit-source", "a.cpp", "-o", "a.sap.cpp", status=1).stderr
            self.assertEqual(said, "stradsap-cc: error: --emit-source cannot write what has to be inserted into types.hpp, "
                                   "which comes in by an option: #include it in a.cpp\n")
        self.assertNotIn("a.sap.cpp", self.files())
        self.write("a.cpp", source % '#include "types.hpp"\n')
        self.cc("-include", "plain.hpp", "--emit-source", "a.cpp", "-o", "a.sap.cpp")
        self.assertIn("stradsap_members_", (self.folder / "a.sap.cpp").read_text())

    def test_an_error_in_a_header_names_the_header(self):
        self.write("inc/train/types.hpp", TYPES + "inline int f() { return missing; }\n")
        self.assertIn("inc/train/types.hpp:4:", self.cc("-Iinc", "-c", "src/main.cpp", status=1).stderr)
        self.write("inc/train/types.hpp", TYPES.replace("double value;", "double value; float* p;"))
        done = self.cc("-Iinc", "-c", "src/main.cpp", status=1)
        self.assertIn("inc/train/types.hpp:3:", done.stderr)
        self.assertIn("`Row.p` is a raw pointer", done.stderr)

    def test_two_sources_with_one_header_make_one_program(self):
        self.needs_library()
        self.cc("-Iinc", "src/main.cpp", "src/other.cpp", "-o", "program")
        self.run_in_folder("./program")


if __name__ == "__main__":
    main()
