#include "runtime/checkpoint/hashed_file.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include <xxhash.h>

namespace stradsap::rt {

running_hash::running_hash() : state_(XXH3_createState()) {
  if (state_ == nullptr || XXH3_64bits_reset(state_) == XXH_ERROR) throw std::bad_alloc();
}
running_hash::~running_hash() { (void)XXH3_freeState(state_); }

void running_hash::add(const void* data, std::size_t size) { (void)XXH3_64bits_update(state_, data, size); }

std::uint64_t running_hash::value() const { return XXH3_64bits_digest(state_); }

void hashed_file::append(const void* data, std::size_t size) {
  file_.write(data, size_, size);
  hash_.add(data, size);
  size_ += size;
}

file_sum hashed_file::complete() {
  file_.sync();
  return {size_, hash_.value()};
}

file_sum sum_of_file(const std::string& path) {
  constexpr std::uint64_t most_at_once = std::uint64_t{1} << 20;
  const descriptor file = descriptor::to_read(path);
  const std::uint64_t size = file.size();
  std::vector<char> piece(std::min(size, most_at_once));
  running_hash hash;
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(piece.size(), size - at);
    file.read(piece.data(), at, count);
    hash.add(piece.data(), count);
  }
  return {size, hash.value()};
}

}  // namespace stradsap::rt
