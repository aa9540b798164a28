// The folder of a host for the ranks that stradsap-run did not start: private, the same for all these ranks,
// and gone with the last of them. Thread rule: one thread at a time.
#pragma once

#include <string>

#include "runtime/base/options.hpp"

namespace stradsap::rt {

class run_folder {
 public:
  /// Makes the folder, or joins the ranks that have it. Removes the files of dead ranks, and rank 0
  /// also other folders of dead ranks. Throws error(errc::cluster) if no folder is usable, the folder is not
  /// private, or this rank is another process that runs.
  explicit run_folder(const options& o);
  /// Removes the files of this rank, and the folder if they were the last.
  ~run_folder();
  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void join();
  void claim_rank(rank_id r);

  std::string path_;
  std::string of_rank_;  // the common begin of the paths of this rank's files
  int folder_ = -1;      // holds a shared lock
  int claim_ = -1;       // holds an exclusive lock on the file of this rank
};

/// Throws error(errc::cluster) unless the folder is one of this user, and closed to all others.
void require_private_folder(const std::string& path);

/// The run's part of names of its files: 16 hexadecimal digits.
[[nodiscard]] std::string run_digits(const options& o);

}  // namespace stradsap::rt
