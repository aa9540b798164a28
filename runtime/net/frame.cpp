#include "runtime/net/frame.hpp"

#include <fmt/format.h>
#include <stradsap/serialize.hpp>

namespace stradsap::rt {

message frame_sequence::open(std::span<const std::byte> frame) {
  abi::reader in(frame.data(), frame.size());
  std::uint64_t number = 0;
  in(number);
  if (number != next_) {
    throw error(errc::decode, fmt::format("message {} came where {} was expected", number, next_));
  }
  ++next_;
  return decode(frame.subspan(sizeof number));
}

}  // namespace stradsap::rt
