#include "runtime/observe/serial_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>

#include <fmt/format.h>

namespace stradsap::rt {
namespace {

/// A touch, with the position of its iteration in runs_.
struct witness {
  std::uint32_t run;
  const logged_touch* touch;
  const std::string* place;
};

/// `before` precedes `after`: they touched versions of one element in this order.
struct conflict {
  const witness* before;
  const witness* after;
};

/// The touches of one element, by version; readers of a version precede the iteration that changes it.
using history = std::vector<witness>;

class proof {
 public:
  explicit proof(const launch_evidence& seen) : seen_(seen) {}

  serial_order_verdict run() {
    collect();
    check_each_ran_once();
    for (std::size_t i = 0; i < histories_.size() && fault_.empty(); ++i) check_history(histories_[i]);
    if (fault_.empty()) sort_topologically();
    if (fault_.empty()) check_declared_order();
    return {fault_, fault_.empty() ? order_ : std::vector<std::int64_t>()};
  }

 private:
  using element_id = std::pair<std::uint32_t, std::uint64_t>;  // capture, element

  void collect() {
    std::vector<std::pair<element_id, witness>> all;
    for (const access_log& log : seen_.logs) {
      const auto first = static_cast<std::uint32_t>(runs_.size());
      runs_.insert(runs_.end(), log.iterations.begin(), log.iterations.end());
      for (const logged_touch& t : log.touches)
        all.push_back({{t.capture, t.element}, {first + t.iteration, &t, &log.places.at(t.place)}});
      note_states(log.start, start_);
      note_states(log.end, end_);
    }
    const auto key = [&](const auto& one) {
      const logged_touch& t = *one.second.touch;
      return std::tuple(one.first, t.version, t.writes, runs_[one.second.run].iteration);
    };
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i].first != all[i - 1].first) histories_.emplace_back();
      histories_.back().push_back(all[i].second);
    }
  }

  static void note_states(const std::vector<logged_state>& states,
                          std::vector<std::vector<std::optional<std::uint64_t>>>& into) {
    for (const logged_state& s : states) {
      if (into.size() <= s.capture) into.resize(s.capture + 1);
      auto& elements = into[s.capture];
      if (elements.size() < s.begin + s.hashes.size()) elements.resize(s.begin + s.hashes.size());
      std::copy(s.hashes.begin(), s.hashes.end(), elements.begin() + static_cast<std::ptrdiff_t>(s.begin));
    }
  }

  // ---- faults ----

  void fault(const std::string& place, const std::string& what) {
    if (fault_.empty()) fault_ = fmt::format("{}: error: {}", place, what);
  }
  [[nodiscard]] std::int64_t iteration(const witness& w) const { return runs_[w.run].iteration; }
  [[nodiscard]] std::string name(const witness& w) const {
    return fmt::format("element {} of `{}`", w.touch->element, seen_.containers.at(w.touch->capture));
  }
  /// "iteration 3 (mf.cpp:31)".
  [[nodiscard]] std::string say(const witness& w) const {
    return fmt::format("iteration {} ({})", iteration(w), *w.place);
  }

  void check_each_ran_once() {
    std::vector<std::int64_t> ran;
    for (const logged_iteration& one : runs_) ran.push_back(one.iteration);
    std::sort(ran.begin(), ran.end());
    const auto twice = std::adjacent_find(ran.begin(), ran.end());
    if (twice != ran.end()) return fault(seen_.site, fmt::format("iteration {} ran twice", *twice));
    for (std::int64_t j = 0; j < seen_.n && !seen_.failed; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (at >= ran.size() || ran[at] != j)
        return fault(seen_.site, fmt::format("iteration {} did not run", j));
    }
  }

  // ---- one element ----

  using hashes = std::vector<std::vector<std::optional<std::uint64_t>>>;
  static std::optional<std::uint64_t> state_of(const hashes& all, const logged_touch& t) {
    if (t.capture >= all.size() || t.element >= all[t.capture].size()) return std::nullopt;
    return all[t.capture][t.element];
  }

  void check_history(const history& h) {
    const witness* writer = nullptr;  // of the present version
    std::uint64_t version = 0;
    std::optional<std::uint64_t> value = state_of(start_, *h[0].touch);
    std::vector<const witness*> readers;
    for (const witness& w : h) {
      const logged_touch& t = *w.touch;
      if (t.torn)
        return fault(*w.place,
                     fmt::format("{} changed while iteration {} was using it", name(w), iteration(w)));
      if (t.version != version) return say_lost(w, writer, version);
      if (t.before != value) return say_stale(w, writer);
      if (!t.writes && t.after != t.before)
        return fault(*w.place, fmt::format("{} changes although {} only reads it", name(w), say(w)));
      if (writer != nullptr) conflicts_.push_back({writer, &w});
      if (!t.writes) {
        readers.push_back(&w);
        continue;
      }
      for (const witness* reader : readers) conflicts_.push_back({reader, &w});
      readers.clear();
      writer = &w;
      value = t.after;
      ++version;
    }
    if (state_of(end_, *h[0].touch) != value) say_not_kept(h.back(), writer);
  }

  void say_lost(const witness& w, const witness* writer, std::uint64_t version) {
    if (w.touch->version > version || writer == nullptr) {
      return fault(*w.place, fmt::format("{} finds {} after {} changes, of which only {} are known", say(w),
                                         name(w), w.touch->version, version));
    }
    fault(*w.place, fmt::format("{} and {} both find {} as change {} left it: one change is lost or unseen",
                                say(*writer), say(w), name(w), w.touch->version));
  }

  void say_stale(const witness& w, const witness* writer) {
    fault(*w.place, fmt::format("{} does not find {} as {} left it", say(w), name(w),
                                writer == nullptr ? "the start of the loop" : say(*writer)));
  }

  void say_not_kept(const witness& last, const witness* writer) {
    const witness& w = writer == nullptr ? last : *writer;
    fault(*w.place, fmt::format("{} is not at the end of the loop what {} left", name(w), say(w)));
  }

  // ---- the graph ----

  /// Kahn's algorithm. Of the iterations that may come next, it takes the first in program order.
  void sort_topologically() {
    std::vector<std::vector<std::uint32_t>> after(runs_.size());
    std::vector<std::uint32_t> missing(runs_.size());
    for (const conflict& c : conflicts_) {
      after[c.before->run].push_back(c.after->run);
      ++missing[c.after->run];
    }
    using entry = std::pair<std::int64_t, std::uint32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> ready;
    const auto release = [&](std::uint32_t r) { ready.emplace(runs_[r].iteration, r); };
    for (std::uint32_t r = 0; r < runs_.size(); ++r) {
      if (missing[r] == 0) release(r);
    }
    while (!ready.empty()) {
      const auto [j, r] = ready.top();
      ready.pop();
      order_.push_back(j);
      for (const std::uint32_t next : after[r]) {
        if (--missing[next] == 0) release(next);
      }
    }
    if (order_.size() != runs_.size()) say_cycle(missing);
  }

  /// Names a conflict on a cycle: goes back from an iteration that never became ready, until one repeats.
  void say_cycle(const std::vector<std::uint32_t>& missing) {
    std::vector<const conflict*> into(runs_.size());
    for (const conflict& c : conflicts_) {
      if (missing[c.before->run] > 0 && missing[c.after->run] > 0) into[c.after->run] = &c;
    }
    auto at = static_cast<std::uint32_t>(
        std::find_if(missing.begin(), missing.end(), [](std::uint32_t m) { return m > 0; }) -
        missing.begin());
    std::vector<bool> met(runs_.size());
    for (; !met[at]; at = into[at]->before->run) met[at] = true;
    const conflict& last = *into[at];
    std::string path = fmt::format("{}", runs_[at].iteration);
    std::uint32_t back = last.before->run;
    for (; back != at; back = into[back]->before->run) path += fmt::format(" <- {}", runs_[back].iteration);
    fault(*last.after->place,
          fmt::format("no serial order: {} finds {} as {} left it, and comes before it elsewhere ({} <- {})",
                      say(*last.after), name(*last.after), say(*last.before), path, runs_[at].iteration));
  }

  void check_declared_order() {
    std::vector<std::uint32_t> position(seen_.declared.size());
    for (std::uint32_t at = 0; at < position.size(); ++at) position.at(seen_.declared[at]) = at;
    const auto place = [&](const witness& w) {
      return std::pair(position.at(runs_[w.run].block), iteration(w));
    };
    for (const conflict& c : conflicts_) {
      if (place(*c.before) < place(*c.after)) continue;
      return fault(*c.after->place, fmt::format("{} finds {} as {} left it, which the plan has later",
                                                say(*c.after), name(*c.after), say(*c.before)));
    }
  }

  const launch_evidence& seen_;
  std::vector<logged_iteration> runs_;
  std::vector<history> histories_;
  hashes start_;  // by capture and element
  hashes end_;
  std::vector<conflict> conflicts_;
  std::vector<std::int64_t> order_;
  std::string fault_;
};

}  // namespace

serial_order_verdict find_serial_order(const launch_evidence& seen) { return proof(seen).run(); }

}  // namespace stradsap::rt
