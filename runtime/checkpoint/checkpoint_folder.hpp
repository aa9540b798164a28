// The folder of a program's checkpoints (docs/formats.md). A checkpoint is a folder in it that gets its name
// when it is complete. The newest one that is whole is used; torn ones are refused by name.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/checkpoint/hashed_file.hpp"
#include "runtime/dds/replica.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The run that writes or reads a checkpoint. One that differs in any of these would end with other bits.
struct run_identity {
  std::string program;
  std::string build_id;
  std::string options;  // those that decide bits, in words
  bool operator==(const run_identity&) const = default;
};

struct saved_container {
  std::uint64_t id = 0;
  std::string type;  // of an element, mangled
  std::uint64_t elements = 0;
  bool is_map = false;
  std::string file;
  bool operator==(const saved_container&) const = default;
};

/// The manifest of a checkpoint.
struct checkpoint_manifest {
  run_identity run;
  std::string job;                     // see options::job
  std::uint64_t point = 0;             // the save points so far
  std::string place;                   // of the save point, FILE:LINE
  std::vector<std::string> variables;  // their types, mangled
  std::vector<saved_container> containers;
};

/// A name of the C++ ABI as the program spells it.
[[nodiscard]] std::string demangled(const std::string& name);

/// Keeps other runs from the folder while it lives. Throws error(errc::output) if one has it, or if the
/// folder cannot be made or written.
class checkpoint_folder {
 public:
  explicit checkpoint_folder(std::string path);
  ~checkpoint_folder();
  checkpoint_folder(const checkpoint_folder&) = delete;
  checkpoint_folder& operator=(const checkpoint_folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The descriptor that holds the lock. A process that still writes keeps it open.
  [[nodiscard]] int lock() const { return lock_; }

 private:
  std::string path_;
  int lock_ = -1;
};

/// The path of a checkpoint.
[[nodiscard]] std::string path_of_point(const std::string& folder, std::uint64_t point);
/// The save points with a checkpoint in the folder, whole or not, in ascending order. Empty without a folder.
[[nodiscard]] std::vector<std::uint64_t> points_in(const std::string& folder);

/// Whether the folder has a checkpoint that this job wrote, in this start of it or an earlier one.
[[nodiscard]] bool has_checkpoint_of(const std::string& job, const std::string& folder);

/// Writes a checkpoint, and then removes all but those of the points `kept`. `containers`: in the order of
/// the manifest; their elements are held here. Throws error(errc::output).
void write_checkpoint(const std::string& folder, const checkpoint_manifest& about,
                      const std::vector<const replica*>& containers, const bytes& state,
                      const std::vector<std::uint64_t>& kept);

/// A checkpoint with all of its files as they were written.
struct whole_checkpoint {
  std::string path;
  checkpoint_manifest about;
  bytes state;
};
/// The newest whole checkpoint. Tells `refused` of each newer one the reason why it is not used. Throws
/// error(errc::bad_input) if none is whole, and for one of another program or of other options.
[[nodiscard]] whole_checkpoint newest_checkpoint(const std::string& folder, const run_identity& run,
                                                 const std::function<void(const std::string&)>& refused);

}  // namespace stradsap::rt
