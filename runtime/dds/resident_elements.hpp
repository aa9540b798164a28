// The source for a container with all elements on this rank for the whole loop. Thread rule: any number of
// threads; add_entry() on the driver's thread.
#pragma once

#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

class resident_elements final : public abi::element_source {
 public:
  /// Messages call the container `name`. `handle` adds new keys; without it they are refused, since the other
  /// ranks would not learn of them.
  resident_elements(const replica& local, const char* name, abi::handle_target* handle = nullptr)
      : replica_(local), name_(name), handle_(handle) {}

  void* element(std::uint64_t i, abi::access) override {
    if (i >= replica_.size()) replica_.throw_out_of_range(i, name_);
    return replica_.at(i);
  }
  void* range(std::uint64_t first, std::uint64_t n, abi::access) override {
    replica_.check_range(first, n, name_);
    return replica_.at(first);
  }
  /// Throws error(errc::access).
  void* add_entry() override {
    if (handle_ == nullptr) throw error(errc::access, "a dmap key that reconnaissance did not see");
    return handle_->add_entry();
  }

 private:
  const replica& replica_;
  const char* name_;
  abi::handle_target* handle_;
};

}  // namespace stradsap::rt
