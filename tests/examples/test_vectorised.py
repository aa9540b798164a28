"""The body's copy that runs compiles its inner loop as if it ran over plain arrays."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from build_case import EXAMPLE
from example_case import COMPILER, quick_compiler

RANKS = (32, 64, 128)  # ranks of the factors; g++ 12 unrolls shorter loops whole before it packs operations
NEAREST = """
#include <stradsap/stradsap.hpp>
constexpr int D = 16;
static float distance(const float* a, const float* b) {
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}
void assign(const stradsap::dvector<float>& points, const stradsap::dvector<float>& centers,
            stradsap::dvector<int>& nearest, int k) {
  stradsap::async_for(nearest.size(), [&](int64_t i) {
    const float* point = &points[i * D];
    int best = 0;
    float least = distance(point, &centers[0]);
    for (int c = 1; c < k; ++c) {
      const float d = distance(point, &centers[c * D]);
      if (d < least) {
        least = d;
        best = c;
      }
    }
    nearest[i] = best;
  });
}
"""
SAMPLED = """
#include <stradsap/stradsap.hpp>
void sample(const stradsap::dvector<int>& counts, stradsap::dvector<int>& topic, int topics) {
  stradsap::async_for(topic.size(), [&](int64_t j) {
    int& own = topic[j];
    float sum = 0;
    for (int z = 0; z < topics; ++z) sum += counts[own * topics + z] + 0.1f;
    own = static_cast<int>(sum * static_cast<float>(stradsap::random(j).uniform()));
  });
}
"""
COUNTED = """
#include <vector>
#include <stradsap/stradsap.hpp>
struct Pair {
  int first, second;
};
struct Counts {
  int size = 0;
  std::vector<int> of_topic;
};
void count(const stradsap::dvector<Pair>& pairs, stradsap::dvector<Counts>& counts,
           stradsap::dvector<std::vector<int>>& rows) {
  stradsap::async_for(pairs.size(), [&](int64_t j) {
    ++counts[pairs[j].first].of_topic[7];
    ++rows[pairs[j].second][7];
  });
}
"""
CONVOLVED = """
#include <stradsap/stradsap.hpp>
constexpr int SIDE = 14, MAP = 6;
static void convolve(const float* image, const float* filter, float* map, int* where) {
  for (int y = 0; y < MAP; ++y)
    for (int x = 0; x < MAP; ++x) {
      float best = 0;
      int best_at = -1;
      for (int dy = 0; dy < 2; ++dy)
        for (int dx = 0; dx < 2; ++dx) {
          const int at = (2 * y + dy) * SIDE + 2 * x + dx;
          float sum = 0;
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) sum += filter[a * 3 + b] * image[at + a * SIDE + b];
          if (sum > best) best = sum, best_at = at;
        }
      map[y * MAP + x] = best;
      where[y * MAP + x] = best_at;
    }
}
void pool(const stradsap::dvector<float>& images, const stradsap::dvector<float>& filters,
          stradsap::dvector<float>& sums, int n) {
  stradsap::async_for(sums.size(), [&](int64_t i) {
    float map[MAP * MAP];
    int where[MAP * MAP];
    float sum = 0;
    for (int f = 0; f < n; ++f) {
      convolve(&images[i * SIDE * SIDE], &filters[f * 9], map, where);
      for (int k = 0; k < MAP * MAP; ++k) sum += map[k] * static_cast<float>(where[k]);
    }
    sums[i] = sum;
  });
}
"""
ALIGNED = """
#include <stradsap/stradsap.hpp>
#include <algorithm>
void step(stradsap::dvector<float>& weights, const stradsap::dvector<float>& gradients, float rate, int n) {
  stradsap::async_for(n, [&](int j) { weights[j] = std::max(weights[j] - rate * gradients[j], 0.f); });
}
"""
ROW = """
#include <stradsap/stradsap.hpp>
#include <vector>
void step(stradsap::dvector<float>& slopes, const stradsap::dvector<float>& scores, const std::vector<float>& labels,
          int n) {
  stradsap::async_for(n, [&](int j) { slopes[j] = 1 - labels[j] * scores[j]; });
}
"""
FOLDED = """
#include <stradsap/stradsap.hpp>
double fold(stradsap::dvector<int>& marks, stradsap::dvector<float>& values, const stradsap::dvector<float>& goals,
            int n) {
  int least = 0, count = 0;
  stradsap::async_for(n, [&](int j) { least = marks[j] < least ? marks[j] : least; });
  stradsap::async_for(n, [&](int j) {
    marks[j] *= 3;
    if (values[j] > goals[j]) ++count;
  });
  return least + count;
}
"""
SUMMED = """
#include <stradsap/stradsap.hpp>
double loss(const stradsap::dvector<float>& values, const stradsap::dvector<float>& goals, int n) {
  double sum = 0;
  stradsap::async_for(n, [&](int j) {
    const double d = values[j] - goals[j];
    sum += d * d;
  });
  return sum;
}
"""
SCALED = """
#include <stradsap/stradsap.hpp>
#include <vector>
void scale(const stradsap::dvector<float>& K, const stradsap::dvector<float>& v, stradsap::dvector<float>& u,
           const std::vector<float>& mass, int n) {
  stradsap::async_for(n, [&](int64_t i) {
    const float* row = &K[i * n];
    float sum = 0;
    for (int j = 0; j < n; ++j) sum += row[j] * v[j];
    u[i] = mass[i] / sum;
  });
}
"""
GATHERED = """
#include <stradsap/stradsap.hpp>
#include <algorithm>
#include <cmath>
#include <vector>
double pass(const stradsap::dvector<float>& from, stradsap::dvector<float>& to, stradsap::dvector<float>& belief,
            const std::vector<int>& start, const std::vector<int>& edge, int n) {
  double moved = 0;
  stradsap::async_for(n, [&](int v) {
    float sum = 1;
    for (int p = start[v]; p < start[v + 1]; ++p) sum += from[edge[p]];
    for (int p = start[v]; p < start[v + 1]; ++p) to[edge[p]] = std::clamp(sum - from[edge[p]], -20.0f, 20.0f);
    moved += std::fabs(sum - belief[v]);
    belief[v] = sum;
  });
  return moved;
}
"""
HELPED = """
#include <stradsap/stradsap.hpp>
#include <vector>
void pass(const stradsap::dvector<float>& from, stradsap::dvector<float>& to, const std::vector<int>& edge, int n) {
  const auto term = [&](int p) { return from[edge[p]]; };
  stradsap::async_for(n, [&](int v) {
    float sum = 0;
    for (int p = 3 * v; p < 3 * v + 3; ++p) sum += term(p);
    to[edge[v]] += sum;
  });
}
"""
MASKED = """
#include <stradsap/stradsap.hpp>
void step(stradsap::dvector<float>& weights, const stradsap::dvector<float>& values, float rate, int n, int width) {
  stradsap::async_for(n, [&](int i) {
    for (int k = 0; k < width; ++k) {
      if (values[i * width + k] <= 0) continue;
      weights[i * width + k] += rate * values[i * width + k];
    }
  });
}
"""
ROOTS = """
#include <stradsap/stradsap.hpp>
#include <cmath>
#include <vector>
void step(stradsap::dvector<float>& rows, stradsap::dvector<float>& squares, const std::vector<int>& row_of, float g,
          int n) {
  stradsap::async_for(n, [&](int i) {
    float* w = &rows[row_of[i] * 64];
    float* s = &squares[row_of[i] * 64];
    for (int k = 0; k < 64; ++k) {
      s[k] += g * g;
      w[k] -= g / std::sqrt(s[k]);
    }
  });
}
"""
FUSED = re.compile(r"\tvfn?m(?:add|sub)\w*ps\b.*%ymm")


class Vectorised(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="st-")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(os.path.join(EXAMPLE, "sgd_mf.cpp"), encoding="utf-8") as file:
            self.source = file.read()

    def run_here(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def products(self, source, pattern, *flags):
        """{rank of the factors: products of this kind in the training loop's `run`}"""
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(source)
        self.run_here(*quick_compiler("-O3", "-march=x86-64-v3", *flags), "-c", "program.cpp")
        counts = {}
        for function in self.run_here("objdump", "-d", "-C", "--no-show-raw-insn", "program.o").split("\n\n"):
            head, _, code = function.lstrip("\n").partition("\n")
            rank = re.search(r"sliced_body<.*train<(\d+)>.*::run\(", head)  # the other loop writes nothing
            if rank:
                counts[int(rank[1])] = counts.get(int(rank[1]), 0) + len(pattern.findall(code))
        return counts

    def fused_products(self, source):
        return self.products(source, FUSED)

    def test_the_update_of_a_row_is_done_by_whole_registers(self):
        counts = self.fused_products(self.source)
        for rank in RANKS:
            self.assertGreater(counts.get(rank, 0), 0, f"packed multiply-adds at rank {rank}: {counts}")

    def test_a_dot_product_of_sixteen_numbers_is_added_by_whole_registers_if_that_is_allowed(self):
        """g++ would write its terms out, and add them one by one."""
        scalar = re.compile(r"\tv(?:mul|fn?m(?:add|sub)\w*)ss ")
        self.assertLess(self.products(self.source, scalar, "-ffast-math")[16], 16)

    def test_one_hook_in_the_inner_loop_is_noticed(self):
        plain = "      for (int k = 0; k < K; ++k) {\n        const float old"
        self.assertEqual(self.source.count(plain), 1)
        hooked = plain.replace("      for", "      volatile bool hook = false;\n      for").replace(
            "        const", "        if (hook) break;\n        const")
        counts = self.fused_products(self.source.replace(plain, hooked))
        for rank in RANKS:
            self.assertEqual(counts[rank], 0, f"packed multiply-adds at rank {rank}: {counts}")

    def test_a_row_stays_in_registers_while_pointers_to_other_rows_are_made(self):
        """A check that could return after a call would make g++ load the row by single numbers."""
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(NEAREST)
        self.run_here(COMPILER, "-O3", "-march=x86-64-v3", "-ffast-math", "-c", "program.cpp")
        functions = self.run_here("objdump", "-d", "-C", "--no-show-raw-insn", "program.o").split("\n\n")
        run = "\n".join(one for one in functions if "::run(" in one.lstrip("\n").partition("\n")[0])
        self.assertTrue(re.findall(r"\tvsubps .*%ymm", run))
        self.assertEqual(re.findall(r"\tv(?:unpcklps|insertps) .*", run), [])

    def test_small_loops_of_an_inlined_function_are_unrolled_before_loops_are_vectorised(self):
        """Four places of the map have nine products each; a subscript in each of them makes the loop too large."""
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(CONVOLVED)
        self.run_here(*quick_compiler("-O3", "-march=x86-64-v3"), "-c", "program.cpp")
        functions = self.run_here("objdump", "-d", "-C", "--no-show-raw-insn", "program.o").split("\n\n")
        run = "\n".join(one for one in functions if "::run(" in one.lstrip("\n").partition("\n")[0])
        self.assertGreaterEqual(len(re.findall(r"\tv(?:mul|fmadd\w*)ps ", run)), 4 * 9)

    def test_a_sum_stays_in_a_register_where_its_iteration_draws_a_number(self):
        """A call after the sum would make g++ keep it in memory, also in the inner loop."""
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(SAMPLED)
        self.run_here(*quick_compiler("-O3", "-march=x86-64-v3"), "-c", "program.cpp")
        functions = self.run_here("objdump", "-d", "-C", "--no-show-raw-insn", "program.o").split("\n\n")
        run = "\n".join(one for one in functions if "::run(" in one.lstrip("\n").partition("\n")[0])
        self.assertTrue(re.findall(r"\tvaddss ", run))
        self.assertEqual(re.findall(r"\tvaddss .*\(%[re]sp\).*", run), [])

    def test_an_inner_loop_over_numbers_calls_nothing_beside_a_captured_object(self):
        """Interleaved, it would call a function for each v[j]."""
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(SCALED)
        self.assertNotIn("stradsap_interleaved", self.run_here(COMPILER, "--show-rewrite", "-O3", "-c", "program.cpp"))
        pointer = SCALED.replace("float sum", "const float* w = &v[0];\n    float sum").replace("* v[j]", "* w[j]")
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(pointer)
        self.assertIn("stradsap_interleaved", self.run_here(COMPILER, "--show-rewrite", "-O3", "-c", "program.cpp"))

    def test_iterations_that_keep_to_their_own_elements_are_done_by_whole_registers(self):
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(ALIGNED)
        for flags in ([], ["-ffast-math"]):
            self.run_here(*quick_compiler("-O3", "-march=x86-64-v3", *flags), "-c", "program.cpp")
            functions = self.run_here("objdump", "-d", "-C", "--no-show-raw-insn", "program.o").split("\n\n")
            run = "\n".join(one for one in functions if "::run(" in one.lstrip("\n").partition("\n")[0])
            self.assertTrue(FUSED.findall(run), flags)

    def code_that_runs(self, source, *flags):
        """The assembly of the bodies, for the AVX2 units of x86."""
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(source)
        self.run_here(*quick_compiler("-O3", "-march=x86-64-v3", *flags), "-c", "program.cpp")
        functions = self.run_here("objdump", "-d", "-C", "--no-show-raw-insn", "program.o").split("\n\n")
        return "\n".join(one for one in functions if "::run(" in one.lstrip("\n").partition("\n")[0])

    def test_rows_that_elements_own_are_prefetched(self):
        """A list names the elements of later iterations. These are prefetched first, then their rows, by loops."""
        prefetches = re.findall(r"\tprefetch.*", self.code_that_runs(COUNTED))
        self.assertGreaterEqual(len(prefetches), 2 * (4 + 1))

    def test_iterations_that_read_their_own_elements_of_captured_vectors_are_done_by_whole_registers(self):
        for flags in ([], ["-ffast-math"]):
            code = self.code_that_runs(ROW, *flags)
            self.assertTrue(FUSED.findall(code), flags)
            self.assertEqual(re.findall(r"\tv(?:unpcklps|insertps) .*", code), [], flags)

    def test_a_loop_with_a_condition_is_done_by_whole_registers(self):
        """The check before it covers elements that rounds may not reach, so it never throws."""
        self.assertTrue(FUSED.findall(self.code_that_runs(MASKED, "-march=x86-64-v4")))

    def test_roots_are_taken_by_whole_registers(self):
        """g++ packs no root that may set errno."""
        self.assertRegex(self.code_that_runs(ROOTS), r"\tvsqrtps .*%ymm")
        self.assertNotRegex(self.code_that_runs(ROOTS, "-fmath-errno"), r"\tvsqrtps .*%ymm")

    def test_whole_numbers_are_folded_by_whole_registers(self):
        for flags in ([], ["-ffast-math"]):
            code = self.code_that_runs(FOLDED, *flags)
            for instruction in ("vpminsd", "vpmulld|vpslld", "vpsubd|vpaddd", "vcmp\\w*ps"):
                self.assertTrue(re.search(rf"\t(?:{instruction}) .*%ymm", code), (instruction, flags))

    def test_a_sum_of_fractions_is_added_in_a_register_and_regrouped_if_allowed(self):
        code = self.code_that_runs(SUMMED)
        loops = [one for one in re.split(r"\n(?=.*\tj)", code) if re.search(r"\tvaddsd ", one)]
        self.assertTrue(loops, "the sum fuses with its product")
        self.assertFalse(any(re.search(r"\tvmovsd +%xmm\d+,.*\(%rsp\)", one) for one in loops), "the sum is in memory")
        self.assertTrue(re.search(r"\tv(?:addpd|fmadd\w*pd) .*%ymm", self.code_that_runs(SUMMED, "-ffast-math")))

    def test_a_condition_that_a_loop_does_not_change_is_asked_before_it(self):
        """On every entry, the inner loops of cd_mf test whether it is the row's first visit."""
        with open(os.path.join(EXAMPLE, "..", "cd_mf", "cd_mf.cpp"), encoding="utf-8") as file:
            source = file.read()
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(source)
        self.run_here(*quick_compiler("-O3", "-march=x86-64-v3"), "-c", "program.cpp", "-fopt-info-loop-optimized=notes")
        with open(os.path.join(self.folder, "notes"), encoding="utf-8") as file:
            taken_out = sum("Unswitching loop on condition" in line for line in file)
        self.assertGreaterEqual(taken_out, 10, "two loops for each of five ranks")

    def test_a_sum_stays_in_a_register_before_accesses_that_may_ask_the_runtime(self):
        """A handler in the loop's function would make g++ keep the sum in memory for calls that may throw to it."""
        for flags in ([], ["-ffast-math"]):
            code = self.code_that_runs(GATHERED, *flags)
            loops = [one for one in re.split(r"\n(?=.*\tj)", code) if re.search(r"\tv(?:add|sub)ss ", one)]
            self.assertGreaterEqual(len(loops), 4, flags)
            fast = [one for one in loops if "\tcall" not in one]
            self.assertEqual([one for one in fast if re.search(r"\tvmovss .*\(%rsp\)", one)], [], flags)

    def test_a_captured_lambda_reads_elements_without_a_call(self):
        code = self.code_that_runs(HELPED)
        self.assertTrue(re.search(r"\tvaddss ", code))
        self.assertNotIn("far_element", self.run_here("nm", "-uC", "program.o"))


if __name__ == "__main__":
    unittest.main()
