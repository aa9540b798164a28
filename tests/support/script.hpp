// The order of events in a run of ranks that are threads of this process. One of these threads runs at a
// time. Whenever it waits for a message, or a body begins, a script chooses the next event: a thread goes on,
// or the first message on its way between two ranks is delivered. The same choices give the same run.
//
// explore() repeats a run with other choices until it has met every state that choices lead to. The events of
// a rank, in their order, decide its state. So a run that comes to known events of all ranks needs no more
// choices. Of larger loops it takes only runs that differ from the first event in few states.
//
// Thread rule: all but arrived() belongs to the thread that runs.
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <semaphore>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::test {

/// States, by a hash.
using known_states = std::unordered_set<std::uint64_t>;
/// The choice at each state with several events, by number.
using choices = std::vector<std::uint32_t>;
/// Limits of explore().
struct limits {
  std::size_t runs = 50'000;
  std::size_t others = ~std::size_t{0};  // choices in a run of other events than the first
};
/// Whether the script chooses when a message is delivered; others are delivered at once.
using is_chosen = bool (*)(const rt::message&);

class script {
 public:
  /// Begins with these choices; then it takes the first event of each state. `known`: null if the choices are
  /// those of a whole run.
  script(int ranks, is_chosen filter, choices given, known_states* known = nullptr,
         std::size_t most_others = limits().others)
      : ranks_(ranks),
        is_chosen_(filter),
        given_(std::move(given)),
        known_(known),
        most_others_(most_others),
        listeners_(places(ranks)),
        states_(places(ranks)),
        has_news_(places(ranks)),
        histories_(places(ranks)),
        channels_(places(ranks) * places(ranks)) {
    for (int r = 0; r < ranks; ++r) turns_.push_back(std::make_unique<std::binary_semaphore>(0));
  }

  // ---- ranks, each on its thread ----

  void connect(rt::rank_id self, rt::network_listener& listener) { listeners_[place(self)] = &listener; }
  /// Lets the first rank run. All have connected.
  void start() { pass_turn(next_rank()); }
  void begin(rt::rank_id self) {
    turns_[place(self)]->acquire();
    states_[place(self)] = state::running;
  }
  void end(rt::rank_id self) {
    states_[place(self)] = state::ended;
    for (const state one : states_) {
      if (one != state::ended) return pass_turn(next_rank());
    }
  }
  /// A body is about to begin.
  void begin_body(rt::rank_id self) {
    has_begun_ = true;
    wait_for_turn(self, state::at_body);
  }
  /// A transport's look(): goes on after a delivery.
  void look(rt::rank_id self) {
    if (states_[place(self)] == state::running) wait_for_turn(self, state::looking);
  }

  // ---- transports ----

  /// A message is on its way. If `m` is null, arrived() follows.
  void sent(rt::rank_id from, rt::rank_id to, bool chosen, std::unique_ptr<rt::message> m) {
    channel& way = channel_of(from, to);
    way.chosen.push_back(chosen);
    has_begun_ = has_begun_ || chosen;
    if (m != nullptr) way.here.push_back(std::move(*m));
  }
  void arrived(rt::rank_id from, rt::rank_id to, rt::message m) {
    const rt::lock_guard hold(mutex_);
    channel_of(from, to).here.push_back(std::move(m));
    arrival_.notify_all();
  }
  [[nodiscard]] bool chooses(const rt::message& m) const { return is_chosen_(m); }

  // ---- after the run ----

  /// A choice, and the number of events to try there; 1 if the state was known.
  struct step {
    std::uint32_t chosen;
    std::uint32_t events;
  };
  [[nodiscard]] const std::vector<step>& steps() const { return steps_; }
  [[nodiscard]] choices taken() const {
    choices all;
    for (const step& one : steps_) all.push_back(one.chosen);
    return all;
  }
  [[nodiscard]] bool met_known_state() const { return met_known_; }
  /// Messages that have not been delivered.
  [[nodiscard]] std::size_t undelivered() const {
    std::size_t count = 0;
    for (const channel& one : channels_) count += one.chosen.size();
    return count;
  }

 private:
  enum class state : std::uint8_t { to_begin, running, at_body, looking, ended };
  static constexpr rt::rank_id nobody = -1;
  /// `from` sends a message to `rank`; or, if it is nobody, `rank` goes on.
  struct event {
    rt::rank_id rank;
    rt::rank_id from;
  };
  /// Messages from one rank to another, the oldest first.
  struct channel {
    std::deque<bool> chosen;       // of all
    std::deque<rt::message> here;  // those that the transport has received
  };

  static std::size_t places(int ranks) { return static_cast<std::size_t>(ranks); }
  static std::size_t place(rt::rank_id r) { return static_cast<std::size_t>(r); }
  channel& channel_of(rt::rank_id from, rt::rank_id to) {
    return channels_[place(from) * places(ranks_) + place(to)];
  }

  void pass_turn(rt::rank_id to) { turns_[place(to)]->release(); }
  void wait_for_turn(rt::rank_id self, state until) {
    states_[place(self)] = until;
    if (const rt::rank_id next = next_rank(); next != self) {
      pass_turn(next);
      turns_[place(self)]->acquire();
    }
    states_[place(self)] = state::running;
    has_news_[place(self)] = false;
  }

  /// Delivers messages until a rank goes on.
  rt::rank_id next_rank() {
    while (true) {
      deliver_at_once();
      const std::vector<event> events = possible_events();
      if (events.empty()) end_stuck("no event is possible");
      const event now = events[choose(events.size())];
      if (has_begun_) note(histories_[place(now.rank)], static_cast<std::uint64_t>(now.from + 2));
      if (now.from == nobody) return now.rank;
      deliver(now.from, now.rank);
    }
  }

  void deliver_at_once() {
    for (bool some = true; some;) {
      some = false;
      for (rt::rank_id from = 0; from < ranks_; ++from) {
        for (rt::rank_id to = 0; to < ranks_; ++to) {
          const channel& way = channel_of(from, to);
          if (way.chosen.empty() || way.chosen.front()) continue;
          deliver(from, to);
          some = true;
        }
      }
    }
  }

  void deliver(rt::rank_id from, rt::rank_id to) {
    channel& way = channel_of(from, to);
    way.chosen.pop_front();
    has_news_[place(to)] = true;
    listeners_[place(to)]->received(from, take(way));
  }

  rt::message take(channel& way) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const rt::lock_guard hold(mutex_);
    while (way.here.empty()) {
      if (!arrival_.wait_until(mutex_, until) && way.here.empty()) end_stuck("a message does not arrive");
    }
    rt::message m = std::move(way.here.front());
    way.here.pop_front();
    return m;
  }

  [[nodiscard]] bool may_go_on(rt::rank_id r) const {
    const state now = states_[place(r)];
    return now == state::to_begin || now == state::at_body || (now == state::looking && has_news_[place(r)]);
  }

  /// Before the first body and the first message of which it chooses the delivery, ranks cannot affect each
  /// other in different ways. So only one goes on.
  [[nodiscard]] std::vector<event> possible_events() {
    std::vector<event> events;
    for (rt::rank_id r = 0; r < ranks_; ++r) {
      if (may_go_on(r)) events.push_back({r, nobody});
      if (!events.empty() && !has_begun_) return events;
    }
    for (rt::rank_id from = 0; from < ranks_; ++from) {
      for (rt::rank_id to = 0; to < ranks_; ++to) {
        if (!channel_of(from, to).chosen.empty()) events.push_back({to, from});
      }
    }
    return events;
  }

  std::size_t choose(std::size_t events) {
    if (events == 1) return 0;
    std::uint32_t chosen = 0;
    if (steps_.size() < given_.size()) {
      chosen = given_[steps_.size()];
      if (chosen >= events) end_stuck("the choices are those of another run");
    } else if (known_ != nullptr && !met_known_) {
      met_known_ = !known_->insert(hash_of_state()).second;
    }
    const bool ends = met_known_ || others_ == most_others_;
    if (chosen != 0) ++others_;
    steps_.push_back({chosen, ends ? 1 : static_cast<std::uint32_t>(events)});
    return chosen;
  }

  static void note(std::uint64_t& history, std::uint64_t what) {
    history = (history ^ what) * 0x9e3779b97f4a7c15u;
    history ^= history >> 29;
  }
  [[nodiscard]] std::uint64_t hash_of_state() const {
    std::uint64_t all = most_others_ == limits().others ? 1 : others_ + 1;
    for (const std::uint64_t history : histories_) note(all, history);
    return all;
  }

  /// Ends the process: threads of ranks cannot be ended.
  [[noreturn]] void end_stuck(const char* why) const {
    std::string text;
    for (const step& one : steps_) text += " " + std::to_string(one.chosen);
    std::fprintf(stderr, "a scripted run of %d ranks is stuck: %s; choices:%s\n", ranks_, why, text.c_str());
    std::abort();
  }

  const int ranks_;
  const is_chosen is_chosen_;
  const choices given_;
  known_states* const known_;
  const std::size_t most_others_;
  std::vector<std::unique_ptr<std::binary_semaphore>> turns_;
  std::vector<rt::network_listener*> listeners_;
  std::vector<state> states_;
  std::vector<bool> has_news_;
  std::vector<std::uint64_t> histories_;  // of events, by rank
  std::vector<step> steps_;
  std::size_t others_ = 0;  // choices of other events than the first
  bool has_begun_ = false;
  bool met_known_ = false;
  rt::mutex mutex_;
  rt::condition arrival_;
  std::vector<channel> channels_;
};

/// The transport of one rank in a scripted run. `through`: carries the messages; null: they stay in memory.
class scripted_transport final : public rt::transport {
 public:
  scripted_transport(script& of, rt::rank_id self, std::unique_ptr<rt::transport> through)
      : script_(of), self_(self), through_(std::move(through)) {}

  void send(rt::rank_id to, rt::message m) override {
    const bool chosen = script_.chooses(m);
    if (through_ == nullptr)
      return script_.sent(self_, to, chosen, std::make_unique<rt::message>(std::move(m)));
    script_.sent(self_, to, chosen, nullptr);
    through_->send(to, std::move(m));
  }
  void listen() override {
    if (through_ != nullptr) through_->listen();
  }
  void expect_departures() override {
    if (through_ != nullptr) through_->expect_departures();
  }
  void look() override { script_.look(self_); }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }
  [[nodiscard]] std::uint64_t bytes_received() const override { return 0; }

 private:
  script& script_;
  const rt::rank_id self_;
  const std::unique_ptr<rt::transport> through_;
};

/// Keeps the messages of a transport until the script delivers them.
class scripted_listener final : public rt::network_listener {
 public:
  scripted_listener(script& of, rt::rank_id self) : script_(of), self_(self) {}
  void received(rt::rank_id from, rt::message m) override { script_.arrived(from, self_, std::move(m)); }
  void peer_lost(rt::rank_id peer, const std::string& why) override {
    std::fprintf(stderr, "rank %d lost rank %d: %s\n", self_, peer, why.c_str());
  }

 private:
  script& script_;
  const rt::rank_id self_;
};

struct exploration {
  std::size_t runs = 0;
  std::size_t states = 0;     // with several possible events
  bool is_complete = false;   // every choice within the limits was taken in every state
  std::string fault;          // of the first run that has one
  std::vector<choices> some;  // of runs that met no known state, a few among all
};

/// run(script) returns a fault, or an empty text. Stops at the first fault.
template <class Run> exploration explore(int ranks, is_chosen filter, const limits& most, const Run& run) {
  constexpr std::size_t kept_at = 16;
  exploration found;
  known_states known;
  std::size_t whole = 0;
  for (choices next; found.runs < most.runs;) {
    script one(ranks, filter, std::move(next), &known, most.others);
    ++found.runs;
    found.fault = run(one);
    if (!found.fault.empty()) return found;
    if (!one.met_known_state()) {
      ++whole;
      // powers of two apart, so that they spread over all runs
      if (std::has_single_bit(whole) && found.some.size() < kept_at) found.some.push_back(one.taken());
    }
    found.states = known.size();
    std::vector<script::step> path = one.steps();
    while (!path.empty() && path.back().chosen + 1 == path.back().events) path.pop_back();
    found.is_complete = path.empty();
    if (path.empty()) return found;
    ++path.back().chosen;
    next.clear();
    for (const script::step& step : path) next.push_back(step.chosen);
  }
  return found;
}

}  // namespace stradsap::test
