#include "runtime/loop/plan/aligned_elements.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

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
  [[nodiscard]] std::size_t operator[](std::uint64_t element) const {
    return static_cast<std::size_t>(groups_.owner(index_[element]));
  }

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
  const auto self = static_cast<std::size_t>(in.ranks.self());
  std::vector<bytes> asked(static_cast<std::size_t>(in.ranks.world_size()));
  for_each_element(p, c, [&](std::uint32_t number, std::byte* element) {
    const std::size_t owner = owners[number];
    if (owner == self) return local.ops().assign(element, local.at(number));
    abi::writer out(asked[owner]);
    out(number);
  });
  if (in.ranks.world_size() == 1) return;
  std::vector<bytes> answers;
  for (const bytes& one : in.ranks.all_to_all(std::move(asked))) {
    abi::reader numbers(one);
    abi::writer out(answers.emplace_back());
    while (numbers.remaining() > 0) local.ops().write(local.at(next_number(numbers, local)), 1, out);
  }
  const std::vector<bytes> came = in.ranks.all_to_all(std::move(answers));
  std::vector<abi::reader> readers(came.begin(), came.end());
  for_each_element(p, c, [&](std::uint32_t number, std::byte* element) {
    const std::size_t owner = owners[number];
    if (owner != self) local.ops().read(element, 1, readers[owner]);
  });
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

/// The elements of this rank's share by owner, with their numbers, without its own.
static std::vector<bytes> sorted_by_owner(const replica& local, const plan& p, std::size_t c,
                                          const owner_table& owners, const exchange& ranks) {
  std::vector<bytes> out(static_cast<std::size_t>(ranks.world_size()));
  if (ranks.world_size() == 1) return out;
  for_each_element(p, c, [&](std::uint32_t number, const std::byte* element) {
    const std::size_t owner = owners[number];
    if (owner == static_cast<std::size_t>(ranks.self())) return;
    abi::writer to(out[owner]);
    to(number);
    local.ops().write(element, 1, to);
  });
  return out;
}

void return_elements(replica& local, const plan& p, std::size_t c, exchange& ranks) {
  const owner_table owners(local.groups());
  const auto self = static_cast<std::size_t>(ranks.self());
  const std::vector<bytes> came = ranks.all_to_all(sorted_by_owner(local, p, c, owners, ranks));
  if (local.plan_layout()) local.restore_canonical_layout();  // only after the elements have come
  for_each_element(p, c, [&](std::uint32_t number, const std::byte* element) {
    if (owners[number] == self) local.ops().assign(local.at(number), element);
  });
  for (const bytes& one : came) {
    abi::reader in(one);
    while (in.remaining() > 0) {
      const std::uint32_t number = next_number(in, local);
      local.ops().read(local.at(number), 1, in);
    }
  }
}

}  // namespace stradsap::rt
