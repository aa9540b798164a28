"""-fdiagnostics-parseable-fixits: a note's mechanical advice as edits. With the edits, stradsap-cc accepts the program."""

import re

from driver_case import DriverCase, main

HEAD = """#include <algorithm>
#include <array>
#include <cstdint>
#include <stradsap/stradsap.hpp>
using namespace stradsap;
dvector<float> weights(100), more(100);
struct pair { float a, b; };
"""
MAIN = """int main() {
  dvector<float> X(100), Y(100);
  dvector<pair> pairs(100);
  (void)X; (void)Y; (void)pairs;
  %s
}
"""
LINE = re.compile(r'^fix-it:"(.*)":\{(\d+):(\d+)-(\d+):(\d+)\}:"(.*)"$')


class FixIts(DriverCase):
    def setUp(self):
        super().setUp()
        self.needs_header()

    def fixes(self, name, status):
        """Edits as ((line, column), (line, column), text), each right after the note that advises it."""
        errors = self.cc("-fdiagnostics-parseable-fixits", "--show-rewrite", name, status=status).stderr
        found = []
        before = ""
        for line in errors.splitlines():
            match = LINE.match(line)
            if match:
                self.assertEqual(match[1], name)
                self.assertIn(": note: ", before)
                found.append(((int(match[2]), int(match[3])), (int(match[4]), int(match[5])), match[6].replace('\\"', '"')))
            before = before if match else line
        return found

    def applied(self, name, edits):
        lines = (self.folder / name).read_text().splitlines()
        for _, (begin, end, text) in sorted(enumerate(edits), key=lambda one: (one[1][0], one[0]), reverse=True):
            self.assertEqual(begin[0], end[0])
            line = lines[begin[0] - 1]
            lines[begin[0] - 1] = line[:begin[1] - 1] + text + line[end[1] - 1:]
        self.write(name, "\n".join(lines) + "\n")
        return lines

    def check(self, text, wanted, status=1, rounds=1):
        """The edits of `text` produce all expected words, and stradsap-cc accepts the result without a message."""
        self.write("a.cpp", text)
        lines = []
        for _ in range(rounds):
            edits = self.fixes("a.cpp", status)
            self.assertNotEqual(edits, [], text)
            lines = self.applied("a.cpp", edits)
        for words in wanted:
            self.assertIn(words, "\n".join(lines))
        self.assertEqual(self.cc("--show-rewrite", "a.cpp").stderr, "", lines)

    def in_main(self, *bodies, **how):
        """Each body with the words that it must contain after its edits; one program, a line for each."""
        self.check(HEAD + MAIN % "\n  ".join(body for body, _ in bodies), [words for _, words in bodies], **how)

    def test_a_container_captured_by_value(self):
        self.in_main(("async_for(100, [X, &Y](int64_t j) { Y[j] = X[j]; });", "100, [&X, &Y]"),
                     ("async_for(101, [=](int64_t j) { (void)X[j]; (void)Y[j]; });", "101, [=, &X, &Y]"),
                     ("async_for(102, [=, &Y](int64_t j) { Y[j] = X[j]; });", "102, [=, &X, &Y]"),
                     ("async_for(103, [X](int64_t j) { X[j] = 1; });", "103, [&X]"))

    def test_this(self):
        member = "struct m%d { dvector<float> P; float rate = 1; double sum = 0; void run() { async_for(%d, %s(int64_t j) { %s }); } };\n"
        copied = "(void)P[j]; (void)rate;"
        forms = [("[*this]", copied, "[&P = P, rate = rate]"),
                 ("[&P = this->P, rate = this->rate]", "P[j] += rate;", "[&P = P, rate = rate]")]
        text = "".join(member % (number, number, captures, body) for number, (captures, body, _) in enumerate(forms))
        self.check(HEAD + text, [f"async_for({number}, {after}(int64_t j)" for number, (_, _, after) in enumerate(forms)])

    def test_this_is_left_where_the_body_spells_it(self):
        text = HEAD + "struct m { dvector<float> P; void run() { async_for(100, [*this](int64_t j) { (void)this->P[j]; }); } };\n"
        self.write("a.cpp", text)
        self.assertEqual(self.fixes("a.cpp", 1), [])

    def test_a_global_container(self):
        self.in_main(("async_for(100, [](int64_t j) { weights[j] = 1; weights[j / 2] = 2; });", "100, [&weights = weights]"),
                     ("async_for(101, [&X](int64_t j) { weights[j] = X[j]; more[j] = 1; });",
                      "101, [&X, &weights = weights, &more = more]"))
        self.in_main(("async_for(100, [](int64_t j) { weights[j] = 1; more[j] = 1; });",
                      "[&weights = weights, &more = more]"), rounds=2)
        self.write("a.cpp", HEAD + MAIN % "async_for(100, [](int64_t j) { ::weights[j] = 1; });")
        self.assertEqual(self.fixes("a.cpp", 1), [])

    def test_a_reference_to_an_element_and_a_false_statement(self):
        self.in_main(("const float& scale = Y[0]; async_for(100, [&scale, &X](int64_t j) { X[j] *= scale; });", "[scale, &X]"),
                     ("parallel_for(101, [&](int64_t j) { X[j / 2] = 1; }, consistency::async, access(stradsap::adds(X)));",
                      "access(stradsap::writes(X))"),
                     ("parallel_for(102, [&](int64_t j) { X[j / 2] = 1; Y[j / 2] = 1; }, consistency::async, access(reads(X), adds(Y)));",
                      "access(writes(X), writes(Y))"))

    def test_sums_that_are_cut_off_and_a_changed_copy(self):
        self.in_main(("long sum = 0; async_for(100, [&](int64_t j) { sum += X[j]; });", "double sum"),
                     ("async_for(101, [&](int64_t j) { auto x = X[j]; x += 1; });", "auto &x = X[j]"),
                     ("async_for(102, [&](int64_t j) { auto [a, b] = pairs[j]; a = b; });", "auto &[a, b] = pairs[j]"))
        self.in_main(("int64_t product = 1; async_for(100, [&](int64_t j) { product *= X[j]; });", "double product"))

    def test_serialize_is_advised_where_it_helps(self):
        element = "struct e { %s }; int main() { stradsap::dvector<e> all(3); }\n"
        for members, helps in (("virtual void f() {}", False), ("int* at;", True), ("e(int) {}", False)):
            self.write("a.cpp", HEAD + element % members)
            said = self.cc("-c", "a.cpp", status=1).stderr
            self.assertIn("store plain values in the element", said)
            self.assertEqual("serialize(Archive" in said, helps, said)

    def test_nothing_is_printed_unless_asked_for(self):
        self.write("a.cpp", HEAD + MAIN % "async_for(100, [X, &Y](int64_t j) { Y[j] = X[j]; });")
        self.assertNotIn("fix-it", self.cc("-c", "a.cpp", status=1).stderr)

    def test_text_of_a_macro_is_left_alone(self):
        body = "async_for(100, [CAPTURED](int64_t j) { (void)X[j]; });"
        self.write("a.cpp", HEAD + "#define CAPTURED X\n" + MAIN % body)
        self.assertEqual(self.fixes("a.cpp", 1), [])


if __name__ == "__main__":
    main()
