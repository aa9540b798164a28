// The elements that each iteration of a dynamic loop touches, of the containers that iterations share. They
// are found by the inspector before the first update, and hold for all updates: loops in which written data
// decide them are refused. Thread rule: immutable once made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/dds/copies.hpp"
#include "runtime/loop/launch/executor_pool.hpp"
#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// Contiguous elements of a container, which iterations touch together.
struct touched_unit {
  std::size_t capture = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

class touched_elements {
 public:
  /// Runs the inspector of all iterations. `captures`: the containers to look at, all elements of which are
  /// here; reason_against_touches() must have given none against them.
  touched_elements(const loop_frame& f, const std::vector<std::size_t>& captures, copy_service& copies,
                   executor_pool& pool);

  /// Of one container, for iterations that write these elements, and only read those.
  explicit touched_elements(const std::vector<std::vector<std::uint32_t>>& written,
                            std::span<const std::vector<std::uint32_t>> read = {});

  /// The numbers of the units that iteration j touches, each once. First come those that it may write.
  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t j) const {
    const auto i = static_cast<std::size_t>(j);
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {units_.data() + begin, ends_[i] - begin};
  }
  [[nodiscard]] std::span<const std::uint32_t> written_by(std::int64_t j) const {
    return of(j).first(write_counts_.empty() ? of(j).size() : write_counts_[static_cast<std::size_t>(j)]);
  }
  /// Those that it only reads: the elements at other indices than its own, of containers that iterations
  /// write at their own index alone. Accesses to others count as writes.
  [[nodiscard]] std::span<const std::uint32_t> read_by(std::int64_t j) const {
    return of(j).subspan(written_by(j).size());
  }
  [[nodiscard]] bool has_reads() const { return !write_counts_.empty(); }
  /// of(j) will be called soon: first with `is_near` false, later with true.
  void expect(std::int64_t j, bool is_near) const {
    const std::uint64_t* const begin = ends_.data() + j - (j == 0 ? 0 : 1);
    __builtin_prefetch(is_near ? static_cast<const void*>(units_.data() + *begin) : begin);
  }
  [[nodiscard]] touched_unit operator[](std::uint32_t unit) const;
  /// Iteration j will run soon.
  void prefetch(std::int64_t j) const;
  /// Units of all containers; their numbers are below it.
  [[nodiscard]] std::uint64_t num_units() const { return num_units_; }
  /// Units that all iterations touch, added up; and the bytes of these.
  [[nodiscard]] std::uint64_t num_touches() const { return units_.size(); }
  [[nodiscard]] std::uint64_t touched_bytes() const { return touched_bytes_; }
  /// Pairs of different iterations and units that both touch, and one of them writes.
  [[nodiscard]] double num_meetings() const { return num_meetings_; }
  /// The unit that most iterations write, and their number; 0 if there are no writes.
  [[nodiscard]] std::uint64_t most_iterations() const { return most_iterations_; }
  [[nodiscard]] std::uint32_t busiest_unit() const { return busiest_unit_; }

 private:
  struct container {
    std::size_t capture = 0;
    std::uint64_t size = 0;  // elements
    std::uint64_t unit = 1;  // elements of a unit
    std::uint64_t unit_bytes = 0;
    std::uint64_t first_unit = 0;  // number of its first one
    const std::byte* elements = nullptr;
    bool is_own = false;  // iterations write element j alone
  };

  void add(const container& in, std::uint64_t first, std::uint64_t count, std::uint64_t begin);
  void put_writes_first(std::int64_t j);
  [[nodiscard]] bool is_only_read(std::uint32_t unit, std::int64_t j) const;
  [[nodiscard]] const container& container_of(std::uint32_t unit) const;
  void count_meetings();

  std::vector<container> containers_;
  std::uint64_t num_units_ = 0;
  std::uint64_t touched_bytes_ = 0;
  double num_meetings_ = 0;
  std::uint64_t most_iterations_ = 0;
  std::uint32_t busiest_unit_ = 0;
  std::vector<std::uint64_t> ends_;          // of each iteration's units
  std::vector<std::uint32_t> write_counts_;  // of each iteration's units; empty: all
  std::vector<std::uint32_t> units_;
};

/// Says that the body writes a map of this name, and that reads by `[]` count as writes, since they may
/// insert.
[[nodiscard]] std::string writes_map(std::string_view name);

/// Why the elements that iterations touch cannot be found before the loop; empty if they can. `captures`: the
/// containers with these elements.
[[nodiscard]] std::string reason_against_touches(const loop_frame& f,
                                                 const std::vector<std::size_t>& captures);

}  // namespace stradsap::rt
