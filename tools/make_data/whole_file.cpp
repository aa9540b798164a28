// Writes aside and renames; owns the partial file until then.
#include "whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace stradsap::data {

static constexpr std::size_t buffer_size = 1 << 20;

whole_file::whole_file(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial") {
  file_.reset(std::fopen(partial_.c_str(), "wb"));
  if (!file_) fail("cannot create");
  buffer_.reserve(buffer_size);
}

whole_file::~whole_file() {
  if (file_ == nullptr) return;  // committed
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void whole_file::append(const char* data, std::size_t size_bytes) {
  if (buffer_.size() + size_bytes > buffer_size) flush();
  buffer_.append(data, size_bytes);
}

void whole_file::commit() {
  flush();
  if (std::fclose(file_.release()) == 0 && std::rename(partial_.c_str(), path_.c_str()) == 0) return;
  const int reason = errno;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
  errno = reason;
  fail("cannot write");
}

void whole_file::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail("cannot write");
  buffer_.clear();
}

void whole_file::fail(const char* what) const {
  throw std::runtime_error(std::string(what) + " " + path_.string() + ": " + std::strerror(errno));
}

}  // namespace stradsap::data
