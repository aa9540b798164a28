#include "runtime/observe/hang_report.hpp"

#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

using states = std::vector<std::optional<rank_state>>;

rank_state waiting_rank(std::vector<awaited_rank> awaits) {
  return {"process 7 on a", "x.cpp:3", std::move(awaits), {}};
}

}  // namespace

TEST_CASE("The awaited rank is the one at the end of the waits", "[observe]") {
  const states ranks{waiting_rank({{1, "done"}}), waiting_rank({{2, "elements"}}), waiting_rank({})};
  CHECK(awaited_ranks(ranks) == std::vector<rank_id>{2});
}

TEST_CASE("A rank without an answer is awaited, and one that is between loops only if it is named",
          "[observe]") {
  CHECK(awaited_ranks({waiting_rank({{1, "done"}}), std::nullopt}) == std::vector<rank_id>{1});
  const rank_state between{"process 7 on a", "", {}, {}};
  CHECK(awaited_ranks({between, waiting_rank({})}) == std::vector<rank_id>{1});
  CHECK(awaited_ranks({between, waiting_rank({{0, "changes"}})}) == std::vector<rank_id>{0});
}

TEST_CASE("Ranks that all wait are an error of the library", "[observe]") {
  const states ranks{waiting_rank({{1, "step 2"}}), waiting_rank({{0, "step 3"}})};
  CHECK(awaited_ranks(ranks).empty());
  CHECK(hang_report(std::chrono::seconds(5), ranks).find("each rank waits for another one") !=
        std::string::npos);
}

TEST_CASE("The report has a line for each wait and each place of threads", "[observe]") {
  rank_state busy = waiting_rank({});
  busy.stacks = lines_of({{"main thread", "read", {"x.cpp:5", "x.cpp:3"}, ""}, {"executor 1", "", {}, ""}});
  CHECK(
      hang_report(std::chrono::seconds(5), {waiting_rank({{1, "done"}}), busy}) ==
      "no progress for 5 s: no rank has finished a block of iterations, received a message or begun a loop; "
      "waiting for: rank 1\n"
      "  rank 0 (process 7 on a), in the loop at x.cpp:3:\n"
      "    waits for rank 1: done\n"
      "  rank 1 (process 7 on a), in the loop at x.cpp:3:\n"
      "    main thread: x.cpp:5, in read, called from x.cpp:3\n"
      "    executor 1: outside the program\n");
}

TEST_CASE("Threads in one place share a line, and silent ones have their reason", "[observe]") {
  const std::vector<std::string> lines = lines_of({{"executor 1", "", {"x.cpp:5"}, ""},
                                                   {"executor 2", "", {"x.cpp:5"}, ""},
                                                   {"executor 3", "", {}, "does not answer"}});
  CHECK(lines == std::vector<std::string>{"executor 1, executor 2: x.cpp:5", "executor 3: does not answer"});
}
