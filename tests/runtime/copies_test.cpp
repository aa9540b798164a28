#include <memory>
#include <vector>

#include "runtime/dds/copies.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// Records the sent messages.
class notebook final : public transport {
 public:
  void send(rank_id to, message m) override { sent.emplace_back(to, std::move(m)); }
  void listen() override {}
  void expect_departures() override {}
  [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }
  [[nodiscard]] std::uint64_t bytes_received() const override { return 0; }
  std::vector<std::pair<rank_id, message>> sent;
};

}  // namespace

static const stradsap::abi::element_ops byte_ops{1, 1, true, true, false, {}};

static fetch_request ask(moment as_of) { return {container_id{7}, 0, 3, as_of}; }

TEST_CASE("an owner answers who is ahead once it has come so far, and who is behind at once", "[dds]") {
  notebook net;
  copy_service copies{wait_policy{}};
  copies.connect(&net, {});
  copies.add(std::make_unique<replica>(container_id{7}, byte_ops, 3, nullptr, driver_rank,
                                       [](replica&, const auto&) {}));
  copies.reach({launch_id{1}, 5});
  copies.received(1, ask({launch_id{1}, 5}));
  CHECK(net.sent.size() == 1);
  copies.received(2, ask({launch_id{2}, 1}));
  copies.received(1, ask({launch_id{2}, 0}));
  CHECK(net.sent.size() == 1);
  copies.reach({launch_id{2}, 0});
  REQUIRE(net.sent.size() == 2);
  CHECK(net.sent[1].first == 1);
  copies.reach({launch_id{2}, 9});
  REQUIRE(net.sent.size() == 3);
  CHECK(net.sent[2].first == 2);
  CHECK(std::get<fetch_reply>(net.sent[2].second).elements == bytes(3));
}
