#include "driver/temporary_directory.hpp"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

namespace stradsap::pp {

temporary_directory::temporary_directory(const std::string& parent) {
  std::string name = (parent.empty() ? "/tmp" : parent) + "/stradsap-cc.XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::filesystem::filesystem_error("cannot make a temporary folder", name,
                                            std::error_code(errno, std::generic_category()));
  }
  path_ = name;
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

static std::error_code write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.flush();
  return out ? std::error_code() : std::error_code(errno, std::generic_category());
}

static std::error_code write_aside(const std::filesystem::path& path, const std::string& text) {
  const std::string aside = path.string() + "." + std::to_string(getpid()) + ".tmp";
  std::error_code failure = write_text(aside, text), ignored;
  if (!failure) std::filesystem::rename(aside, path, failure);
  if (failure) std::filesystem::remove(aside, ignored);
  return failure;
}

std::string write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code absent;
  const bool special =
      std::filesystem::exists(path, absent) && !std::filesystem::is_regular_file(path, absent);
  const std::error_code failure = special ? write_text(path, text) : write_aside(path, text);
  return failure ? "cannot write " + path.string() + ": " + failure.message() : std::string();
}

}  // namespace stradsap::pp
