#include "runtime/loop/plan/aligned_elements.hpp"

#include <algorithm>
#include <span>
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

}  // namespace

static std::vector<aligned_list> lists_of(const plan& p, std::size_t c) {
  if (p.waves == nullptr) return {{p.share.numbers.part(0, p.share.numbers.size()), p.share.streams[c]}};
  std::vector<aligned_list> lists;
  for (const wave_thread_share& thread : p.waves->threads)
    lists.push_back({thread.iterations, thread.streams[c]});
  return lists;
}

/// Calls visit(number, element) for each of this rank's iterations.
template <class Visit> static void for_each_element(const plan& p, std::size_t c, const Visit& visit) {
  for (const aligned_list& list : lists_of(p, c)) {
    for (std::size_t k = 0; k < list.numbers.size(); ++k) visit(list.numbers[k], list.elements.at(k));
  }
}

/// Decodes an element number from another rank. Throws error(errc::decode) if there is no such element.
static std::uint32_t next_number(abi::reader& in, const replica& local) {
  std::uint32_t number = 0;
  in(number);
  if (number >= local.size()) throw error(errc::decode, fmt::format("a rank named element {}", number));
  return number;
}

static void refresh(const planning& in, const plan& p, std::size_t c) {
  replica& local = *in.frame.replicas[c];
  const owner_table owners(local.groups());
  element_exchange numbers(in.ranks);
  for_each_element(p, c, [&](std::uint32_t number, std::byte* element) {
    const rank_id owner = owners[number];
    if (owner == in.ranks.self()) return local.ops().assign(element, local.at(number));
    numbers.writer(owner)(number);
  });
  if (in.ranks.world_size() == 1) return;
  numbers.trade();
  element_exchange elements(in.ranks);
  for (rank_id r = 0; r < in.ranks.world_size(); ++r) {
    abi::reader& asked = numbers.reader(r);
    while (asked.remaining() > 0)
      local.ops().write(local.at(next_number(asked, local)), 1, elements.writer(r));
  }
  elements.trade();
  for_each_element(p, c, [&](std::uint32_t number, std::byte* element) {
    const rank_id owner = owners[number];
    if (owner != in.ranks.self()) local.ops().read(element, 1, elements.reader(owner));
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

/// Encodes the elements of this rank's share that other ranks own, with their numbers.
static void write_numbered(const replica& local, const plan& p, std::size_t c, const owner_table& owners,
                           rank_id self, element_exchange& out) {
  for_each_element(p, c, [&](std::uint32_t number, const std::byte* element) {
    const rank_id owner = owners[number];
    if (owner == self) return;
    out.writer(owner)(number);
    local.ops().write(element, 1, out.writer(owner));
  });
}

void return_elements(replica& local, const plan& p, std::size_t c, exchange& ranks) {
  const owner_table owners(local.groups());
  element_exchange elements(ranks);
  if (ranks.world_size() > 1) write_numbered(local, p, c, owners, ranks.self(), elements);
  elements.trade();
  if (local.plan_layout()) local.restore_canonical_layout();  // only after the elements have come
  for_each_element(p, c, [&](std::uint32_t number, const std::byte* element) {
    if (owners[number] == ranks.self()) local.ops().assign(local.at(number), element);
  });
  for (rank_id r = 0; r < ranks.world_size(); ++r) {
    abi::reader& in = elements.reader(r);
    while (in.remaining() > 0) {
      const std::uint32_t number = next_number(in, local);
      local.ops().read(local.at(number), 1, in);
    }
  }
}

}  // namespace stradsap::rt
