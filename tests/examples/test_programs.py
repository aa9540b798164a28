"""The programs of benchmarks/programs.py, small: each twin has the original's quality, and the same bits on any shape."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

from example_case import BIN, ROOT, ExampleTest, quick_compiler

sys.path.insert(0, os.path.join(ROOT, "benchmarks"))

import program_table  # noqa: E402
import programs  # noqa: E402
import sides  # noqa: E402

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
QUICK = ("-O1",)  # without optimisation that only costs time here
BUILDS = [QUICK]  # for the comparison of bits
if os.environ.get("TEST_ALL_BUILDS"):  # optimised, on all shapes
    BUILDS = [("-O3", "-march=native"), ("-O3", "-march=native", "-ffast-math")]
elif os.environ.get("TEST_FEW_SHAPES"):  # of tools/test without --soak
    SHAPES = SHAPES[:3]
SMALL = {  # options that make a pass take a few milliseconds
    "glove": ("--tokens", "600", "--words", "200"),
    "kmeans": ("--points", "3000", "--clusters", "8"),
    "label_propagation": ("--nodes", "2000", "--communities", "20"),
    "lasso": ("--rows", "500", "--columns", "300"),
    "lda": ("--documents", "100", "--words", "500"),
    "lda_mh": ("--documents", "100", "--words", "500", "--topics", "40"),
    "lda_sparse": ("--documents", "100", "--words", "500", "--topics", "40"),
    "logistic_sgd": ("--samples", "2000", "--features", "1000"),
    "mlp": ("--samples", "512"),
    "mlr": ("--samples", "512", "--batch", "128", "--features", "500"),
    "mlr_sgd": ("--samples", "4096", "--features", "500", "--round", "32"),
    "nmf": ("--rows", "500", "--columns", "300"),
    "pagerank": ("--pages", "3000"),
    "svm": ("--samples", "2000", "--features", "1000"),
    "transe": ("--entities", "1000", "--triples", "3000"),
    "transe_adversarial": ("--entities", "400", "--triples", "2000", "--dim", "16", "--negatives", "4"),
    "word2vec": ("--sentences", "100", "--words", "500"),
}
ROUNDS = {"transe": "3000", "word2vec": "16"}  # of the twins with stale containers
ACCUMULATED = {"kmeans": ["sums", "counts"], "mlp": ["G2", "g2", "G1", "g1"], "mlr": ["gradient"]}  # in the first loop
PASSES = 3


def sparse_rows(labels):
    """Lines of LIBSVM: the features of a row depend on its label."""
    draw = random.Random(5)
    rows = ((label, sorted(draw.sample(range(1, 20), 6) + [20 + labels.index(label)])) for label in labels * 30)
    return "".join(f"{label} {' '.join(f'{index}:{draw.uniform(0.1, 1):.3f}' for index in indices)}\n" for label, indices in rows)


def table(columns, last=""):
    """Lines of CSV: a row's numbers lie around one of three. `last` is the column of row i modulo three."""
    draw = random.Random(5)
    rows = (",".join(f"{3 * (i % 3) + draw.random():.3f}" for _ in range(columns)) + f",{i % 3}" * bool(last) for i in range(90))
    return "\n".join([",".join([f"c{j}" for j in range(columns)] + [last] * bool(last)), *rows]) + "\n"


def numbers(count, *bounds):
    """Lines of numbers from 0, each number of a line below its bound."""
    draw = random.Random(5)
    return "".join(" ".join(str(int(bound * draw.random() ** 2)) for bound in bounds) + "\n" for _ in range(count))


def edges():
    """Lines of two nodes, mostly of the same one of five communities."""
    draw = random.Random(5)
    ends = ((i % 5 * 10 + draw.randrange(10), (i % 5 * 10 + draw.randrange(10 if i % 9 else 40)) % 50) for i in range(300))
    return "".join(f"{one} {other}\n" for one, other in ends)


def text_lines():
    draw = random.Random(5)
    words = [a + b for a in "klmnp" for b in "aeiou"]
    return "".join(" ".join(words[int(25 * draw.random() ** 2)] for _ in range(draw.randint(2, 12))) + "\n" for _ in range(60))


def bag_of_words():
    draw = random.Random(5)
    lines = [f"{d} {w} {draw.randint(1, 4)}" for d in range(1, 41) for w in sorted(draw.sample(range(1, 31), 8))]
    return "\n".join(["40", "30", str(len(lines)), *lines]) + "\n"


# A small file, options that leave nothing to chance, and a bad line.
FILES = {
    "glove": (text_lines(), ("--min-count", "12"), None),
    "kmeans": (table(16), ("--clusters", "3"), "1,2"),
    "label_propagation": ("# edges\n" + edges(), (), "1 x"),
    "lasso": (sparse_rows(["-2.5", "1", "3e-1"]), (), "1 3:x"),
    "lda": (bag_of_words(), ("--topics", "1"), "1 x 1"),
    "lda_mh": (bag_of_words(), ("--topics", "1"), "1 x 1"),
    "lda_sparse": (bag_of_words(), ("--topics", "1"), "1 x 1"),
    "logistic_sgd": (sparse_rows(["-1", "+1"]), (), "1 3:x"),
    "mlp": (table(64, "label"), ("--batch", "30", "--rate", "0.001"), "1,2"),
    "mlr": (sparse_rows(["1", "7", "20"]), ("--batch", "30"), "1 3:x"),
    "mlr_sgd": (sparse_rows(["1", "7", "20"]), ("--round", "16"), "1 3:x"),
    "nmf": (table(12), (), "1,2"),
    "pagerank": ("# links\n" + numbers(300, 60, 60), (), "1 x"),
    "svm": (sparse_rows(["-1", "+1"]), ("--C", "10"), "1 3:x"),
    "transe": ("200\n" + numbers(200, 40, 40, 5), (), "1 2"),
    "transe_adversarial": ("200\n" + numbers(200, 40, 40, 5), ("--dim", "16", "--negatives", "4"), "1 2"),
    "word2vec": (text_lines(), ("--min-count", "12", "--negatives", "0"), None),
}
# Entities at 0, 1, 2, 3 and 3 on a line; the answer should lie at 1, by a relation of 1.
RANKING = """
#include "ranking.hpp"
#include <cmath>
struct T { int head, relation, tail; };
int main() {
  const std::vector<std::vector<float>> E{{0}, {1}, {2}, {3}, {3}}, R{{1}};
  const Columns columns{columns_of(E), columns_of(R)};
  const auto rank = [&](int answer, std::vector<int> others, int from = 0) {
    return rank_of({from, 0, answer, 1, others}, columns, [](float x) { return std::abs(x); });
  };
  std::vector<Question> questions(2);
  make_questions(questions, std::vector<T>{{0, 0, 2}}, std::vector<T>{{0, 0, 1}}, std::vector<T>{{0, 0, 0}}, 5, 1);
  std::printf("%g %g %g %g %g\\n", rank(2, {0}), rank(2, {0, 1}), rank(2, {}), rank(4, {}, 1),
              rank_of(questions[0], columns, [](float x) { return std::abs(x); }));
}
"""
# The greatest error of a topic's frequency, in standard deviations of 400,000 draws.
DRAWS = """
#define main sequential_main
#include "sequential.cpp"
#undef main
static Counts counts(const std::vector<int>& topics) {
  Counts made{0, std::vector<int>(6), {}};
  for (const int z : topics) made.add(z);
  return made;
}
int main() {
  const Counts few = counts({1, 1, 1, 4}), many = counts({1, 2, 3, 3, 3, 3, 3, 3, 5});
  const std::vector<float> weights{0.2f, 0.1f, 0.3f, 0.05f, 0.25f, 0.2f};
  const int draws = 400000;
  std::mt19937 random(3);
  std::vector<int> drawn(6);
  for (int i = 0; i < draws; ++i) ++drawn[draw(few, many, 0.5f, 0.7f, weights, 0.3f, random)];
  std::vector<double> p(6);
  double sum = 0, most = 0;
  for (int z = 0; z < 6; ++z) sum += p[z] = (few.of_topic[z] + 0.5) * (many.of_topic[z] + 0.7) * weights[z];
  for (int z = 0; z < 6; ++z) {
    const double wanted = p[z] / sum * draws;
    most = std::max(most, std::abs(drawn[z] - wanted) / std::sqrt(wanted * (1 - p[z] / sum)));
  }
  std::printf("%g\\n", most);
}
"""
LINE = re.compile(r"pass=(\d+) seconds=\S+ (\w+)=(\S+)")
number = float.fromhex  # of a quality


class Programs(ExampleTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(folder.cleanup)
        cls.binaries = folder.name

    def compiled(self, name, side, build=QUICK):
        """The binary of a side, compiled once. It prints all bits of each pass's quality, not six digits."""
        target = os.path.join(self.binaries, "-".join([name, side, *build]))
        if os.path.exists(target):
            return target
        source = programs.Program(name).sources[side]
        with open(source, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("%.6g"), 1, source)
        copy = target + ".cpp"
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text.replace("%.6g", "%a"))
        flags = ["-std=c++20", *build, *["-Wno-psabi"] * side.endswith(programs.PACKED)]  # registers of any processor
        compiler = quick_compiler(*flags) if side.startswith("stradsap") else ["g++", *flags]
        command = [*compiler, "-I", os.path.dirname(source), copy, "-o", target]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return target

    def qualities(self, output):
        """The quality of each pass, as printed."""
        found = LINE.findall(output)
        self.assertEqual([int(number) for number, _, _ in found], list(range(PASSES)), output)
        return [text for _, _, text in found]

    def check(self, name, layout, more=(), tolerance=0.03):
        for build in BUILDS:
            with self.subTest(build=build):
                self.check_build(name, layout, build, more, tolerance)

    def check_build(self, name, layout, build, more, tolerance):
        options = [*SMALL[name], "--passes", str(PASSES)]
        original, twin = (self.compiled(name, side, build) for side in (program_table.original_of(layout), "stradsap" + layout))
        done = subprocess.run([original, *options], capture_output=True, text=True, timeout=60, check=True)
        wanted = self.qualities(done.stdout)
        options += more
        prints = {}
        for ranks, threads in SHAPES:
            done = self.run_program(twin, *options, ranks=ranks, threads=threads)
            self.assertEqual(done.status, 0, done.errors)
            prints[ranks, threads] = self.qualities(done.output)
        done = self.run_program(twin, *options, threads=2, options=["--plan-cache", "0"])
        self.assertEqual(self.qualities(done.output), prints[1, 1], f"{name}{layout}: plans that are kept change the result")
        done = self.run_program(twin, *options, ranks=2, threads=2, options=["--in-place", "never"])
        self.assertEqual(self.qualities(done.output), prints[1, 1], f"{name}{layout}: waves change the result")
        for shape, found in prints.items():
            self.assertEqual(found, prints[1, 1], f"{name}{layout}, {shape} ranks x threads")
        for mine, original_s in zip(prints[1, 1], wanted):
            self.assertLessEqual(abs(number(mine) - number(original_s)), tolerance * abs(number(original_s)), (prints[1, 1], wanted))

    def run_original(self, name, *options):
        return subprocess.run([self.compiled(name, "sequential"), *options], capture_output=True, text=True, timeout=60, check=False)

    def check_file(self, name):
        text, options, _ = FILES[name]
        options = ("--data", self.write("data.txt", text), *options, "--passes", str(PASSES))
        done = self.run_original(name, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        wanted = [number(quality) for quality in self.qualities(done.stdout)]
        for ranks, threads in ((1, 1), (2, 2)):
            done = self.run_program(self.compiled(name, "stradsap"), *options, ranks=ranks, threads=threads)
            self.assertEqual(done.status, 0, done.errors)
            for mine, original_s in zip(self.qualities(done.output), wanted):
                self.assertLessEqual(abs(number(mine) - original_s), 1e-4 * abs(original_s), (done.output, wanted))

    def check_bad_file(self, name):
        text, _, bad = FILES[name]
        path = os.path.join(self.folder, "missing")
        place = f"{path}: cannot be read: "
        if bad is not None:
            lines = text.splitlines()
            path = self.write("data.txt", "\n".join([*lines[:-1], bad]))
            place = f"{path}:{len(lines)}: "
        original = self.run_original(name, "--data", path)
        self.assertEqual((original.returncode, original.stdout), (2, ""))
        self.assertRegex(original.stderr, f"^({re.escape(path)}: |expected ).*\n$")
        twin = self.run_program(self.compiled(name, "stradsap"), "--data", path, ranks=2)
        self.assertEqual((twin.status, twin.output), (2, ""))
        self.assertTrue(twin.errors.startswith(place), twin.errors)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_programs_in_rows_read_files(self):
        self.assertEqual(set(FILES), set(programs.found()))
        for name in FILES:
            with self.subTest(program=name):
                self.check_file(name)
                self.check_bad_file(name)

    def test_programs_in_rows_that_sample_topics_learn_as_fast_from_sparse_counts(self):
        options = (*SMALL["lda_sparse"], "--passes", "12")
        dense, sparse = ([number(found[2]) for found in LINE.findall(self.run_original(name, *options).stdout)]
                         for name in ("lda", "lda_sparse"))
        self.assertEqual(len(dense), 12)
        for one, other in zip(dense, sparse, strict=True):
            self.assertLess(abs(one - other), 0.005 * abs(one), (dense, sparse))

    def test_programs_in_rows_draw_sparse_topics_in_proportion(self):
        target = os.path.join(self.binaries, "draws")
        source = self.write("draws.cpp", DRAWS)
        subprocess.run(["g++", "-std=c++20", "-O1", "-I", os.path.join(ROOT, "examples", "lda_sparse"), source, "-o", target], check=True)
        done = subprocess.run([target], capture_output=True, text=True, timeout=60, check=True)
        self.assertLess(float(done.stdout), 4)

    def test_in_rows_sums_over_samples_are_accumulated(self):
        for name, containers in ACCUMULATED.items():
            for ranks, threads in ((1, 1), (1, 2), (2, 1)):
                path = os.path.join(self.folder, "stats.json")
                done = self.run_program(self.compiled(name, "stradsap"), *SMALL[name], "--passes", "1", ranks=ranks, threads=threads,
                                        options=["--stats", path])
                self.assertEqual(done.status, 0, done.errors)
                with open(path, encoding="utf-8") as file:
                    loop = json.load(file)["loops"][0]
                self.assertEqual((loop["accumulated"], loop["groups"]), (containers, 0), (name, ranks, threads))

    def test_in_rows_large_counts_are_accumulated_on_the_drivers_rank_too(self):
        twin = self.compiled("label_propagation", "stradsap")
        path = os.path.join(self.folder, "stats.json")
        done = self.run_program(twin, "--nodes", "40000", "--passes", "4", ranks=2, options=["--stats", path])
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            counting = json.load(file)["loops"][1]
        self.assertEqual((counting["accumulated"], counting["groups"]), (["histogram", "volume"], 0))

    def planted_triples(self):
        """Files of triples: relation r leads from entity i of kind k to entity i of kind k + 1 + r, of six kinds."""
        triples = [(10 * k + i, 10 * ((k + 1 + r) % 6) + i, r) for r in range(4) for k in range(6) for i in range(10)]
        random.Random(3).shuffle(triples)
        parts = {"train": triples[48:], "test": triples[:24], "valid": triples[24:48]}
        return {name: self.write(name, f"{len(part)}\n" + "".join("{} {} {}\n".format(*triple) for triple in part))
                for name, part in parts.items()}

    def hits(self, output):
        return float(re.search(r"\bhits10=(\S+)", output).group(1))

    def test_programs_in_rows_rank_held_out_triples_alike(self):
        files = self.planted_triples()
        common = ("--data", files["train"], "--evaluate", files["test"], "--known", files["valid"], "--passes", "60")
        for name, more in (("transe", ("--rate", "0.05")), ("transe_adversarial", ("--dim", "16", "--negatives", "8"))):
            with self.subTest(program=name):
                options = (*common, *more)
                wanted = self.hits(self.run_original(name, *options).stdout)
                found = [self.hits(self.run_program(self.compiled(name, "stradsap"), *options, ranks=ranks, threads=threads).output)
                         for ranks, threads in SHAPES]
                self.assertEqual(len(set(found)), 1, found)
                self.assertLessEqual(abs(found[0] - wanted), 0.05, (found, wanted))
                untrained = self.hits(self.run_original(name, *options, "--rate", "0").stdout)
                self.assertGreater(wanted, untrained + 0.3)

    def test_programs_in_rows_hold_random_entities_for_some_passes(self):
        options = ("--entities", "1000", "--triples", "3000", "--passes", "6", "--hold-negatives")

        def accuracies(output):
            return [number(text) for text in re.findall(r"accuracy=(\S+)", output)]

        wanted, fresh = (accuracies(self.run_original("transe", *options, number).stdout) for number in ("3", "1"))
        self.assertEqual(wanted[0], fresh[0])
        self.assertNotEqual(wanted[1], fresh[1])
        for ranks, threads in SHAPES:
            done = self.run_program(self.compiled("transe", "stradsap"), *options, "3", ranks=ranks, threads=threads)
            found = accuracies(done.output)
            self.assertLess(max(abs(one - other) for one, other in zip(found, wanted, strict=True)), 0.02, done.errors)
        done = self.run_program(self.compiled("transe", "stradsap"), *options, "0")
        self.assertEqual(done.status, 2)
        self.assertIn("--hold-negatives takes a number from 1 on\n", done.errors)

    def answers(self, output):
        """The parts of right pairs and right analogies."""
        return tuple(float(text) for text in re.search(r"\bpairs=(\S+) analogies=(\S+)", output).groups())

    def test_programs_in_rows_find_planted_words(self):
        folder = os.path.join(self.folder, "planted")
        subprocess.run([os.path.join(BIN, "make-data"), "text", "--sentences", "1500", "--length", "10", "--groups", "8",
                        "--common", "100", "--out", folder], check=True, capture_output=True)
        options = ("--data", os.path.join(folder, "corpus.txt"), "--questions", os.path.join(folder, "questions.txt"),
                   "--passes", "3")
        shared = ("--shared-negatives", "1")
        outputs = [self.run_original("word2vec", *options, *shared).stdout]
        outputs.append(self.run_program(self.compiled("word2vec", "stradsap"), *options, *shared, "--round", "64", ranks=2).output)
        outputs.append(self.run_original("word2vec", *options).stdout)
        outputs += [self.run_program(self.compiled("word2vec", "stradsap"), *options, *more, ranks=ranks, threads=threads).output
                    for ranks, threads in SHAPES for more in ((), ("--round", "64"))]
        for i, output in enumerate(outputs):
            pairs, analogies = self.answers(output)
            self.assertGreaterEqual(pairs, 0.95)
            self.assertGreaterEqual(analogies, 0.6 if i < 2 else 0.7)
        for same in (outputs[3::2], outputs[4::2]):
            self.assertEqual(len(set(map(self.answers, same))), 1)
        untrained = self.answers(self.run_original("word2vec", *options, "--rate", "0").stdout)
        self.assertLess(untrained[0], 0.9)
        self.assertLess(untrained[1], 0.2)

    def test_programs_in_rows_share_random_words_of_a_window(self):
        options = (*SMALL["word2vec"], "--passes", str(PASSES))
        of_pairs = self.qualities(self.run_original("word2vec", *options).stdout)
        options += ("--shared-negatives", "1")
        wanted = self.qualities(self.run_original("word2vec", *options).stdout)
        self.assertNotEqual(wanted, of_pairs)
        for more in ((), ("--round", ROUNDS["word2vec"])):
            found = [self.qualities(self.run_program(self.compiled("word2vec", "stradsap"), *options, *more, ranks=ranks,
                                                     threads=threads).output) for ranks, threads in SHAPES]
            self.assertEqual(found[1:], found[:1] * (len(SHAPES) - 1))
            for mine, original_s in zip(found[0], wanted):
                self.assertLessEqual(abs(number(mine) - number(original_s)), 0.05 * number(original_s), (found[0], wanted))

    def test_programs_in_rows_count_ranks_without_other_known_answers(self):
        target = os.path.join(self.binaries, "ranking")
        source = self.write("ranking.cpp", RANKING)
        subprocess.run(["g++", "-std=c++20", "-O1", "-I", os.path.join(ROOT, "examples", "transe"), source, "-o", target], check=True)
        done = subprocess.run([target], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout, "2 1 2.5 3 1\n")

    def check_each(self, layout):
        self.assertEqual(set(SMALL), set(programs.found()))
        names = [name for name, program in programs.found().items() if "stradsap" + layout in program.sides]
        self.assertTrue(names)
        for name in names:
            with self.subTest(program=name, layout=layout):
                self.check(name, layout)

    def test_programs_in_rows(self):
        self.check_each("")

    def test_programs_with_stale_containers(self):
        self.assertEqual(set(ROUNDS), set(programs.RELAXED_OPTIONS))
        for name, length in ROUNDS.items():
            with self.subTest(program=name):
                self.check(name, "", ("--round", length), tolerance=0.05)

    def test_flat_programs(self):
        self.check_each(sides.FLAT)

    def test_programs_with_loops_in_member_functions(self):
        self.check_each(sides.CLASS)

    def test_programs_with_the_kernels_of_rivals(self):
        self.check_each(programs.PACKED)


if __name__ == "__main__":
    unittest.main()
