// A file written as a whole or not at all. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace stradsap::data {

/// A file that appears under its name only when it is complete. Every function throws std::runtime_error
/// naming the file and the reason; without commit() nothing is left behind.
class whole_file {
 public:
  explicit whole_file(std::filesystem::path path);
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file();

  void append(const char* data, std::size_t size_bytes);
  void commit();

 private:
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void flush();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::unique_ptr<std::FILE, closer> file_;
  std::string buffer_;
};

}  // namespace stradsap::data
