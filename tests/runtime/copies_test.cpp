// Fetches of copies, whole or by changed pages.
#define STRADSAP_INSTRUMENTED
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <stradsap/abi/operations.hpp>

#include "runtime/dds/copies.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fetching_ranks.hpp"

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

static fetch_request ask(moment as_of) { return {container_id{7}, 0, 3, as_of, {}}; }

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

namespace {

/// Rank 0 has a container, and rank 1 fetches it.
class two_ranks : public stradsap::test::fetching_ranks {
 public:
  explicit two_ranks(std::uint64_t size, const stradsap::abi::element_ops& ops = byte_ops)
      : fetching_ranks(size, ops), size_(size) {}

  /// Byte i of the elements.
  std::byte& owned(std::uint64_t i) { return original().at(0)[i]; }
  /// Rank 1 fetches all elements again. Returns the number of bytes that came.
  std::size_t fetch() {
    sent = hashes = 0;
    copy().drop_copies();
    copy().hold_all();
    return sent;
  }
  [[nodiscard]] bool is_same() { return std::memcmp(&owned(0), copy().at(0), size_) == 0; }
  [[nodiscard]] std::uint64_t unchanged() { return reader().bytes_unchanged(); }

 private:
  std::uint64_t size_;
};

}  // namespace

TEST_CASE("of elements that a rank fetches again, only the pages come that have changed", "[dds]") {
  constexpr std::uint64_t size = 1'000'003;  // the last page is shorter
  two_ranks ranks(size);
  for (std::uint64_t i = 0; i < size; ++i) ranks.owned(i) = static_cast<std::byte>(i * 7 >> 3);
  CHECK(ranks.fetch() == size);  // it had none before
  CHECK(ranks.hashes == 0);
  CHECK(ranks.fetch() == 0);
  CHECK(ranks.hashes == (size + 4095) / 4096);
  CHECK(ranks.unchanged() == size);
  for (const std::uint64_t i : {std::uint64_t{0}, std::uint64_t{500'000}, size - 1})
    ranks.owned(i) ^= std::byte{1};
  CHECK(ranks.fetch() == 2 * 4096 + size % 4096);
  CHECK(ranks.is_same());
}

TEST_CASE("copies that were changed here, or whose memory was freed, are fetched right", "[dds]") {
  constexpr std::uint64_t size = 300'000;
  two_ranks ranks(size);
  for (std::uint64_t i = 0; i < size; ++i) ranks.owned(i) = static_cast<std::byte>(i * 7 >> 3);
  (void)ranks.fetch();
  *ranks.copy().at(70'000) ^= std::byte{1};  // as by an iteration that failed
  CHECK(ranks.fetch() == 4096);
  CHECK(ranks.is_same());
  ranks.copy().free_copies_outside({0, 1});
  CHECK(ranks.fetch() == size);
  CHECK(ranks.hashes == 0);
  CHECK(ranks.is_same());
}

TEST_CASE("elements that travel by an encoding are compared by it, and have no stale parts", "[dds]") {
  constexpr std::uint64_t size = 20'000;
  const auto& ops = stradsap::abi::operations<std::string>::table;
  two_ranks ranks(size, ops);
  const auto owned = [&](std::uint64_t i) -> std::string& {
    return *reinterpret_cast<std::string*>(&ranks.owned(i * sizeof(std::string)));
  };
  const auto copied = [&](std::uint64_t i) -> std::string& {
    return *reinterpret_cast<std::string*>(ranks.copy().at(i));
  };
  for (std::uint64_t i = 0; i < size; ++i)
    owned(i) = "a text that has memory of its own, " + std::to_string(i);
  const std::size_t all = ranks.fetch();
  owned(7) = "short";
  owned(19'999)[0] = 'A';
  CHECK(ranks.fetch() < all / 20);
  copied(300) = "as by an iteration that failed";
  CHECK(ranks.fetch() > 0);
  for (std::uint64_t i = 0; i < size; ++i) REQUIRE(owned(i) == copied(i));
}

TEST_CASE("pages that always change are compared ever more seldom", "[dds]") {
  constexpr std::uint64_t size = 100'000;
  two_ranks ranks(size);
  int compared = 0;
  for (int pass = 0; pass < 200; ++pass) {
    for (std::uint64_t i = 0; i < size; i += 1000) ranks.owned(i) = static_cast<std::byte>(pass);
    CHECK(ranks.fetch() == size);
    compared += ranks.hashes != 0 ? 1 : 0;
    REQUIRE(ranks.is_same());
  }
  CHECK(compared < 20);
  for (int pass = 0; pass < 16; ++pass) (void)ranks.fetch();
  CHECK(ranks.fetch() == 0);  // it has noticed
}

TEST_CASE("requests and replies with pages that do not fit are refused", "[dds]") {
  notebook net;
  copy_service copies{wait_policy{}};
  copies.connect(&net, {});
  copies.add(std::make_unique<replica>(container_id{7}, byte_ops, 10'000, nullptr, driver_rank,
                                       [](replica&, const auto&) {}));
  replica& local = *copies.find(container_id{7});
  for (const std::size_t hashes : {1, 2, 4, 100})
    CHECK_THROWS_AS(copies.received(1, {container_id{7}, 0, 10'000, {}, std::vector<std::uint64_t>(hashes)}),
                    stradsap::error);
  CHECK(net.sent.empty());
  CHECK_NOTHROW(copies.received(1, {container_id{7}, 0, 10'000, {}, std::vector<std::uint64_t>(3)}));
  const auto short_by = [&](std::size_t size) {
    return fetch_reply{container_id{7}, 0, 10'000, 2, bytes(size)};
  };
  CHECK(take_reply(short_by(10'000 - 4096), local) == 4096);
  CHECK_THROWS_AS(take_reply(short_by(10'000 - 4095), local), stradsap::error);
  CHECK_THROWS_AS(take_reply(short_by(10'000 - 4097), local), stradsap::error);
  CHECK_THROWS_AS(take_reply({container_id{7}, 0, 10'001, 2, bytes(10'001 - 4096)}, local), stradsap::error);
}
