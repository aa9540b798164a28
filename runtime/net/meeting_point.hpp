// The place where ranks meet that stradsap-run did not start: rank 0 listens there, and the others find it by
// a name and a key, or by a file that rank 0 writes. Thread rule: one thread at a time.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/options.hpp"

namespace stradsap::rt {

struct meeting_point {
  std::string host;
  int port = 0;     // 0: the system chooses it
  std::string key;  // 64 hexadecimal digits, known to the ranks of this run only; empty without encryption
  bool operator==(const meeting_point&) const = default;
};

class meeting_finder {
 public:
  /// Throws error(errc::cluster) if the options name no place, or one without a key.
  explicit meeting_finder(const options& o);

  /// None as long as rank 0 has not published it. Throws error(errc::cluster) if others can read the file.
  [[nodiscard]] std::optional<meeting_point> find() const;
  /// The place with the key file if find() gives no key, else without a key. None if there is no such key, or
  /// if rank 0 has published the key.
  [[nodiscard]] std::optional<meeting_point> with_other_encryption() const;
  /// Whether rank 0 has to publish it: the host is not known before.
  [[nodiscard]] bool is_by_file() const { return !file_.empty(); }
  /// Rank 0: lets the others find it.
  void publish(const meeting_point& at) const;
  void withdraw() const;
  /// For messages to people.
  [[nodiscard]] std::string description() const;

 private:
  std::string file_;  // empty: `known_` is the place
  meeting_point known_;
  std::string key_file_;
};

/// The address of this host for ranks of other hosts. Blocks until that of rank 0 is known. Throws
/// error(errc::cluster) at the start time-out, or if this host has no address that others reach.
[[nodiscard]] std::string choose_own_address(const options& o);

}  // namespace stradsap::rt
