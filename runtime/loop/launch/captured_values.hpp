// Captured values on their way from the program's variables to bodies. The driver's bodies use the variables
// in place. Other ranks keep the last value of each capture, and receive it again only if it has changed.
// Thread rule: captured_values is immutable once made; the other classes belong to the main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/net/memory_file.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

struct launch_request;

/// The captured values of one launch on this rank. Moving it keeps the addresses of values.
class captured_values {
 public:
  captured_values() = default;
  /// For `captures` captures.
  explicit captured_values(std::size_t captures) { begin(captures); }
  /// Begins anew, for `captures` captures, in the same memory.
  void begin(std::size_t captures) {
    owned_.clear();
    places_.clear();
    numbers_.clear();
    places_.reserve(captures);
    numbers_.reserve(captures);
  }
  captured_values(captured_values&&) = default;
  captured_values& operator=(captured_values&&) = default;

  /// The same values, which this object keeps.
  [[nodiscard]] captured_values borrowed() const {
    captured_values same;
    same.places_ = places_;
    return same;
  }

  /// Per capture; null if it is no value.
  [[nodiscard]] const void* const* data() const { return places_.data(); }

  /// Appends the next capture: no value, a value that the caller keeps during the launch, or one to share.
  void add_none() { places_.push_back(nullptr); }
  void borrow(const void* value) { places_.push_back(value); }
  /// A number of at most 16 bytes, to copy. There must be room for all captures.
  void add_number(const void* value, std::size_t size_bytes) {
    std::memcpy(numbers_.emplace_back().bytes, value, size_bytes);
    places_.push_back(numbers_.back().bytes);
  }
  void add(std::shared_ptr<void> value) {
    owned_.push_back(std::move(value));
    places_.push_back(owned_.back().get());
  }

 private:
  struct alignas(16) number {
    std::byte bytes[16];
  };
  std::vector<std::shared_ptr<void>> owned_;
  std::vector<number> numbers_;
  std::vector<const void*> places_;
};

/// A copy for bodies of the driver: the loop might change the variable.
[[nodiscard]] std::shared_ptr<void> copy_of_value(const abi::capture_info& capture, const void* value);
/// The hash of a value's encoding, which is never whole in memory.
[[nodiscard]] std::uint64_t hash_of_value(const abi::capture_info& capture, const void* value);
[[nodiscard]] std::uint64_t hash_of_value(const abi::global_info& global);

/// Two values of one type with one encoding have one key. Keys are valid in one process.
struct value_key {
  const void* type;  // the function that decodes it
  std::uint64_t hash;
  auto operator<=>(const value_key&) const = default;
};
using capture_place = std::pair<const abi::loop_entry*, std::size_t>;

/// The driver's record of the values that each other rank has. It follows kept_values step by step.
class sent_values {
 public:
  /// Encodes the captured values and globals that the other ranks lack. `may_share`: large ones pass through
  /// a file of memory, instead of a copy in each message.
  void encode(const launch_request& r, launch& l, bool may_share);
  /// About the number of bytes that the other ranks lack, for choices that change no bit: a variable that a
  /// loop sent counts as known, though it may have changed. Beyond `most` it stops to count.
  [[nodiscard]] std::uint64_t count_lacking(const launch_request& r, std::uint64_t most) const;
  /// All ranks have the values of the last launch.
  void arrived() { file_.reset(); }
  /// After a failed launch: ranks may have lost values, so the next launches send all anew.
  void forget();

 private:
  /// The last value of a capture.
  struct sent {
    value_key key;
    const void* variable;
  };
  [[nodiscard]] bool note_capture(const capture_place& place, const sent& now);
  [[nodiscard]] bool was_sent_from(const void* variable) const;
  [[nodiscard]] bool note_global(const void* variable, std::uint64_t hash);
  void drop(const value_key& key);

  std::map<capture_place, sent> last_;
  std::map<value_key, std::size_t> uses_;  // captures with this last value
  std::map<const void*, std::uint64_t> globals_;
  std::optional<memory_file> file_;  // of the last launch, if its values are large
};

/// The values that a rank other than the driver has received: the last one of each capture of each loop.
/// Captures with the same value share it.
class kept_values {
 public:
  /// The captured values of the launch; sets the globals. Throws error(errc::decode).
  [[nodiscard]] captured_values receive(const abi::loop_entry& entry, const launch& l);

 private:
  [[nodiscard]] std::shared_ptr<void> find(const value_key& key) const;
  void keep(const capture_place& place, const value_key& key, const std::shared_ptr<void>& value);

  std::map<capture_place, std::pair<value_key, std::shared_ptr<void>>> last_;
  std::map<value_key, std::weak_ptr<void>> by_key_;
};

}  // namespace stradsap::rt
