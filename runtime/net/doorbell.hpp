// A doorbell: a FIFO in the folder of the run, which wakes a sleeping network thread. The thread polls it
// beside its sockets. Thread rule: ring() by any thread, the rest by one.
#pragma once

#include <string>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

class doorbell {
 public:
  doorbell() = default;
  ~doorbell();
  doorbell(const doorbell&) = delete;
  doorbell& operator=(const doorbell&) = delete;

  /// Creates the doorbell of this rank. False if the folder cannot hold one.
  [[nodiscard]] bool make(const std::string& run_dir, rank_id of);
  /// Opens the doorbell of another rank. False if it has none.
  [[nodiscard]] bool open(const std::string& run_dir, rank_id of);

  [[nodiscard]] int descriptor() const { return descriptor_; }
  void ring() const;
  /// Clears the doorbell after a wake.
  void hush() const;

 private:
  int descriptor_ = -1;
};

}  // namespace stradsap::rt
