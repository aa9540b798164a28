// The groups that leave a rank before its blocks run.
#include <numeric>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/loop/accumulate/element_copies.hpp"
#include "runtime/loop/blocks/execution.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;
namespace abi = stradsap::abi;

namespace {

/// Keeps the groups of the tokens that are sent.
struct recorder final : transport {
  void send(rank_id to, message m) override {
    const auto& sent = std::get<token>(m);
    groups.push_back({to, sent.group});
  }
  void listen() override {}
  void expect_departures() override {}
  [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }
  [[nodiscard]] std::uint64_t bytes_received() const override { return 0; }
  std::vector<std::pair<rank_id, std::uint32_t>> groups;
};

bool run_nothing(const void* const*, abi::block_source& blocks) {
  while (blocks.next() != nullptr) {
  }
  return true;
}

}  // namespace

TEST_CASE("groups leave their owner in the order in which their first blocks come", "[loop]") {
  const abi::element_ops ops{1, 1, true, false, false, {}};
  const abi::capture_info capture{
      .kind = abi::capture_kind::container, .mode = abi::reads | abi::writes, .ops = &ops, .name = "x"};
  const abi::loop_entry entry{0,       0, typeid(void), &capture,     1,
                              nullptr, 0, &run_nothing, &run_nothing, nullptr};
  const std::vector<std::uint32_t> group_of_block{2, 0, 3, 1, 0};
  plan p;
  p.tokens = {{0, 0}, {0, 1}, {0, 2}, {0, 3}};
  for (std::uint32_t b = 0; b < group_of_block.size(); ++b) {
    plan_block block{b, 1, 1};
    block.rank = b == 3 ? 2 : 1;
    p.block_tokens.push_back(group_of_block[b]);
    p.blocks.push_back(block);
  }
  p.order.resize(p.blocks.size());
  std::iota(p.order.begin(), p.order.end(), 0);
  replica owned(container_id{0}, ops, 4, nullptr, driver_rank, [](replica&, const auto&) {});
  owned.cut(partition({1, 2, 3, 4}, {0, 0, 0, 0}));
  owned.set_owner(0, driver_rank);
  recorder net;
  copies_store store;
  executor_pool pool(1, wait_policy{});
  launch l;
  l.id = launch_id{1};
  loop_frame frame(make_frame(entry, l, 0, {}, {&owned}));
  execution loop(frame, p, p.order, loop_place{l.id, driver_rank, 3, &net, 1, {}, store});
  (void)loop.run(pool);
  CHECK(net.groups == std::vector<std::pair<rank_id, std::uint32_t>>{{1, 2}, {1, 0}, {1, 3}, {2, 1}});
}
