#include "runtime/net/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <xxhash.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {

namespace fs = std::filesystem;

static constexpr std::string_view folder_prefix = "stradsap-run.";  // stradsap-run removes stale ones too
static constexpr std::size_t num_digits = 16;

std::string run_digits(const options& o) {
  const std::string text = fmt::format("{} {} {}", ::geteuid(), o.started_by->name, o.started_by->job);
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

void require_private_folder(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0)
    throw error(errc::cluster, fmt::format("cannot use {}: {}", path, std::strerror(errno)));
  if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid()) {
    throw error(errc::cluster,
                fmt::format("{} is not a folder of this user: remove it, or have another one by "
                            "XDG_RUNTIME_DIR, TMPDIR or STRADSAP_RENDEZVOUS",
                            path));
  }
  if ((found.st_mode & 0077) != 0)
    throw error(errc::cluster,
                fmt::format("{0} is open to others, who could join the run: chmod 700 {0}", path));
}

/// The first base that is usable and leaves room for the names of sockets.
static std::string choose_base(const std::vector<std::string>& bases) {
  constexpr std::size_t longest_socket = 107;
  constexpr std::size_t room = 32 + folder_prefix.size() + num_digits;
  for (const std::string& base : bases) {
    struct stat found{};
    const bool is_usable = base.starts_with('/') && ::stat(base.c_str(), &found) == 0 &&
                           S_ISDIR(found.st_mode) && ::access(base.c_str(), W_OK | X_OK) == 0;
    if (is_usable && base.size() + room <= longest_socket) return base;
  }
  throw error(errc::cluster,
              "no place for the folder of the run: XDG_RUNTIME_DIR, TMPDIR and /tmp are not "
              "writable or too long");
}

/// A folder with a lock of this kind, at this path; -1 if it has gone, or others hold their locks.
static int locked_folder(const std::string& path, int lock) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat held{};
  struct stat named{};
  const bool is_same = ::flock(folder, lock) == 0 && ::fstat(folder, &held) == 0 &&
                       ::lstat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
                       held.st_dev == named.st_dev;
  if (is_same) return folder;
  ::close(folder);
  return -1;
}

/// Removes the folders of runs that have ended without doing so.
static void remove_stale_folders(const std::string& base) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(base, ignored)) {
    const std::string name = entry.path().filename();
    struct stat found{};
    const bool is_ours = name.starts_with(folder_prefix) &&
                         name.size() == folder_prefix.size() + num_digits &&
                         ::lstat(entry.path().c_str(), &found) == 0 && found.st_uid == ::geteuid();
    const int lock = is_ours ? locked_folder(entry.path(), LOCK_EX | LOCK_NB) : -1;
    if (lock < 0) continue;
    for (const fs::directory_entry& inside : fs::directory_iterator(entry.path(), ignored)) {
      if (inside.is_socket(ignored) || inside.is_fifo(ignored)) fs::remove(inside.path(), ignored);
    }
    ::rmdir(entry.path().c_str());
    ::close(lock);
  }
}

run_folder::run_folder(const options& o) {
  const std::string base = choose_base(o.run_bases);
  if (o.rank == driver_rank) remove_stale_folders(base);
  path_ = fmt::format("{}/{}{}", base, folder_prefix, run_digits(o));
  of_rank_ = fmt::format("{}/rank.{}", path_, o.rank);
  try {
    join();
    claim_rank(o.rank);
  } catch (...) {
    ::close(folder_);
    throw;
  }
}

void run_folder::join() {
  constexpr int most_tries = 1000;  // another rank 0 may remove the folder before it is locked
  for (int k = 0; k < most_tries && folder_ < 0; ++k) {
    if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
      throw error(errc::cluster, fmt::format("cannot make {}: {}", path_, std::strerror(errno)));
    folder_ = locked_folder(path_, LOCK_SH);
  }
  require_private_folder(path_);
  if (folder_ < 0) throw error(errc::cluster, fmt::format("cannot lock {}", path_));
}

void run_folder::claim_rank(rank_id r) {
  const std::string name = of_rank_ + ".claim";
  if (::mkfifo(name.c_str(), 0600) == 0 || errno == EEXIST)
    claim_ = ::open(name.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (claim_ < 0) throw error(errc::cluster, fmt::format("cannot make {}: {}", name, std::strerror(errno)));
  if (::flock(claim_, LOCK_EX | LOCK_NB) != 0) {
    ::close(claim_);
    throw error(
        errc::cluster,
        fmt::format("another process is rank {} of this run, in {}: a program that a rank starts is no "
                    "rank; set STRADSAP_WORLD_SIZE=1 for it",
                    r, path_));
  }
  for (const char* const left : {"", ".doorbell"}) ::unlink((of_rank_ + left).c_str());
}

run_folder::~run_folder() {
  for (const char* const own : {"", ".doorbell", ".claim"}) ::unlink((of_rank_ + own).c_str());
  ::rmdir(path_.c_str());
  ::close(claim_);
  ::close(folder_);
}

}  // namespace stradsap::rt
