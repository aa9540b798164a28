// Reconnaissance: runs inspectors or bodies over recording views. It records the elements of owned containers
// that each iteration touches, and lends scratch copies, so no container changes. Thread rule: one recorder
// per executor.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/copies.hpp"
#include "runtime/dds/scratch_pool.hpp"
#include "runtime/loop/access/access_sets.hpp"
#include "runtime/loop/access/met_elements.hpp"
#include "runtime/loop/access/stretches.hpp"
#include "runtime/loop/access/touch_index.hpp"
#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// The kind of record: the touches of each iteration, or stretches alone.
enum class recorded : std::uint8_t { touches, stretches };

/// Whether stretches can be recorded: the inspector only names the elements of the containers that it could
/// make conflict, and none of these is a dmap.
[[nodiscard]] bool may_record_stretches(const loop_frame& f);

class recorder final : public abi::iteration_listener, abi::touch_log::keeper {
 public:
  recorder(const loop_frame& frame, copy_service& copies, recorded what = recorded::touches);
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  void run(std::int64_t begin, std::int64_t end);
  /// Records `count` iterations one by one, in any order: which(k) is the number of the k-th.
  void run_each(std::int64_t count, const std::function<std::int64_t(std::int64_t)>& which);
  /// Appends the iterations [begin, end) to `to`. Returns false at the first one with an element that is not
  /// behind those before. Requires `recorded::stretches`.
  [[nodiscard]] bool follow(std::int64_t begin, std::int64_t end, stretch_run& to);
  /// Adds the iterations [begin, end), which are the first of `to`. Returns false at the first one that
  /// touches an element of another, or if one throws, since its set may lack elements. Keeps no sets.
  [[nodiscard]] bool keep_apart(std::int64_t begin, std::int64_t end, met_elements& to);
  [[nodiscard]] access_sets& result() { return result_; }
  /// Accesses of elements so far that the inspector reads, each time one is touched.
  [[nodiscard]] std::uint64_t num_calls() const { return calls_; }
  /// The number of neighbouring elements of capture c that one touch stands for, by the first of them: a row
  /// of a matrix, for example. 0 if none was touched.
  [[nodiscard]] std::uint64_t unit(std::size_t c) const { return captures_[c]->listed.unit; }
  /// The keys of capture c that no rank knew before. Null for a dvector.
  [[nodiscard]] abi::key_index* new_keys(std::size_t c) const { return captures_[c]->pending.get(); }

  void begin(std::int64_t j) override;
  void end() override;

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// The source of a recording view.
  struct source final : abi::element_source {
    void* element(std::uint64_t i, abi::access) override {
      if (listed.element != nullptr) return owner->name(listed, i);
      ++owner->calls_;
      const recent_copy& seen = recent_[i % recent_.size()];
      return seen.at != nullptr && seen.element == i ? seen.at : owner->note(capture, i);
    }
    void* range(std::uint64_t begin, std::uint64_t n, abi::access) override {
      return listed.element != nullptr ? owner->name_range(listed, begin, n)
                                       : owner->note_range(capture, begin, n);
    }
    void* add_entry() override { return nullptr; }
    void remember(std::uint64_t i, std::byte* at) { recent_[i % recent_.size()] = {i, at}; }
    void forget(std::uint64_t i) { recent_[i % recent_.size()] = {}; }
    recorder* owner = nullptr;
    std::uint32_t capture = 0;
    std::unique_ptr<abi::key_index> pending;
    std::unique_ptr<scratch_pool> scratch;
    address_range beside;   // for bodies that ask for ranges: copies at the distances of their originals
    address_range places;   // for inspectors that compare addresses: nobody reads there
    bool all_held = false;  // all elements are valid here, nothing needs a fetch
    abi::listing listed;    // for an inspector that only names elements
    // at the loop's index: copies for some iterations, if elements are plain bytes, else a copy of element
    // `aligned_at`, of the running iteration
    std::vector<std::byte> copies;
    std::byte* aligned_copy = nullptr;
    std::uint64_t aligned_at = none;

   private:
    /// An element that the running iteration touched before, and its copy.
    struct recent_copy {
      std::uint64_t element = 0;
      std::byte* at = nullptr;  // null: none
    };
    std::array<recent_copy, 8> recent_;  // by the low bits of the elements' numbers
  };
  struct lent {
    touch what;
    std::byte* at;  // the copy
    bool is_there = true;
  };
  void open_window(std::size_t c);
  void name_keys();
  void construct_entry(std::uint32_t c);
  void renew_entries();
  template <class Touch> std::size_t drop_repeated_keys(std::span<Touch> touches);
  /// Whether the loop writes capture c, and not only at its index.
  [[nodiscard]] bool is_scattered(std::size_t c) const { return frame_.writes(c) && !frame_.is_aligned(c); }
  void drop_aligned();
  void show_places(std::size_t c);
  void open_log();
  /// The loop only adds into capture c: neither places nor values matter.
  [[nodiscard]] bool is_added(std::size_t c) const { return frame_.uses[c] == usage::accumulated; }
  void* note(std::uint32_t capture, std::uint64_t i);
  void* lend_element(std::uint32_t capture, std::uint64_t i);
  void* name(const abi::listing& from, std::uint64_t i) { return name_range(from, i, 1); }
  void add_touches();
  void make_room() override;
  void take() override;
  void divide(std::uint64_t tag, std::uint64_t first, std::uint64_t n) override;
  void close_runs() override;
  void divide_unit(std::uint32_t capture, std::uint64_t first, std::uint64_t n);
  void repeat(std::int64_t count, const std::function<void()>& record_all);
  void record(std::int64_t begin, std::int64_t end);
  void copy_aligned(std::size_t c, std::int64_t begin, std::int64_t end);
  void drop_iteration();
  void drop_names();
  void end_stretches();
  void add_met(std::span<const std::uint64_t> touches, std::span<const std::uint32_t> ends);
  void* name_range(const abi::listing& from, std::uint64_t begin, std::uint64_t n);
  void* note_range(std::uint32_t capture, std::uint64_t begin, std::uint64_t n);
  template <class Touch> std::size_t drop_repeated(std::span<Touch> touches);
  [[nodiscard]] std::uint32_t most_names() const;
  template <class One> void compact_names(const One& one);
  void drop_repeated_names();
  std::byte* lend(const source& from, const touch& what);
  std::byte* lend_nothing(std::uint32_t capture);
  void* lend_aligned(source& from, std::uint64_t i);

  const loop_frame& frame_;
  copy_service& copies_;
  const recorded what_;
  std::vector<std::unique_ptr<source>> captures_;
  std::vector<abi::window> windows_;
  std::vector<std::uint32_t> copied_;      // captures that are copied for some iterations at once
  std::vector<abi::listing*> listings_;    // of the captures with names in the log
  std::vector<std::uint32_t> named_maps_;  // maps whose entries are only named
  std::vector<lent> lent_;                 // of the current iteration
  touch_index known_;                      // place of a touch in lent_
  std::vector<touch> touches_;             // of the current iteration
  abi::touch_log log_;
  std::vector<std::uint64_t> named_;  // memory of the log
  std::vector<std::uint32_t> ends_;
  bool is_void_ = false;   // touches so far use a larger unit: record them again
  bool is_alone_ = false;  // the running iteration: it may go on if touches are void
  access_sets result_;
  std::uint64_t calls_ = 0;
  stretch_run running_;              // of the running iteration
  stretch_run* followed_ = nullptr;  // while stretches are recorded
  met_elements* met_ = nullptr;      // while iterations are only compared
  std::vector<std::uint64_t> met_units_;
  std::vector<std::uint64_t> met_touches_;  // of an iteration without a log
  std::uint64_t failures_before_ = 0;       // see num_recorded_failures()
};

}  // namespace stradsap::rt
