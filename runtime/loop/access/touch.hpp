// One entry of a read or write set. Thread rule: values.
#pragma once

#include <cstdint>

namespace stradsap::rt {

/// One element that an iteration touches.
struct touch {
  std::uint64_t element : 47;  // index or slot; with pending_key: position among the recorder's new keys
  std::uint64_t capture : 16;
  std::uint64_t pending_key : 1;
  bool operator==(const touch&) const = default;
};

}  // namespace stradsap::rt
