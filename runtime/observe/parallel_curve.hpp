// The curves of `--simulate-parallel`: for each dynamic loop, its updates by the number of workers, over all
// its calls. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/loop/dynamic/parallel_trial.hpp"

namespace stradsap::rt {

class parallel_curves {
 public:
  /// Adds the trials of one call. `loop`: its label, or its place.
  void add(const std::string& loop, const std::vector<parallel_trial>& trials);
  /// Lines for people.
  [[nodiscard]] std::vector<std::string> table() const;

 private:
  struct row {
    parallel_trial sum;                     // the greatest last change; the last failure
    std::uint64_t failed = 0, limited = 0;  // calls
  };
  struct curve {
    std::string loop;
    std::uint64_t calls = 0;
    std::vector<row> rows;
    std::string why_none;
  };

  [[nodiscard]] curve& curve_of(const std::string& loop);
  static std::vector<std::string> words_of(const row& one, const curve& in);

  std::vector<curve> curves_;  // in the order of first calls
};

}  // namespace stradsap::rt
