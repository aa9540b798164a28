"""Solvers by the dynamic scheduler: at the optimum of their sequential originals, with the same bits everywhere."""

import math
import os
import random
import re
import subprocess
import tempfile
import unittest

import optimality
from example_case import ROOT, ExampleTest, quick_compiler

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
LINE = re.compile(r"(?:step=\d+ )?updates=(\d+) seconds=\S+ objective=(\S+) (?:nonzero|support)=(\d+) (?:violation|gap)=(\S+)")
SMALL = ("--samples", "400", "--features", "300")
BAD_DATA = {  # content of a file: the message after its name
    "1 1:2\n2 1:3\n3 2:1\n": ": labels 1, 2 and 3, and there must be two classes\n",
    "1 1:nan\n": "nan",
    "1 1:inf\n": "inf",
    "one 1:2\n": "one",
}


class Solvers(ExampleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = tempfile.TemporaryDirectory(prefix="st-")
        cls.addClassCleanup(built.cleanup)
        cls.binaries = {}
        for name in ("logreg_l1", "svm_dual", "sparse_coding", "lasso"):
            folder = os.path.join(ROOT, "examples", name)
            flags = ["-std=c++20", "-O1"]
            sides = (("ours", quick_compiler(*flags), name), ("sequential", ["g++", *flags], "sequential"))
            for side, compiler, source in sides[:1 if name == "lasso" else 2]:
                binary = cls.binaries[name, side] = os.path.join(built.name, f"{name}-{side}")
                subprocess.run([*compiler, os.path.join(folder, source + ".cpp"), "-o", binary], check=True)

    def ours(self, name, *options, shapes=((1, 1),)):
        """Lines without their seconds, the same on all shapes."""
        runs = [self.run_program(self.binaries[name, "ours"], *options, ranks=ranks, threads=threads) for ranks, threads in shapes]
        for done in runs:
            self.assertEqual(done.status, 0, done.errors)
            self.assertEqual(LINE.findall(done.output), LINE.findall(runs[0].output))
        return self.steps(runs[0].output)

    def sequential(self, name, *options):
        command = [self.binaries[name, "sequential"], *options]
        return self.steps(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def steps(self, output):
        found = LINE.findall(output)
        self.assertEqual(len(found), output.count("\n"), output)
        return [(int(updates), float(objective), int(nonzero), float(off)) for updates, objective, nonzero, off in found]

    def test_a_logistic_regression_ends_at_the_optimality_conditions_with_the_same_bits_everywhere(self):
        for penalty in ("0.3", "3"):
            options = (*SMALL, "--C", penalty, "--tolerance", "1e-6")
            updates, objective, nonzero, violation = self.ours("logreg_l1", *options, shapes=SHAPES)[-1]
            original = self.sequential("logreg_l1", *options)[-1]
            self.assertLess(violation, 1e-3)
            self.assertLess(original[3], 1e-3)
            self.assertAlmostEqual(objective, original[1], delta=1e-6 * objective)
            self.assertEqual(nonzero, original[2])
            self.assertLess(updates, original[0])

    def test_a_penalty_above_the_greatest_slope_leaves_all_weights_at_zero(self):
        for run in (self.ours, self.sequential):
            ((updates, _, nonzero, violation),) = run("logreg_l1", *SMALL, "--C", "1e-3")
            self.assertEqual((updates, nonzero), (0, 0))
            self.assertEqual(violation, 0)

    def test_a_logistic_regression_reads_files_with_empty_and_equal_features(self):
        path = os.path.join(self.folder, "data")
        with open(path, "w", encoding="ascii") as file:
            for i in range(60):
                file.write(f"{'+1' if i % 3 else '-1'} 2:1 3:{i % 5} 4:{i % 5} 7:{-1 if i % 3 else 1}\n")
        options = ("--data", path, "--C", "1", "--tolerance", "1e-4")
        updates, objective, nonzero, violation = self.ours("logreg_l1", *options)[-1]
        original = self.sequential("logreg_l1", *options)[-1]
        self.assertLess(violation, 1e-2)
        self.assertAlmostEqual(objective, original[1], delta=1e-5 * objective)
        self.assertGreater(nonzero, 0)
        self.assertGreater(updates, 0)

    def data_of_two_classes(self, labels=(1, -1)):
        """(path, table, labels of 1 and -1): no bias separates the classes."""
        table, targets = optimality.make_table(60, 24)
        draw = random.Random(1)
        positive = [target > draw.gauss(0, 1) for target in targets]
        path = os.path.join(self.folder, "data")
        optimality.write_libsvm(path, table, [labels[0] if one else labels[1] for one in positive])
        return path, table, [1 if one else -1 for one in positive]

    def test_a_logistic_regression_has_the_optimum_of_liblinear_and_its_optimality_conditions(self):
        path, table, labels = self.data_of_two_classes()
        for C in (0.2, 2.0):
            steps = self.ours("logreg_l1", "--data", path, "--C", str(C), "--tolerance", "1e-7", "--save", self.folder)
            weights = optimality.read_saved(self.folder, "w")
            self.assertLess(optimality.logistic_violation(table, labels, weights, C), 1e-4)
            objective = optimality.logistic_objective(table, labels, weights, C)
            self.assertAlmostEqual(objective, steps[-1][1], delta=1e-6 * objective)
            rival = optimality.liblinear(self.folder, path, 6, C)
            self.assertAlmostEqual(objective, optimality.logistic_objective(table, labels, rival, C), delta=1e-5 * objective)
            self.assertEqual(weights[3], 0)
            self.assertGreater(sum(w != 0 for w in weights), 3)

    def test_a_support_vector_machine_has_the_optimum_of_liblinear_and_no_duality_gap(self):
        path, table, labels = self.data_of_two_classes()
        for C in (0.05, 1.0):
            self.ours("svm_dual", "--data", path, "--C", str(C), "--tolerance", "1e-6", "--save", self.folder)
            weights, alpha = (optimality.read_saved(self.folder, name) for name in ("w", "alpha"))
            objective = optimality.svm_objective(table, labels, weights, C)
            self.assertLessEqual(max(alpha), C * (1 + 1e-6))
            self.assertGreaterEqual(min(alpha), 0)
            signed = [a * label for a, label in zip(alpha, labels)]
            by_alpha = [optimality.product(column, signed) for column in optimality.columns_of(table)]
            dual = sum(alpha) - optimality.product(by_alpha, by_alpha) / 2
            self.assertLess((objective - dual) / objective, 1e-3)
            rival = optimality.liblinear(self.folder, path, 3, C)
            self.assertAlmostEqual(objective, optimality.svm_objective(table, labels, rival, C), delta=1e-3 * objective)

    def test_a_lasso_by_passes_is_optimal(self):
        table, targets = optimality.make_table(40, 20)
        path = os.path.join(self.folder, "data")
        optimality.write_libsvm(path, table, targets)
        problem = optimality.ElasticNet(optimality.columns_of(table), targets, 0.1)
        self.run_lasso("--data", path, "--lambda", "0.1", "--passes", "300")
        beta = optimality.read_saved(self.folder, "beta")
        self.assertLess(problem.violation(beta), 1e-4)
        self.assertLess(problem.gap(beta), 1e-5)
        self.assertEqual(beta[3], 0)
        for penalty in ("100", "1e9"):  # above the greatest slope
            self.run_lasso("--data", path, "--lambda", penalty, "--passes", "1")
            self.assertEqual(set(optimality.read_saved(self.folder, "beta")), {0})

    def run_lasso(self, *options):
        done = self.run_program(self.binaries["lasso", "ours"], *options, "--save", self.folder)
        self.assertEqual(done.status, 0, done.errors)

    def test_labels_may_be_any_two_numbers(self):
        for name in ("logreg_l1", "svm_dual"):
            found = []
            for classes in ((1, -1), (2, 1), (7, 0)):
                path, _, _ = self.data_of_two_classes(classes)
                found.append(self.ours(name, "--data", path, "--C", "1"))
                objective = found[-1][-1][1]
                self.assertAlmostEqual(self.sequential(name, "--data", path, "--C", "1")[-1][1], objective, delta=1e-3 * objective)
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0], found[2])

    def test_one_sample_with_one_feature_has_its_own_optimum(self):
        path = os.path.join(self.folder, "data")
        with open(path, "w", encoding="ascii") as file:
            file.write("1 1:2\n")
        # w = 1/2 for the support vector machine; e^-2w * 2 C / (1 + e^-2w) = 1 for the regression
        ((_, objective, _, gap),) = self.ours("svm_dual", "--data", path, "--C", "10", "--tolerance", "1e-6")
        self.assertAlmostEqual(objective, 0.125, places=5)
        self.assertLess(abs(gap), 1e-5)
        self.ours("logreg_l1", "--data", path, "--C", "10", "--tolerance", "1e-6", "--save", self.folder)
        (weight,) = optimality.read_saved(self.folder, "w")
        self.assertAlmostEqual(weight, math.log(19) / 2, places=4)

    def test_separable_samples_without_a_penalty_end_with_a_message(self):
        path = os.path.join(self.folder, "data")
        with open(path, "w", encoding="ascii") as file:
            file.write("+1 1:2\n-1 1:-2\n")
        for penalty in ("inf", "0", "-1", "nan"):
            for name in ("logreg_l1", "svm_dual"):
                done = self.run_program(self.binaries[name, "ours"], "--data", path, "--C", penalty)
                self.assertEqual((done.status, done.output), (2, ""))
                self.assertIn("--C is a number above 0, and at most 1e15", done.errors)

    def test_data_that_are_no_two_classes_or_no_numbers_are_refused(self):
        path = os.path.join(self.folder, "data")
        for content, message in BAD_DATA.items():
            with open(path, "w", encoding="ascii") as file:
                file.write(content)
            for name in ("logreg_l1", "svm_dual"):
                done = self.run_program(self.binaries[name, "ours"], "--data", path)
                self.assertEqual((done.status, done.output), (2, ""), content)
                self.assertIn(message, done.errors)
                self.assertIn(path, done.errors)

    def test_a_support_vector_machine_has_no_duality_gap_and_the_same_bits_everywhere(self):
        for penalty in ("0.03", "1"):
            options = (*SMALL, "--C", penalty, "--tolerance", "1e-4")
            ((updates, objective, _, gap),) = self.ours("svm_dual", *options, shapes=SHAPES)
            ((others, wanted, _, _),) = self.sequential("svm_dual", *options)
            self.assertLess(abs(gap), 1e-3)
            self.assertAlmostEqual(objective, wanted, delta=1e-3 * wanted)
            self.assertLess(updates, others)

    def test_a_support_vector_machine_takes_samples_that_are_empty_or_separable(self):
        path = os.path.join(self.folder, "data")
        with open(path, "w", encoding="ascii") as file:
            file.write("+1 1:2\n-1 1:-2\n+1 2:1\n-1\n" * 5)
        ((_, objective, _, gap),) = self.ours("svm_dual", "--data", path, "--C", "100", "--tolerance", "1e-6")
        self.assertAlmostEqual(objective, 500 + 0.125 + 0.5, places=2)  # w = (1/2, 1); five empty samples lose 1 each
        self.assertLess(abs(gap), 1e-4)

    def test_learned_atoms_have_the_objective_of_the_original_and_the_same_bits_everywhere(self):
        options = ("--signals", "150", "--atoms", "48", "--steps", "4", "--tolerance", "1e-4")
        steps = self.ours("sparse_coding", *options, shapes=SHAPES)
        original = self.sequential("sparse_coding", *options)
        self.assertEqual(len(steps), 4)
        for (updates, objective, _, violation), (others, wanted, _, _) in zip(steps, original):
            self.assertAlmostEqual(objective, wanted, delta=2e-2 * wanted)
            self.assertLess(violation, 1e-2)
            self.assertLess(updates, others)
        self.assertAlmostEqual(steps[0][1], original[0][1], delta=1e-4 * steps[0][1])  # the same atoms
        self.assertLess(steps[-1][1], 0.8 * steps[0][1])

    def test_codes_of_learned_atoms_are_optimal_for_each_signal(self):
        draw = random.Random(4)
        truth = [[draw.gauss(0, 1) / 8 for _ in range(64)] for _ in range(10)]
        signals = []
        for _ in range(40):
            a, b = draw.sample(truth, 2)
            signals.append([x + 0.7 * y + draw.gauss(0, 0.01) for x, y in zip(a, b)])
        signals[7] = [0.0] * 64
        path = os.path.join(self.folder, "signals.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join([",".join(f"d{k}" for k in range(64)), *(",".join(map(repr, one)) for one in signals)]) + "\n")
        self.ours("sparse_coding", "--data", path, "--atoms", "12", "--steps", "3", "--tolerance", "1e-6", "--save", self.folder)
        codes, atoms = optimality.read_saved(self.folder, "codes"), optimality.read_rows(self.folder, "atoms")
        self.assertLess(max(optimality.product(atom, atom) for atom in atoms), 1 + 1e-5)
        for i, signal in enumerate(signals):
            found = codes[12 * i:12 * (i + 1)]
            if i == 7:
                self.assertEqual(set(found), {0})
                continue
            problem = optimality.ElasticNet(atoms, signal, 0.1 / 64)
            self.assertLess(problem.violation(found), 1e-3)
            self.assertLess(problem.gap(found), 1e-4)
        self.assertAlmostEqual(problem.objective(found), problem.objective(problem.solve(500)), delta=1e-5 * problem.objective(found))


if __name__ == "__main__":
    unittest.main()
