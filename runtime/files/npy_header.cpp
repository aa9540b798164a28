#include "runtime/files/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/files/descriptor.hpp"

namespace stradsap::rt {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t most_header = 1 << 20;  // bytes

/// Reads the literal of a Python dict with three keys.
class dict_reader {
 public:
  explicit dict_reader(std::string_view text) : rest_(text) {}

  /// Nothing if the text has another form.
  std::optional<npy_header> read() {
    npy_header header;
    int found = 0;
    if (!skip('{')) return std::nullopt;
    while (!skip('}')) {
      const std::optional<std::string> key = quoted();
      if (!key || !skip(':') || !value_of(*key, header)) return std::nullopt;
      ++found;
      if (!skip(',') && !peeks('}')) return std::nullopt;
    }
    return found == 3 ? std::optional(header) : std::nullopt;
  }

 private:
  bool value_of(const std::string& key, npy_header& header) {
    if (key == "descr") {
      const std::optional<std::string> dtype = quoted();
      header.dtype = dtype.value_or("");
      if (!dtype && peeks('[')) header.dtype = "a structured type";
      return dtype.has_value() || skip_list();
    }
    if (key == "fortran_order") return (header.by_columns = skip("True")) || skip("False");
    return key == "shape" && numbers(header.shape);
  }
  bool numbers(std::vector<std::uint64_t>& shape) {
    if (!skip('(')) return false;
    while (!skip(')')) {
      spaces();
      std::uint64_t n = 0;
      const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (failed != std::errc()) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      (void)skip('L');  // of Python 2
      shape.push_back(n);
      if (!skip(',') && !peeks(')')) return false;
    }
    return true;
  }
  std::optional<std::string> quoted() {
    spaces();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool skip_list() {
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }
  void spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t"), rest_.size())); }
  bool peeks(char c) {
    spaces();
    return !rest_.empty() && rest_[0] == c;
  }
  bool skip(char c) { return skip(std::string_view(&c, 1)); }
  bool skip(std::string_view text) {
    spaces();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string_view rest_;
};

[[noreturn]] void refuse(const std::string& path, const char* why) {
  throw error(errc::bad_input, fmt::format("{}: is no .npy file: {}", path, why));
}

}  // namespace

std::string text_of_shape(const std::vector<std::uint64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

std::string to_text(const npy_header& header) {
  constexpr std::size_t fixed = 10;  // magic, version, length
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", header.dtype,
                                 header.by_columns ? "True" : "False", text_of_shape(header.shape));
  dict.append((64 - (fixed + dict.size() + 1) % 64) % 64, ' ');
  dict += '\n';
  std::string text(magic);
  text += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return text + dict;
}

npy_header read_npy_header(const std::string& path) {
  const descriptor file = descriptor::to_read(path);
  const std::uint64_t size = file.size();
  unsigned char fixed[12] = {};
  if (size < sizeof fixed) refuse(path, "it is too short");
  file.read(fixed, 0, sizeof fixed);
  if (std::string_view(reinterpret_cast<const char*>(fixed), magic.size()) != magic)
    refuse(path, "it does not begin with \\x93NUMPY");
  const unsigned version = fixed[6];
  if (version < 1 || version > 3) refuse(path, "its version is none of 1, 2 and 3");
  std::uint64_t length = std::uint64_t{fixed[8]} | std::uint64_t{fixed[9]} << 8;
  if (version > 1) length |= std::uint64_t{fixed[10]} << 16 | std::uint64_t{fixed[11]} << 24;
  const std::uint64_t begin = version > 1 ? 12 : 10;
  if (length > most_header || begin + length > size) refuse(path, "its header ends early");
  std::string dict(length, ' ');
  file.read(dict.data(), begin, length);
  std::optional<npy_header> header = dict_reader(dict).read();
  if (!header) refuse(path, "its header is no dict of descr, fortran_order and shape");
  header->size_bytes = begin + length;
  return *header;
}

}  // namespace stradsap::rt
