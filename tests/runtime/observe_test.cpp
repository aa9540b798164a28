// The alarms on reported values, the words of a summary, and the counts behind the progress line.
#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "runtime/base/work_counter.hpp"
#include "runtime/observe/alarms.hpp"
#include "runtime/observe/summary.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap;

namespace {

/// The numbers of the reports that cause a warning.
std::vector<int> alarms_at(const std::string& name, const std::vector<double>& values) {
  rt::alarms watched("objective,loss");
  std::vector<int> found;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!watched.look_at(name, values[k]).empty()) found.push_back(static_cast<int>(k));
  }
  return found;
}

rt::launch_record launch_of(double seconds, std::vector<rt::counters> work) {
  rt::launch_record record;
  record.site = "a.cpp:7";
  record.seconds = seconds;
  record.executors = static_cast<int>(work.size());
  record.work = std::move(work);
  return record;
}

rt::counters worked(double plan, double compute, double wait) {
  rt::counters one;
  one.seconds_plan = plan;
  one.seconds_compute = compute;
  one.seconds_wait = wait;
  return one;
}

}  // namespace

TEST_CASE("a loss causes a warning at its third rise running, once", "[observe]") {
  REQUIRE(alarms_at("loss", {1, 2, 3, 4, 5, 6, 7}) == std::vector<int>{3});
  REQUIRE(alarms_at("objective", {5, 1, 2, 3, 3, 4, 5, 6}) == std::vector<int>{7});
  REQUIRE(alarms_at("loss", {1, 2, 3, 2, 3, 4}).empty());
  REQUIRE(alarms_at("accuracy", {1, 2, 3, 4, 5}).empty());
}

TEST_CASE("a value that is not finite causes a warning once, whatever its name", "[observe]") {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  REQUIRE(alarms_at("accuracy", {1, nan, nan, infinite}) == std::vector<int>{1});
  REQUIRE(alarms_at("loss", {1, 2, 3, -infinite, 4}) == std::vector<int>{3});
}

TEST_CASE("the summary names the container that executors wait for", "[observe]") {
  rt::run_stats stats(2);
  rt::launch_record record = launch_of(4, {worked(0.5, 2, 1.2), worked(0.5, 1, 2.2)});
  record.waits = {{"P", 0.4}, {"Q", 3.0}};
  stats.add(record);
  const std::vector<std::string> lines = rt::summary_of(stats, 5, 2, 1);
  REQUIRE(lines.size() == 3);
  REQUIRE(lines[1] ==
          "summary: a.cpp:7: 1 call took 4 s: computing 1.5 s, waiting 1.7 s, planning 0.5 s, moving 0.3 s; "
          "rank 0 computes longest, 1.33 times the mean; 0 bytes sent");
  REQUIRE(lines[2].starts_with("summary: 34 % of the time is waiting for `Q` in a.cpp:7: "));
}

TEST_CASE("the summary tells how many calls the iterations of a stale loop missed", "[observe]") {
  rt::run_stats stats(2);
  for (const auto& [first, second] : {std::pair(0, 0), std::pair(1, 0), std::pair(3, 2)}) {
    rt::launch_record record = launch_of(4, {worked(0, 4, 0), worked(0, 4, 0)});
    record.planner = "free clocks";
    record.work[0].clocks = record.work[1].clocks = 1;
    record.work[0].staleness = static_cast<std::uint64_t>(first);
    record.work[1].staleness = static_cast<std::uint64_t>(second);
    stats.add(record);
  }
  REQUIRE(stats.total().clocks == 6);
  REQUIRE(stats.total().staleness == 6);
  REQUIRE(stats.loops().front()->staleness.calls == std::vector<std::uint64_t>{3, 1, 1, 1});
  REQUIRE(rt::summary_of(stats, 5, 2, 1)
              .at(1)
              .ends_with("; calls miss 1.00 earlier ones on average, at most 3, by their times: another run "
                         "has other bits"));
}

TEST_CASE("the summary tells the updates of a dynamic loop and whether it converged", "[observe]") {
  const auto line = [](const char* planner, bool converged) {
    rt::run_stats stats(1);
    rt::launch_record record = launch_of(4, {worked(0, 4, 0)});
    record.planner = planner;
    record.iterations = 5000;
    record.converged = converged;
    stats.add(record);
    return rt::summary_of(stats, 5, 1, 1).at(1);
  };
  REQUIRE(line("dynamic", true).ends_with("; 5000 updates; the last call converged"));
  REQUIRE(line("dynamic", false).ends_with("; 5000 updates; the last call ended at its limit"));
  REQUIRE(line("blocks", false).find("update") == std::string::npos);
}

TEST_CASE("the summary says that other ranks are idle in a loop with large additions", "[observe]") {
  rt::launch_record record = launch_of(4, {worked(0, 4, 0), worked(0, 0, 0)});
  record.accumulated = {"G", "H", "few"};
  const auto says_so = [&](bool are_large, double seconds, int ranks) {
    rt::run_stats stats(ranks);
    record.too_large = are_large ? std::vector<std::string>{"G", "H"} : std::vector<std::string>{};
    stats.add(record);
    const std::vector<std::string> lines = rt::summary_of(stats, seconds, ranks, 1);
    return lines.size() == 4 &&
           lines[2].starts_with(
               "summary: a.cpp:7 runs on rank 0 only, because its additions into `G`, `H` are");
  };
  REQUIRE(says_so(true, 5, 2));
  REQUIRE_FALSE(says_so(false, 5, 2));
  REQUIRE_FALSE(says_so(true, 500, 2));
  record.work.resize(1);
  REQUIRE_FALSE(says_so(true, 5, 1));
}

TEST_CASE("the summary names a loop that makes a new plan at most calls", "[observe]") {
  const auto says_so = [](int plans, int calls, double seconds) {
    rt::run_stats stats(1);
    for (int call = 0; call < calls; ++call) {
      rt::launch_record record = launch_of(1, {worked(0.1, 0.9, 0)});
      record.planned = call < plans;
      stats.add(record);
    }
    const std::vector<std::string> lines = rt::summary_of(stats, seconds, 1, 1);
    return lines.size() == 4 && lines[2].starts_with(
                                    "summary: a.cpp:7 made a new plan in 5 of 5 calls, because containers "
                                    "are new, or sizes or the "
                                    "data behind subscripts changed; make containers before the outer loop; "
                                    "if an order is shuffled");
  };
  REQUIRE(says_so(5, 5, 10));
  REQUIRE_FALSE(says_so(2, 5, 10));
  REQUIRE_FALSE(says_so(5, 10, 10));
  REQUIRE_FALSE(says_so(2, 2, 10));
  REQUIRE_FALSE(says_so(5, 5, 100));
}

TEST_CASE("the summary says which part of the time is largest", "[observe]") {
  const auto sentence = [](rt::launch_record record, double seconds) {
    rt::run_stats stats(1);
    stats.add(record);
    return rt::summary_of(stats, seconds, 1, 1).back();
  };
  REQUIRE(
      sentence(launch_of(9, {worked(0, 9, 0)}), 10).starts_with("summary: 90 % of the time is computing: "));
  REQUIRE(sentence(launch_of(2, {worked(0, 2, 0)}), 10)
              .starts_with("summary: 80 % of the time is outside loops"));
  REQUIRE(sentence(launch_of(9, {worked(6, 3, 0)}), 10).starts_with("summary: 60 % of the time is planning"));
  REQUIRE(sentence(launch_of(9, {worked(0, 3, 0)}), 10).starts_with("summary: 60 % of the time is moving"));
}

TEST_CASE("the summary has a line for each file that is read or saved", "[observe]") {
  rt::run_stats stats(1);
  stats.add_operation("reading a.csv", 2.5);
  stats.add_operation("saving P.npy", 0.5);
  stats.add_operation("reading a.csv", 4.5);
  stats.add(launch_of(1, {worked(0, 1, 0)}));
  const std::vector<std::string> lines = rt::summary_of(stats, 10, 1, 1);
  REQUIRE(lines.size() == 5);
  REQUIRE(lines[1] == "summary: reading a.csv: 2 calls took 7 s");
  REQUIRE(lines[2] == "summary: saving P.npy: 1 call took 0.5 s");
  REQUIRE(lines[3].starts_with("summary: a.cpp:7: 1 call took 1 s"));
  REQUIRE(lines[4].starts_with("summary: 70 % of the time is reading a.csv; "));
}

TEST_CASE("the summary advises against parsing only where text is parsed", "[observe]") {
  const auto sentence = [](const char* operation) {
    rt::run_stats stats(1);
    stats.add_operation(operation, 9);
    return rt::summary_of(stats, 10, 1, 1).back();
  };
  REQUIRE(sentence("reading a.csv") ==
          "summary: 90 % of the time is reading a.csv; load_npy reads what save_npy wrote without parsing");
  REQUIRE(sentence("reading x.npy") == "summary: 90 % of the time is reading x.npy");
  REQUIRE(sentence("saving words.jsonl") == "summary: 90 % of the time is saving words.jsonl");
}

TEST_CASE("bytes that a loop of the library sent are not those of the next loop", "[observe]") {
  rt::run_stats stats(1);
  rt::counters read = worked(0, 1, 0);
  read.bytes_sent = 5000;
  stats.add_bytes({read});
  rt::launch_record record = launch_of(1, {worked(0, 1, 0)});
  record.work[0].bytes_sent = 5030;
  stats.add(record);
  REQUIRE(stats.loops()[0]->bytes_sent == 30);
  REQUIRE(stats.total().bytes_sent == 5030);
}

TEST_CASE("the summary has the connections of strangers that all ranks refused", "[observe]") {
  rt::run_stats stats(2);
  rt::launch_record record = launch_of(4, {worked(0, 2, 0), worked(0, 2, 0)});
  const auto has_strangers = [&] {
    stats.add(record);
    const auto lines = rt::summary_of(stats, 4, 2, 1);
    return std::count(lines.begin(), lines.end(),
                      "summary: refused 5 connections of strangers, which had no key of this run");
  };
  CHECK(has_strangers() == 0);
  record.work[0].refused = 3;  // since the start of the run
  record.work[1].refused = 2;
  CHECK(has_strangers() == 1);
  CHECK(has_strangers() == 1);
}

TEST_CASE("a run without loops has a summary", "[observe]") {
  REQUIRE(rt::summary_of(rt::run_stats(1), 0, 1, 1).size() == 2);
}

TEST_CASE("work counts from the begin of its stage, by all executors", "[observe]") {
  rt::work_counter work(2);
  work.add(0, 5);
  work.begin(rt::work_stage::running, 100);
  std::thread other([&] { work.add(1, 30); });
  work.add(0, 20);
  other.join();
  const rt::work_counter::state now = work.now();
  REQUIRE(now.stage == rt::work_stage::running);
  REQUIRE(now.done == 50);
  REQUIRE(now.total == 100);
}
