#include "runtime/loop/aligned_elements.hpp"

#include <span>
#include <vector>

#include <fmt/format.h>

#include "runtime/loop/wave_plan.hpp"

namespace stradsap::rt {
namespace {

/// Iterations of this rank, and the element of one container that each has in plan order.
struct aligned_list {
  std::span<const std::uint32_t> numbers;
  const element_array& elements;
};

}  // namespace

static std::vector<aligned_list> lists_of(const plan& p, std::size_t c) {
  if (p.waves == nullptr) return {{p.share.numbers.part(0, p.share.numbers.size()), p.share.streams[c]}};
  std::vector<aligned_list> lists;
  for (const wave_lane_share& lane : p.waves->lanes) lists.push_back({lane.iterations, lane.streams[c]});
  return lists;
}

/// Calls visit(owner, number, element) for each of this rank's iterations.
template <class Visit>
static void for_each_element(const planning& in, const plan& p, std::size_t c, const Visit& visit) {
  const partition& groups = in.frame.stores[c]->groups();
  for (const aligned_list& list : lists_of(p, c)) {
    for (std::size_t k = 0; k < list.numbers.size(); ++k) {
      const std::uint64_t number = list.numbers[k];
      visit(static_cast<std::size_t>(groups.owner(groups.group_of(number))), number, list.elements.at(k));
    }
  }
}

/// Elements that another rank named, which must be there.
static std::uint64_t next_number(abi::reader& in, const container_store& store) {
  std::uint64_t number = 0;
  in(number);
  if (number >= store.size()) throw error(errc::decode, fmt::format("a rank named element {}", number));
  return number;
}

static void refresh(const planning& in, const plan& p, std::size_t c) {
  container_store& store = *in.frame.stores[c];
  const auto self = static_cast<std::size_t>(in.ranks.self());
  std::vector<bytes> asked(static_cast<std::size_t>(in.ranks.world_size()));
  for_each_element(in, p, c, [&](std::size_t owner, std::uint64_t number, std::byte* element) {
    if (owner == self) return store.ops().assign(element, store.at(number));
    abi::writer out(asked[owner]);
    out(number);
  });
  if (in.ranks.world_size() == 1) return;
  std::vector<bytes> answers;
  for (const bytes& one : in.ranks.all_to_all(std::move(asked))) {
    abi::reader numbers(one);
    abi::writer out(answers.emplace_back());
    while (numbers.remaining() > 0) store.ops().write(store.at(next_number(numbers, store)), 1, out);
  }
  const std::vector<bytes> came = in.ranks.all_to_all(std::move(answers));
  std::vector<abi::reader> readers(came.begin(), came.end());
  for_each_element(in, p, c, [&](std::size_t owner, std::uint64_t, std::byte* element) {
    if (owner != self) store.ops().read(element, 1, readers[owner]);
  });
}

void refresh_aligned(const planning& in, const plan& p) {
  for (std::size_t c = 0; c < in.frame.num_captures(); ++c) {
    if (in.frame.is_aligned(c)) refresh(in, p, c);
  }
}

void return_aligned(const planning& in, const plan& p) {
  for (std::size_t c = 0; c < in.frame.num_captures(); ++c) {
    if (in.frame.uses[c] != usage::aligned_write) continue;
    container_store& store = *in.frame.stores[c];
    std::vector<bytes> out(static_cast<std::size_t>(in.ranks.world_size()));
    const auto self = static_cast<std::size_t>(in.ranks.self());
    for_each_element(in, p, c, [&](std::size_t owner, std::uint64_t number, const std::byte* element) {
      if (owner == self) return store.ops().assign(store.at(number), element);
      abi::writer writer(out[owner]);
      writer(number);
      store.ops().write(element, 1, writer);
    });
    for (const bytes& one : in.ranks.all_to_all(std::move(out))) {
      abi::reader came(one);
      while (came.remaining() > 0) {
        const std::uint64_t number = next_number(came, store);
        store.ops().read(store.at(number), 1, came);
      }
    }
  }
}

}  // namespace stradsap::rt
