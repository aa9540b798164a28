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

std::string write_file(const std::filesystem::path& path, const std::string& text) {
  const std::string aside = path.string() + "." + std::to_string(getpid()) + ".tmp";
  std::error_code failure;
  {
    std::ofstream out(aside, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.flush();
    if (!out) failure = std::error_code(errno, std::generic_category());
  }
  if (!failure) std::filesystem::rename(aside, path, failure);
  if (!failure) return {};
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  return "cannot write " + path.string() + ": " + failure.message();
}

}  // namespace stradsap::pp
