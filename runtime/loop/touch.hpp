// Read/write sets, element by element. Thread rule: values.
#pragma once

#include <cstdint>
#include <vector>

namespace stradsap::rt {

/// One element that an iteration touches.
struct touch {
  std::uint64_t element : 47;  // index or slot; with pending_key: position among the recorder's new keys
  std::uint64_t capture : 16;
  std::uint64_t pending_key : 1;
  bool operator==(const touch&) const = default;
};

/// The read/write sets of consecutive iterations.
struct touch_list {
  std::vector<touch> touches;
  std::vector<std::uint32_t> ends;  // of each iteration's touches
};

}  // namespace stradsap::rt
