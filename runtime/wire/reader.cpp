// The parts of writer, reader and merge that no type needs a copy of: long runs of bytes, memory to
// fill, and errors.
// Thread rule: values.
#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <sys/mman.h>

#include <stradsap/abi/merge.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::abi {

void writer::append_run(const void* from, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(from);
  if (sink_ == nullptr) {
    out_.insert(out_.end(), first, first + size);
  } else {
    pass_on();
    sink_->take(first, size);
    is_full_ = sink_->is_full();
  }
}

void writer::pass_on() {
  sink_->take(out_.data(), out_.size());
  is_full_ = sink_->is_full();
  out_.clear();
}

void throw_early_end(std::size_t left, std::size_t expected) {
  throw error(errc::decode, "message ends early: " + std::to_string(left) + " bytes left, expected " +
                                std::to_string(expected));
}

void throw_too_many(std::uint64_t claimed, const char* things, std::size_t left, const char* what) {
  throw error(errc::decode, "message claims " + std::to_string(claimed) + " " + things + " " +
                                std::to_string(left) + " " + what);
}

void throw_no_flag(unsigned found) {
  throw error(errc::decode, "message has " + std::to_string(found) + " as a bool, expected 0 or 1");
}

void expect_fill(void* first, std::size_t size) {
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto at = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t begin = (at + page - 1) / page * page;
  const std::uintptr_t end = (at + size) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

std::string readable_type(const char* type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(::abi::__cxa_demangle(type, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? name.get() : type;
}

void throw_both_changed(const char* type) {
  throw error(errc::unsupported,
              "two shards of one batch changed the same `" + readable_type(type) +
                  "`, and its own functions for cereal show no differences to add up: remove them, "
                  "so that stradsap-cc lists the members, or let one shard change an element");
}

}  // namespace stradsap::abi
