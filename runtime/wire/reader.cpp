// The parts of writer and reader that no type needs a copy of: long runs of bytes, and decoding errors.
// Thread rule: values.
#include <string>

#include <stradsap/serialize.hpp>

namespace stradsap::abi {

void writer::append_run(const void* from, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(from);
  out_.insert(out_.end(), first, first + size);
}

void throw_early_end(std::size_t left, std::size_t expected) {
  throw error(errc::decode, "message ends early: " + std::to_string(left) + " bytes left, expected " +
                                std::to_string(expected));
}

void throw_too_many(std::uint64_t claimed, const char* things, std::size_t left, const char* what) {
  throw error(errc::decode, "message claims " + std::to_string(claimed) + " " + things + " " +
                                std::to_string(left) + " " + what);
}

}  // namespace stradsap::abi
