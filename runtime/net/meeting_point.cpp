#include "runtime/net/meeting_point.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/base/worker_signals.hpp"
#include "runtime/net/own_address.hpp"
#include "runtime/net/run_folder.hpp"

namespace stradsap::rt {

static constexpr std::size_t key_digits = 64;
static constexpr std::string_view absent_key = "-";

static bool is_key(std::string_view text) {
  return text.size() == key_digits &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

/// The content of a short file; none if it does not exist. `shut_to` are the bits of its mode that are
/// refused.
static std::optional<std::string> read_secret(const std::string& path, mode_t shut_to, int flags) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);  // a FIFO would block
  if (file < 0 && (errno == ENOENT || errno == ESTALE)) return std::nullopt;
  struct stat found{};
  char text[512];
  const bool is_file = file >= 0 && ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
  const ssize_t size = is_file ? ::read(file, text, sizeof text) : -1;
  const std::string why = size < 0 ? std::strerror(errno) : "";
  if (file >= 0) ::close(file);
  if (size < 0)
    throw error(errc::cluster, fmt::format("cannot read {}: {}", path, is_file ? why : "no file"));
  if ((found.st_mode & shut_to) != 0)
    throw error(errc::cluster, fmt::format("{} holds a secret key, and others may read it: mode {:o}", path,
                                           found.st_mode & 0777));
  return std::string(text, static_cast<std::size_t>(size));
}

/// host:port, or [address]:port.
static meeting_point parse_place(const std::string& text) {
  meeting_point at;
  const std::size_t colon = text.rfind(':');
  const char* const end = text.data() + text.size();
  constexpr int most = 65535;
  if (colon != text.npos && colon > 0) {
    at.host = text.substr(0, colon);
    if (at.host.size() > 2 && at.host.front() == '[' && at.host.back() == ']')
      at.host = at.host.substr(1, at.host.size() - 2);
    const auto [after, failure] = std::from_chars(text.data() + colon + 1, end, at.port);
    const bool is_one = at.host != "*" && at.host != "0.0.0.0" && at.host != "::";
    if (failure == std::errc() && after == end && at.port >= 1 && at.port <= most && is_one) return at;
  }
  throw error(
      errc::cluster,
      fmt::format("STRADSAP_RENDEZVOUS={}: expected host:port of rank 0, or a folder that begins with /",
                  text));
}

/// The key in a file; none if there is no such file, and empty if it has something else.
static std::optional<std::string> read_key(const std::string& path) {
  auto key = read_secret(path, 0007, 0);
  while (key && !key->empty() && std::isspace(static_cast<unsigned char>(key->back())) != 0) key->pop_back();
  if (key && !is_key(*key)) key->clear();
  return key;
}

static std::string key_of_file(const options& o) {
  if (!o.encrypt) return {};
  if (o.key_file.empty()) {
    throw error(errc::cluster,
                fmt::format("no key for the rendezvous at {}: set STRADSAP_KEY_FILE to a file with 64 "
                            "random hexadecimal digits (openssl rand -hex 32), the same for all "
                            "ranks; STRADSAP_ENCRYPT=0 admits anyone",
                            o.rendezvous));
  }
  const auto key = read_key(o.key_file);
  if (key && !key->empty()) return *key;
  throw error(errc::cluster, fmt::format("STRADSAP_KEY_FILE={}: expected 64 hexadecimal digits{}", o.key_file,
                                         key ? "" : ", but there is no such file"));
}

/// Makes the folder if it is the usual one.
static std::string folder_of_files(const options& o) {
  if (!o.rendezvous.empty()) return o.rendezvous;
  if (o.home.empty() || o.started_by->job.empty()) {
    throw error(errc::cluster,
                fmt::format("{} has started ranks on several hosts, and they cannot find each other: "
                            "set STRADSAP_RENDEZVOUS to host:port of rank 0",
                            o.started_by->name));
  }
  const std::string made = o.home + "/.stradsap";
  if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST)
    throw error(errc::cluster,
                fmt::format("cannot make {}: {}; STRADSAP_RENDEZVOUS names another folder that all "
                            "hosts share, or host:port of rank 0",
                            made, std::strerror(errno)));
  return made;
}

meeting_finder::meeting_finder(const options& o) {
  if (o.rendezvous.empty() || o.rendezvous.starts_with('/')) {
    const std::string folder = folder_of_files(o);
    require_private_folder(folder);
    file_ = fmt::format("{}/start.{}", folder, run_digits(o));
  } else {
    known_ = parse_place(o.rendezvous);
    known_.key = key_of_file(o);
    key_file_ = o.key_file;
  }
}

std::optional<meeting_point> meeting_finder::find() const {
  if (!is_by_file()) return known_;
  const auto text = read_secret(file_, 0077, O_NOFOLLOW);
  if (!text) return std::nullopt;
  std::istringstream fields(*text);
  meeting_point at;
  if (!(fields >> at.host >> at.port >> at.key)) return std::nullopt;
  if (at.key == absent_key) at.key.clear();
  return at;
}

std::optional<meeting_point> meeting_finder::with_other_encryption() const {
  if (is_by_file()) return std::nullopt;
  meeting_point at = known_;
  if (!std::exchange(at.key, "").empty()) return at;
  try {
    at.key = key_file_.empty() ? "" : read_key(key_file_).value_or("");
  } catch (const error&) {
    return std::nullopt;  // others can read it
  }
  return at.key.empty() ? std::nullopt : std::optional(at);
}

void meeting_finder::publish(const meeting_point& at) const {
  if (!is_by_file()) return;
  const std::string text = fmt::format("{} {} {}\n", at.host, at.port, at.key.empty() ? absent_key : at.key);
  const std::string aside = fmt::format("{}.{}", file_, ::getpid());
  ::unlink(aside.c_str());  // of a dead process with this number
  const int file = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool is_written = file >= 0 &&
                          ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                          ::fsync(file) == 0;
  const bool is_done = is_written && ::rename(aside.c_str(), file_.c_str()) == 0;
  const std::string why = is_done ? "" : std::strerror(errno);
  if (file >= 0) ::close(file);
  if (is_done) return;
  ::unlink(aside.c_str());
  throw error(errc::cluster, fmt::format("cannot write {}: {}", file_, why));
}

void meeting_finder::withdraw() const {
  if (is_by_file()) ::unlink(file_.c_str());
}

std::string meeting_finder::description() const {
  return is_by_file() ? file_ : fmt::format("{}:{}", known_.host, known_.port);
}

/// An address of the host by which rank 0 can be reached.
static std::string address_of_driver(const options& o, const meeting_finder& place) {
  char host[256] = "";
  (void)::gethostname(host, sizeof host - 1);
  if (!place.is_by_file()) {
    const std::string named = address_of_name(place.find()->host);
    if (!named.empty() && is_own_address(named)) return named;
  }
  for (const std::string& name : {o.started_by->host, std::string(host)}) {
    const std::string address = name.empty() ? "" : address_of_name(name);
    if (!address.empty() && !is_loopback(address) && is_own_address(address)) return address;
  }
  const std::string any = first_outside_address();
  if (!any.empty()) return any;
  throw error(errc::cluster, "this host has no address for other hosts; STRADSAP_INTERFACE names one");
}

std::string choose_own_address(const options& o) {
  const meeting_finder place(o);
  if (!o.network_interface.empty()) return address_of_interface(o.network_interface);
  if (o.rank == driver_rank) return address_of_driver(o, place);
  const auto deadline = std::chrono::steady_clock::now() + o.start_timeout;
  std::string driver;
  while (std::chrono::steady_clock::now() < deadline) {
    end_if_told();
    const auto at = place.find();
    driver = at ? address_of_name(at->host) : "";
    const std::string own = driver.empty() ? "" : address_towards(driver);
    if (!own.empty()) return own;
    ::poll(nullptr, 0, /*milliseconds=*/50);
  }
  throw error(errc::cluster, fmt::format("rank {} has not found rank 0 within {} s: {} {}", o.rank,
                                         o.start_timeout.count(), place.description(),
                                         !driver.empty()      ? "is not reached from here"
                                         : place.is_by_file() ? "does not exist on this host"
                                                              : "is a name that is not known"));
}

}  // namespace stradsap::rt
