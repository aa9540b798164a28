// Messages between two hosts, for benchmarks/run hosts: message_costs BYTES MESSAGES.
//
// Two ranks throw a ball, a token of BYTES, to and fro, MESSAGES times each. It is thrown by another thread
// than the one that caught it, as by an executor. Prints the seconds of a flight, and the processor time that
// a message took on each side, network threads and system calls included.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "runtime/base/mutex.hpp"
#include "runtime/base/options.hpp"
#include "runtime/net/transport.hpp"

namespace rt = stradsap::rt;
using steady = std::chrono::steady_clock;

namespace {

/// Keeps balls until they are thrown again.
class catcher final : public rt::network_listener {
 public:
  void received(rt::rank_id, rt::message m) override {
    if (!std::holds_alternative<rt::token>(m)) return;
    const rt::lock_guard hold(mutex_);
    balls_.push_back(std::get<rt::token>(std::move(m)));
    changed_.notify_all();
  }
  void peer_lost(rt::rank_id, const std::string& why) override {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::_Exit(1);
  }
  rt::token next() {
    const rt::lock_guard hold(mutex_);
    while (balls_.empty()) changed_.wait_until(mutex_, steady::now() + std::chrono::seconds(1));
    rt::token ball = std::move(balls_.front());
    balls_.pop_front();
    return ball;
  }

 private:
  rt::mutex mutex_;
  rt::condition changed_;
  std::deque<rt::token> balls_ GUARDED_BY(mutex_);
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

rt::token token_of(const void* from, std::size_t size) {
  rt::token ball;
  ball.elements.resize(size);
  if (from != nullptr) std::memcpy(ball.elements.data(), from, size);
  return ball;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto size = static_cast<std::size_t>(std::atoll(argv[1]));
  const long messages = std::atol(argv[2]);
  const rt::options o = rt::read_options();
  if (o.world_size != 2) return 2;
  catcher hands;
  const auto net = rt::connect_zmq(o, hands);
  net->listen();
  net->expect_departures();  // the other rank may end first
  const rt::rank_id other = 1 - o.rank;
  const rt::token ball = token_of(nullptr, size);
  const double begin = processor_seconds();
  const auto start = steady::now();
  if (o.rank == 0) net->send(other, ball);
  for (long k = 0; k < messages; ++k) {
    (void)hands.next();
    if (o.rank == 1 || k + 1 < messages) net->send(other, ball);  // packed anew, as a group is
  }
  const double seconds = std::chrono::duration<double>(steady::now() - start).count();
  const double used = processor_seconds() - begin;
  if (o.rank == 1) {
    net->send(other, token_of(&used, sizeof used));
    return 0;
  }
  double there = 0;
  std::memcpy(&there, hands.next().elements.data(), sizeof there);
  // each rank has sent and received so many
  const double sides = 4 * static_cast<double>(messages);
  std::printf("flight %.9f processor %.9f\n", seconds / (2 * static_cast<double>(messages)),
              (used + there) / sides);
}
