#include "runtime/loop/run/whole_windows.hpp"

namespace stradsap::rt {

whole_windows::whole_windows(const loop_frame& f)
    : frame_(f), sources_(f.num_captures()), windows_(f.num_captures()) {
  if (is_checked(f)) check_ = std::make_unique<iteration_check>(f);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr) continue;
    abi::handle_target* const adds_keys = f.handles.empty() ? nullptr : f.handles[c];
    sources_[c] = std::make_unique<resident_elements>(*f.replicas[c], f.name_of(c), adds_keys);
    windows_[c] = f.replicas[c]->window_through(*sources_[c]);
    windows_[c].may_insert = true;
  }
}

void whole_windows::open() {
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    if (frame_.replicas[c] == nullptr) continue;
    windows_[c].size = windows_[c].count = windows_[c].readable = frame_.replicas[c]->size();
    if (check_ != nullptr) check_->watch(c, windows_[c]);
  }
}

}  // namespace stradsap::rt
