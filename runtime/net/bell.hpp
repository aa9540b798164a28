// What a sleeping network thread hears: a FIFO in the folder of the run, which it polls beside its sockets.
// Thread rule: ring() by any thread, the rest by one.
#pragma once

#include <string>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

class bell {
 public:
  bell() = default;
  ~bell();
  bell(const bell&) = delete;
  bell& operator=(const bell&) = delete;

  /// Makes the bell of this rank. False where the folder cannot hold one.
  [[nodiscard]] bool make(const std::string& run_dir, rank_id of);
  /// Another rank's. False where it has none.
  [[nodiscard]] bool open(const std::string& run_dir, rank_id of);

  [[nodiscard]] int descriptor() const { return descriptor_; }
  void ring() const;
  /// It has been heard.
  void hush() const;

 private:
  int descriptor_ = -1;
};

}  // namespace stradsap::rt
