// When the driver saves the program, and its records of that: the save points so far, the registered
// variables, and the process that writes. The driver supplies the state. Thread rule: main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <stradsap/abi/checkpoints.hpp>

#include "runtime/base/options.hpp"
#include "runtime/checkpoint/checkpoint_folder.hpp"
#include "runtime/checkpoint/writing_process.hpp"

namespace stradsap::rt {

class checkpoints {
 public:
  explicit checkpoints(const options& o) : options_(o), resume_(o.resume) {}
  ~checkpoints();
  checkpoints(const checkpoints&) = delete;
  checkpoints& operator=(const checkpoints&) = delete;

  /// See abi::request_checkpoints(), and so on.
  void request(const abi::checkpoint_request& how);
  bool add_variables(const abi::registered_variable* first, std::size_t n);
  void forget_variables() { variables_.clear(); }

  /// The program is at its next save point. Returns the checkpoint that it goes on from, at the first one of
  /// a resumed run; else null. Throws error(errc::bad_input) if that was saved at another place.
  [[nodiscard]] std::unique_ptr<whole_checkpoint> reach(const std::string& place);
  /// The run goes on from this checkpoint.
  void resumed(const whole_checkpoint& from);
  /// A loop begins. Warns once if the run has saved variables and not yet saved elements: a save point at the
  /// end of the loop over epochs lets a resumed run repeat an epoch in vain.
  void note_loop(const char* site);
  /// Whether the program has asked for checkpoints.
  [[nodiscard]] bool may_save() const { return when_.has_value(); }
  /// Whether the program is to be saved here and now.
  [[nodiscard]] bool is_due();
  /// Writes the program's state: in a child, or here if the program ends now. `about` has the containers.
  void save(checkpoint_manifest about, std::vector<const replica*> containers, bytes state);
  /// After SIGTERM and save(): ends the process.
  void leave_if_asked();

  void save_variables(abi::writer& out) const;
  void resume_variables(abi::reader& in) const;

 private:
  struct settings {
    std::int64_t points;
    double seconds;
    bool on_term;
  };

  [[nodiscard]] run_identity identity() const;
  void note_end(const std::optional<std::string>& failure);
  void end_writing();
  void tell_slow_writing();
  [[nodiscard]] std::string folder_to_resume() const;

  const options options_;
  std::string resume_;  // see options::resume
  std::optional<settings> when_;
  std::unique_ptr<checkpoint_folder> folder_;
  std::vector<abi::registered_variable> variables_;
  std::unique_ptr<whole_checkpoint> from_;  // until the first save point of a resumed run
  bool has_looked_ = false;                 // for a checkpoint to go on from
  bool has_warned_ = false;                 // of a loop before that
  std::uint64_t point_ = 0;                 // the next save point
  std::string place_;                       // of the last one
  std::uint64_t last_saved_ = 0;            // point
  std::chrono::steady_clock::time_point last_time_ = std::chrono::steady_clock::now();
  std::optional<std::uint64_t> good_;     // the newest checkpoint that is known to be whole
  std::optional<std::uint64_t> written_;  // by the running process
  std::optional<std::uint64_t> told_;     // that it is slow
  bool has_failed_ = false;               // the last one
  writing_process writing_;
};

}  // namespace stradsap::rt
