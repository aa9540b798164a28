// One launch on ranks that are threads of this process, in the order of a script. Each rank is a node, so all
// code between the driver's message and the last fold is the real one. Only the loop, and usually its plan,
// are made by hand. Thread rule: each function belongs to the test's thread, but bodies to those of ranks.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <typeinfo>
#include <utility>
#include <vector>

#include <stradsap/abi/operations.hpp>

#include "runtime/cluster/node.hpp"
#include "runtime/loop/launch/registry.hpp"
#include "tests/support/script.hpp"

namespace stradsap::test {

/// Containers of long, captured in this order.
constexpr std::size_t num_containers = 3;

/// A loop, and all that decides its result.
struct scripted_loop {
  int ranks = 2;
  rt::launch call;                                            // without captures and containers
  std::uint64_t clocks = 0;                                   // calls, of a loop that is stale; else 0
  rt::plan_maker make_plan = rt::make_plan;                   // on each rank
  std::vector<long> elements[num_containers]{{0}, {0}, {0}};  // before the launch
  /// The part of rank 0, unless it is that of other ranks too.
  std::function<void(rt::node& own, const rt::launch& call)> driver_part;
  /// Iteration j: appends its reads to `reads`.
  std::function<void(const abi::block& in, std::int64_t j, std::vector<long>& reads)> body;
};

/// Element i of a captured container, in the body.
inline long& element(const abi::block& in, std::size_t capture, std::uint64_t i) {
  const abi::window& w = in.windows[capture];
  if (i - w.lo < w.count) return static_cast<long*>(w.base)[i];
  return *static_cast<long*>(w.beyond(i, abi::access::write));
}

/// The running scripted loop: one at a time in the process.
struct running_script {
  const scripted_loop* loop = nullptr;
  script* events = nullptr;
  std::vector<std::vector<long>> reads;  // by iteration
};
inline running_script running_now;
inline constinit thread_local rt::rank_id rank_of_thread = 0;

inline bool run_scripted(const void* const*, abi::block_source& blocks) {
  while (const abi::block* next = blocks.next()) {
    const abi::block b = *next;
    std::int64_t j = 0;
    try {
      for (std::uint64_t k = 0; k < b.count; ++k) {
        j = b.iterations != nullptr ? b.iterations[k] : b.begin + static_cast<std::int64_t>(k);
        if (b.parts != nullptr) blocks.reached(k);
        running_now.events->begin_body(rank_of_thread);
        running_now.loop->body(b, j, running_now.reads[static_cast<std::size_t>(j)]);
      }
    } catch (...) {
      abi::report_failure(blocks, j);
    }
  }
  return true;
}

inline void record_scripted(const void* const*, const abi::window* windows, std::int64_t begin,
                            std::int64_t end, abi::iteration_listener& listener) {
  abi::block b;
  b.windows = windows;
  for (std::int64_t j = begin; j < end; ++j) {
    std::vector<long> dropped;
    listener.begin(j);
    try {
      running_now.loop->body(b, j, dropped);
    } catch (...) {
      abi::end_recorded_iteration();
    }
    listener.end();
  }
}

inline const abi::loop_entry& scripted_entry() {
  struct scripted_body {};
  static const std::vector<abi::capture_info> captures = [] {
    std::vector<abi::capture_info> all;
    for (const char* name : {"first", "second", "third"}) {
      abi::capture_info one{abi::capture_kind::container, abi::reads | abi::writes};
      one.ops = &abi::operations<long>::table;
      one.name = name;
      all.push_back(one);
    }
    return all;
  }();
  static const abi::loop_entry entry{0x5c819f, 0, typeid(scripted_body), captures.data(), captures.size(),
                                     nullptr,  0, &run_scripted,         &run_scripted,   &record_scripted};
  static const bool is_known = (rt::register_loop(entry), true);
  (void)is_known;
  return entry;
}

/// The end of a scripted run.
struct scripted_result {
  std::vector<std::vector<long>> reads;        // by iteration
  std::vector<rt::done> ends;                  // by rank
  std::vector<long> elements[num_containers];  // of their owners
  std::size_t undelivered = 0;                 // messages
};

/// Makes the transport that carries the messages of a rank; an empty one leaves them in memory.
using carrier = std::function<std::unique_ptr<rt::transport>(rt::options, rt::network_listener&)>;

class scripted_ranks {
 public:
  scripted_ranks(const scripted_loop& loop, script& events, carrier through = {})
      : loop_(loop), script_(events), through_(std::move(through)) {
    for (rt::rank_id r = 0; r < loop.ranks; ++r) {
      listeners_.push_back(std::make_unique<scripted_listener>(script_, r));
      rt::options o;
      o.rank = r;
      o.world_size = loop.ranks;
      o.waiting.cores_to_spare = false;
      nodes_.push_back(std::make_unique<rt::node>(o, role_, loop.make_plan));
      script_.connect(r, *nodes_.back());
    }
    fill_containers();
  }

  scripted_result run() {
    running_now = {&loop_, &script_, {}};
    running_now.reads.resize(static_cast<std::size_t>(loop_.call.n));
    const rt::launch call = whole_call();
    std::latch joined(loop_.ranks + 1);
    scripted_result result;
    result.ends.resize(nodes_.size());
    std::vector<std::thread> threads;
    for (rt::rank_id r = 0; r < loop_.ranks; ++r)
      threads.emplace_back([&, r] { perform(r, call, joined, result.ends[static_cast<std::size_t>(r)]); });
    joined.arrive_and_wait();
    script_.start();
    for (std::thread& one : threads) one.join();
    for (const auto& one : nodes_) one->net()->expect_departures();
    result.reads = std::move(running_now.reads);
    for (std::size_t c = 0; c < num_containers; ++c) result.elements[c] = elements_of(c);
    result.undelivered = script_.undelivered();
    return result;
  }

 private:
  struct silent_role final : rt::node_listener {
    void heard(rt::rank_id, rt::message) override {}
    void peer_lost(rt::rank_id, const std::string&) override {}
  };

  static rt::container_id id_of(std::size_t c) { return rt::container_id{static_cast<std::uint32_t>(c)}; }

  /// The driver's rank has all elements at first.
  void fill_containers() {
    rt::node& driver = *nodes_[0];
    for (std::size_t c = 0; c < num_containers; ++c) {
      const std::vector<long>& from = loop_.elements[c];
      auto local = std::make_unique<rt::replica>(
          id_of(c), abi::operations<long>::table, from.size(), nullptr, rt::driver_rank,
          [&driver](rt::replica& to, const auto& ranges) { driver.copies().fetch(to, ranges); });
      std::memcpy(local->at(0), from.data(), from.size() * sizeof(long));
      driver.copies().add(std::move(local));
    }
  }

  /// The message that the driver would send.
  [[nodiscard]] rt::launch whole_call() const {
    rt::launch l = loop_.call;
    l.id = rt::launch_id{1};
    l.entry = scripted_entry().id;
    l.type = rt::name_of(scripted_entry());
    l.site = "scripted.cpp:1";
    l.contents.resize(num_containers);
    l.plan = rt::plan_id{1};
    l.replan = true;
    l.float_mode = rt::float_mode();
    for (std::size_t c = 0; c < num_containers; ++c) {
      const std::uint64_t size = loop_.elements[c].size();
      l.containers.push_back(id_of(c));
      rt::container_update update;
      update.id = id_of(c);
      update.size = size;
      update.bounds = {size};
      update.owners = {rt::driver_rank};
      l.updates.push_back(update);
    }
    return l;
  }

  void perform(rt::rank_id r, const rt::launch& call, std::latch& joined, rt::done& end) {
    rank_of_thread = r;
    rt::node& own = *nodes_[static_cast<std::size_t>(r)];
    own.join([&](const rt::options& o, rt::network_listener&) {
      scripted_listener& listener = *listeners_[static_cast<std::size_t>(r)];
      return std::make_unique<scripted_transport>(script_, r, through_ ? through_(o, listener) : nullptr);
    });
    rt::captured_values none(num_containers);
    for (std::size_t c = 0; c < num_containers; ++c) none.add_none();
    joined.arrive_and_wait();
    script_.begin(r);
    if (r == rt::driver_rank && loop_.driver_part) {
      loop_.driver_part(own, call);
    } else if (loop_.clocks > 0) {
      end = perform_clocks(own, call, r == rt::driver_rank ? &none : nullptr);
    } else {
      end = own.perform(call, r == rt::driver_rank ? &none : nullptr);
    }
    script_.end(r);
  }

  /// All calls and their fold. No rank waits for the ends of calls on others, as the driver does in a
  /// program: ranks may be further apart here.
  rt::done perform_clocks(rt::node& own, const rt::launch& call, const rt::captured_values* values) {
    rt::launch l = call;
    l.clocks = l.id;
    rt::done end;
    for (; l.clock < loop_.clocks; ++l.clock) {
      end = own.perform(l, values);
      if (!end.failures.empty()) return end;
      l.id = rt::launch_id{static_cast<std::uint32_t>(l.id) + 1};
      l.updates.clear();
    }
    constexpr std::uint32_t first_step = 1 << 16;
    (void)own.perform(rt::fold_clocks{l.clocks, l.clock, l.id, first_step});
    return end;
  }

  [[nodiscard]] std::vector<long> elements_of(std::size_t c) const {
    const rt::partition& groups = nodes_[0]->copies().find(id_of(c))->groups();
    std::vector<long> all(loop_.elements[c].size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const rt::rank_id owner = groups.owner(groups.group_of(i));
      std::memcpy(&all[i], nodes_[static_cast<std::size_t>(owner)]->copies().find(id_of(c))->at(i),
                  sizeof(long));
    }
    return all;
  }

  const scripted_loop& loop_;
  script& script_;
  const carrier through_;
  silent_role role_;
  std::vector<std::unique_ptr<scripted_listener>> listeners_;
  std::vector<std::unique_ptr<rt::node>> nodes_;
};

}  // namespace stradsap::test
