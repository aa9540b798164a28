// The driver's side of a container: serves the program's handle between loops, and records the program's
// changes for the other ranks. An access outside the handle's window makes groups current on the driver; a
// write also makes the driver their owner. Other ranks learn of all changes since the last launch at once,
// with the next launch that captures the container.
//
// The driver owns it. It borrows the driver's replica, which the loops change, and the window in the
// program's handle. Elements in plan layout are recalled before each operation. Thread rule: one thread at a
// time, while no loop runs on the container. A loop that the driver runs alone may add entries, on the
// driver's thread.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include <fmt/format.h>

#include "runtime/dds/field_versions.hpp"
#include "runtime/dds/read_forecast.hpp"
#include "runtime/dds/replica.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class driver_handle final : public abi::handle_target {
 public:
  /// Restores the canonical layout on all ranks; blocks.
  using recaller = std::function<void(replica&)>;

  driver_handle(replica& local, recaller recall) : local_(local), recall_(std::move(recall)) {}
  driver_handle(const driver_handle&) = delete;
  driver_handle& operator=(const driver_handle&) = delete;

  /// The driver's replica.
  [[nodiscard]] replica& local() const { return local_; }

  // ---- the program (abi::handle_target) ----
  void attach(abi::window* handle) override;
  void* element(std::uint64_t i, abi::access how) override;
  void* range(std::uint64_t first, std::uint64_t n, abi::access how) override;
  void* all(abi::access how) override;
  void resize(std::uint64_t n) override;
  void reserve(std::uint64_t n) override;
  [[nodiscard]] std::uint64_t capacity() const override { return local_.capacity(); }
  void relax(const ConsistencyModel& model) override {
    abi::check_model_of_container(model);
    if (model.hottest() > static_cast<std::int64_t>(local_.size()))
      throw error(errc::out_of_range,
                  fmt::format("{} hottest elements of {}", model.hottest(), local_.size()));
    model_ = model;
  }
  void* add_entry() override;

  /// `stale` or `async`.
  [[nodiscard]] const ConsistencyModel& model() const { return model_; }

  // ---- launches ----
  /// While functions of the program run inside a loop, resize() throws: executors have the elements' places.
  void fix_size(bool is_fixed) { has_fixed_size_ = is_fixed; }
  /// Handles have no window while a loop runs, and an open one afterwards if all elements are here.
  void close_window();
  void open_window();
  /// Calls of a loop are still to be folded into the container. The next access of the program first calls
  /// `settle`, which folds them and calls let_go(), or throws.
  void hold_back(std::function<void()> settle) { settle_ = std::move(settle); }
  void let_go() { settle_ = nullptr; }
  /// The next write of the program is noted, also if the driver runs this loop alone and sends no update:
  /// what is known of the elements' values then ends.
  void await_write();
  /// Opens the window after a loop. `versions_matter`: plans of this loop depend on the container's elements.
  /// A program that wrote elements before the loop is expected to write again. The write is then noted now,
  /// and the program's loops begin with an open window. Only on one rank (`is_alone`), and if no plan depends
  /// on the elements.
  void reopen(bool versions_matter, bool is_alone);
  /// After a loop of `seconds` that wrote the container: fetches all elements and opens the window, if the
  /// program is expected to read them.
  void fetch_foreseen(std::uint64_t loop, double seconds);
  /// The driver has cut the container: the next update says so.
  void note_cut() { changed_ = true; }
  /// The program's changes since the last call, for the other ranks; `id` is none if there are no changes.
  [[nodiscard]] container_update take_update();
  /// For the keys of plans that depend on elements.
  [[nodiscard]] const field_versions& versions() const { return versions_; }
  /// A plan depends on the elements. From now on the versions change only if the program's writes change an
  /// element, if comparing is possible and pays.
  void watch() { watched_ = true; }
  /// At the start of each launch, wherever it runs: later growth makes a new group, and writes are settled.
  void begin_launch();
  /// Takes back the version of writes that left all elements as they were, such as reads without const.
  void settle_writes();
  /// Makes the driver the owner of all elements, for a loop at `site` that it runs alone and that writes
  /// these fields.
  void take(std::uint64_t fields, const char* site);
  /// A loop at `site`, which is static text, has written these fields. Only owners have the container's
  /// elements now.
  void note_loop(std::uint64_t fields, const char* site);
  // ---- checkpoints ----
  /// The program's variable; whether the container was in another one before.
  [[nodiscard]] const abi::window* variable() const { return handle_; }
  [[nodiscard]] bool has_moved() const { return has_moved_; }
  /// The rest of the container's state on which later plans, and so bits, depend. After settle_writes().
  void save_history(abi::writer& out) const;
  /// Makes n elements, or entries of `count` keys, for the caller to fill in. The driver owns them. Throws
  /// error(errc::bad_input) if a dmap has other keys than the saved one had by then.
  void begin_resume(std::uint64_t n);
  void begin_resume(std::uint64_t count, const bytes& keys);
  /// All elements are the saved ones. Throws error(errc::decode).
  void resume_history(abi::reader& in);

  /// The site of the loop that was the last to write one of these fields; null if the program was.
  [[nodiscard]] const char* last_writer(std::uint64_t fields) const;
  /// All ranks are about to hold all elements. Returns whether only owners had them since the last loop that
  /// wrote.
  [[nodiscard]] bool note_spread() { return std::exchange(only_owned_, false); }

 private:
  void settle() const {
    if (const std::function<void()> now = settle_) now();
  }
  void recall();
  [[nodiscard]] bool is_open() const;
  [[nodiscard]] bool wants_all();
  [[nodiscard]] bool calls_cost_a_fetch();
  void note_fetch();
  void bring_all(abi::access how);
  void claim(replica::group_id g);
  void claim_all();
  void own_all();
  void note_write();
  void note_writer(std::uint64_t fields, const char* site);
  void note_contents();
  [[nodiscard]] std::uint64_t hash_of_contents() const;
  void note_growth();
  [[nodiscard]] growth where_to_grow() const { return has_tail_ ? growth::last_group : growth::new_group; }

  /// The elements before the program's first write since the last launch.
  struct contents {
    std::uint64_t hash;
    field_versions versions;
  };

  /// A loop, or the program if `site` is null.
  struct writer {
    const char* site;
    std::uint64_t fields;
  };

  replica& local_;
  const recaller recall_;
  std::function<void()> settle_;  // empty: nothing is to be folded
  ConsistencyModel model_ = consistency::async;
  abi::window* handle_ = nullptr;
  bool has_moved_ = false;
  field_versions versions_;
  bool changed_ = true;           // by the program or by a loop on the driver, since the last update.
  bool all_noted_ = true;         // since the last update, all versions changed with the program's writes.
  bool program_writes_ = false;   // it did, or was expected to, before the last update.
  bool versions_matter_ = false;  // to plans of some loop so far.
  unsigned misses_ = 0;           // accesses to groups elsewhere, since the window was closed.
  std::uint64_t calls_ = 0;       // accesses of groups that are here, by a call since others are elsewhere.
  read_forecast forecast_;
  bool has_tail_ = false;        // the program added the last group since the last launch.
  bool has_fixed_size_ = false;  // a loop runs that calls functions of the program
  bool only_owned_ = false;      // see note_loop().
  bool watched_ = false;         // by a plan that depends on the contents.
  unsigned changes_ = 0;         // in a row that comparing found.
  unsigned skips_ = 0;           // launches without comparing.
  std::optional<contents> before_;
  bool looked_ = false;  // at all groups, after the window was closed or a group came.
  std::uint64_t announced_keys_ = 0;
  std::vector<writer> writers_;  // each once, the last one at the end
};

}  // namespace stradsap::rt
