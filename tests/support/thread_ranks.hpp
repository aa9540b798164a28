// Ranks that are threads of one process, for tests of collectives. Messages arrive at once.
#pragma once

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/net/exchange.hpp"

namespace stradsap::test {

constexpr rt::rank_id num_ranks = 3;

/// The exchange of every rank, and the number of messages that each has sent.
class thread_ranks {
 public:
  explicit thread_ranks(rt::rank_id ranks = num_ranks) {
    for (rt::rank_id r = 0; r < ranks; ++r) {
      wires_.push_back(std::make_unique<wire>(r, exchanges_));
      exchanges_.push_back(std::make_unique<rt::exchange>(r, ranks, wires_.back().get()));
    }
  }
  /// Calls work(rank) on all ranks at once.
  template <class Work> void run(const Work& work) {
    std::vector<std::thread> threads;
    for (rt::rank_id r = 0; r < static_cast<rt::rank_id>(exchanges_.size()); ++r)
      threads.emplace_back([&work, r] { work(r); });
    for (std::thread& one : threads) one.join();
  }
  [[nodiscard]] rt::exchange& of(rt::rank_id r) { return *exchanges_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] int sent(rt::rank_id r) const { return wires_[static_cast<std::size_t>(r)]->sent; }

 private:
  using exchanges = std::vector<std::unique_ptr<rt::exchange>>;

  /// Delivers one rank's messages to the exchanges of the others.
  struct wire final : rt::transport {
    wire(rt::rank_id self, exchanges& all) : self(self), all(all) {}
    void send(rt::rank_id to, rt::message m) override {
      ++sent;
      rt::exchange& its = *all[static_cast<std::size_t>(to)];
      if (const auto* taken = std::get_if<rt::part_taken>(&m)) return its.received(self, *taken);
      its.received(self, std::get<rt::part>(std::move(m)));
    }
    void listen() override {}
    void expect_departures() override {}
    [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }
    [[nodiscard]] std::uint64_t bytes_received() const override { return 0; }
    const rt::rank_id self;
    exchanges& all;
    int sent = 0;
  };

  exchanges exchanges_;
  std::vector<std::unique_ptr<wire>> wires_;
};

}  // namespace stradsap::test
