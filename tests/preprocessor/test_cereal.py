"""Classes with functions for cereal: the header they need, and changes of one value by two shards of a `sync` loop."""

from driver_case import DriverCase, main

HEAD = """#include <cstdint>
%s
#include <stradsap/stradsap.hpp>
struct counter {
  int n = 0;
  template <class Archive> void serialize(Archive& archive) { archive(n); }
};
"""
HEADER = "#include <stradsap/cereal.hpp>"
CHANGED_TWICE = """#include <cstdio>
int main() {
  stradsap::dvector<counter> X(40);
  stradsap::sync_for(40, 40, [&X](int64_t j) { X[j * 7 %% 40].n += 1; });
  try {
    stradsap::sync_for(40, 40, [&X](int64_t j) { X[j == 0 ? %d : j].n += 1; });
    std::puts("lost");
  } catch (const stradsap::error& e) {
    std::puts(e.what());
  }
}
"""


class Cereal(DriverCase):
    def test_the_header_is_asked_for_and_is_enough(self):
        self.needs_header()
        use = "int main() { stradsap::dvector<counter> all(3); }\n"
        self.write("a.cpp", HEAD % "" + use)
        said = self.cc("-c", "a.cpp", status=1).stderr
        self.assertIn("`counter` has functions for cereal, and the program does not include <stradsap/cereal.hpp>", said)
        self.assertIn("or write `#include <stradsap/cereal.hpp>`", said)
        self.write("a.cpp", HEAD % HEADER + use)
        self.cc("-c", "a.cpp")

    def test_cereal_without_locks_is_refused(self):
        self.needs_header()
        self.write("a.cpp", "#include <cereal/cereal.hpp>\n" + HEAD % HEADER + "int main() {}\n")
        self.assertIn("include <stradsap/cereal.hpp> before cereal's headers", self.cc("-c", "a.cpp", status=1).stderr)
        self.cc("-c", "-DCEREAL_THREAD_SAFE=1", "a.cpp")

    def test_changes_of_one_value_by_two_shards_are_refused_at_the_loop(self):
        self.needs_library()
        launcher = str(self.library().parent.parent / "bin" / "stradsap-run")
        for element in (1, 39):  # of the first rank, of the last
            self.write("a.cpp", HEAD % HEADER + CHANGED_TWICE % element)
            self.cc("a.cpp", "-o", "a")
            for ranks in ("1", "2"):
                with self.subTest(element=element, ranks=ranks):
                    said = self.run_in_folder(launcher, "-n", ranks, "--no-prefix", "./a").stdout
                    if element == 39:
                        self.assertIn("a.cpp:13: element 39 of `X`: two shards of one batch changed the same `counter`", said)
                    else:  # one shard has both iterations
                        self.assertIn("lost", said)


main()
