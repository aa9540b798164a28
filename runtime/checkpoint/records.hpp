// The elements of a container in a file of a checkpoint: records of encoded elements (docs/formats.md). A
// dmap has a record of its keys before them. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <string>

#include <stradsap/abi/abi.hpp>

#include "runtime/checkpoint/hashed_file.hpp"
#include "runtime/dds/replica.hpp"
#include "runtime/files/descriptor.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// All elements must be held here, in canonical layout. Throws error(errc::output).
void write_records(hashed_file& to, const replica& from);

/// Reads records one after the other. Throws error(errc::bad_input) for a file that ends within one.
class record_reader {
 public:
  explicit record_reader(const std::string& path)
      : path_(path), file_(descriptor::to_read(path)), size_(file_.size()) {}

  [[nodiscard]] bool at_end() const { return at_ == size_; }
  /// Reads the encoding of a record, and returns its number of elements.
  std::uint64_t next(bytes& encoded);

 private:
  std::string path_;
  descriptor file_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
};

}  // namespace stradsap::rt
