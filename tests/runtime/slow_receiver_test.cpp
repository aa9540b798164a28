// A receiver that takes no messages for a time: its senders go on, and nothing is lost.
#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/job_folder.hpp"
#include "tests/support/mesh.hpp"

using namespace stradsap::rt;

namespace {

#ifdef __has_feature
#define STRADSAP_TEST_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define STRADSAP_TEST_SANITIZED 0
#endif
constexpr std::uint32_t num_small = STRADSAP_TEST_SANITIZED ? 50'000 : 1'000'000;
constexpr std::size_t small_size = 16;

/// Takes the first message when it is told to. Then it counts them, and compares each with its number.
class slow_listener final : public network_listener {
 public:
  void received(rank_id, message m) override {
    const lock_guard hold(mutex_);
    while (!is_open_) changed_.wait_until(mutex_, clock::now() + std::chrono::seconds(1));
    const auto* const t = std::get_if<token>(&m);
    is_right_ = is_right_ && t != nullptr && t->block == count_ && t->elements.size() == small_size;
    if (++count_ == num_small) changed_.notify_all();
  }
  void peer_lost(rank_id, const std::string&) override {
    const lock_guard hold(mutex_);
    is_right_ = false;
  }
  void open() {
    const lock_guard hold(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  /// Whether all messages come, in order, within a minute.
  bool gets_all() {
    const auto until = clock::now() + std::chrono::minutes(1);
    const lock_guard hold(mutex_);
    while (count_ < num_small && clock::now() < until) changed_.wait_until(mutex_, until);
    return count_ == num_small && is_right_;
  }

 private:
  using clock = std::chrono::steady_clock;
  mutex mutex_;
  condition changed_;
  bool is_open_ GUARDED_BY(mutex_) = false;
  bool is_right_ GUARDED_BY(mutex_) = true;
  std::uint32_t count_ GUARDED_BY(mutex_) = 0;
};

std::size_t resident_megabytes() {
  std::ifstream about("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  about >> all >> resident;
  return resident * 4096 >> 20;
}

}  // namespace

TEST_CASE("a million small messages to a slow receiver arrive whole and in order", "[net]") {
  const bool uses_memory = GENERATE(true, false);
  const job_folder folder;
  slow_listener slow;
  ear nobody;
  const auto meet = [&](rank_id self, network_listener& listener) {
    options o = folder.of(self, 2);
    o.shared_memory = uses_memory;
    return connect_zmq(o, listener);
  };
  auto other = std::async(std::launch::async, [&] { return meet(0, slow); });
  const auto sender = meet(1, nobody);
  const auto receiver = other.get();
  receiver->listen();
  sender->listen();
  const std::size_t before = resident_megabytes();
  for (std::uint32_t n = 0; n < num_small; ++n) sender->send(0, numbered(n, small_size));
  INFO("memory has grown by " << resident_megabytes() - before << " MB");
  slow.open();
  CHECK(slow.gets_all());
  receiver->expect_departures();
  sender->expect_departures();
}
