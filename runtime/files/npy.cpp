// Implements include/stradsap/abi/files.hpp: .npy files.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <stradsap/abi/files.hpp>
#include <stradsap/abi/program.hpp>

#include "runtime/files/descriptor.hpp"
#include "runtime/files/manifest.hpp"
#include "runtime/files/new_file.hpp"
#include "runtime/files/npy_header.hpp"

namespace stradsap::abi {
namespace {

/// The bytes of elements in an array of this shape; nothing if 64 bits do not hold the number.
std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& shape, std::uint64_t bytes) {
  for (const std::uint64_t n : shape) {
    if (__builtin_mul_overflow(bytes, n, &bytes)) return std::nullopt;
  }
  return bytes;
}

void reverse_numbers(std::byte* first, std::uint64_t size, std::uint64_t number_bytes) {
  for (std::byte* at = first; at < first + size; at += number_bytes) std::reverse(at, at + number_bytes);
}

}  // namespace

void stored_elements::read(void* to, std::uint64_t from, std::uint64_t size) const {
  const rt::descriptor file = rt::descriptor::to_read(path);
  if (file.size() < end)
    throw error(errc::bad_input,
                fmt::format("{}: has {} bytes on rank {}, and {} on rank 0", name, file.size(), rank(), end));
  file.read(to, begin + from, size);
  if (reversed_bytes > 1) reverse_numbers(static_cast<std::byte*>(to), size, reversed_bytes);
}

void stored_elements::write(const void* data, std::uint64_t from, std::uint64_t size) const {
  rt::descriptor::to_write(path, name).write(data, begin + from, size);
}

npy_file open_npy(const std::string& path, const npy_type& type) {
  const rt::npy_header header = rt::read_npy_header(path);
  std::string wanted = type.dtype;
  std::string found = header.dtype;
  const bool is_reversed = found.starts_with('>');
  if (is_reversed) found[0] = wanted[0];
  if (found.starts_with('=')) found[0] = wanted[0];
  if (found != wanted)
    throw error(errc::bad_input, fmt::format("{}: holds {}, expected {}: read the type that the file has, or "
                                             "save it with astype('{}')",
                                             path, header.dtype, type.dtype, type.dtype));
  const std::size_t own = type.dimensions.size();
  const auto shape_end = header.shape.end();
  if (header.shape.size() < own || !std::equal(type.dimensions.begin(), type.dimensions.end(),
                                               shape_end - static_cast<std::ptrdiff_t>(own)))
    throw error(errc::bad_input,
                fmt::format("{}: has shape {}, expected one that ends with {}", path,
                            rt::text_of_shape(header.shape), rt::text_of_shape(type.dimensions)));
  if (header.by_columns && header.shape.size() > 1)
    throw error(errc::bad_input, path + ": is in Fortran order: save it with numpy.ascontiguousarray");
  const std::optional<std::uint64_t> size = product(header.shape, type.number_bytes);
  const std::uint64_t all = rt::descriptor::to_read(path).size();
  if (!size || *size > all - header.size_bytes)
    throw error(errc::bad_input, fmt::format("{}: ends early: shape {} of {} does not fit into {} bytes",
                                             path, rt::text_of_shape(header.shape), header.dtype, all));
  npy_file file;
  file.shape = header.shape;
  file.count = *product({header.shape.begin(), shape_end - static_cast<std::ptrdiff_t>(own)}, 1);
  file.elements = {.path = std::filesystem::absolute(path).string(),
                   .name = path,
                   .begin = header.size_bytes,
                   .end = header.size_bytes + *size,
                   .reversed_bytes = is_reversed ? type.number_bytes : 1};
  return file;
}

std::vector<std::uint64_t> shape_of_npy(const std::string& path) { return rt::read_npy_header(path).shape; }

void refuse_row(const std::string& name, std::uint64_t at, std::uint64_t size, std::uint64_t expected) {
  throw error(errc::output, fmt::format("save_npy: row {} of `{}` has {} numbers, and row 0 has {}", at, name,
                                        size, expected));
}

std::string npy_path(const std::string& folder, const std::string& name) {
  return rt::file_in_manifest(folder, "arrays", name);
}

new_npy::new_npy(const std::string& folder, const std::string& name, const npy_type& type,
                 std::uint64_t count, const array_shape& shape)
    : shown_("saving " + name + ".npy", "elements", count),
      folder_(folder),
      name_(name),
      dtype_(type.dtype),
      shape_(shape.lengths()) {
  shown_.weigh_iterations(1);
  if (shape_.empty()) {
    shape_ = {count};
    shape_.insert(shape_.end(), type.dimensions.begin(), type.dimensions.end());
  }
  std::uint64_t numbers = count;
  for (const std::uint64_t n : type.dimensions) numbers *= n;
  if (product(shape_, 1) != numbers)
    throw error(errc::output, fmt::format("save_npy: `{}` has {} numbers, which is not shape {}", name,
                                          numbers, rt::text_of_shape(shape_)));
  const std::string header =
      rt::to_text({.dtype = type.dtype, .by_columns = false, .shape = shape_, .size_bytes = 0});
  file_ = std::make_unique<rt::new_file>(rt::new_file_in(folder, name, ".npy"));
  const rt::descriptor file = rt::descriptor::to_write(file_->aside(), file_->path());
  file.reserve(header.size() + numbers * type.number_bytes);
  file.write(header.data(), 0, header.size());
  elements_ = {.path = std::filesystem::absolute(file_->aside()).string(),
               .name = file_->path(),
               .begin = header.size(),
               .end = header.size() + numbers * type.number_bytes};
}

new_npy::~new_npy() = default;

void new_npy::complete() {
  rt::manifest_entry entry(folder_, "arrays", name_,
                           {{"file", name_ + ".npy"}, {"dtype", dtype_}, {"shape", shape_}});
  file_->complete();
  entry.complete();
}

}  // namespace stradsap::abi
