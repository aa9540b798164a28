// Logs written by hand, right and wrong, and the result of find_serial_order() for each.
#include "runtime/observe/serial_order.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// A launch over two elements, 100 and 200, of one container `P`. Both are 0 at first, and iteration j stands
/// on line j.
class made_evidence {
 public:
  explicit made_evidence(std::vector<std::uint32_t> declared, std::int64_t n) {
    seen_ = {"loop.cpp:9", {"P"}, n, std::move(declared), false, std::vector<access_log>(1)};
    seen_.logs[0].start = {{0, 100, {0}}, {0, 200, {0}}};
    seen_.logs[0].end = {{0, 100, {0}}, {0, 200, {0}}};
  }
  /// Iteration j runs in block j.
  made_evidence& ran(std::int64_t j) {
    log().iterations.push_back({j, static_cast<std::uint32_t>(j)});
    log().places.push_back("body.cpp:" + std::to_string(j));
    return *this;
  }
  /// The iteration reads this version and this value, and leaves `after`.
  made_evidence& wrote(std::uint64_t element, std::uint64_t version, std::uint64_t before,
                       std::uint64_t after) {
    return touched(element, version, before, after, /*writes=*/true);
  }
  made_evidence& read(std::uint64_t element, std::uint64_t version, std::uint64_t value) {
    return touched(element, version, value, value, /*writes=*/false);
  }
  made_evidence& torn() {
    log().touches.back().torn = true;
    return *this;
  }
  made_evidence& ends(std::uint64_t first, std::uint64_t second) {
    log().end = {{0, 100, {first}}, {0, 200, {second}}};
    return *this;
  }
  made_evidence& failed() {
    seen_.failed = true;
    return *this;
  }
  [[nodiscard]] serial_order_verdict found() const { return find_serial_order(seen_); }
  [[nodiscard]] std::string fault() const { return found().fault; }

 private:
  access_log& log() { return seen_.logs[0]; }
  made_evidence& touched(std::uint64_t element, std::uint64_t version, std::uint64_t before,
                         std::uint64_t after, bool writes) {
    const auto run = static_cast<std::uint32_t>(log().iterations.size() - 1);
    log().touches.push_back({run, 0, element, version, before, after, run, writes, false});
    return *this;
  }
  launch_evidence seen_;
};

}  // namespace

TEST_CASE("a serial order is found from what iterations saw, whatever the order of the log", "[observe]") {
  made_evidence seen({2, 0, 1, 3}, 4);
  seen.ran(3).read(100, 2, 8).ran(0).wrote(100, 1, 5, 8).ran(2).wrote(100, 0, 0, 5).wrote(200, 0, 0, 1);
  seen.ran(1).read(200, 1, 1).ends(8, 1);
  const serial_order_verdict verdict = seen.found();
  CHECK(verdict.fault.empty());
  CHECK(verdict.order == std::vector<std::int64_t>{2, 0, 1, 3});
}

TEST_CASE("readers of one version have no order among themselves", "[observe]") {
  made_evidence seen({1, 0, 2}, 3);
  seen.ran(0).read(100, 0, 0).ran(1).read(100, 0, 0).ran(2).wrote(100, 0, 0, 7).ends(7, 0);
  CHECK(seen.found().order == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("a cycle of conflicts is no serial order", "[observe]") {
  made_evidence seen({0, 1}, 2);
  seen.ran(0)
      .wrote(100, 0, 0, 1)
      .wrote(200, 1, 2, 3)
      .ran(1)
      .wrote(200, 0, 0, 2)
      .wrote(100, 1, 1, 4)
      .ends(4, 3);
  CHECK(
      seen.fault() ==
      "body.cpp:0: error: no serial order: iteration 0 (body.cpp:0) finds element 200 of `P` as iteration 1 "
      "(body.cpp:1) left it, and comes before it elsewhere (0 <- 1 <- 0)");
}

TEST_CASE("a cycle through readers alone on one side is found", "[observe]") {
  made_evidence seen({0, 1}, 2);
  seen.ran(0).read(100, 0, 0).wrote(200, 0, 0, 3).ran(1).read(200, 0, 0).wrote(100, 0, 0, 4).ends(4, 3);
  CHECK(seen.fault().find("no serial order") != std::string::npos);
}

TEST_CASE("an order that the plan does not declare is a fault", "[observe]") {
  made_evidence seen({0, 1}, 2);
  seen.ran(1).wrote(100, 0, 0, 1).ran(0).wrote(100, 1, 1, 2).ends(2, 0);
  CHECK(
      seen.fault() ==
      "body.cpp:0: error: iteration 0 (body.cpp:0) finds element 100 of `P` as iteration 1 (body.cpp:1) left "
      "it, which the plan has later");
}

TEST_CASE("two changes of one version lose one of them", "[observe]") {
  made_evidence seen({0, 1}, 2);
  seen.ran(0).wrote(100, 0, 0, 1).ran(1).wrote(100, 0, 0, 2).ends(2, 0);
  CHECK(
      seen.fault() ==
      "body.cpp:1: error: iteration 0 (body.cpp:0) and iteration 1 (body.cpp:1) both find element 100 of `P` "
      "as change 0 left it: one change is lost or unseen");
}

TEST_CASE("versions that nobody made are a fault", "[observe]") {
  made_evidence seen({0}, 1);
  seen.ran(0).wrote(100, 3, 0, 1).ends(1, 0);
  CHECK(seen.fault().find("after 3 changes, of which only 0 are known") != std::string::npos);
}

TEST_CASE("a value that is not what the one before left is a fault", "[observe]") {
  made_evidence from_iteration({0, 1}, 2);
  from_iteration.ran(0).wrote(100, 0, 0, 1).ran(1).wrote(100, 1, 9, 2).ends(2, 0);
  CHECK(from_iteration.fault() ==
        "body.cpp:1: error: iteration 1 (body.cpp:1) does not find element 100 of `P` as iteration 0 "
        "(body.cpp:0) left it");
  made_evidence from_start({0}, 1);
  from_start.ran(0).read(100, 0, 5);
  CHECK(from_start.fault().find("as the start of the loop left it") != std::string::npos);
  made_evidence at_end({0}, 1);
  at_end.ran(0).wrote(100, 0, 0, 5).ends(6, 0);
  CHECK(at_end.fault() ==
        "body.cpp:0: error: element 100 of `P` is not at the end of the loop what iteration 0 (body.cpp:0) "
        "left");
}

TEST_CASE("an element that changes while it is used is a fault", "[observe]") {
  made_evidence seen({0}, 1);
  seen.ran(0).wrote(100, 0, 0, 1).torn().ends(1, 0);
  CHECK(seen.fault() == "body.cpp:0: error: element 100 of `P` changed while iteration 0 was using it");
}

TEST_CASE("each iteration runs once, unless the loop failed", "[observe]") {
  CHECK(made_evidence({0, 1}, 2).ran(0).ran(0).fault() == "loop.cpp:9: error: iteration 0 ran twice");
  CHECK(made_evidence({0, 1}, 2).ran(0).fault() == "loop.cpp:9: error: iteration 1 did not run");
  CHECK(made_evidence({0, 1}, 2).ran(0).failed().fault().empty());
}
