#include "runtime/cluster/line_reader.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {
namespace {

/// The bytes of a file, valid while this lives.
class file_bytes {
 public:
  explicit file_bytes(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about{};
    if (file < 0 || ::fstat(file, &about) != 0) fail(path, std::strerror(errno), file);
    if (S_ISDIR(about.st_mode)) fail(path, "is a directory", file);
    size_ = static_cast<std::size_t>(about.st_size);
    if (!S_ISREG(about.st_mode)) {
      read_all(path, file);
    } else if (size_ != 0) {
      bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (bytes_ == MAP_FAILED) fail(path, std::strerror(errno), file);
      ::madvise(bytes_, size_, MADV_SEQUENTIAL);
    }
    ::close(file);
  }
  ~file_bytes() {
    if (bytes_ != nullptr) ::munmap(bytes_, size_);
  }
  file_bytes(const file_bytes&) = delete;
  file_bytes& operator=(const file_bytes&) = delete;
  [[nodiscard]] std::string_view text() const {
    return bytes_ == nullptr ? std::string_view(streamed_)
                             : std::string_view(static_cast<const char*>(bytes_), size_);
  }

 private:
  [[noreturn]] static void fail(const std::string& path, const char* why, int file) {
    const std::string text = fmt::format("{}: cannot be read: {}", path, why);
    if (file >= 0) ::close(file);
    throw error(errc::bad_input, text);
  }
  /// For a pipe or a device, which has no size and cannot be mapped.
  void read_all(const std::string& path, int file) {
    char chunk[1 << 16];
    while (true) {
      const ssize_t got = ::read(file, chunk, sizeof chunk);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(path, std::strerror(errno), file);
      if (got == 0) return;
      streamed_.append(chunk, static_cast<std::size_t>(got));
    }
  }

  void* bytes_ = nullptr;
  std::string streamed_;
  std::size_t size_ = 0;
};

/// Calls f(number, line) for each line that is not blank; numbers begin at 1.
template <class F> void each_line(std::string_view text, const F& f) {
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) f(number, line);
  }
}

}  // namespace

void read_lines(const std::string& path, abi::line_sink& sink) {
  const file_bytes file(path);
  std::size_t lines = 0;
  each_line(file.text(), [&](std::size_t, std::string_view) { ++lines; });
  sink.expect(lines);
  each_line(file.text(), [&](std::size_t number, std::string_view line) {
    try {
      sink.parse(line);
    } catch (const std::exception& e) {
      throw error(errc::bad_input, fmt::format("{}:{}: {}", path, number, e.what()));
    }
  });
}

}  // namespace stradsap::rt
