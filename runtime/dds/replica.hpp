// One rank's part of a container: addresses of its elements, owners of its groups, and the groups with a
// valid copy here. copy_service owns the replicas of a rank. Loops and messages work on replicas alone; on
// the driver a driver_handle works on one for the program.
//
// Elements are in canonical layout, at their addresses on their owners, or in plan layout: in the order of a
// plan, on all ranks. In plan layout no rank has memory for them here. All ranks change the layout in the
// same launches and recalls (node), so they agree.
// Thread rule: one thread, the main thread of the rank. Exceptions are held() and the functions that copy
// elements, which follow the phases of a launch: other threads read groups only while no thread writes them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/page_table.hpp"
#include "runtime/dds/pages.hpp"
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

/// The group of elements that are added at the end of a container with several groups. If there is only one
/// group, they always join it.
enum class growth : std::uint8_t { new_group, last_group };

class replica final {
 public:
  using group_id = partition::group_id;
  /// Copies elements from their owners; blocks. The owner of the network supplies it.
  using fetcher = std::function<void(replica&, const std::vector<element_range>&)>;

  replica(container_id id, const abi::element_ops& ops, std::uint64_t n, std::unique_ptr<abi::key_index> keys,
          rank_id self, fetcher fetch);
  ~replica();
  replica(const replica&) = delete;
  replica& operator=(const replica&) = delete;

  // ---- elements ----
  [[nodiscard]] container_id id() const { return id_; }
  [[nodiscard]] const abi::element_ops& ops() const { return ops_; }
  /// The elements of the whole container.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The elements that there is room for without a move.
  [[nodiscard]] std::uint64_t capacity() const {
    return std::max(size_, std::uint64_t{memory_.size() / ops_.size});
  }
  [[nodiscard]] abi::key_index* keys() const { return keys_.get(); }
  [[nodiscard]] std::byte* at(std::uint64_t i) const { return memory_.base() + i * ops_.size; }
  /// Throws error(errc::out_of_range): the container has no element i. The message calls it `name`.
  [[noreturn]] void throw_out_of_range(std::uint64_t i, std::string_view name = {}) const;
  /// Throws error(errc::out_of_range) unless the container has elements [first, first + n).
  void check_range(std::uint64_t first, std::uint64_t n, std::string_view name = {}) const;
  /// A view's window: it reaches no elements yet, so every access goes through `source`.
  [[nodiscard]] abi::window window_through(abi::element_source& source) const;

  // ---- groups ----
  [[nodiscard]] const partition& groups() const { return groups_; }
  /// Changes whenever bounds change; plans depend on it.
  [[nodiscard]] std::uint64_t partition_version() const { return partition_version_; }
  /// True while the whole container is one group that no plan has cut.
  [[nodiscard]] bool uncut() const { return groups_.num_groups() == 1; }
  /// Sets new bounds and owners, and moves no data: an owner must have a valid copy.
  void cut(partition groups);
  void set_owner(group_id g, rank_id r) { groups_.set_owner(g, r); }
  /// Cuts as in a checkpoint, at this version. The driver owns all elements.
  void resume_cut(std::vector<std::uint64_t> bounds, std::uint64_t version);

  // ---- copies ----
  /// Whether this rank has the group's current elements.
  [[nodiscard]] bool held(group_id g) const {
    return is_blank_ || is_paged_ || held_[g] || groups_.owner(g) == self_;
  }
  /// All elements are zero bytes on every rank, because none was ever written: they need no transfer.
  [[nodiscard]] bool is_blank() const { return is_blank_; }
  /// If the elements begin as zero bytes. For the driver's replica of a new container.
  void begin_blank() { is_blank_ = ops_.born_zero && keys_ == nullptr; }
  /// An element may have been written. On all ranks after a loop that writes; the driver's own writes are in
  /// the next update.
  void note_written() {
    is_blank_ = false;
    has_elements_ = true;
    values_.reset();
    forget_pages();
  }
  [[nodiscard]] bool all_held() const;
  /// Fetch the groups that are not held.
  void hold(group_id g) {
    if (!held(g)) hold_groups({g});
  }
  void hold_all() { hold_range(0, size_); }
  void hold_range(std::uint64_t begin, std::uint64_t end);
  /// Makes elements [begin, end) current here until the container changes; fetches no others.
  void borrow_range(element_range range);
  /// All elements are current here.
  void note_all_held() { held_.assign(groups_.num_groups(), true); }
  /// Invalidates copies of groups of other owners, after a loop has written the container.
  void drop_copies();
  /// The same, and frees their memory, before a loop that makes new copies in its own order. Keeps elements
  /// `kept`, which this rank has.
  void free_copies_outside(element_range kept);

  // ---- copies page by page (paged_copies) ----
  /// Whether the bytes of elements are all there is to them.
  [[nodiscard]] bool may_be_paged() const {
    return keys_ == nullptr && ops_.own.destroy == nullptr && ops_.own.write == nullptr &&
           ops_.own.read == nullptr;
  }
  /// The pages that may be missing, of the last loop that fetched some; null if elements may have changed, or
  /// have come in another way, since.
  [[nodiscard]] page_table* pages() const { return pages_.get(); }
  void keep_pages(page_table found) { pages_ = std::make_unique<page_table>(std::move(found)); }
  /// All groups count as held, since missing pages come when they are touched.
  void begin_paging();
  void end_paging();

  // ---- values ----
  /// From now on windows tell the range of the elements' values. All elements must be held. Reads them if
  /// they may have changed since the last call.
  void show_values(abi::value_range (*of)(const void*, std::uint64_t));
  [[nodiscard]] bool knows_values() const { return values_.has_value(); }
  /// The range of the values of all elements, as they are on their owners.
  void learn_values(const abi::value_range& of_all) { values_ = of_all; }
  /// From now on windows tell nothing of the values.
  void hide_values() { shows_values_ = false; }

  // ---- layouts ----
  /// The plan that has the elements, if they are in plan layout.
  [[nodiscard]] const std::optional<stream_place>& plan_layout() const { return plan_layout_; }
  /// Changes to plan layout: `to` has all elements from now on. Gives the memory here back.
  void adopt_plan_layout(const stream_place& to);
  /// Changes to canonical layout. Makes memory for the elements; the caller fills in those that this rank
  /// owns.
  void restore_canonical_layout();

  // ---- transfer ----
  [[nodiscard]] bytes pack(std::uint64_t begin, std::uint64_t end) const;
  /// Replaces elements [begin, end) by those in `from`. Throws error(errc::decode).
  void unpack(std::uint64_t begin, std::uint64_t end, std::span<const std::byte> from);
  /// The same, from the next bytes of `in`.
  void unpack_next(std::uint64_t begin, std::uint64_t end, abi::reader& in);
  /// Elements from before may be in the memory here, and a fetch may compare their pages.
  [[nodiscard]] bool has_pages() const { return has_elements_; }
  [[nodiscard]] comparing_pace& pace() { return comparing_; }
  void note_fetched() { has_elements_ = true; }
  /// Encode the elements of all groups that this rank owns; decode those of another rank, which are held from
  /// then on.
  void write_owned(abi::writer& out) const;
  void read_copies(rank_id owner, abi::reader& in);

  // ---- size ----
  /// Makes entries for keys of the index beyond the container's size. Throws error(errc::out_of_range).
  void follow_keys(growth where = growth::new_group);
  /// Grows or shrinks; not for a dmap. Beyond the capacity all elements move, so this rank must own them all.
  void resize(std::uint64_t n, growth where);
  /// From now on take_memory() takes it, and each growth does, as std::vector does. For containers of which
  /// no other rank has a part.
  void may_take_memory() { takes_memory_ = true; }
  /// Before the first use of elements that nobody has written: else the loop would pay for each page.
  void take_memory();
  /// Follows the driver's changes. Any element in a group of the driver may have changed, so copies of these
  /// groups are void. Throws error(errc::decode).
  void apply(const container_update& update);

 private:
  void hold_groups(const std::vector<group_id>& groups);
  /// Appends the parts of the range in groups that are not held.
  void add_not_held(element_range range, std::vector<element_range>& missing) const;
  /// Called by several threads that copy elements, never while `pages_` is set.
  void forget_pages() {
    if (pages_ != nullptr) pages_.reset();
  }
  void free_elements(std::uint64_t begin, std::uint64_t end);
  void grow_memory(std::uint64_t n);
  void set_size(std::uint64_t n);
  void construct(std::uint64_t begin, std::uint64_t end);
  void construct_for_bytes(std::uint64_t begin, std::uint64_t end);
  void poison_elements(std::uint64_t n);
  void grow_groups(std::uint64_t n, growth where);

  const container_id id_;
  const abi::element_ops& ops_;
  const rank_id self_;
  const fetcher fetch_;
  bool takes_memory_ = false;
  bool has_memory_ = false;  // of all elements
  bool is_blank_ = false;
  std::unique_ptr<abi::key_index> keys_;
  address_range memory_;
  std::size_t used_bytes_ = 0;  // of the memory; zeros follow
  poison::region poisoned_;
  std::uint64_t size_ = 0;
  partition groups_;
  std::uint64_t partition_version_ = 0;
  std::vector<bool> held_;
  bool has_elements_ = false;  // current or not, since the memory was new
  comparing_pace comparing_;
  element_range borrowed_{0, 0};
  std::unique_ptr<page_table> pages_;
  bool is_paged_ = false;
  std::optional<abi::value_range> values_;  // of the elements as they are now, if known
  bool shows_values_ = false;
  std::optional<stream_place> plan_layout_;
};

}  // namespace stradsap::rt
