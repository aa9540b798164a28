// Copies that come page by page: a body reads the owners' elements, on a rank with any other ones.
#define STRADSAP_INSTRUMENTED
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <unistd.h>

#include <stradsap/abi/operations.hpp>

#include "runtime/dds/copies.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fetching_ranks.hpp"

using namespace stradsap::rt;

namespace {

class nothing_to_supply final : public page_supplier {
 public:
  void supply(std::span<const std::uintptr_t>) override {}
};

/// Null, and a loud line, if this system refuses.
bool has_missing_pages() {
  nothing_to_supply nothing;
  try {
    const missing_pages any(nothing);
    return true;
  } catch (const stradsap::error& e) {
    std::cerr << "SKIPPED: " << e.what() << "\n";
    return false;
  }
}

/// Rank 1, which reads a container, and a process that answers for all other ranks.
class reading_rank : public stradsap::test::fetching_ranks {
 public:
  using fetching_ranks::fetching_ranks;

  paged_copies& paged() { return reader().paged(); }

  /// All elements change on their owners.
  void change(std::uint64_t seed) {
    replica& all = original();
    std::mt19937_64 next(seed);
    for (std::size_t i = 0; i < all.size() * copy().ops().size; ++i)
      all.at(0)[i] = static_cast<std::byte>(next() | 1);
    copy().note_written();
    copy().drop_copies();
    const partition& groups = copy().groups();
    for (partition::group_id g = 0; g < groups.num_groups(); ++g) {
      if (groups.owner(g) == 1)
        std::memcpy(copy().at(groups.begin(g)), all.at(groups.begin(g)), groups.count(g) * copy().ops().size);
    }
  }

  /// Elements that differ from their owners', read in random order or one after the other.
  std::uint64_t wrong(std::uint64_t seed, std::uint64_t reads, bool in_order) {
    const replica& all = original();
    std::mt19937_64 next(seed);
    std::uint64_t found = 0;
    for (std::uint64_t k = 0; k < reads; ++k) {
      const std::uint64_t i = (in_order ? seed + k : next()) % all.size();
      found += std::memcmp(copy().at(i), all.at(i), copy().ops().size) == 0 ? 0 : 1;
    }
    return found;
  }
};

stradsap::abi::element_ops bytes_of(std::size_t size) { return {size, 1, true, true, false, {}}; }

/// Random groups with random owners among three ranks.
partition random_groups(std::uint64_t size, std::mt19937_64& next) {
  std::vector<std::uint64_t> bounds{size};
  for (std::uint64_t k = next() % 12; k > 0; --k) bounds.push_back(1 + next() % size);
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  std::vector<rank_id> owners;
  for (std::size_t g = 0; g < bounds.size(); ++g) owners.push_back(static_cast<rank_id>(next() % 3));
  return partition(std::move(bounds), std::move(owners));
}

}  // namespace

TEST_CASE("whatever a rank owns and holds, the pages that come have the owners' elements", "[dds]") {
  if (!has_missing_pages()) return;
  std::uint64_t wrong = 0;
  for (std::uint64_t trial = 0; trial < 120; ++trial) {
    std::mt19937_64 next(trial);
    const std::size_t sizes[] = {1, 4, 12, 100, 5000, 70000};
    const auto ops = bytes_of(sizes[trial % std::size(sizes)]);
    const std::uint64_t size = 1 + next() % (1'500'000 / ops.size + 1);
    reading_rank rank(size, ops);
    rank.copy().cut(random_groups(size, next));
    for (int version = 0; version < 3; ++version) {
      rank.change(next());
      for (int loop = 0; loop < 2; ++loop) {
        if (next() % 2 == 0)
          rank.copy().hold(static_cast<partition::group_id>(next() % rank.copy().groups().num_groups()));
        if (next() % 3 == 0) rank.copy().borrow_range({size / 3, size / 2});
        const paged_reads pages(rank.paged(), {{&rank.copy(), nullptr}});
        std::atomic<std::uint64_t> found{0};
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < 2; ++t) {
          threads.emplace_back([&, t, seed = next(), reads = next() % 200] {
            found += rank.wrong(seed, reads, /*in_order=*/t == 1);
          });
        }
        for (std::thread& one : threads) one.join();
        wrong += found;
      }
      if (next() % 4 == 0) {
        rank.copy().hold_all();
        wrong += rank.wrong(0, size, /*in_order=*/true);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a rank gets the pages that it touches, and no others", "[dds]") {
  if (!has_missing_pages()) return;
  constexpr std::uint64_t size = 8 << 20;
  reading_rank rank(size, bytes_of(1));
  rank.change(1);
  {
    const paged_reads pages(rank.paged(), {{&rank.copy(), nullptr}});
    CHECK(rank.wrong(3'000'000, 1, /*in_order=*/true) == 0);
    CHECK(rank.sent < 200'000);
    CHECK(rank.copy().all_held());
  }
  CHECK(!rank.copy().all_held());
  const std::uint64_t before = rank.sent;
  {
    const paged_reads again(rank.paged(), {{&rank.copy(), nullptr}});
    CHECK(rank.wrong(3'000'000, 1, /*in_order=*/true) == 0);
    CHECK(rank.sent == before);
    CHECK(rank.wrong(0, size, /*in_order=*/true) == 0);
  }
  CHECK(rank.copy().all_held());  // all pages have come
  CHECK(rank.sent < size + 200'000);
}

TEST_CASE("the range of values covers elements that do not come", "[dds]") {
  if (!has_missing_pages()) return;
  constexpr std::uint64_t size = 3 << 20;
  reading_rank rank(size, bytes_of(1));
  rank.copy().cut(partition({size / 3, size / 2, size}, {0, 1, 2}));
  rank.change(1);
  const auto read = [](const void* first, std::uint64_t n) {
    stradsap::abi::value_range found{255, 0};
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto value = static_cast<std::int64_t>(static_cast<const unsigned char*>(first)[i]);
      found = {std::min(found.least, value), std::max(found.greatest, value)};
    }
    return found;
  };
  const paged_reads pages(rank.paged(), {{&rank.copy(), read}});
  rank.copy().show_values(read);
  CHECK(rank.copy().pages()->missing().size() == 2);
  class nobody final : public stradsap::abi::element_source {
   public:
    void* element(std::uint64_t, stradsap::abi::access) override { return nullptr; }
    void* range(std::uint64_t, std::uint64_t, stradsap::abi::access) override { return nullptr; }
    void* add_entry() override { return nullptr; }
  } source;
  CHECK(rank.copy().window_through(source).values.least == 1);
  CHECK(rank.copy().window_through(source).values.greatest == 255);
}

TEST_CASE("a system call waits for a missing page as a body does", "[dds]") {
  if (!has_missing_pages()) return;
  constexpr std::uint64_t size = 2 << 20;
  reading_rank rank(size, bytes_of(1));
  rank.change(1);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::byte read[100];
  {
    const paged_reads pages(rank.paged(), {{&rank.copy(), nullptr}});
    CHECK(::write(ends[1], rank.copy().at(1'000'000), sizeof read) == sizeof read);
    CHECK(::read(ends[0], read, sizeof read) == sizeof read);
    CHECK(std::memcmp(read, rank.copy().at(1'000'000), sizeof read) == 0);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}
