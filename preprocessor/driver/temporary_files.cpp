#include "driver/temporary_files.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <system_error>

namespace stradsap::pp {

temporary_directory::~temporary_directory() { remove(); }

const std::filesystem::path& temporary_directory::path() {
  make();
  return path_;
}

const std::filesystem::path& temporary_directory::stable_path() {
  make();
  return stable_path_;
}

/// Uses the same number in nearly all runs: 200, which is rarely taken.
static int moved_to_usual_number(int file) {
  constexpr int usual = 200;
  if (fcntl(usual, F_GETFD) >= 0 || dup2(file, usual) < 0) return dup(file);
  return usual;
}

static constexpr std::string_view name_form = "stradsap-cc.XXXXXX";
static constexpr std::string_view stable_parent = "/proc/self/fd/";

bool temporary_directory::is_name(std::string_view name) {
  const std::string_view begin = name_form.substr(0, name_form.find('X'));
  return name.size() == name_form.size() && name.starts_with(begin);
}

std::string temporary_directory::name_below(const std::string& path) {
  const std::size_t number = path.starts_with(stable_parent) ? stable_parent.size() : std::string::npos;
  return path.substr(path.find('/', number) + 1);
}

void temporary_directory::make() {
  const std::lock_guard lock(making_);
  if (!path_.empty()) return;
  std::string name = (parent_.empty() ? "/tmp" : parent_) + "/" + std::string(name_form);
  const bool made = mkdtemp(name.data()) != nullptr;
  if (made) path_ = name;
  const int folder = made ? open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  const int inherited = folder >= 0 ? moved_to_usual_number(folder) : -1;
  if (inherited < 0) {
    throw std::filesystem::filesystem_error("cannot make a temporary folder", name,
                                            std::error_code(errno, std::generic_category()));
  }
  close(folder);
  stable_path_ = std::string(stable_parent) + std::to_string(inherited);
}

void temporary_directory::remove() {
  const std::lock_guard lock(making_);
  if (path_.empty()) return;
  std::error_code failure;
  // cc1plus outlives a killed g++ and may make a file between the last removal and the folder's own
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  do {
    std::filesystem::remove_all(path_, failure);
  } while (failure == std::errc::directory_not_empty && std::chrono::steady_clock::now() < deadline);
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

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace stradsap::pp
