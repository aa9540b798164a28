// Messages that are delivered late: in their order, and not before they are due.
#include "runtime/net/delayed_delivery.hpp"

#include <chrono>

#include "tests/support/catch.hpp"
#include "tests/support/mesh.hpp"

using namespace stradsap::rt;

TEST_CASE("Delayed messages come in their order, and when they are due", "[net]") {
  ear to;
  delayed_delivery late(to, std::chrono::milliseconds(20));
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t k = 0; k < 5; ++k) late.received(1, numbered(k, 3));
  const auto heard = to.wait(5);
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(20));
  REQUIRE(heard.size() == 5);
  CHECK(are_numbered(heard, [](std::uint32_t) { return std::size_t{3}; }));
}

TEST_CASE("The end of the program is not delayed, nor is the loss of a peer", "[net]") {
  ear to;
  delayed_delivery late(to, std::chrono::hours(1));
  late.received(0, numbered(0, 3));
  late.received(0, shutdown{});
  late.peer_lost(0, "gone");
  const auto heard = to.wait(1);
  REQUIRE(heard.size() == 1);
  CHECK(std::holds_alternative<shutdown>(heard[0].second));
  CHECK(to.wait_for_loss() == std::vector<rank_id>{0});
}
