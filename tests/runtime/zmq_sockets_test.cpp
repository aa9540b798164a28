#include <poll.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/net/sockets.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/job_folder.hpp"

using namespace stradsap::rt;

namespace {

/// One rank's sockets, and the frames that they have received.
class socket_end final : public socket_listener {
 public:
  socket_end(const job_folder& folder, rank_id self, int ranks)
      : over(open_zmq_sockets(folder.of(self, ranks))) {
    for (const int one : over->descriptors()) descriptors_.push_back({one, POLLIN, 0});
  }
  void frame_received(rank_id from, std::span<const std::byte> frame) override {
    frames.emplace_back(from, bytes(frame.begin(), frame.end()));
  }
  void connection_closed(rank_id peer) override { closed.push_back(peer); }
  void some_connection_closed() override { some_closed = true; }

  /// Receives, only when a descriptor says so, until `is_enough`. False after ten seconds of silence.
  template <class Enough> bool receive_until(Enough is_enough) {
    while (!is_enough()) {
      if (!is_readable(/*milliseconds=*/10'000)) return false;
      over->receive(*this);
    }
    return true;
  }
  bool is_readable(int milliseconds) {
    return ::poll(descriptors_.data(), descriptors_.size(), milliseconds) > 0;
  }

  std::vector<std::pair<rank_id, bytes>> frames;
  std::vector<rank_id> closed;
  bool some_closed = false;
  std::unique_ptr<sockets> over;

 private:
  std::vector<pollfd> descriptors_;
};

bytes of_size(std::size_t size) { return bytes(size, static_cast<std::byte>(size)); }

/// Frames go both ways once the higher rank has sent one.
void meet(socket_end& low, socket_end& high, rank_id number) {
  REQUIRE(high.over->send(0, of_size(1)));
  REQUIRE(low.receive_until([&] { return !low.frames.empty(); }));
  REQUIRE(low.over->send(number, of_size(1)));
  REQUIRE(high.receive_until([&] { return !high.frames.empty(); }));
}

}  // namespace

TEST_CASE("sockets carry frames of any length in both directions, in order", "[net]") {
  const job_folder folder;
  socket_end low(folder, 0, 2);
  socket_end high(folder, 1, 2);
  meet(low, high, 1);
  const std::vector<std::size_t> sizes{0, 1, 4095, 4096, 3'000'000, 5};
  for (const std::size_t size : sizes) {
    CHECK(high.over->send(0, of_size(size)));
    CHECK(low.over->send(1, of_size(size)));
  }
  for (socket_end* one : {&low, &high}) {
    REQUIRE(one->receive_until([&] { return one->frames.size() == sizes.size() + 1; }));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      CHECK(one->frames[i + 1].first == (one == &low ? 1 : 0));
      CHECK(one->frames[i + 1].second == of_size(sizes[i]));
    }
  }
}

TEST_CASE("a rank that has gone has no route, and its connection is reported closed", "[net]") {
  const job_folder folder;
  auto low = std::make_unique<socket_end>(folder, 0, 2);
  auto high = std::make_unique<socket_end>(folder, 1, 2);
  meet(*low, *high, 1);
  SECTION("the higher rank") {
    CHECK(!low->some_closed);
    high.reset();
    CHECK(low->receive_until([&] { return low->some_closed; }));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    bool has_route = true;
    while (has_route && std::chrono::steady_clock::now() < end) has_route = low->over->send(1, of_size(1));
    CHECK(!has_route);
  }
  SECTION("the lower rank") {
    CHECK(low->over->send(1, of_size(7)));
    low.reset();
    CHECK(high->receive_until([&] { return !high->closed.empty(); }));
    CHECK(high->closed == std::vector<rank_id>{0});
    CHECK(high->receive_until([&] { return high->frames.size() == 2; }));  // its last frame
  }
}

TEST_CASE("a frame that a sender finds is reported by a descriptor all the same", "[net]") {
  const job_folder folder;
  socket_end low(folder, 0, 2);
  socket_end high(folder, 1, 2);
  meet(low, high, 1);
  // The sends of rank 0 touch its socket, so its descriptor reports some frames to nobody.
  for (std::size_t n = 0; n < 500; ++n) {
    std::thread other([&] { (void)high.over->send(0, of_size(n)); });
    for (int i = 0; i < 10; ++i) (void)low.over->send(1, of_size(i));
    other.join();
    for (int i = 0; i < 10; ++i) (void)low.over->send(1, of_size(i));
    REQUIRE(low.receive_until([&] { return low.frames.size() == n + 2; }));
  }
}

TEST_CASE("no descriptor is readable when all has been received", "[net]") {
  const job_folder folder;
  socket_end low(folder, 0, 2);
  socket_end high(folder, 1, 2);
  meet(low, high, 1);
  for (int n = 0; n < 100; ++n) {
    REQUIRE(high.over->send(0, of_size(1)));
    REQUIRE(low.over->send(1, of_size(1)));
  }
  REQUIRE(low.receive_until([&] { return low.frames.size() == 101; }));
  int rounds = 0;  // ZeroMQ's threads may report progress of their own a few times
  while (rounds < 100 && low.is_readable(/*milliseconds=*/20)) {
    low.over->receive(low);
    ++rounds;
  }
  CHECK(rounds < 100);
}

TEST_CASE("the address of a rank is in the folder of the run", "[net]") {
  const job_folder folder;
  CHECK(socket_end(folder, 0, 2).over->address() == "ipc://" + folder.path() + "/rank.0");
}

TEST_CASE("a folder that others can enter is refused", "[net]") {
  const job_folder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  CHECK_THROWS_WITH(open_zmq_sockets(folder.of(0, 2)), Catch::Contains("not a private folder"));
}
