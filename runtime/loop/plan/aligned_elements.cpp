#include "runtime/loop/plan/aligned_elements.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "runtime/dds/element_exchange.hpp"
#include "runtime/loop/plan/group_index.hpp"
#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {
namespace {

/// Iterations of this rank with the element of one container that each accesses, in plan order.
struct aligned_list {
  std::span<const std::uint32_t> numbers;
  const element_array& elements;
};

/// The owner of each element.
class owner_table {
 public:
  explicit owner_table(const partition& groups) : groups_(groups), index_(groups) {}
  [[nodiscard]] rank_id operator[](std::uint64_t element) const { return groups_.owner(index_[element]); }

 private:
  const partition& groups_;
  const group_index index_;
};

std::vector<aligned_list> lists_of(const plan& p, std::size_t c) {
  if (p.waves == nullptr) return {{p.share.numbers.part(0, p.share.numbers.size()), p.share.streams[c]}};
  std::vector<aligned_list> lists;
  for (const wave_thread_share& thread : p.waves->threads)
    lists.push_back({thread.iterations, thread.streams[c]});
  return lists;
}

/// Calls visit(number, element) for each of this rank's iterations.
template <class Visit> void for_each_element(const plan& p, std::size_t c, const Visit& visit) {
  for (const aligned_list& list : lists_of(p, c)) {
    for (std::size_t k = 0; k < list.numbers.size(); ++k) visit(list.numbers[k], list.elements.at(k));
  }
}

/// The elements of a capture that this rank's iterations access and other ranks own. They are encoded in plan
/// order, all numbers or all elements in one piece.
class foreign_elements {
 public:
  foreign_elements(const replica& local, const plan& p, std::size_t c, const exchange& ranks)
      : local_(local), plan_(p), c_(c), self_(ranks.self()), owners_(local.groups()) {
    counts_.resize(static_cast<std::size_t>(ranks.world_size()));
    for_each([&](rank_id owner, std::uint32_t, std::byte*) { ++counts_[static_cast<std::size_t>(owner)]; });
  }

  /// Calls visit(owner, number, element).
  template <class Visit> void for_each(const Visit& visit) const {
    if (counts_.size() == 1) return;
    for_each_element(plan_, c_, [&](std::uint32_t number, std::byte* element) {
      if (const rank_id owner = owners_[number]; owner != self_) visit(owner, number, element);
    });
  }
  /// Calls visit(number, element) for the other elements.
  template <class Visit> void for_each_own(const Visit& visit) const {
    if (counts_.size() == 1) return for_each_element(plan_, c_, visit);
    for_each_element(plan_, c_, [&](std::uint32_t number, std::byte* element) {
      if (owners_[number] == self_) visit(number, element);
    });
  }

  void write_numbers(element_exchange& out) const {
    for (std::size_t r = 0; r < counts_.size(); ++r) {
      abi::writer& of_rank = out.writer(static_cast<rank_id>(r));
      of_rank.reserve(sizeof counts_[r] + counts_[r] * (sizeof(std::uint32_t) + local_.ops().size));
      if (counts_[r] != 0) of_rank(counts_[r]);
    }
    write_pieces(out, sizeof(std::uint32_t),
                 [](const std::uint32_t& number, const std::byte*) { return &number; });
  }
  void write_elements(element_exchange& out) const {
    if (local_.ops().own.write == nullptr) {
      return write_pieces(out, local_.ops().size,
                          [](const std::uint32_t&, const std::byte* element) { return element; });
    }
    for_each([&](rank_id owner, std::uint32_t, const std::byte* element) {
      local_.ops().write(element, 1, out.writer(owner));
    });
  }

 private:
  /// Copies `width` bytes of each element, from the address that of(number, element) returns.
  template <class Of> void write_pieces(element_exchange& out, std::size_t width, const Of& of) const {
    std::vector<std::byte*> next;
    for (std::size_t r = 0; r < counts_.size(); ++r)
      next.push_back(out.writer(static_cast<rank_id>(r)).extend(counts_[r] * width));
    for_each([&](rank_id owner, std::uint32_t number, const std::byte* element) {
      std::byte*& to = next[static_cast<std::size_t>(owner)];
      std::memcpy(to, of(number, element), width);
      to += width;
    });
  }

  const replica& local_;
  const plan& plan_;
  const std::size_t c_;
  const rank_id self_;
  const owner_table owners_;
  std::vector<std::uint64_t> counts_;  // by owner
};

}  // namespace

/// Calls with(copy), where copy(to, from) assigns an element. g++ makes few instructions of a copy of a known
/// size, and a call of any other.
template <class With> static void with_copy_of(const abi::element_ops& ops, const With& with) {
  const auto known = [&](auto size) {
    with([](void* to, const void* from) { std::memcpy(to, from, decltype(size)::value); });
  };
  if (ops.own.assign == nullptr) {
    switch (ops.size) {
      case 4:
        return known(std::integral_constant<std::size_t, 4>());
      case 8:
        return known(std::integral_constant<std::size_t, 8>());
      case 12:
        return known(std::integral_constant<std::size_t, 12>());
      case 16:
        return known(std::integral_constant<std::size_t, 16>());
      default:
        break;
    }
  }
  with([&](void* to, const void* from) { ops.assign(to, from); });
}

/// Decodes the numbers of elements from another rank, and calls visit(element) for each. Throws
/// error(errc::decode) if there is no such element.
template <class Visit> static void for_each_named(const replica& local, abi::reader& in, const Visit& visit) {
  if (in.remaining() == 0) return;
  std::uint32_t number = 0;
  const std::size_t count = in.count(sizeof number);
  const std::byte* at = in.take(count * sizeof number);
  for (std::size_t k = 0; k < count; ++k, at += sizeof number) {
    std::memcpy(&number, at, sizeof number);
    if (number >= local.size()) throw error(errc::decode, fmt::format("a rank named element {}", number));
    visit(local.at(number));
  }
}

static void refresh(const planning& in, const plan& p, std::size_t c) {
  replica& local = *in.frame.replicas[c];
  const foreign_elements foreign(local, p, c, in.ranks);
  with_copy_of(local.ops(), [&](const auto& copy) {
    foreign.for_each_own([&](std::uint32_t number, std::byte* element) { copy(element, local.at(number)); });
  });
  if (in.ranks.world_size() == 1) return;
  element_exchange numbers(in.ranks);
  foreign.write_numbers(numbers);
  numbers.trade();
  element_exchange elements(in.ranks);
  for (rank_id r = 0; r < in.ranks.world_size(); ++r) {
    for_each_named(local, numbers.reader(r),
                   [&](std::byte* element) { local.ops().write(element, 1, elements.writer(r)); });
  }
  elements.trade();
  foreign.for_each([&](rank_id owner, std::uint32_t, std::byte* element) {
    local.ops().read(element, 1, elements.reader(owner));
  });
  elements.finish();
}

bool may_use_plan_layout(const loop_frame& f, std::size_t c) {
  if (!f.is_aligned(c) || f.logs_accesses) return false;  // the proof reads the canonical layout
  const replica* local = f.replicas[c];
  return local->keys() == nullptr && local->size() == static_cast<std::uint64_t>(f.n) &&
         std::count(f.replicas.begin(), f.replicas.end(), local) == 1;
}

void adopt_plan_layouts(const planning& in) {
  if (!in.use_plan_layout) return;
  std::vector<std::uint32_t> leaving;
  for (std::uint32_t c = 0; c < in.frame.num_captures(); ++c) {
    if (may_use_plan_layout(in.frame, c)) leaving.push_back(c);
  }
  if (!leaving.empty()) (void)in.ranks.all_gather({});  // all ranks have their share
  for (const std::uint32_t c : leaving) in.frame.replicas[c]->adopt_plan_layout({in.id, c});
}

void refresh_aligned(const planning& in, const plan& p) {
  for (std::size_t c = 0; c < in.frame.num_captures(); ++c) {
    if (in.frame.is_aligned(c) && !in.frame.replicas[c]->plan_layout()) refresh(in, p, c);
  }
}

void return_aligned(const planning& in, const plan& p) {
  for (std::uint32_t c = 0; c < in.frame.num_captures(); ++c) {
    if (in.frame.uses[c] != usage::aligned_write) continue;
    replica& local = *in.frame.replicas[c];
    if (local.plan_layout()) {
      local.adopt_plan_layout({in.id, c});  // the copies of other plans are outdated
    } else {
      return_elements(local, p, c, in.ranks);
    }
  }
}

void return_elements(replica& local, const plan& p, std::size_t c, exchange& ranks) {
  const foreign_elements foreign(local, p, c, ranks);
  element_exchange elements(ranks);
  foreign.write_numbers(elements);
  foreign.write_elements(elements);
  elements.trade();
  if (local.plan_layout()) local.restore_canonical_layout();  // only after the elements have come
  with_copy_of(local.ops(), [&](const auto& copy) {
    foreign.for_each_own(
        [&](std::uint32_t number, const std::byte* element) { copy(local.at(number), element); });
  });
  for (rank_id r = 0; r < ranks.world_size(); ++r) {
    abi::reader& in = elements.reader(r);
    for_each_named(local, in, [&](std::byte* element) { local.ops().read(element, 1, in); });
  }
  elements.finish();
}

}  // namespace stradsap::rt
