#include "runtime/text/byte_source.hpp"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace stradsap::rt {

static unreadable system_failure(int reason) {
  return unreadable(std::string("cannot be read: ") + std::strerror(reason));
}

namespace {

/// Calls read or pread until it has all bytes, or the file ends.
template <class Read> std::size_t read_fully(char* to, std::size_t size, const Read& read_some) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read_some(to + done, size - done, done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_failure(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

class file_source final : public byte_source {
 public:
  explicit file_source(const open_file& file) : file_(file) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = file_.read_at(at_, to, size);
    at_ += got;
    return got;
  }

 private:
  const open_file& file_;
  std::uint64_t at_ = 0;
};

constexpr std::size_t input_size = std::size_t{1} << 17;

/// Compressed bytes, block by block.
class input_blocks {
 public:
  explicit input_blocks(std::unique_ptr<byte_source> from) : from_(std::move(from)), block_(input_size) {}
  /// The next bytes; none at the end.
  std::pair<char*, std::size_t> next() { return {block_.data(), from_->read(block_.data(), block_.size())}; }

 private:
  std::unique_ptr<byte_source> from_;
  std::vector<char> block_;
};

class gzip_source final : public byte_source {
 public:
  explicit gzip_source(std::unique_ptr<byte_source> from) : input_(std::move(from)) { begin_member(); }
  std::size_t read(char* to, std::size_t size) override {
    constexpr std::size_t most = std::size_t{1} << 30;
    if (size > most) {
      const std::size_t first = read(to, most);
      return first < most ? first : first + read(to + first, size - first);
    }
    state_.next_out = reinterpret_cast<std::uint8_t*>(to);
    state_.avail_out = static_cast<std::uint32_t>(size);
    while (state_.avail_out != 0) {
      if (is_between_members() && !next_member()) break;
      const std::uint32_t room = state_.avail_out;
      if (isal_inflate(&state_) < 0) throw unreadable("its gzip data are damaged");
      const bool stands = state_.avail_out == room && state_.avail_in == 0 && !is_between_members();
      if (stands && !fill()) throw unreadable("its gzip data end early");
    }
    return size - state_.avail_out;
  }

 private:
  [[nodiscard]] bool is_between_members() const { return state_.block_state == ISAL_BLOCK_FINISH; }
  bool fill() {
    const auto [first, size] = input_.next();
    state_.next_in = reinterpret_cast<std::uint8_t*>(first);
    state_.avail_in = static_cast<std::uint32_t>(size);
    return size != 0;
  }
  void begin_member() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }
  /// Goes on to the next member of the file, if there is one.
  bool next_member() {
    if (state_.avail_in == 0 && !fill()) return false;
    const auto in = std::pair(state_.next_in, state_.avail_in);
    const auto out = std::pair(state_.next_out, state_.avail_out);
    begin_member();
    std::tie(state_.next_in, state_.avail_in) = in;
    std::tie(state_.next_out, state_.avail_out) = out;
    return true;
  }

  input_blocks input_;
  inflate_state state_;
};

class zstd_source final : public byte_source {
 public:
  explicit zstd_source(std::unique_ptr<byte_source> from)
      : input_(std::move(from)), state_(ZSTD_createDStream()) {
    if (state_ == nullptr) throw unreadable("cannot be read: no memory");
  }
  ~zstd_source() override { ZSTD_freeDStream(state_); }
  zstd_source(const zstd_source&) = delete;
  zstd_source& operator=(const zstd_source&) = delete;
  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < size) {
      const std::size_t made = out.pos, taken = in_.pos;
      const std::size_t left = ZSTD_decompressStream(state_, &out, &in_);
      if (ZSTD_isError(left) != 0) throw unreadable("its zstd data are damaged");
      const bool moved = out.pos != made || in_.pos != taken;
      if (moved) is_in_frame_ = left != 0;
      if (moved || fill()) continue;
      if (is_in_frame_) throw unreadable("its zstd data end early");
      break;
    }
    return out.pos;
  }

 private:
  bool fill() {
    const auto [first, size] = input_.next();
    in_ = {first, size, 0};
    return size != 0;
  }

  input_blocks input_;
  ZSTD_DStream* state_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool is_in_frame_ = false;
};

}  // namespace

/// Copies the bytes of a pipe into a file in memory; closes the pipe.
static int file_of_pipe(int pipe) {
  const int file = ::memfd_create("pipe", MFD_CLOEXEC);
  std::vector<char> block(input_size);
  int failed = file < 0 ? errno : 0;
  while (failed == 0) {
    const ssize_t got = ::read(pipe, block.data(), block.size());
    if (got == 0) break;
    if (got < 0 && errno != EINTR) failed = errno;
    for (ssize_t done = 0; failed == 0 && done < got;) {
      const ssize_t some = ::write(file, block.data() + done, static_cast<std::size_t>(got - done));
      if (some < 0 && errno != EINTR) failed = errno;
      if (some > 0) done += some;
    }
  }
  ::close(pipe);
  if (failed == 0) return file;
  if (file >= 0) ::close(file);
  throw system_failure(failed);
}

static std::uint64_t size_of(const struct stat& about) { return static_cast<std::uint64_t>(about.st_size); }
static std::int64_t time_of(const struct stat& about) {
  return std::int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec;
}

open_file::open_file(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat about{};
  if (file_ < 0) throw system_failure(errno);
  const bool is_known = ::fstat(file_, &about) == 0;
  if (!is_known || S_ISDIR(about.st_mode)) {
    const unreadable failure =
        is_known ? unreadable("cannot be read: is a directory") : system_failure(errno);
    ::close(file_);
    throw failure;
  }
  is_pipe_ = !S_ISREG(about.st_mode) || about.st_size == 0;  // files of /proc have no size
  if (is_pipe_) file_ = file_of_pipe(file_);
  size_ = size_of(about);
  changed_ = time_of(about);
}

open_file::~open_file() { ::close(file_); }

void open_file::require_unchanged() const {
  if (is_pipe_) return;
  struct stat about{};
  if (::fstat(file_, &about) == 0 && size_of(about) == size_ && time_of(about) == changed_) return;
  throw unreadable("has changed while it was read");
}

std::size_t open_file::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return read_fully(to, size, [this, offset](char* at, std::size_t n, std::size_t done) {
    return ::pread(file_, at, n, static_cast<off_t>(offset + done));
  });
}

open_file::packing open_file::packed() const {
  char start[4];
  const std::string_view text(start, read_at(0, start, sizeof start));
  return text.starts_with("\x1f\x8b")                                             ? packing::gzip
         : text.starts_with("\x28\xb5\x2f\xfd") || text.ends_with("\x2a\x4d\x18") ? packing::zstd
                                                                                  : packing::none;
}

bool open_file::is_compressed() const { return packed() != packing::none; }

std::unique_ptr<byte_source> open_file::contents() const {
  auto bytes = std::make_unique<file_source>(*this);
  switch (packed()) {
    case packing::gzip:
      return std::make_unique<gzip_source>(std::move(bytes));
    case packing::zstd:
      return std::make_unique<zstd_source>(std::move(bytes));
    default:
      return bytes;
  }
}

}  // namespace stradsap::rt
