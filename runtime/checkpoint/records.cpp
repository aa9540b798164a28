#include "runtime/checkpoint/records.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "runtime/dds/poison.hpp"

namespace stradsap::rt {

/// Before the encoded elements of a record: their number and their bytes.
using record_head = std::array<std::uint64_t, 2>;

static void append_head(hashed_file& to, std::uint64_t elements, std::uint64_t size_bytes) {
  const record_head head{elements, size_bytes};
  to.append(head.data(), sizeof head);
}

static void append_record(hashed_file& to, std::uint64_t elements, const bytes& encoded) {
  append_head(to, elements, encoded.size());
  to.append(encoded.data(), encoded.size());
}

void write_records(hashed_file& to, const replica& from) {
  constexpr std::uint64_t bytes_at_once = std::uint64_t{1} << 20;  // stays in the cache between hash and copy
  const abi::element_ops& ops = from.ops();
  bytes encoded;
  if (const abi::key_index* keys = from.keys(); keys != nullptr) {
    abi::writer out(encoded);
    keys->write_keys(0, out);
    append_record(to, keys->size(), encoded);
  }
  const std::uint64_t most = std::max<std::uint64_t>(1, bytes_at_once / ops.size);
  for (std::uint64_t i = 0; i < from.size(); i += most) {
    const std::uint64_t count = std::min(most, from.size() - i);
    const poison::opened now(from.at(i), count * ops.size);
    if (ops.own.write == nullptr) {
      append_head(to, count, count * ops.size);
      to.append(from.at(i), count * ops.size);
    } else {
      encoded.clear();
      abi::writer out(encoded);
      ops.write(from.at(i), count, out);
      append_record(to, count, encoded);
    }
  }
}

std::uint64_t record_reader::next(bytes& encoded) {
  record_head head{};
  const auto refuse = [&] {
    throw error(errc::bad_input, path_ + ": ends within a record, or a record has a wrong size");
  };
  if (size_ - at_ < sizeof head) refuse();
  file_.read(head.data(), at_, sizeof head);
  at_ += sizeof head;
  if (head[1] > size_ - at_) refuse();
  encoded.resize(head[1]);
  file_.read(encoded.data(), at_, encoded.size());
  at_ += encoded.size();
  return head[0];
}

}  // namespace stradsap::rt
