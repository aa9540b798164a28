// The elements that a shard may write in place, as they were before it ran, to find those that it has
// changed; and messages with these. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <stradsap/serialize.hpp>

#include "runtime/loop/dynamic/touched_elements.hpp"

namespace stradsap::rt {

class touched_copies {
 public:
  /// Keeps the elements that these iterations may write.
  void keep(const loop_frame& f, const touched_elements& all, const std::vector<std::int64_t>& members);
  /// Keeps those units alone of which an element has changed. Elements that own memory count as changed.
  void drop_unchanged(const loop_frame& f, const touched_elements& all);
  [[nodiscard]] const std::vector<std::uint32_t>& units() const { return units_; }

 private:
  std::vector<std::uint32_t> units_;  // each once, in their order
  bytes before_;                      // elements that are plain bytes
};

/// Units and elements, of all shards together.
void write_touched(const loop_frame& f, const touched_elements& all,
                   const std::vector<touched_copies>& shards, abi::writer& out);
/// Replaces the elements. Throws error(errc::decode).
void read_touched(const loop_frame& f, const touched_elements& all, abi::reader& in);

}  // namespace stradsap::rt
