"""A kept plan is the plan that would be made anew: the same sets and the same bits. test_programs.py
runs the other examples without kept plans."""

import json
import os
import subprocess
import unittest

from example_case import ExampleTest, quick_compiler

EPOCHS = 4
ASSIGNED = """
#include <cstdio>
#include <stradsap/stradsap.hpp>
int main() {
  constexpr int n = 40000, rows = 4000;
  stradsap::dvector<int> place(n);
  for (int j = 0; j < n; ++j) place[j] = j / 10;
  stradsap::dvector<double> x(rows), before(rows, 1), table(rows + 1);
  for (int pass = 0; pass < 4; ++pass) {
    stradsap::async_for(n, [&](int64_t j) { x[place[j]] = 0.5 * x[place[j]] + before[(place[j] + 1) % rows]; });
    before = x;
    table.assign(x.begin(), x.end());
  }
  std::printf("%.17g %zu\\n", x[7] + before[3999], table.size());
}
"""
# The loop's calls go in place or by waves, as time tells; after the resize, by blocks.
RESIZED = """
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <stradsap/stradsap.hpp>
struct Rating {
  int user, item;
  float value;
};
int main() {
  constexpr int n = 20000, users = 300, items = 200;
  stradsap::dvector<Rating> ratings(n);
  for (int j = 0; j < n; ++j) ratings[j] = {int((j * 7919u) % users), int((j * 104729u + j / 17) % items), 1.f + j % 5};
  stradsap::dvector<float> p(users, 0.5f), q(items, 0.5f);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 gen(5);
  for (int epoch = 0; epoch < 8; ++epoch) {
    std::shuffle(order.begin(), order.end(), gen);
    stradsap::async_for(n, [&](int64_t k) {
      const Rating& r = ratings[order[k]];
      const float error = r.value - p[r.user] - q[r.item];
      p[r.user] += 0.05f * error;
      q[r.item] += 0.05f * error;
    });
    if (epoch == 4) q.resize(items + 4);
    double sum = 0;
    for (int i = 0; i < users; ++i) sum += i * std::as_const(p)[i];
    std::printf("%d %.17g\\n", epoch, sum);
  }
}
"""

# Gram-Schmidt: each call touches other columns of its rows.
COLUMNS = """
#include <cmath>
#include <cstdio>
#include <stradsap/stradsap.hpp>
int main() {
  constexpr int n = 3000, k = 8;
  stradsap::dvector<double> q(n * k);
  for (int i = 0; i < n * k; ++i) q[i] = std::sin(0.7 * i);
  for (int c = 0; c < k; ++c) {
    for (int b = 0; b < c; ++b) {
      double product = 0;
      stradsap::async_for(n, [&](int i) { product += q[i * k + c] * q[i * k + b]; });
      stradsap::async_for(n, [&](int i) { q[i * k + c] -= product * q[i * k + b]; });
    }
    double norm = 0;
    stradsap::async_for(n, [&](int i) { norm += q[i * k + c] * q[i * k + c]; });
    const double scale = 1 / std::sqrt(norm);
    stradsap::async_for(n, [&](int i) { q[i * k + c] *= scale; });
  }
  double sum = 0;
  for (const double one : q) sum = 0.9 * sum + one;
  std::printf("%a\\n", sum);
}
"""


class PlanCache(ExampleTest):
    def fit_and_count(self, name, data, cache, **shape):
        path = os.path.join(self.folder, f"{name}-{cache}.json")
        # else short loops may run on the driver's rank, without a plan
        options = ["--stats", path, "--plan-cache", str(cache), "--in-place", "never"]
        model = self.fit(name, data, EPOCHS, options=options, **shape)
        with open(path, encoding="utf-8") as file:
            return model, {loop["site"]: loop for loop in json.load(file)["loops"]}

    def test_plans_that_are_kept_hold_the_sets_of_new_ones(self):
        data = self.make_ratings()
        for ranks, threads in ((1, 2), (2, 1)):
            kept, with_cache = self.fit_and_count("sgd_mf", data, 1, ranks=ranks, threads=threads)
            anew, without = self.fit_and_count("sgd_mf", data, 0, ranks=ranks, threads=threads)
            self.assertEqual(kept, anew)
            self.assertEqual(len(with_cache), 2)
            for site, loop in with_cache.items():
                self.assertEqual((loop["plans"], without[site]["plans"]), (1, EPOCHS), site)
                self.assertEqual(loop["sets_hash"], without[site]["sets_hash"], site)
            self.assertEqual(sum(int(loop["sets_hash"], 16) != 0 for loop in with_cache.values()), 1,
                             "one loop writes at computed places")

    def test_plans_hold_when_elements_are_assigned(self):
        source, binary, path = (os.path.join(self.folder, name) for name in ("assigned.cpp", "assigned", "assigned.json"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(ASSIGNED)
        subprocess.run([*quick_compiler("-O1"), source, "-o", binary], check=True, timeout=300)
        options = ["--stats", path, "--in-place", "never"]
        done = [self.run_program(binary, ranks=ranks, threads=threads, options=options) for ranks, threads in ((1, 2), (2, 1))]
        self.assertEqual([(one.status, one.output) for one in done], [(0, done[0].output)] * 2, done[0].errors)
        self.assertTrue(done[0].output.endswith(" 4000\n"), done[0].output)
        with open(path, encoding="utf-8") as file:
            self.assertEqual([loop["plans"] for loop in json.load(file)["loops"]], [1])

    def test_calls_whose_way_time_chooses_tell_blocks_nothing(self):
        source, binary = os.path.join(self.folder, "resized.cpp"), os.path.join(self.folder, "resized")
        with open(source, "w", encoding="utf-8") as file:
            file.write(RESIZED)
        subprocess.run([*quick_compiler("-O1"), source, "-o", binary], check=True, timeout=300)
        ways = [(ranks, threads, options) for ranks, threads in ((1, 2), (2, 1)) for options in ([], ["--in-place", "never"])]
        done = [self.run_program(binary, ranks=ranks, threads=threads, options=options) for ranks, threads, options in ways]
        self.assertEqual([(one.status, one.output) for one in done], [(0, done[0].output)] * 4, done[0].errors)

    def test_a_loop_over_columns_is_not_planned_at_each_call(self):
        source, binary, path = (os.path.join(self.folder, name) for name in ("columns.cpp", "columns", "columns.json"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(COLUMNS)
        subprocess.run([*quick_compiler("-O1"), source, "-o", binary], check=True, timeout=300)
        ways = [(ranks, threads, options) for ranks, threads in ((1, 2), (2, 1), (2, 2), (1, 1))
                for options in (["--in-place", "never"], ["--stats", path])]
        done = [self.run_program(binary, ranks=ranks, threads=threads, options=options) for ranks, threads, options in ways]
        self.assertEqual([(one.status, one.output) for one in done], [(0, done[0].output)] * len(ways), done[0].errors)
        with open(path, encoding="utf-8") as file:
            loops = json.load(file)["loops"]
        self.assertEqual([(loop["calls"], loop["plans"] <= 5) for loop in loops], [(calls, True) for calls in (8, 8, 28, 28)])

    def test_the_way_that_time_chooses_changes_no_bit(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "ways.cpp")
        binary = os.path.join(self.folder, "ways")
        subprocess.run([*quick_compiler("-O1"), source, "-o", binary], check=True, timeout=300)
        for kind in ("grows", "short_then_long", "many", "ordered", "large"):
            ways = [(ranks, threads, options) for ranks, threads in ((1, 1), (1, 2), (2, 1)) for options in ([], ["--in-place", "never"])]
            done = [self.run_program(binary, kind, ranks=ranks, threads=threads, options=options) for ranks, threads, options in ways]
            self.assertEqual([(one.status, one.output) for one in done], [(0, done[0].output)] * len(ways), kind)

    def test_calls_of_short_loops_that_keep_all_they_need_change_no_bit(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "repeats.cpp")
        binary = os.path.join(self.folder, "repeats")
        subprocess.run([*quick_compiler("-O1"), source, "-o", binary], check=True, timeout=300)
        anew = ["--plan-cache", "0"]
        ways = [(1, 1, anew), (1, 1, []), (1, 2, []), (2, 1, ["--in-place", "never"])]
        for kind in ("batches", "throws", "resized", "replaced", "subscripts", "values", "draws", "allocations", "turns"):
            done = [self.run_program(binary, kind, ranks=ranks, threads=threads, options=options)
                    for ranks, threads, options in ways]
            self.assertEqual([(one.status, one.output) for one in done], [(0, done[0].output)] * len(ways), kind)
            if kind in ("allocations", "turns"):
                self.assertRegex(done[1].errors, r"allocations=0\n$", kind)

    def test_the_sets_do_not_depend_on_who_records_them(self):
        data = self.make_ratings()
        hashes = [{site: loop["sets_hash"] for site, loop in self.fit_and_count("sgd_mf", data, 1, ranks=ranks)[1].items()}
                  for ranks in (1, 2, 3)]
        self.assertEqual(hashes[0], hashes[1])
        self.assertEqual(hashes[0], hashes[2])

    def test_an_example_without_computed_places_records_no_sets(self):
        # That its plans change nothing is a fact of test_cd_mf.py.
        path = os.path.join(self.folder, "stats.json")
        done = self.run_program("cd_mf", *self.make_ratings(), "--rank", "8", "--iterations", "2", ranks=2,
                                options=["--stats", path])
        self.assertEqual(done.status, 0, done.errors)
        with open(path, encoding="utf-8") as file:
            loops = json.load(file)["loops"]
        self.assertEqual([int(loop["sets_hash"], 16) for loop in loops], [0] * 4)


if __name__ == "__main__":
    unittest.main()
