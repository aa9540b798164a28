// The folder of a run, as the launcher would make it. Thread rule: immutable.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "runtime/base/options.hpp"

/// A folder that a job of these tests owns.
class job_folder {
 public:
  job_folder() {
    char name[] = "/tmp/stradsap-test.XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~job_folder() { std::filesystem::remove_all(path_); }
  job_folder(const job_folder&) = delete;
  job_folder& operator=(const job_folder&) = delete;
  [[nodiscard]] stradsap::rt::options of(stradsap::rt::rank_id r, int ranks) const {
    stradsap::rt::options o;
    o.rank = r;
    o.world_size = ranks;
    o.run_dir = path_;
    o.start_timeout = std::chrono::seconds(10);
    return o;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};
