// A plan of waves without its elements, for the simulation of other numbers of ranks and wave threads. A cell
// is the work of one part in one level. Links are elements that go from cell to cell. Thread rule: one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace stradsap::rt {

struct wave_cell {
  std::uint32_t part = 0;
  std::uint32_t touches = 0;  // of all its iterations
};

struct wave_link {
  std::uint32_t from = 0;  // cells of different parts
  std::uint32_t to = 0;
  std::uint64_t size_bytes = 0;
};

struct wave_trace {
  std::vector<wave_cell> cells;  // level by level
  std::vector<wave_link> links;
  /// Bytes of elements by the parts of their first and last use.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> ends;
  std::uint64_t touches = 0;
  std::uint64_t work_of_level = 0;  // approximate nanoseconds, on average: decides how many ranks take part
};

class wave_tracer {
 public:
  /// `sizes`: bytes of each element, by number.
  explicit wave_tracer(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)), uses_(sizes_.size()) {}

  /// Adds the next iteration. Levels must not fall.
  void add(std::uint32_t level, std::uint32_t part, std::span<const std::uint32_t> set);
  [[nodiscard]] wave_trace finish(std::uint64_t work_of_level);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct use {
    std::uint32_t first_part = none;
    std::uint32_t last_cell = none;
  };
  void end_level();

  std::vector<std::uint32_t> sizes_;
  std::vector<use> uses_;               // by element
  std::vector<std::uint32_t> cell_of_;  // by part, of this level, or none
  std::vector<wave_link> links_of_level_;
  std::uint32_t level_ = 0;
  wave_trace trace_;
};

}  // namespace stradsap::rt
