// Exchanges of encoded data: each rank encodes for every rank, all trade, each decodes.
#include <string>
#include <vector>

#include "runtime/dds/element_exchange.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_ranks.hpp"

using namespace stradsap::rt;
using stradsap::errc;
using stradsap::error;
using stradsap::test::num_ranks;
using stradsap::test::thread_ranks;

TEST_CASE("each rank decodes the data that every rank encoded for it, its own included") {
  thread_ranks ranks;
  std::vector<std::string> seen(num_ranks);
  ranks.run([&](rank_id self) {
    element_exchange data(ranks.of(self));
    for (rank_id to = 0; to < num_ranks; ++to) {
      for (int k = 0; k <= to; ++k) data.writer(to)(self);
    }
    data.trade();
    for (rank_id from = 0; from < num_ranks; ++from) {
      while (data.reader(from).remaining() > 0) {
        rank_id value = 0;
        data.reader(from)(value);
        seen[static_cast<std::size_t>(self)] += std::to_string(value);
      }
    }
    data.finish();
  });
  CHECK(seen == std::vector<std::string>{"012", "001122", "000111222"});
}

TEST_CASE("data that nobody decodes are an error that names their sender") {
  thread_ranks ranks;
  std::vector<std::string> said(num_ranks);
  ranks.run([&](rank_id self) {
    element_exchange data(ranks.of(self));
    if (self == 1) data.writer(2)(std::uint64_t{7});
    data.trade();
    try {
      data.finish();
    } catch (const error& e) {
      if (e.code() == errc::decode) said[static_cast<std::size_t>(self)] = e.what();
    }
  });
  CHECK(said == std::vector<std::string>{"", "", "rank 1 sent 8 bytes too many"});
}

TEST_CASE("data end where their sender ended them") {
  thread_ranks ranks;
  std::vector<int> refused(num_ranks);
  ranks.run([&](rank_id self) {
    element_exchange data(ranks.of(self));
    data.writer(0)(std::uint32_t{1});
    data.trade();
    if (self != 0) return;
    for (rank_id from = 0; from < num_ranks; ++from) {
      std::uint64_t value = 0;
      try {
        data.reader(from)(value);
      } catch (const error& e) {
        refused[static_cast<std::size_t>(from)] = e.code() == errc::decode;
      }
    }
  });
  CHECK(refused == std::vector<int>{1, 1, 1});
}
