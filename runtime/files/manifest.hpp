// The files that a program saves in a folder, and their list, manifest.json (docs/formats.md).
// Thread rule: the driver's thread.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "runtime/files/new_file.hpp"

namespace stradsap::rt {

/// FOLDER/NAME and the ending, to be written aside. Makes the folder if it is missing. Throws
/// error(errc::output), also for a name that leaves the folder.
[[nodiscard]] new_file new_file_in(const std::string& folder, const std::string& name, const char* ending);
/// Keeps other processes from the manifest of a folder, as long as this one lives. Waits for its turn.
class folder_lock {
 public:
  explicit folder_lock(const std::string& folder);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

 private:
  int opened_;
};

/// A new entry of the manifest, with the program, its build id and the seed of the run. Other processes wait
/// until it is complete or given up. Throws error(errc::output).
class manifest_entry {
 public:
  manifest_entry(const std::string& folder, const char* kind, const std::string& name,
                 const nlohmann::ordered_json& about);
  void complete() { file_.complete(); }

 private:
  folder_lock lock_;
  new_file file_;
};
/// The path of a file in the manifest. Throws error(errc::bad_input).
[[nodiscard]] std::string file_in_manifest(const std::string& folder, const char* kind,
                                           const std::string& name);

}  // namespace stradsap::rt
