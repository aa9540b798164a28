// The header of a .npy file: NumPy's format, versions 1.0 to 3.0 (NEP 1). Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stradsap::rt {

struct npy_header {
  std::string dtype;  // as "<f4"
  bool by_columns = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t size_bytes = 0;  // of the header, with padding
};

/// The bytes of a header of version 1.0, as long as a multiple of 64.
[[nodiscard]] std::string to_text(const npy_header& header);
/// The header at the beginning of a file. Throws error(errc::bad_input) with the file's name.
[[nodiscard]] npy_header read_npy_header(const std::string& path);
/// "(3, 4)", as Python writes it.
[[nodiscard]] std::string text_of_shape(const std::vector<std::uint64_t>& shape);

}  // namespace stradsap::rt
