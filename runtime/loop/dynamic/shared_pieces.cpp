#include "runtime/loop/dynamic/shared_pieces.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stradsap::rt {

// Sums of the changes of eight shards stay in the first cache.
static constexpr std::size_t piece_bytes = 4 << 10;

shared_pieces::shared_pieces(const loop_frame& f, const std::vector<std::size_t>& captures) {
  std::size_t longest = 1;
  for (const std::size_t c : captures) {
    const replica& of = *f.replicas[c];
    const std::size_t size = of.ops().size;
    const std::size_t step = std::max(piece_bytes / size, std::size_t{1}) * size;
    for (std::size_t at = 0; at < of.size() * size; at += step)
      pieces_.push_back({replicas_.size(), at, std::min(step, of.size() * size - at)});
    longest = std::max(longest, step);
    replicas_.push_back(&of);
  }
  versions_.assign(pieces_.size(), 0);
  zeros_ = allocate(longest);
  std::memset(zeros_.get(), 0, longest);
}

std::byte* shared_pieces::elements(std::size_t p) const {
  return replicas_[pieces_[p].container]->at(0) + pieces_[p].first_byte;
}

private_copy::private_copy(const shared_pieces& of) : of_(of), versions_(of.size(), none) {
  for (std::size_t i = 0; i < of.num_containers(); ++i)
    memory_.push_back(shared_pieces::allocate(of.container(i).size() * of.container(i).ops().size));
}

void private_copy::refresh() {
  for (std::size_t p = 0; p < of_.size(); ++p) {
    if (versions_[p] == of_.version(p)) continue;
    std::memcpy(elements(p), of_.elements(p), of_[p].num_bytes);
    versions_[p] = of_.version(p);
  }
}

std::byte* sum_of(const node_change* begin, const node_change* end, std::size_t first, std::size_t span,
                  const abi::element_ops& ops, std::size_t num_elements, const std::byte* start) {
  if (begin == end) return nullptr;
  if (end - begin == 1) return begin->data;
  const std::size_t half = span / 2;
  const node_change* const middle =
      std::find_if(begin, end, [&](const node_change& one) { return one.first_shard >= first + half; });
  std::byte* const left = sum_of(begin, middle, first, half, ops, num_elements, start);
  std::byte* const right = sum_of(middle, end, first + half, half, ops, num_elements, start);
  if (left == nullptr || right == nullptr) return left == nullptr ? right : left;
  ops.merge(left, start, right, num_elements);
  return left;
}

std::vector<std::pair<std::size_t, std::size_t>> nodes_of(std::size_t begin, std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> nodes;
  while (begin < end) {
    const std::size_t most = begin == 0 ? ~(~std::size_t{0} >> 1) : std::size_t{1} << std::countr_zero(begin);
    const std::size_t span = std::min(most, std::bit_floor(end - begin));
    nodes.emplace_back(begin, span);
    begin += span;
  }
  return nodes;
}

}  // namespace stradsap::rt
