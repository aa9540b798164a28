"""g++ packs in converted programs the source lines that it packs in their originals, also those of loop bodies."""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from example_case import COMPILER, ROOT

FLAGS = ["-std=c++20", "-O3", "-march=x86-64-v3"]
FAST = ("-ffast-math",)
NOTE = re.compile(r"(.*?):(\d+):\d+: optimized: .*loop vectorized")
ROWS = ("examples/{0}/sequential.cpp", "examples/{0}/{0}.cpp")
FLAT = ("benchmarks/{0}/flat_sequential.cpp", "benchmarks/{0}/flat.cpp")

# Packed in the original and not in ours, in most lines as an index in a vector is checked at each access: the loop has
# two exits. A line that is packed again must leave this list. benchmarks/results.md has the time that each set takes.
KNOWN_LOSSES = {
    ("label_propagation", ROWS): {"for (int64_t e = graph.first[v]; e < graph.first[v + 1]; ++e)"},
    ("label_propagation", FLAT): {"for (int w : neighbours[v]) degree += label[w] == label[v];"},
    ("lasso", ROWS): {"for (const Entry& e : columns[j]) product += e.value * residual[e.row];"},
    ("logistic_sgd", ROWS): {"for (const Feature& f : sample.features) margin += w[f.index] * f.value;"},
    ("logistic_sgd", FLAT): {"for (int64_t k = X.begin[i]; k < X.begin[i + 1]; ++k) margin += w[X.index[k]] * X.value[k];"},
    ("mlr", FLAT): {"for (const Feature& f : sample.features) p[c] += W[c * F + f.index] * f.value;"},
    ("svm", ROWS): {"for (const Feature& f : sample.features) score += w[f.index] * f.value;"},
}
KNOWN_LOSSES_OF_FAST_MATH = {
    ("glove", ROWS): {"for (int d = 0; d < dim; ++d) {"},
    ("pagerank", ROWS): {"for (int source : in_links[page]) sum += share[source];",
                         "for (int page = 0; page < n; ++page) {"},
}
NOTHING_PACKED = {("kmeans", ROWS, ()), ("kmeans", ROWS, FAST), ("kmeans", FLAT, ()), ("kmeans", FLAT, FAST),
                  ("lda", ROWS, ()), ("lda", FLAT, ())}  # in the original
NAMES = ("glove", "kmeans", "label_propagation", "lasso", "lda", "logistic_sgd", "mlp", "mlr", "nmf", "pagerank", "svm",
         "transe", "word2vec")
PROGRAMS = list(itertools.product(NAMES, (ROWS, FLAT), ((), FAST)))

# An inner loop over a column, with a symbol from a captured vector.
COLUMN = "for (int s = 0; s < S; ++s) row[s] = emit[s * V + symbols[i]] * weights[s];"
# A captured vector beside a container that the loop writes: g++ would test whether they overlap.
APART = "for (int s = 0; s < S; ++s) sums[symbols[i] * S + s] += weights[s];"
# Additions into a private copy: a subscript is compared with the number of elements, and nothing is read again.
COUNTED = "for (int s = 0; s < S; ++s) counts[symbols[i] * S + bytes[s]] += 1;"
PROGRAM = """#include <vector>

#include <stradsap/stradsap.hpp>

int main(int, char** arguments) {
  const int S = arguments[0][0], V = 40, n = 1000;
  std::vector<int> symbols(n);
  std::vector<double> weights(S);
  std::vector<unsigned char> bytes(S);
  stradsap::dvector<double> emit(S * V), sums(S * V), rows(n);
  stradsap::dvector<int> counts(S * V);
  stradsap::parallel_for(n, [&](int i) {
    double row[256];
    LOOP
    rows[i] = row[i % S];
  }, stradsap::consistency::async);
}
"""
# A body with an inner loop and a write at the loop index, which has fewer bits than an iteration's number.
OWN = '''#include <stradsap/stradsap.hpp>

int main(int, char** arguments) {
  const int n = 1000, S = arguments[0][0];
  stradsap::dvector<double> rank(n), share(n);
  stradsap::dvector<int> source(n * S);
  stradsap::async_for(n, [&](int i) {
    double sum = 0;
    for (int64_t p = i * int64_t{S}; p < (i + 1) * int64_t{S}; ++p) sum += share[source[p]];
    rank[i] = sum;
  });
}
'''
# Most iterations end at once. The view of `where` reaches the elements of all of them.
SKIPS = '''#include <vector>

#include <stradsap/stradsap.hpp>

int main(int, char** arguments) {
  const int n = 1000, S = arguments[0][0];
  stradsap::dvector<double> x(n), y(1);
  stradsap::dvector<short> where(n);
  std::vector<int> column(n);
  double sum = 0;
  stradsap::async_for(n, [&](int64_t i) {
    if (where[i] != S) return;
    int k = 0;
    while (column[k] != S) ++k;
    if (k < 8) sum += x[i];
  });
  y[0] = sum;
}
'''
# Views beside the members of an object.
MEMBERS = '''#include <vector>

#include <stradsap/stradsap.hpp>

struct sparse {
  void multiply(const stradsap::dvector<double>& x, stradsap::dvector<double>& y) const {
    stradsap::async_for(y.size(), [&](int64_t i) {
      double sum = 0;
      for (int k = first[i]; k < first[i + 1]; ++k) sum += value[k] * x[column[k]];
      y[i] = sum;
    });
  }
  std::vector<int> first, column;
  std::vector<double> value;
};

int main(int count, char**) {
  sparse all{std::vector<int>(count + 1), {}, {}};
  stradsap::dvector<double> x(count), y(count);
  all.multiply(x, y);
}
'''
RUN = re.compile(r"\n_ZZ\S*11body_copies\S*3runEv\S*clE\S*:\n(.*?)\n\t\.cfi_endproc", re.DOTALL)
ADDITION = re.compile(r"\taddl\t\$1, \(.*\n(?:\t(?!j).*\n)*\tj")
OVERLAP = "loop versioned for vectorization because of possible aliasing"


class PackedBodies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="st-")
        self.addCleanup(shutil.rmtree, self.folder)

    def packed(self, compiler, source, *options):
        """The texts of the lines with loops that g++ packs, without the namespace of the containers."""
        notes = os.path.join(self.folder, "notes")
        done = subprocess.run([compiler, *FLAGS, *options, "-c", source, "-o", os.path.join(self.folder, "made.o"),
                               "-fopt-info-vec-optimized=" + notes], cwd=ROOT, capture_output=True, text=True,
                              timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(notes, encoding="utf-8") as file:
            places = {(os.path.join(ROOT, note[1]), int(note[2])) for note in map(NOTE.match, file) if note}
        os.remove(notes)
        return {self.line(*place).replace("stradsap::", "") for place in places if self.is_of_program(place[0])}

    def is_of_program(self, path):
        folders = [self.folder, *(os.path.join(ROOT, folder) for folder in ("examples", "benchmarks"))]
        return any(path.startswith(os.path.join(folder, "")) for folder in folders)

    @staticmethod
    def line(path, number):
        with open(path, encoding="utf-8") as file:
            return file.read().split("\n")[number - 1].strip()

    def test_the_lines_of_the_originals_are_packed(self):
        for name, layout, options in PROGRAMS:
            original, ours = (source.format(name) for source in layout)
            with self.subTest(program=ours, options=options):
                wanted = self.packed("g++", original, *options)
                self.assertEqual(not wanted, (name, layout, options) in NOTHING_PACKED)
                known = KNOWN_LOSSES.get((name, layout), set())
                if options:
                    known = known | KNOWN_LOSSES_OF_FAST_MATH.get((name, layout), set())
                self.assertEqual(wanted - self.packed(COMPILER, ours, *options), known)

    def made_from(self, loop):
        """The notes of g++ on this line in a body, and the assembly."""
        source, notes, made = (os.path.join(self.folder, name) for name in ("one.cpp", "notes", "made.s"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM.replace("LOOP", loop))
        number = PROGRAM.split("LOOP")[0].count("\n") + 1
        done = subprocess.run([COMPILER, *FLAGS, "-S", source, "-o", made, "-fopt-info-vec-optimized=" + notes],
                              cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(notes, encoding="utf-8") as file, open(made, encoding="utf-8") as code:
            return "".join(line for line in file if line.startswith(f"{source}:{number}:")), code.read()

    def test_a_loop_over_a_column_is_packed(self):
        notes, _ = self.made_from(COLUMN)
        self.assertIn("vectorized using 32 byte vectors", notes)

    def test_containers_are_apart_from_captured_vectors(self):
        notes, _ = self.made_from(APART)
        self.assertGreater(notes.count("vectorized using 32 byte vectors"), notes.count(OVERLAP))

    def test_a_check_of_an_addition_is_one_comparison(self):
        _, code = self.made_from(COUNTED)
        pieces = [piece for piece in re.split(r"\n\.L\d+:", code) if ADDITION.search(piece)]
        self.assertTrue(pieces)
        self.assertTrue(any(not re.search(r"\t(sub|imul)", piece) for piece in pieces), pieces)

    def bodies_of(self, program, *options):
        """The assembly of its loop bodies."""
        source, made = (os.path.join(self.folder, name) for name in ("own.cpp", "made.s"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([COMPILER, *FLAGS, *options, "-S", source, "-o", made], cwd=ROOT, check=True, timeout=240)
        with open(made, encoding="utf-8") as code:
            bodies = "".join(RUN.findall(code.read()))
        self.assertTrue(bodies)
        return bodies

    def test_an_iteration_that_ends_at_once_tests_no_view(self):
        # the elements follow each other, and no call before a comparison may have given another place
        elements = re.findall(r"\tmovswl\t(.*), ", self.bodies_of(SKIPS))
        self.assertTrue([one for one in elements if re.fullmatch(r"0?\(%r\w+,%r\w+,2\)", one)], elements)

    def test_views_beside_members_of_an_object_are_in_registers(self):
        # where g++ knew nothing of them, each access named elements for a plan, or asked the runtime
        for processor in ("generic", "znver3"):
            bodies = self.bodies_of(MEMBERS, "-mtune=" + processor)
            self.assertLessEqual(len(re.findall(r"\tcall\t\*\(%r", bodies)), 2, processor)

    def test_the_element_at_the_index_needs_no_subtraction(self):
        bodies = self.bodies_of(OWN)
        self.assertIn("\tvadd", bodies)
        # a flag would tell that the view reaches the element, until the subscript is compared with it
        self.assertNotRegex(bodies, r"\n\tset")

    def test_a_check_at_each_access_is_noticed(self):
        original, ours = (source.format("mlp") for source in FLAT)
        plain, checked = "sum += W1[j * D + d] * x[d];", "sum += W1.at(j * D + d) * x[d];"
        with open(os.path.join(ROOT, ours), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count(plain), 1)
        changed = os.path.join(self.folder, "checked.cpp")
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text.replace(plain, checked))
        loop = "for (int d = 0; d < D; ++d) "
        self.assertIn(loop + plain, self.packed("g++", original, *FAST))
        folder = "-I" + os.path.join(ROOT, "benchmarks", "mlp")
        self.assertNotIn(loop + checked, self.packed(COMPILER, changed, folder, *FAST))


if __name__ == "__main__":
    unittest.main()
