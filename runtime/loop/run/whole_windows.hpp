// The views of a body that runs on the elements themselves, all of which are on this rank. In check builds
// each access is checked. Thread rule: the driver's thread.
#pragma once

#include <memory>
#include <vector>

#include "runtime/dds/resident_elements.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

class whole_windows {
 public:
  explicit whole_windows(const loop_frame& f);

  /// Opens the windows again, since maps may have grown.
  void open();
  /// One for each capture.
  [[nodiscard]] const abi::window* data() const { return windows_.data(); }
  /// In check builds, else null.
  [[nodiscard]] iteration_check* check() const { return check_.get(); }

 private:
  const loop_frame& frame_;
  std::unique_ptr<iteration_check> check_;
  std::vector<std::unique_ptr<resident_elements>> sources_;
  std::vector<abi::window> windows_;
};

}  // namespace stradsap::rt
