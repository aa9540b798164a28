// The source for a container with all elements on this rank for the whole loop. Thread rule: any number of
// threads; add_entry() on the driver's thread.
#pragma once

#include "runtime/dds/container_store.hpp"

namespace stradsap::rt {

class resident_elements final : public abi::element_source {
 public:
  /// Messages call the container `name`.
  resident_elements(container_store& store, const char* name) : store_(store), name_(name) {}

  void* element(std::uint64_t i, abi::access) override {
    if (i >= store_.size()) store_.throw_out_of_range(i, name_);
    return store_.at(i);
  }
  void* range(std::uint64_t first, std::uint64_t n, abi::access) override {
    store_.check_range(first, n, name_);
    return store_.at(first);
  }
  void* add_entry() override { return store_.add_entry(); }

 private:
  container_store& store_;
  const char* name_;
};

}  // namespace stradsap::rt
