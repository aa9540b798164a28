// A file that is written beside its place and gets its name when it is complete: a reader finds the old file
// or the new one, never a part. Thread rule: one thread.
#pragma once

#include <string>

namespace stradsap::rt {

class new_file {
 public:
  /// For PATH; `name` stands in messages. The bytes go to aside().
  explicit new_file(std::string path);
  /// Removes the file if it was not completed.
  ~new_file();
  new_file(new_file&& other) noexcept;
  new_file& operator=(new_file&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& aside() const { return aside_; }
  /// Makes the bytes durable and gives the file its name. Throws error(errc::output).
  void complete();

 private:
  std::string path_;
  std::string aside_;  // empty: completed
};

/// Makes a folder and those around it. Throws error(errc::output).
void make_folder(const std::string& path);

}  // namespace stradsap::rt
