// Implements include/stradsap/abi/files.hpp: JSON lines.
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>
#include <stradsap/abi/files.hpp>

#include "runtime/files/descriptor.hpp"
#include "runtime/files/manifest.hpp"

namespace stradsap::abi {

new_lines::new_lines(const std::string& folder, const std::string& name)
    : shown_("saving " + name + ".jsonl", "lines", 0),
      folder_(folder),
      name_(name),
      file_(std::make_unique<rt::new_file>(rt::new_file_in(folder, name, ".jsonl"))) {}

new_lines::~new_lines() = default;

void new_lines::add() {
  constexpr std::size_t most_buffered = 1 << 20;
  text_ += '\n';
  ++count_;
  if (text_.size() >= most_buffered) flush();
}

void new_lines::flush() {
  rt::descriptor::to_write(file_->aside(), file_->path()).write(text_.data(), size_, text_.size());
  size_ += text_.size();
  text_.clear();
}

void new_lines::complete() {
  flush();
  rt::manifest_entry entry(folder_, "lines", name_, {{"file", name_ + ".jsonl"}, {"count", count_}});
  file_->complete();
  entry.complete();
}

void append_json(std::string& to, std::string_view text) {
  to += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class Number> static void append_number(std::string& to, Number number) {
  if (std::isnan(number)) {
    to += "NaN";
  } else if (std::isinf(number)) {
    to += number < 0 ? "-Infinity" : "Infinity";
  } else {
    char digits[64];
    to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
}
void append_json(std::string& to, double number) { append_number(to, number); }
void append_json(std::string& to, float number) { append_number(to, number); }

}  // namespace stradsap::abi
