"""make-data: the same bytes for a seed, the shape asked for, dense ids, correlations, a model that can be found, planted words."""

import collections
import hashlib
import math
import os
import pathlib
import re
import tempfile
import unittest

from support import BIN, subprocess

MAKE_DATA = os.path.join(BIN, "make-data")
SHAPE = ["ratings", "--users", "60", "--items", "40", "--count", "1500"]

# Of SHAPE with seed 7: the same on every machine. A change of the generator changes every published figure.
TRAIN_SHA256 = "de0260794b8f768fd31675b9c34a59656192b8c5ac6ee9c44fbb396605d8f38a"

TEXT = ["text", "--sentences", "200", "--length", "9", "--groups", "6", "--common", "30"]
TEXT_SHA256 = "5f6957358f40e9884110241dbd3d4a82e72e06d963189249a732ead52da33e2c"

REGRESSION = {"--samples": "50", "--features": "60", "--density": "0.5", "--nonzero": "5"}
REGRESSION_SHA256 = "e5ad5386049acfc1a4ccc633ff00acca68c82906089569170bddbcd18d4844e8"


class Maker(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="data-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def make(self, *words, out="d"):
        path = os.path.join(self.folder, out)
        done = subprocess.run([MAKE_DATA, *words, "--out", path], capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stderr, path


class MakeDataTest(Maker):
    def made(self, *words, out="d"):
        status, errors, path = self.make(*words, out=out)
        self.assertEqual(status, 0, errors)
        return [self.rows(os.path.join(path, name)) for name in ("train.txt", "test.txt")]

    @staticmethod
    def rows(path):
        with open(path, encoding="ascii") as file:
            return [(int(user), int(item), float(value)) for user, item, value in map(str.split, file)]

    def test_a_seed_gives_the_same_bytes_always_and_another_seed_others(self):
        for out, seed in (("a", "7"), ("b", "7"), ("c", "8")):
            self.made(*SHAPE, "--seed", seed, out=out)
        sums = []
        for out in "abc":
            with open(os.path.join(self.folder, out, "train.txt"), "rb") as file:
                sums.append(hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(sums[0], TRAIN_SHA256)
        self.assertEqual(sums[0], sums[1])
        self.assertNotEqual(sums[0], sums[2])

    def test_the_shape_is_the_one_asked_for(self):
        train, test = self.made(*SHAPE, "--test-fraction", "0.2")
        self.assertEqual((len(train), len(test)), (1200, 300))
        self.assertTrue(all(1 <= value <= 5 for _, _, value in train + test))

    def test_every_id_occurs_in_the_training_part_and_none_beyond(self):
        train, test = self.made("ratings", "--users", "300", "--items", "500", "--count", "700")
        self.assertEqual({user for user, _, _ in train}, set(range(300)))
        self.assertEqual({item for _, item, _ in train}, set(range(500)))
        self.assertTrue(all(user < 300 and item < 500 for user, item, _ in test))

    def test_no_pair_occurs_twice_even_in_a_full_table(self):
        train, test = self.made("ratings", "--users", "30", "--items", "20", "--count", "600")
        pairs = {(user, item) for user, item, _ in train + test}
        self.assertEqual(len(pairs), 600)

    def test_popularity_falls_off_and_is_scattered_over_the_ids(self):
        train, _ = self.made("ratings", "--users", "2000", "--items", "1000", "--count", "100000")
        counts = collections.Counter(item for _, item, _ in train)
        ordered = [count for _, count in counts.most_common()]
        self.assertGreater(ordered[0], 4 * ordered[300])
        self.assertGreater(sum(ordered[:100]), 0.3 * len(train))
        hottest = [item for item, _ in counts.most_common(100)]
        self.assertTrue(300 < sum(hottest) / 100 < 700)

    def test_without_noise_users_who_agree_differ_by_the_model_only(self):
        # Rank 1 without noise: ratings of one item are a straight line in the user's factor, so item means predict.
        train, _ = self.made("ratings", "--users", "200", "--items", "50", "--count", "8000", "--noise", "0")
        noisy, _ = self.made("ratings", "--users", "200", "--items", "50", "--count", "8000", "--noise", "2", out="n")

        def residual(rows):
            groups = collections.defaultdict(list)
            for _, item, value in rows:
                groups[item].append(value)
            means = {item: sum(values) / len(values) for item, values in groups.items()}
            return sum((value - means[item]) ** 2 for _, item, value in rows) / len(rows)

        self.assertLess(residual(train), 0.6 * residual(noisy))

    def test_one_file_holds_all_when_there_is_no_test_part(self):
        status, _, path = self.make(*SHAPE, "--test-fraction", "0", out="all.txt")
        self.assertEqual((status, len(self.rows(path))), (0, 1500))

    def test_what_cannot_be_is_refused_and_nothing_is_written(self):
        for words, message in (
                (["ratings", "--users", "3", "--items", "2", "--count", "9"], "9 ratings do not fit into 6 pairs"),
                (["ratings", "--users", "30", "--items", "20", "--count", "31"], "cannot show each of 30"),
                (["ratings", "--users", "30", "--items", "20"], "--count is required"),
                ([*SHAPE, "--noise", "nan"], "takes a number from 0 to 10"), (["pictures"], "")):
            status, errors, path = self.make(*words)
            self.assertEqual(status, 2, words)
            self.assertIn(message, errors)
            self.assertFalse(os.path.exists(path))
        status, errors, _ = self.make(*SHAPE, out="all.txt")
        self.assertEqual((status, "is one file" in errors), (2, True))

    def test_a_failed_write_leaves_no_file(self):
        blocked = os.path.join(self.folder, "d", "train.txt")
        os.makedirs(blocked)
        status, errors, path = self.make(*SHAPE)
        self.assertEqual(status, 1)
        self.assertIn("train.txt", errors)
        self.assertEqual(os.listdir(path), ["train.txt"])


class TextTest(Maker):
    def text(self, *words, out="d"):
        status, errors, path = self.make(*TEXT, *words, out=out)
        self.assertEqual(status, 0, errors)
        return [pathlib.Path(path, name).read_text(encoding="ascii").splitlines() for name in ("corpus.txt", "questions.txt")]

    def test_a_seed_gives_the_same_text_always_and_another_seed_another(self):
        corpora = ["\n".join(self.text("--seed", seed, out=seed)[0]) for seed in ("7", "8")]
        self.assertEqual(hashlib.sha256(corpora[0].encode()).hexdigest(), TEXT_SHA256)
        self.assertNotEqual(*corpora)

    def test_sentences_are_about_one_planted_word(self):
        sentences, questions = self.text()
        self.assertEqual((len(sentences), {len(line.split()) for line in sentences}), (200, {9}))
        for line in sentences:
            groups = set(re.findall(r"\b(?:g|topic)(\d+)", line))
            kinds = set(re.findall(r"\b(?:kind|g\d+k)(\d+)", line))
            self.assertLessEqual((len(groups), len(kinds)), (1, 1), line)
        self.assertEqual(len(questions), 24)
        self.assertEqual(questions[0], "g0k0 g0k1 g1k0 g1k1")

    def test_questions_need_five_groups(self):
        status, errors, path = self.make("text", "--groups", "4")
        self.assertEqual((status, "more than 4 groups" in errors, os.path.exists(path)), (2, True, False))


class RegressionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="data-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "samples.svm")

    def make(self, options):
        words = [word for option in options.items() for word in option]
        return subprocess.run([MAKE_DATA, "lasso", *words, "--out", self.path], capture_output=True, text=True, timeout=60,
                              check=False)

    def samples(self, **options):
        """(target, {index: value}) of each line."""
        done = self.make({**REGRESSION, **{f"--{name}": str(value) for name, value in options.items()}})
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = pathlib.Path(self.path).read_text(encoding="ascii").splitlines()
        found = []
        for target, *values in map(str.split, lines):
            pairs = [one.split(":") for one in values]
            indices = [int(index) for index, _ in pairs]
            self.assertEqual(indices, sorted(set(indices)))
            found.append((float(target), {index: float(value) for index, (_, value) in zip(indices, pairs)}))
        return found

    def test_a_seed_gives_the_same_bytes_always_and_another_seed_others(self):
        sums = []
        for seed in (7, 7, 8):
            self.samples(seed=seed)
            sums.append(hashlib.sha256(pathlib.Path(self.path).read_bytes()).hexdigest())
        self.assertEqual(sums[:2], [REGRESSION_SHA256] * 2)
        self.assertNotEqual(sums[0], sums[2])

    def test_the_shape_is_the_one_asked_for(self):
        found = self.samples(samples=400, features=995, density=0.0123)
        self.assertEqual(len(found), 400)
        self.assertEqual(min(index for _, values in found for index in values), 1)
        self.assertEqual(max(index for _, values in found for index in values), 995)
        self.assertAlmostEqual(sum(len(values) for _, values in found) / (400 * 995), 0.0123, delta=0.001)
        dense = self.samples(samples=40, features=20, nonzero=0, density=1)
        self.assertGreater(sum(len(values) for _, values in dense), 790)  # a value may be 0.0000

    def test_features_of_a_group_correlate_as_asked_and_others_do_not(self):
        found = self.samples(samples=20000, features=40, nonzero=0, group=4, correlation=0.8)

        def correlation(a, b):
            products = [[values.get(one, 0) * values.get(other, 0) for _, values in found]
                        for one, other in ((a, b), (a, a), (b, b))]
            return sum(products[0]) / math.sqrt(sum(products[1]) * sum(products[2]))

        self.assertAlmostEqual(correlation(1, 4), 0.8, delta=0.02)
        self.assertAlmostEqual(correlation(38, 39), 0.8, delta=0.02)
        self.assertAlmostEqual(correlation(4, 5), 0, delta=0.03)

    def test_targets_follow_from_few_features(self):
        found = self.samples(samples=3000, features=50, nonzero=1, density=1, correlation=0, noise=0)
        ratios = {}
        for index in range(1, 51):
            ratios[index] = [target / values[index] for target, values in found if abs(values.get(index, 0)) > 0.5]
        planted = [index for index, all_of_one in ratios.items() if max(all_of_one) - min(all_of_one) < 0.001]
        self.assertEqual(len(planted), 1)

    def test_what_cannot_be_is_refused_and_nothing_is_written(self):
        for changes, message in (({"--nonzero": "61"}, "--nonzero: 61 of 60 features"),
                                 ({"--density": "nan"}, "--density: nan: takes a number from 0 to 1"),
                                 ({"--correlation": "1.1"}, "takes a number from 0 to 1"),
                                 ({"--noise": "inf"}, "takes a number from 0 to 1e+06"),
                                 ({"--samples": "1" + "0" * 19}, "are too many"), ({"--features": "0"}, "--features")):
            done = self.make({**REGRESSION, **changes})
            self.assertEqual(done.returncode, 2, changes)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path))


if __name__ == "__main__":
    unittest.main()
