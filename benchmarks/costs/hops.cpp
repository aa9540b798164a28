// Measures the hop of a token: a chain of blocks that share one group, each on another executor than the one
// before. The two ranks are threads of this process, with the same transport as between processes. Thread
// rule: run by one thread; it makes the other.
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <numeric>
#include <thread>

#include "benchmarks/costs/costs.hpp"
#include "runtime/loop/accumulate/element_copies.hpp"
#include "runtime/loop/blocks/execution.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/wire/messages.hpp"

namespace costs {

namespace rt = stradsap::rt;
namespace abi = stradsap::abi;
using steady = std::chrono::steady_clock;

static constexpr std::uint32_t num_blocks = 64;

static double seconds_since(steady::time_point start) {
  return std::chrono::duration<double>(steady::now() - start).count();
}

static bool run_nothing(const void* const*, abi::block_source& blocks) {
  while (blocks.next() != nullptr) {
  }
  return true;
}

/// A loop with empty blocks over one group of `size` bytes.
static const abi::loop_entry& idle_loop(const abi::capture_info& capture) {
  static const abi::loop_entry entry{0,       0, typeid(void), &capture,     1,
                                     nullptr, 0, &run_nothing, &run_nothing, nullptr};
  return entry;
}

static const abi::capture_info& bytes_capture() {
  static const abi::element_ops ops{1, 1, true, false, false, {}};
  static const abi::capture_info capture{
      .kind = abi::capture_kind::container, .mode = abi::reads | abi::writes, .ops = &ops, .name = "x"};
  return capture;
}

/// Blocks that need the same token, alternately on executors 0 and 1 of a rank, or on ranks 0 and 1.
static rt::plan chain(bool over_ranks) {
  rt::plan p;
  p.tokens = {{0, 0}};
  for (std::uint32_t b = 0; b < num_blocks; ++b) {
    rt::plan_block block{b, 1, 1};
    (over_ranks ? block.rank : block.executor) = static_cast<int>(b % 2);
    p.block_tokens.push_back(0);
    p.blocks.push_back(block);
  }
  p.order.resize(num_blocks);
  std::iota(p.order.begin(), p.order.end(), 0);
  return p;
}

namespace {

/// One rank's end of the chain.
class side final : public rt::network_listener {
 public:
  side(rt::rank_id self, int ranks, int executors, std::uint64_t size_bytes)
      : self_(self),
        ranks_(ranks),
        plan_(chain(ranks > 1)),
        replica_(rt::container_id{0}, *bytes_capture().ops, size_bytes, nullptr, self,
                 [](rt::replica&, const auto&) {}),
        waiting_(rt::wait_policy_of(ranks, executors, /*shared_memory=*/true)),
        pool_(executors, waiting_) {}

  void received(rt::rank_id from, rt::message m) override {
    if (auto* t = std::get_if<rt::token>(&m)) loop_.load()->received(from, std::move(*t));
  }
  void peer_lost(rt::rank_id, const std::string&) override {}

  /// Prepares a pass. The token begins on rank 0.
  void prepare(rt::transport* net, std::uint32_t number) {
    replica_.set_owner(0, 0);
    rt::launch l;
    l.id = rt::launch_id{number};
    frame_ =
        std::make_unique<rt::loop_frame>(rt::make_frame(idle_loop(bytes_capture()), l, 0, {}, {&replica_}));
    made_ = std::make_unique<rt::execution>(
        *frame_, plan_, plan_.order,
        rt::loop_place{l.id, self_, ranks_, net, pool_.size(), {waiting_.cores_to_spare, net}, store_});
    loop_ = made_.get();
  }
  void run() { (void)made_->run(pool_); }

 private:
  const rt::rank_id self_;
  const int ranks_;
  const rt::plan plan_;
  rt::replica replica_;
  const rt::wait_policy waiting_;
  rt::executor_pool pool_;
  rt::copies_store store_;
  std::unique_ptr<rt::loop_frame> frame_;
  std::unique_ptr<rt::execution> made_;
  std::atomic<rt::execution*> loop_ = nullptr;
};

/// A private folder for the sockets of two ranks.
class meeting {
 public:
  meeting() {
    char name[] = "/tmp/stradsap-costs.XXXXXX";
    if (::mkdtemp(name) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~meeting() { std::filesystem::remove_all(folder_); }
  meeting(const meeting&) = delete;
  meeting& operator=(const meeting&) = delete;

  std::unique_ptr<rt::transport> join(rt::rank_id self, rt::network_listener& listener) const {
    rt::options o;
    o.rank = self;
    o.world_size = 2;
    o.run_dir = folder_;
    auto net = rt::connect_zmq(o, listener);
    net->listen();
    return net;
  }

 private:
  std::string folder_;
};

}  // namespace

static void hop_between_executors(benchmark::State& state) {
  side here(0, 1, 2, 512);
  std::uint32_t pass = 0;
  for (auto _ : state) {
    here.prepare(nullptr, ++pass);
    const auto start = steady::now();
    here.run();
    state.SetIterationTime(seconds_since(start) / num_blocks);
  }
}

static void hop_between_ranks(benchmark::State& state) {
  const auto size = static_cast<std::uint64_t>(state.range(0));
  const meeting place;
  side here(0, 2, 1, size);
  side there(1, 2, 1, size);
  auto other = std::async(std::launch::async, [&] { return place.join(1, there); });
  const auto near = place.join(0, here);
  const auto far = other.get();
  std::barrier ready(2);
  std::atomic<bool> over = false;
  std::thread second([&] {
    for (std::uint32_t pass = 1;; ++pass) {
      there.prepare(far.get(), pass);
      ready.arrive_and_wait();
      if (over) return;
      there.run();
      ready.arrive_and_wait();
    }
  });
  std::uint32_t pass = 0;
  for (auto _ : state) {
    here.prepare(near.get(), ++pass);
    ready.arrive_and_wait();
    const auto start = steady::now();
    here.run();
    ready.arrive_and_wait();
    state.SetIterationTime(seconds_since(start) / num_blocks);
  }
  over = true;
  ready.arrive_and_wait();
  second.join();
  near->expect_departures();
  far->expect_departures();
}

void add_hops() {
  benchmark::RegisterBenchmark("hop/executors", hop_between_executors)->UseManualTime()->Iterations(100);
  benchmark::RegisterBenchmark("hop/ranks", hop_between_ranks)
      ->Arg(512)
      ->Arg(65536)
      ->UseManualTime()
      ->Iterations(100);
}

}  // namespace costs
