// One container on one rank: addresses of its elements, owners of its groups, and the groups with a valid
// copy here. On the driver it serves the user's handle for elements outside the handle's window.
//
// Elements are in canonical layout, at their addresses on their owners, or in plan layout: in the order of a
// plan, on all ranks. In plan layout no rank has memory for them here. All ranks change the layout in the
// same launches (node), so they agree. Only the driver's handle requests the canonical layout by itself,
// before each operation.
// Thread rule: one thread. Exceptions are held() and the copy functions, which follow the phases of a launch:
// the network thread reads groups only while no thread writes them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/field_versions.hpp"
#include "runtime/dds/partition.hpp"
#include "runtime/dds/poison.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The streams of a plan that have the elements of one capture's container.
struct stream_place {
  plan_id plan{};
  std::uint32_t capture = 0;
  bool operator==(const stream_place&) const = default;
};

class replica final : public abi::handle_target {
 public:
  using group_id = partition::group_id;
  /// Copies elements from their owners; blocks. The owner of the network supplies it.
  using fetcher = std::function<void(replica&, const std::vector<element_range>&)>;
  /// Restores the canonical layout on all ranks; blocks. Supplied on the driver.
  using caller = std::function<void(replica&)>;

  replica(container_id id, const abi::element_ops& ops, std::uint64_t n, std::unique_ptr<abi::key_index> keys,
          rank_id self, fetcher fetch, caller recall = {});
  ~replica() override;
  replica(const replica&) = delete;
  replica& operator=(const replica&) = delete;

  // ---- the driver's handle (abi::handle_target) ----
  void attach(abi::window* handle) override;
  void* element(std::uint64_t i, abi::access how) override;
  void* range(std::uint64_t first, std::uint64_t n, abi::access how) override;
  void* all(abi::access how) override;
  void resize(std::uint64_t n) override;
  void reserve(std::uint64_t n) override;
  [[nodiscard]] std::uint64_t capacity() const override {
    return std::max(size_, std::uint64_t{memory_.size() / ops_.size});
  }
  void* add_entry() override;

  // ---- every rank ----
  [[nodiscard]] container_id id() const { return id_; }
  [[nodiscard]] const abi::element_ops& ops() const { return ops_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] abi::key_index* keys() const { return keys_.get(); }
  [[nodiscard]] std::byte* at(std::uint64_t i) const { return memory_.base() + i * ops_.size; }
  /// Throws error(errc::out_of_range): the container has no element i. The message calls it `name`.
  [[noreturn]] void throw_out_of_range(std::uint64_t i, std::string_view name = {}) const;
  /// Throws error(errc::out_of_range) unless the container has elements [first, first + n).
  void check_range(std::uint64_t first, std::uint64_t n, std::string_view name = {}) const;
  /// A view's window: it reaches no elements yet, so every access goes through `source`.
  [[nodiscard]] abi::window window_through(abi::element_source& source) const;
  [[nodiscard]] const partition& groups() const { return groups_; }
  /// Changes whenever bounds change; plans depend on it.
  [[nodiscard]] std::uint64_t partition_version() const { return partition_version_; }
  /// True while the whole container is one group that no plan has cut.
  [[nodiscard]] bool uncut() const { return groups_.num_groups() == 1; }
  /// Sets new bounds and owners, and moves no data: an owner must have a valid copy.
  void cut(partition groups);
  /// Makes entries for keys of the index beyond the container's size.
  void follow_keys();

  /// Whether this rank has the group's current elements.
  [[nodiscard]] bool held(group_id g) const { return held_[g] || groups_.owner(g) == self_; }
  [[nodiscard]] bool all_held() const;
  /// Fetch the groups that are not held.
  void hold_all() { hold_range(0, size_); }
  void hold_range(std::uint64_t begin, std::uint64_t end);
  /// Makes elements [begin, end) current here until the container changes; fetches no others.
  void borrow_range(element_range range);
  /// Invalidates copies of groups of other owners, after a loop has written the container.
  void drop_copies();
  void set_owner(group_id g, rank_id r) { groups_.set_owner(g, r); }

  /// The plan that has the elements, if they are in plan layout.
  [[nodiscard]] const std::optional<stream_place>& plan_layout() const { return plan_layout_; }
  /// Changes to plan layout: `to` has all elements from now on. Gives the memory here back.
  void adopt_plan_layout(const stream_place& to);
  /// Changes to canonical layout. Makes memory for the elements; the caller fills in those that this rank
  /// owns.
  void restore_canonical_layout();

  [[nodiscard]] bytes pack(std::uint64_t begin, std::uint64_t end) const;
  /// Replaces elements [begin, end) by those in `from`. Throws error(errc::decode).
  void unpack(std::uint64_t begin, std::uint64_t end, const bytes& from);
  /// Encode the elements of all groups that this rank owns; decode those of another rank, which are held from
  /// then on.
  void write_owned(abi::writer& out) const;
  void read_copies(rank_id owner, abi::reader& in);

  // ---- launches ----
  /// The driver's changes since the last call, for the other ranks; `id` is none if there are no changes.
  [[nodiscard]] container_update take_update();
  void apply(const container_update& update);
  /// For the keys of plans that depend on elements.
  [[nodiscard]] const field_versions& versions() const { return versions_; }
  /// A loop has written these fields. Only owners have the container's elements now.
  void note_loop(std::uint64_t fields) {
    versions_.bump(fields);
    only_owned_ = true;
  }
  /// All ranks are about to hold all elements. Returns whether only owners had them since the last loop that
  /// wrote.
  [[nodiscard]] bool note_spread() { return std::exchange(only_owned_, false); }
  /// Handles have no window while a loop runs, and an open one afterwards if all elements are here.
  void close_window();
  void open_window();

 private:
  void recall();
  void hold_groups(const std::vector<group_id>& groups);
  void grow_memory(std::uint64_t n);
  void poison_elements(std::uint64_t n);
  void grow_groups(std::uint64_t n);
  void note_write();
  void claim(group_id g);
  void claim_all();

  const container_id id_;
  const abi::element_ops& ops_;
  const rank_id self_;
  const fetcher fetch_;
  const caller recall_;
  std::unique_ptr<abi::key_index> keys_;
  address_range memory_;
  poison::region poisoned_;
  std::uint64_t size_ = 0;
  partition groups_;
  std::uint64_t partition_version_ = 0;
  std::vector<bool> held_;
  element_range borrowed_{0, 0};
  std::optional<stream_place> plan_layout_;
  field_versions versions_;

  // on the driver
  abi::window* handle_ = nullptr;
  bool changed_ = true;    // size, bounds or owners, since the last update
  bool written_ = true;    // elements, since the last update
  bool has_tail_ = false;  // the driver added the last group since the last update
  bool only_owned_ = false;
  std::uint64_t announced_keys_ = 0;
};

}  // namespace stradsap::rt
