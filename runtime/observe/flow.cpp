#include "runtime/observe/flow.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace stradsap::rt {
namespace {

constexpr std::uint32_t none = flow_edge::from_start;

struct event {
  enum class what : std::uint8_t {
    comes,
    ends,
    leaves,
    reaches
  };  // the last two are edges, the others tasks
  double time = 0;
  std::uint64_t number = 0;  // at equal times, the first to be scheduled goes first
  what kind = what::comes;
  std::uint32_t index = 0;

  bool operator<(const event& other) const {  // std::priority_queue returns the greatest
    return std::tie(other.time, other.number) < std::tie(time, number);
  }
};

/// A rank's link and network threads.
struct link {
  double free_to_work = 0;  // the thread that encrypts, decrypts, and calls the kernel
  double free_to_send = 0;
  double free_to_receive = 0;
  double free_to_unpack = 0;
};

class simulator {
 public:
  simulator(const flow& f, const simulated_cluster& on) : f_(f), on_(on), missing_(f.tasks.size()) {
    link_threads();
    link_edges();
    links_.resize(static_cast<std::size_t>(on.ranks));
    running_.resize(links_.size());
    follows_.resize(f.tasks.size());
    taken_.resize(links_.size());
  }

  flow_outcome run() {
    send_first();
    while (!events_.empty()) {
      const event e = events_.top();
      events_.pop();
      now_ = e.time;
      if (e.kind == event::what::comes) comes(e.index);
      if (e.kind == event::what::ends) ends(e.index);
      if (e.kind == event::what::leaves) leaves(f_.edges[e.index], e.index);
      if (e.kind == event::what::reaches) reaches(f_.edges[e.index]);
    }
    return outcome_;
  }

 private:
  [[nodiscard]] std::uint64_t thread_of(std::uint32_t task) const {
    return static_cast<std::uint64_t>(f_.tasks[task].rank) * static_cast<std::uint64_t>(on_.threads) +
           static_cast<std::uint64_t>(f_.tasks[task].thread);
  }

  /// Each task waits for the one before it on its executor. The first one waits until its rank has sent its
  /// own data.
  void link_threads() {
    next_.assign(f_.tasks.size(), none);
    std::vector<std::uint32_t> by_thread(f_.tasks.size());
    std::iota(by_thread.begin(), by_thread.end(), 0u);
    std::stable_sort(by_thread.begin(), by_thread.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return thread_of(a) < thread_of(b); });
    double busy = 0;
    for (std::size_t k = 0; k < by_thread.size(); ++k) {
      const bool first = k == 0 || thread_of(by_thread[k - 1]) != thread_of(by_thread[k]);
      if (first) {
        first_of_threads_.push_back(by_thread[k]);
        busy = 0;
      } else {
        next_[by_thread[k - 1]] = by_thread[k];
      }
      ++missing_[by_thread[k]];
      busy += f_.tasks[by_thread[k]].seconds;
      outcome_.seconds_busiest = std::max(outcome_.seconds_busiest, busy);
    }
    outcome_.threads_used = static_cast<int>(first_of_threads_.size());
  }

  /// Sorts edges by the task that they come from; those from the start come last.
  void link_edges() {
    edges_of_.resize(f_.tasks.size() + 2);
    for (const flow_edge& e : f_.edges) {
      ++missing_[e.to];
      ++edges_of_[place_of(e) + 1];
    }
    std::partial_sum(edges_of_.begin(), edges_of_.end(), edges_of_.begin());
    by_task_.resize(f_.edges.size());
    std::vector<std::uint32_t> next(edges_of_.begin(), edges_of_.end() - 1);
    for (std::uint32_t e = 0; e < f_.edges.size(); ++e) by_task_[next[place_of(f_.edges[e])]++] = e;
  }
  [[nodiscard]] std::size_t place_of(const flow_edge& e) const {
    return e.from == none ? f_.tasks.size() : e.from;
  }

  void foresee(double time, event::what kind, std::uint32_t index) {
    events_.push({time, number_++, kind, index});
    if (kind == event::what::ends) outcome_.seconds = std::max(outcome_.seconds, time);
  }

  /// A rank sends its own data before its executors begin.
  void send_first() {
    std::vector<double> begin(links_.size());
    for (std::uint32_t k = edges_of_[f_.tasks.size()]; k < edges_of_[f_.tasks.size() + 1]; ++k) {
      const flow_edge& e = f_.edges[by_task_[k]];
      hand_on(by_task_[k], e.owner, false, begin[static_cast<std::size_t>(e.owner)]);
    }
    for (const std::uint32_t task : first_of_threads_)
      foresee(begin[static_cast<std::size_t>(f_.tasks[task].rank)], event::what::comes, task);
  }

  /// Moves `time` on by the cost for the sender.
  void hand_on(std::uint32_t edge, rank_id from, bool to_other_thread, double& time) {
    const flow_edge& e = f_.edges[edge];
    if (from != f_.tasks[e.to].rank) {
      time += e.seconds_packing;
      foresee(time, event::what::leaves, edge);
      outcome_.bytes_moved += e.size_bytes;
      ++outcome_.messages;
    } else {
      foresee(time + (to_other_thread ? f_.seconds_hand_over : 0), event::what::comes, e.to);
    }
  }

  void comes(std::uint32_t task) {
    if (--missing_[task] != 0) return;
    if (!follows_[task]) ++running_[static_cast<std::size_t>(f_.tasks[task].rank)];
    foresee(now_ + f_.tasks[task].seconds, event::what::ends, task);
  }

  /// Messages take a core. If no thread of the rank is idle, they take it from one of them.
  void work_on_message(rank_id rank, double seconds) {
    const auto r = static_cast<std::size_t>(rank);
    if (running_[r] == on_.threads) taken_[r] += seconds;
  }

  void ends(std::uint32_t task) {
    const auto rank = static_cast<std::size_t>(f_.tasks[task].rank);
    if (const double taken = std::exchange(taken_[rank], 0); taken > 0)
      return foresee(now_ + taken, event::what::ends, task);
    const std::uint32_t next = next_[task];
    // The thread is not idle between the two if it passes on all that the next task waits for.
    const auto is_for_next = [&](std::uint32_t edge) { return f_.edges[edge].to == next; };
    const auto first = by_task_.begin() + edges_of_[task];
    const auto last = by_task_.begin() + edges_of_[task + 1];
    const bool goes_on = next != none && missing_[next] == 1 + std::count_if(first, last, is_for_next);
    if (goes_on) follows_[next] = true;
    running_[rank] -= goes_on ? 0 : 1;
    double time = now_;
    for (std::uint32_t k = edges_of_[task]; k < edges_of_[task + 1]; ++k) {
      const std::uint32_t to = f_.edges[by_task_[k]].to;
      hand_on(by_task_[k], f_.tasks[task].rank, thread_of(to) != thread_of(task), time);
    }
    if (next != none) foresee(time, event::what::comes, next);
    outcome_.seconds = std::max(outcome_.seconds, time);
  }

  [[nodiscard]] double seconds_on_link(const flow_edge& e) const {
    return static_cast<double>(e.size_bytes) / on_.bytes_per_second;
  }
  [[nodiscard]] rank_id sender(const flow_edge& e) const {
    return e.from == none ? e.owner : f_.tasks[e.from].rank;
  }

  /// Messages of a rank leave one after another; the first byte arrives after the latency.
  void leaves(const flow_edge& e, std::uint32_t edge) {
    link& l = links_[static_cast<std::size_t>(sender(e))];
    const double work = on_.processor_seconds(static_cast<double>(e.size_bytes));
    work_on_message(sender(e), work);
    l.free_to_work = std::max(now_, l.free_to_work) + work;
    const double start = std::max(l.free_to_work, l.free_to_send);
    l.free_to_send = start + seconds_on_link(e);
    foresee(start + on_.latency_seconds, event::what::reaches, edge);
  }

  void reaches(const flow_edge& e) {
    link& l = links_[static_cast<std::size_t>(f_.tasks[e.to].rank)];
    l.free_to_receive = std::max(now_, l.free_to_receive) + seconds_on_link(e);
    const double work = on_.processor_seconds(static_cast<double>(e.size_bytes));
    work_on_message(f_.tasks[e.to].rank, work);
    l.free_to_work = std::max(l.free_to_receive, l.free_to_work) + work;
    l.free_to_unpack = std::max(l.free_to_work, l.free_to_unpack) + e.seconds_packing;
    foresee(l.free_to_unpack, event::what::comes, e.to);
  }

  const flow& f_;
  const simulated_cluster& on_;
  flow_outcome outcome_;
  std::vector<std::uint32_t> missing_;           // by task: inputs that have not arrived
  std::vector<std::uint32_t> next_;              // by task: next one of its executor
  std::vector<std::uint32_t> first_of_threads_;  // tasks
  std::vector<std::uint32_t> edges_of_;          // by task: first of its edges in by_task_
  std::vector<std::uint32_t> by_task_;
  std::vector<link> links_;    // by rank
  std::vector<int> running_;   // by rank: threads
  std::vector<bool> follows_;  // by task: its thread has gone on to it without a wait
  std::vector<double> taken_;  // by rank: seconds of its busy threads that messages took
  std::priority_queue<event> events_;
  std::uint64_t number_ = 0;
  double now_ = 0;
};

}  // namespace

flow_outcome simulate(const flow& f, const simulated_cluster& on) { return simulator(f, on).run(); }

double longest_chain(const flow& f) {
  std::vector<std::uint32_t> begin(f.tasks.size() + 1);  // by task: first of its predecessors in `before`
  for (const flow_edge& e : f.edges) begin[e.to + 1] += e.from == none ? 0 : 1;
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> before(begin.back());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const flow_edge& e : f.edges) {
    if (e.from != none) before[next[e.to]++] = e.from;
  }
  double longest = 0;
  std::vector<double> end(f.tasks.size());
  for (std::size_t t = 0; t < f.tasks.size(); ++t) {
    for (std::uint32_t k = begin[t]; k < begin[t + 1]; ++k) end[t] = std::max(end[t], end[before[k]]);
    end[t] += f.tasks[t].seconds;
    longest = std::max(longest, end[t]);
  }
  return longest;
}

}  // namespace stradsap::rt
