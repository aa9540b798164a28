"""stradsap-cc --explain: a remark for each thing that a loop's user may ask, at the body's place, and nothing else changes."""

import pathlib
import unittest

from driver_case import DriverCase, main

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

PROGRAM = """#include <cmath>
#include <stradsap/stradsap.hpp>
struct edge { int from, to; double weight; };
int main() {
  stradsap::dvector<edge> edges(10);
  stradsap::dvector<double> exact(10), guarded(10), counts(10);
  int shift = 1;
  double sum = 0;
  stradsap::async_for(10, [&edges, &exact, &counts, shift](int64_t j) {
    exact[(edges[j].from + shift) % 10] = counts[0];
  });
  stradsap::async_for(10, [&edges, &guarded, &counts](int64_t j) {
    if (guarded[edges[j].from] > 0) counts[edges[j].to] += 1;
    guarded[edges[j].from] -= 1;
  });
  stradsap::async_for(10, [&edges, &sum](int64_t j) { sum += edges[j].weight; });
  stradsap::async_for(10, [&edges, &exact](int64_t j) {
    auto pick = [&edges](auto k) { return edges[k].to; };
    exact[pick(j)] = 1;
  });
  stradsap::async_for(10, [&exact](int64_t j) { exact[stradsap::random(j).below(10)] = 1; });
  stradsap::dmap<int, long> keyed;
  stradsap::async_for(10, [&edges, &keyed](int64_t j) { ++keyed[edges[j].from]; });
  stradsap::dvector<int> next(10);
  stradsap::async_for(10, [&next](int64_t j) {
    next[next[j]] = 0;
  });
  stradsap::async_for(10, [&edges, &keyed, &exact](int64_t j) { ++keyed[edges[j].from]; exact[edges[j].to] = 1; });
  stradsap::async_for(10, [&edges, &counts](int64_t j) { counts[edges[j].to] += 1; });
}
"""


class Explain(DriverCase):
    def setUp(self):
        super().setUp()
        self.needs_header()

    def remarks(self, how="--dry-run"):
        """The remarks of each loop, by the line of its body; of transactions, also by the line of an access."""
        self.write("program.cpp", PROGRAM)
        done = self.cc("--explain", how, "program.cpp")
        found = {}
        for line in done.stderr.splitlines():
            place, kind, text = line.split(": ", 2)
            self.assertEqual(kind, "remark")
            found.setdefault(int(place.split(":")[1]), []).append(text)
        return found

    def test_variables_that_a_resumed_run_begins_anew_are_named(self):
        self.write("epochs.cpp", """#include <chrono>
            #include <cstdio>
            #include <fstream>
            #include <optional>
            #include <random>
            #include <string>
            #include <vector>
            #include <stradsap/stradsap.hpp>
            struct best { double loss = 1e9; int epoch = 0; void note(double x, int at) { if (x < loss) loss = x, epoch = at; } };
            struct model { stradsap::dvector<float> X; };
            static void halve(double& x) { x /= 2; }
            static double look(const double& x) { return x; }
            static int rounds = 0;
            int main() {
              stradsap::dvector<float> X(100);
              model m;
              std::optional<stradsap::dvector<float>> Y(X);
              std::mt19937 engine(1);
              std::vector<double> losses;
              std::ofstream log("/dev/null");
              best found;
              auto since = std::chrono::steady_clock::now();
              double rate = 1, sum = 0, loss = 0, kept = 0, step = 1, shown = 0, registered = 0;
              int epoch = 0, before = 0;
              ++before;
              const auto run = stradsap::resumable(epoch, registered);
              for (; epoch < 3; ++epoch) {
                run.save_point();
                loss = 0;
                stradsap::async_for(100, [&X, &loss, &sum](int64_t j) { X[j] += 1; loss += X[j]; sum += X[j]; });
                if (epoch == 1) kept = loss;
                std::printf("%g %g %d\\n", look(loss), kept, before);
                halve(rate);
                losses.push_back(loss * step);
                found.note(loss, epoch);
                registered += engine() % 7;
                log << loss << shown;
                since = std::chrono::steady_clock::now();
                int within = 0;
                ++within;
                ++rounds;
                m.X.push_back(1);
                Y->push_back(1);
                if (epoch == 2) run.save_point();
              }
              for (int i = 0; i < 3; ++i) shown += sum;
            }
            """)
        lines = [line for line in self.cc("--explain", "--dry-run", "epochs.cpp").stderr.splitlines() if "resumable" in line]
        self.assertEqual(lines, ["epochs.cpp:27:15: remark: this loop has a save point and changes `rounds`, `engine`, `losses`, `found`, "
                                 "`rate`, `sum`, `kept`, which resumable() does not name: a resumed run begins with the first value of each"])

    def test_each_loop_is_explained_at_its_body(self):
        self.assertEqual(sorted(self.remarks()), [9, 12, 16, 17, 21, 23, 25, 26, 28, 29])

    def test_the_fold_of_copies_is_said(self):
        self.write("folds.cpp", """#include <stradsap/stradsap.hpp>
            int main() {
              stradsap::dvector<int> seen(8), low(8), sums(8);
              stradsap::sync_for(80, 0, [&](int64_t j) { seen[j % 8] = 1; });
              stradsap::sync_for(80, 0, [&](int64_t j) { const int64_t v = 3 * j; if (v < low[j % 8]) low[j % 8] = v; });
              stradsap::sync_for(80, 0, [&](int64_t j) { sums[j % 8] = 2 * sums[j % 8] + 1; });
            }
            """)
        text = self.cc("--explain", "--dry-run", "folds.cpp").stderr
        where = " at computed places; where several shards change an element, "
        self.assertIn("`seen` is written" + where + "the last shard's value counts", text)
        self.assertIn("`low` is read and written" + where + "the least value counts", text)
        self.assertIn("`sums` is read and written" + where + "numbers take the sum of the shards' differences", text)

    def test_transactions_say_why_and_at_which_access(self):
        remarks = self.remarks()
        self.assertEqual(remarks[26], ["transactions: which element is used here depends on data in `next`, which this loop writes"])
        self.assertTrue(any(text.startswith("transactions: ") and "would be faster" in text for text in remarks[25]))
        self.assertIn("`next` is read and written at computed places (as transactions)", remarks[25])
        self.assertFalse(any("plan" in text for text in remarks[25]))

    def test_how_elements_are_found_and_how_surely(self):
        remarks = self.remarks()
        self.assertIn("`exact` is written at computed places (PROVEN by an exact slice)", remarks[9])
        self.assertIn("`edges` is read at the loop's index only (PROVEN)", remarks[9])
        self.assertIn("`counts` is only added into at computed places, accumulated: private copies, folded "
                      "(if large beside the iterations: fewer copies, or as what is written: cut, or in program order)", remarks[12])
        self.assertIn("`keyed` is only added into at computed places, accumulated: private copies, folded "
                      "(under `ordered`, or if entries are large: cut as what is written)", remarks[23])
        self.assertIn("`keyed` is only added into at computed places (PROVEN by an exact slice)", remarks[28])
        self.assertTrue(any("share no group of elements of `keyed` and `exact`;" in text for text in remarks[28]))
        self.assertIn("`exact` is written at computed places (RECORDED by running the body, each access checked)", remarks[17])
        self.assertTrue(any("a subscript needs a generic lambda" in text for text in remarks[17]))

    def test_what_limits_parallelism_and_what_makes_a_new_plan(self):
        remarks = self.remarks()
        self.assertIn("all iterations may run at the same time", remarks[16])
        self.assertIn("all iterations may run at the same time, if private copies of `counts` pay: then `accumulated` in the "
                      "statistics names it", remarks[29])
        self.assertIn("all iterations may run at the same time", remarks[23])
        self.assertTrue(any("share no group of elements of `guarded`;" in text for text in remarks[12]))
        self.assertTrue(any(text.endswith("what subscripts read of `edges` and `shift`") for text in remarks[9]))
        self.assertIn("planned at every call: subscripts depend on random numbers", remarks[21])

    def test_why_iterations_are_not_interleaved(self):
        remarks = self.remarks()
        self.assertIn("an executor runs iterations one by one: the body does not begin with a sum over an inner loop",
                      remarks[9])
        self.assertFalse(any("one by one" in text for text in remarks[16] + remarks[25]))

    def remarks_on(self, bodies):
        """The remarks on a loop for each body."""
        loops = [f"  stradsap::async_for(10, [&](int64_t j) {{ {body} }});" for body in bodies]
        self.write("bodies.cpp", "\n".join(["#include <cstring>", "#include <stradsap/stradsap.hpp>",
                                            "int out_of_sight(int64_t), also_there(int64_t);", "int main() {",
                                            "  stradsap::dvector<double> w(1000), v(1000);",
                                            "  stradsap::dvector<int> touched(10);",
                                            "  stradsap::dmap<int, double> keyed;", *loops, "}", ""]))
        lines = self.cc("--explain", "--dry-run", "bodies.cpp").stderr.splitlines()
        return [[line.split(": ", 2)[2] for line in lines if line.startswith(f"bodies.cpp:{8 + i}:")]
                for i in range(len(bodies))]

    def remarks_under(self, head, loop):
        """The remarks on the one loop of a program, in lines behind `head`."""
        self.write("stale.cpp", "\n".join(["#include <stradsap/stradsap.hpp>", "using namespace stradsap;", "int main() {",
                                           "  dvector<int> at(10);", head, loop, "}", ""]))
        done = self.cc("--explain", "--dry-run", "stale.cpp")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split(": ", 2)[2] for line in done.stderr.splitlines()]

    def test_reads_of_a_stale_loop_are_explained(self):
        body = "[&at, &w, &own](int64_t j) { own[j] = w[at[j]]++; }"
        seen = "`: of `w`, an iteration misses what iterations outside its own sixteenth of the loop change in this call"
        same = ", and nothing else: the same in every run. The call may return while other ranks run; a look of the program at it waits for all calls"
        head = "  dvector<int> w(10), own(10); const auto late = consistency::stale(1);"
        for model, remark in (
                ("consistency::stale(0)", "`consistency::stale(0)" + seen + same),
                ("consistency::stale(1)", "`consistency::stale(1)" + seen + ", and in the call before" + same),
                ("late", "`consistency::stale(1)" + seen + ", and in the call before" + same),
                ("consistency::stale(int(at.size()))",
                 "`consistency::stale(int(at.size()))" + seen + ", and in as many calls before as the bound says" + same),
                ("consistency::stale({.bound = 2, .free_running = true})",
                 "`consistency::stale({.bound=2,.free_running=true})" + seen + ", and in the 2 calls before, but for calls that have come: "
                 "timing decides which, and so the bits. The call may return while other ranks run; a look of the program at it "
                 "waits for all calls")):
            found = self.remarks_under(head, f"  parallel_for(10, {body}, {model});")
            self.assertIn(remark, [text.replace(" = ", "=").replace(", .", ",.") for text in found], model)
            self.assertIn("accumulators, which are sixteenths of the loop, run at the same time", found)
        found = self.remarks_under(head, "  parallel_for(10, [&own](int64_t j) { ++own[j]; }, consistency::stale(2));")
        self.assertIn("`consistency::stale(2)` changes nothing: the loop writes at its own index only", found)
        found = self.remarks_under(head, f"  parallel_for(10, {body}, consistency::sync);")
        self.assertFalse(any("stale" in text for text in found))

    def test_reads_of_a_stale_container_are_explained(self):
        loop = "  async_for(10, [&](int64_t j) { x[at[j]] = w[at[j]]; w[at[j]] *= 2; });"
        own = ": an iteration sees the changes of its own accumulator at once, and those of all others "
        end = ", the same in every run; no iteration waits for it"
        for model, remark in (("consistency::stale(0)", own + "from the next round on" + end),
                              ("late", own + "one round later than the next one" + end),
                              ("consistency::stale(3)", own + "3 rounds later than the next one" + end),
                              ("consistency::stale(0, consistency::hottest(2))",
                               ": of its hottest elements, an iteration sees the changes of its own accumulator at once, and those of "
                               "all others from the next round on, the same in every run; other elements are current")):
            head = f"  const auto late = consistency::stale(1);  dvector<int> x(10), w(10, {model});"
            found = self.remarks_under(head, loop)
            model = "consistency::stale(1)" if model == "late" else model
            self.assertIn(f"`w` is `{model}`{remark}", found)
            shared = [text for text in found if "share no group of elements of" in text]
            self.assertTrue(shared and "`w`" not in shared[0], found)
        computed = self.remarks_under("  const ConsistencyModel m[2] = {consistency::async, consistency::async};  "
                                      "dvector<int> x(10), w(10, m[at[0]]);", loop)
        self.assertIn("`w` has the model `m[at[0]]`, which the program computes: if that is consistency::stale, an iteration sees the "
                      "changes of its own accumulator at once, and those of all others late, the same in every run", computed)
        self.assertTrue(any("share no group of elements of `x` and `w`" in text for text in computed), computed)
        current = self.remarks_under("  dvector<int> x(10), w(10, consistency::async);", loop)
        self.assertFalse(any("model" in text for text in current))

    def test_a_loop_whose_hindering_containers_are_stale_is_explained_as_planned(self):
        loop = ("  async_for(10, [&](int64_t j) { const int old = totals[topic[j]]--; topic[j] = (x[at[j]] + old) % 10; "
                "++totals[topic[j]]; x[at[j]] = old; });")
        found = self.remarks_under("  dvector<int> x(10), topic(10), totals(10, consistency::stale(0));", loop)
        self.assertFalse(any("transactions" in text for text in found), found)
        self.assertIn("`totals` is read and written at computed places: in private copies", found)
        found = self.remarks_under("  dvector<int> x(10), topic(10), totals(10);", loop)
        self.assertTrue(any(text.startswith("transactions: ") for text in found), found)

    def test_a_condition_above_the_own_row_makes_no_new_plan(self):
        rows = "for (int k = 0; k < 4; ++k) w[j * 4 + k] = v[j * 4 + k] + 1;"
        own = [f"if (touched[j] == 0) return; {rows}", f"if (touched[j] != 0) {{ {rows} }}",
               "const int64_t row = 4 * j; for (int k = 0; k < 4; ++k) { if (touched[j] == k) continue; w[row + k] = 0; }"]
        others = [f"if (touched[j] == 0) return; {rows} w[(j + touched[j]) * 4] = 0;",  # another place
                  "if (touched[j] == 0) return; w[j * 4] = w[j * 4 + 4] + 1;",         # a neighbour's
                  "if (touched[j] == 0) return; w[j + 1] = 1;",
                  "if (touched[j] == 0) return; for (int k = 0; k < 900; ++k) w[j + k] = w[k];",
                  "int k = 0; if (touched[j] == 0) k = 1; w[j * 4 + k] = 1;"]
        kept = "the plan is kept until the number of iterations or a container's size changes"
        for body, remarks in zip(own + others, self.remarks_on(own + others)):
            self.assertIn(kept + (", or what subscripts read of `touched`" if body in others else ""), remarks, body)

    def test_unknown_subscripts_are_named(self):
        bodies = ["w[out_of_sight(j)] = 1;", "int64_t k = 0; if (out_of_sight(j) > 0) k = j / 2; w[k] = also_there(j);"]
        for body, remarks in zip(bodies, self.remarks_on(bodies)):
            self.assertIn("planned at every call: subscripts depend on `out_of_sight`, which stradsap-cc cannot follow",
                          remarks, body)

    def test_a_map_that_is_only_looked_up_is_read(self):
        kept = "the plan is kept until the number of iterations or a container's size changes"
        read, steered, written = self.remarks_on([
            "const auto at = keyed.find(7); if (at != keyed.end()) w[j] += at->second;",
            "const auto at = keyed.find(7); if (at != keyed.end()) w[j / 2] = 1;",
            "const auto at = keyed.find(7); if (at != keyed.end()) at->second += w[j];"])
        for remarks in (read, steered):
            self.assertIn("`keyed` is read at computed places: whole on every rank", remarks)
        self.assertIn(kept + ", or what subscripts read of `keyed`", steered)
        self.assertIn("`keyed` is read and written at computed places (PROVEN by an exact slice)", written)

    def test_bytes_of_one_element_are_that_element(self):
        one = ["sizeof(double)", "sizeof one", "sizeof w[j]", "8"]
        copies = [f"double one = 1; std::memcpy(&w[j], &one, {size}); std::memset(&v[j], 0, {size});" for size in one]
        two = "double two[2] = {}; std::memcpy(&w[j], two, sizeof two);"
        *of_one, of_two = self.remarks_on([*copies, two])
        for remarks in of_one:
            for name in "wv":
                self.assertIn(f"`{name}` is read and written at the loop's index only (PROVEN)", remarks)
        self.assertIn("`w` is read and written at computed places (PROVEN by an exact slice)", of_two)

    def test_a_member_reference_stays_with_its_object(self):
        """Data that a call is given are not those of the object's own references; a pointer could be set to them."""
        for member, planned in (("const links& all;", True), ("links& all;", True), ("const int* at;", False),
                                ("cursor& where;", False)):
            self.write("walk.cpp", """#include <vector>
#include <stradsap/stradsap.hpp>
struct links { std::vector<int> start, to; };
struct cursor { const int* at; };
struct walk {
  """ + member + """
  stradsap::dvector<float> seen;
  void go(const links& l, int i) {
    for (int e = l.start[i]; e < l.start[i + 1]; ++e) seen[l.to[e]] += 0.5f * seen[i];
  }
};
void run(walk& w, const links& l) {
  stradsap::async_for(3, [&](int i) { w.go(l, i); });
}
""")
            shown = self.cc("--explain", "--dry-run", "walk.cpp").stderr
            self.assertEqual("PROVEN by an exact slice" in shown, planned, member + shown)
            self.assertEqual("transactions: " in shown, not planned, member + shown)

    def test_objects_that_are_only_read_are_named_and_numbers_are_not(self):
        self.write("objects.cpp", """#include <vector>
#include <stradsap/stradsap.hpp>
int main() {
  stradsap::dvector<float> X(10);
  std::vector<float> table(10);
  float rate = 1;
  stradsap::async_for(10, [&](int64_t j) { X[j] += rate * table[j]; });
}
""")
        shown = self.cc("--explain", "--dry-run", "objects.cpp").stderr
        self.assertIn("`table` is only read (PROVEN): in place on rank 0; other ranks get it once, and again after a change", shown)
        self.assertNotIn("`rate`", shown)

    def test_the_object_is_written_all_the_same(self):
        self.remarks("-c")
        self.assertIn("program.o", self.files())

    def test_a_refused_source_has_errors_and_of_remarks_only_those_on_accesses(self):
        self.write("wrong.cpp", PROGRAM.replace("int shift = 1;", "int shift = 1, *p = &shift;").replace("&counts, shift]", "&counts, shift, p]"))
        done = self.cc("--explain", "-c", "wrong.cpp", status=1)
        self.assertIn("[SAP001]", done.stderr)
        self.assertEqual([line.split(": ")[0] for line in done.stderr.splitlines() if "remark" in line], ["wrong.cpp:26:5"])


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
