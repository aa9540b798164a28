// The source for a container with all elements on this rank for the whole loop. Thread rule: any number of
// threads; add_entry() on the driver's thread.
#pragma once

#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

class resident_elements final : public abi::element_source {
 public:
  /// Messages call the container `name`.
  resident_elements(replica& local, const char* name) : replica_(local), name_(name) {}

  void* element(std::uint64_t i, abi::access) override {
    if (i >= replica_.size()) replica_.throw_out_of_range(i, name_);
    return replica_.at(i);
  }
  void* range(std::uint64_t first, std::uint64_t n, abi::access) override {
    replica_.check_range(first, n, name_);
    return replica_.at(first);
  }
  void* add_entry() override { return replica_.add_entry(); }

 private:
  replica& replica_;
  const char* name_;
};

}  // namespace stradsap::rt
