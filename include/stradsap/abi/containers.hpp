// Containers without their element type, as the driver's handles see them.
// Thread rule: each class states its own; functions are called on the driver's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/abi/elements.hpp>

namespace stradsap::abi {

/// The keys of a dmap: an index from key to slot, with the same numbers on all ranks. Thread rule: several
/// threads may find keys while none adds one.
class key_index {
 public:
  virtual ~key_index() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Appends keys [first, size()) in slot order.
  virtual void write_keys(std::uint64_t first, writer& out) const = 0;
  /// Adds the new ones of the keys in `in`, in their order; returns the slot of each.
  virtual std::vector<std::uint64_t> add_keys(reader& in) = 0;
  /// Appends to `slots`, for each key of `part` (an index of the same type), its slot here. A key that this
  /// index lacks is added to `unknown`, and its slot there is marked as pending.
  virtual void find_all(const key_index& part, key_index& unknown,
                        std::vector<std::uint64_t>& slots) const = 0;
  /// An index of the same type without keys, for the new keys of a reconnaissance or an accumulator.
  [[nodiscard]] virtual std::unique_ptr<key_index> fresh() const = 0;
  /// Makes the entry of `slot` at `to`, in raw memory: its key, a value-initialised value, not existing.
  virtual void construct_entry(std::uint64_t slot, void* to) const = 0;
};

/// A distributed data structure, for its handle on the driver. Thread rule: one thread at a time, outside
/// loops.
class handle_target : public element_source {
 public:
  virtual ~handle_target() = default;
  /// Sets the window of the handle; the runtime opens and closes it. A handle that moves attaches its new
  /// window.
  virtual void attach(window* handle) = 0;
  /// Brings all elements to the driver; returns the address of the first. `how` says whether they may be
  /// written.
  virtual void*(all)(access how) = 0;  // parentheses: programs define all(x)
  /// Grows or shrinks; new elements are value-initialised. Growth makes references invalid.
  virtual void resize(std::uint64_t n_) = 0;
  /// Room for n elements without a move.
  virtual void reserve(std::uint64_t n_) = 0;
  /// The elements that there is room for.
  [[nodiscard]] virtual std::uint64_t capacity() const = 0;
  /// Gives the container a model of its own. Throws error(errc::unsupported) if containers cannot have it.
  virtual void relax(const ConsistencyModel& model) = 0;
};

/// Makes a container with n value-initialised elements, or with the keys of `keys`. On the driver; threads
/// take turns. The caller passes it to destroy().
[[nodiscard]] handle_target* create(const element_ops& ops, std::uint64_t n_);
[[nodiscard]] handle_target* create(const element_ops& ops, std::unique_ptr<key_index> keys);
void destroy(handle_target* dead) noexcept;

}  // namespace stradsap::abi
