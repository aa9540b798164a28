// Makes the steps of wave threads from iterations that are added level by level: the needs of each step, and
// the elements that go from rank to rank. Every rank sees all iterations and keeps its own share. Thread
// rule: one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/plan/planning.hpp"
#include "runtime/loop/plan/wave_plan.hpp"
#include "runtime/loop/waves/element_table.hpp"

namespace stradsap::rt {

/// The level and the part of an element's last use.
struct element_place {
  std::uint32_t level;  // 0: not yet
  std::uint8_t part;
};

class wave_steps {
 public:
  /// `touches`: of all iterations together. The first `ranks` ranks run iterations.
  wave_steps(const planning& in, wave_plan& out, std::uint64_t num_elements, std::uint64_t touches,
             int ranks);

  /// Adds the next iteration. Levels must not fall, and iterations of a level share no element of `set`.
  void add(std::uint64_t iteration, std::uint32_t part, std::uint32_t level,
           std::span<const std::uint32_t> set);
  /// Must be called after the last iteration.
  void finish();

  [[nodiscard]] element_place place(std::uint32_t element) const { return places_.value(element); }

 private:
  /// An element that a step of this rank gets from another rank.
  struct incoming_element {
    rank_id from;
    std::uint32_t level;  // the element leaves after it
    std::uint32_t element;
    std::uint32_t thread;
    std::uint32_t step;
  };
  /// An element that leaves this rank.
  struct leaving {
    std::uint32_t level;
    rank_id to;
    std::uint32_t element;
  };
  struct waiting {
    std::uint32_t step;
    wave_need need;
  };

  [[nodiscard]] rank_id rank_of(std::uint32_t part) const { return plan_.rank_of_part[part]; }
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t part) const { return plan_.thread_of_part[part]; }
  [[nodiscard]] std::uint32_t num_threads() const { return static_cast<std::uint32_t>(plan_.threads.size()); }
  void reserve(std::uint64_t touches);
  void add_own(std::uint64_t iteration, std::uint32_t part, std::uint32_t level,
               std::span<const std::uint32_t> set);
  void follow(std::uint32_t element, std::uint32_t thread);
  void await(std::uint32_t thread, std::uint32_t other, std::uint32_t level);
  [[nodiscard]] std::uint32_t step_at(std::uint32_t thread, std::uint32_t level) const;
  void number_incoming();
  void list_departures();
  void join_steps(std::uint32_t thread);
  void settle_owners();
  [[nodiscard]] rank_id busiest_rank(std::uint64_t first, std::uint64_t end, rank_id now) const;

  const planning& in_;
  wave_plan& plan_;
  const rank_id self_;
  const std::uint64_t num_elements_;
  element_table<element_place> places_;
  std::vector<std::vector<std::uint32_t>> known_;  // per wave thread: reached level of each other
  std::vector<std::vector<waiting>> waiting_;      // per wave thread
  std::vector<std::vector<bool>> is_awaited_;      // per wave thread and step: another step waits for its end
  std::vector<incoming_element> incoming_;
  std::vector<leaving> leaving_;
};

}  // namespace stradsap::rt
