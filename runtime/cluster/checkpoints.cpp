#include "runtime/cluster/checkpoints.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/base/elapsed.hpp"
#include "runtime/base/log.hpp"
#include "runtime/checkpoint/term_request.hpp"
#include "runtime/net/build_id.hpp"

namespace stradsap::rt {

static constexpr int status_of_term = 143;

checkpoints::~checkpoints() {
  end_writing();
  if (options_.rank != driver_rank) return;
  if (!resume_.empty() && !has_looked_)
    warn("--resume had no effect: the program has no resumable() variables");
  if (when_ && point_ == 0) warn("no checkpoint was written: the program came to no save point");
}

// ---- the program's requests ----

static constexpr const char* latest = "latest";

static bool is_plain(const std::string& resume) { return resume == "1" || resume == latest; }

static bool is_same_folder(const std::string& one, const std::string& other) {
  std::error_code failed;
  return one == other || std::filesystem::equivalent(one, other, failed);
}

/// A folder with checkpoints of another run would lose them, as two are kept.
static void refuse_other_checkpoints(const std::string& folder, const std::string& resume) {
  if (points_in(folder).empty() || is_plain(resume) || is_same_folder(folder, resume)) return;
  if (resume.empty())
    throw error(errc::output, folder +
                                  ": has checkpoints of an earlier run: go on from them by --resume or "
                                  "STRADSAP_RESUME=1, or remove them");
  throw error(errc::output, fmt::format("{}: has checkpoints, and the run goes on from those of {}: remove "
                                        "them, or give another folder by --checkpoint-dir",
                                        folder, resume));
}

/// Tells the launcher the folder, by a link in the folder of the run: at a restart it names the newest
/// checkpoint.
static void announce(const std::string& folder, const std::string& run_dir) {
  if (run_dir.empty()) return;
  std::error_code failed;
  const std::filesystem::path link = std::filesystem::path(run_dir) / "checkpoints";
  std::filesystem::remove(link, failed);
  std::filesystem::create_directory_symlink(std::filesystem::absolute(folder), link, failed);
  if (failed) warn(fmt::format("{}: stradsap-run does not learn of it: {}", folder, failed.message()));
}

void checkpoints::request(const abi::checkpoint_request& how) {
  std::string folder = options_.checkpoint_dir.empty() ? std::string(how.folder) : options_.checkpoint_dir;
  if (folder.empty())
    throw error(errc::output, "checkpoints need a folder: checkpoint({.dir = ...}) or --checkpoint-dir D");
  if (how.points < 0 || !(how.seconds >= 0))
    throw error(errc::unsupported, "checkpoints are written every so many save points, or every so often");
  if (how.points == 0 && how.seconds == 0 && !how.on_term)
    throw error(errc::unsupported,
                "checkpoint({.every = 0}) writes none: give a number of save points or a time");
  if (!variables_.empty() && !when_)
    throw error(errc::unsupported, "checkpoint() comes too late: call it before resumable()");
  if (folder_ == nullptr || folder_->path() != folder) {
    folder_.reset();
    folder_ = std::make_unique<checkpoint_folder>(folder);
  }
  if (options_.is_restart && has_checkpoint_of(options_.job, folder)) resume_ = latest;
  if (!good_) refuse_other_checkpoints(folder, resume_);
  announce(folder, options_.run_dir);
  when_ = settings{how.points, how.seconds, how.on_term};
  if (how.on_term) note_term();
}

/// The program's folder, for a plain --resume.
std::string checkpoints::folder_to_resume() const {
  if (!is_plain(resume_)) return resume_;
  if (folder_ != nullptr) return folder_->path();
  if (!options_.checkpoint_dir.empty()) return options_.checkpoint_dir;
  throw error(errc::bad_input,
              "--resume: the program names no folder of checkpoints before its resumable() variables: write "
              "--resume=DIR");
}

run_identity checkpoints::identity() const {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return {failed ? std::string() : self.filename().string(), build_id(),
          fmt::format("seed {}, {}, {}", options_.seed,
                      options_.model_text.empty() ? "the program's consistency"
                                                  : "consistency " + options_.model_text,
                      options_.serial ? "in program order" : "in parallel")};
}

static std::vector<std::string> types_of(const std::vector<abi::registered_variable>& variables) {
  std::vector<std::string> types;
  for (const abi::registered_variable& one : variables) types.emplace_back(one.type->name());
  return types;
}

static std::string list_of(const std::vector<std::string>& types) {
  std::vector<std::string> names;
  for (const std::string& type : types) names.push_back(demangled(type));
  return fmt::format("{}", fmt::join(names, ", "));
}

bool checkpoints::add_variables(const abi::registered_variable* first, std::size_t n) {
  if (!variables_.empty())
    throw error(errc::unsupported, "the program has resumable() variables already: register all in one call");
  std::vector<abi::registered_variable> given(first, first + n);
  if (!resume_.empty() && !std::exchange(has_looked_, true)) {
    const std::string folder = folder_to_resume();
    const bool is_own = folder_ != nullptr && is_same_folder(folder, folder_->path());
    if (is_own && points_in(folder).empty()) {
      inform(folder + ": has no checkpoint: the run starts from the beginning");
    } else {
      from_ = std::make_unique<whole_checkpoint>(newest_checkpoint(
          folder, identity(),
          [](const std::string& why) { warn(why + ": the checkpoint before it is used"); }));
    }
  }
  if (from_ != nullptr && from_->about.variables != types_of(given))
    throw error(errc::bad_input,
                fmt::format("{}: was saved at {} with the variables {}, and resumable() has {}", from_->path,
                            from_->about.place, list_of(from_->about.variables), list_of(types_of(given))));
  variables_ = std::move(given);
  if (from_ == nullptr) return false;
  abi::reader in(from_->state);
  resume_variables(in);
  inform(fmt::format("goes on from {}", from_->path));
  return true;
}

void checkpoints::save_variables(abi::writer& out) const {
  for (const abi::registered_variable& one : variables_) one.write(one.at, out);
}

void checkpoints::resume_variables(abi::reader& in) const {
  for (const abi::registered_variable& one : variables_) one.read(one.at, in);
}

// ---- save points ----

std::unique_ptr<whole_checkpoint> checkpoints::reach(const std::string& place) {
  if (variables_.empty()) throw error(errc::unsupported, place + ": a save point without variables");
  place_ = place;
  ++point_;
  if (from_ != nullptr && from_->about.place != place)
    throw error(errc::bad_input,
                fmt::format("{}: was saved at {}, and the program came to {} first: register the variables "
                            "that decide its way",
                            from_->path, from_->about.place, place));
  return std::move(from_);
}

void checkpoints::note_loop(const char* site) {
  if (from_ == nullptr || variables_.empty() || std::exchange(has_warned_, true)) return;
  warn(
      fmt::format("{}: this loop runs before the first save point of a resumed run, so containers have no "
                  "saved elements yet, "
                  "and what it computes is lost: put `run.save_point()` at the head of the loop over epochs",
                  site));
}

void checkpoints::resumed(const whole_checkpoint& from) {
  point_ = from.about.point + 1;
  last_saved_ = from.about.point;
  last_time_ = std::chrono::steady_clock::now();
  if (folder_ != nullptr && from.path == path_of_point(folder_->path(), from.about.point))
    good_ = from.about.point;
}

bool checkpoints::is_due() {
  if (!when_) return false;
  if (writing_.is_running()) {
    constexpr int now = 0;
    if (const std::optional<std::string> failure = writing_.end_within(now)) note_end(failure);
  }
  if (when_->on_term && has_noted_term()) return true;
  const std::uint64_t here = point_ - 1;
  const bool is_time =
      (when_->points > 0 && here - last_saved_ >= static_cast<std::uint64_t>(when_->points)) ||
      (when_->seconds > 0 && seconds_since(last_time_) >= when_->seconds);
  if (is_time && writing_.is_running()) tell_slow_writing();
  return is_time && !writing_.is_running();
}

/// Once for each checkpoint: the disk is slow or does not answer.
void checkpoints::tell_slow_writing() {
  constexpr double long_seconds = 60;
  if (told_ == written_ || seconds_since(last_time_) < long_seconds) return;
  told_ = written_;
  warn(fmt::format("{} is not written after {:.0f} s: until then no other checkpoint is",
                   path_of_point(folder_->path(), *written_), seconds_since(last_time_)));
}

void checkpoints::end_writing() {
  if (!writing_.is_running()) return;
  constexpr int patience = 5000;  // milliseconds
  std::optional<std::string> failure = writing_.end_within(patience);
  if (!failure) {
    (void)std::fflush(stdout);  // the program's last words
    inform(
        fmt::format("waits for {} to be written, up to an hour", path_of_point(folder_->path(), *written_)));
    failure = writing_.end();
  }
  note_end(failure);
}

/// A run of days must not end because a disk is full for an hour: the next save point tries again.
void checkpoints::note_end(const std::optional<std::string>& failure) {
  const std::uint64_t point = written_.value_or(0);
  written_.reset();
  has_failed_ = !failure || !failure->empty();
  if (!has_failed_) {
    good_ = point;
    return;
  }
  warn(fmt::format("{} was not written: {}", path_of_point(folder_->path(), point),
                   failure ? *failure : "the disk takes longer than an hour"));
}

/// A resumed run prints no line from before its checkpoint again.
static void flush_output() {
  (void)std::fflush(nullptr);
  std::cout.flush();
}

void checkpoints::save(checkpoint_manifest about, std::vector<const replica*> containers, bytes state) {
  end_writing();
  flush_output();
  about.run = identity();
  about.job = options_.job;
  about.point = point_ - 1;
  about.place = place_;
  about.variables = types_of(variables_);
  std::vector<std::uint64_t> kept{about.point};
  if (good_) kept.push_back(*good_);
  written_ = last_saved_ = about.point;
  last_time_ = std::chrono::steady_clock::now();
  const auto write = [&] { write_checkpoint(folder_->path(), about, containers, state, kept); };
  if (!when_->on_term || !has_noted_term()) {
    if (const std::optional<std::string> failure = writing_.start(write, folder_->lock())) note_end(failure);
    return;
  }
  try {
    write();
    note_end(std::string());
  } catch (const error& e) {
    note_end(e.what());
  }
}

void checkpoints::leave_if_asked() {
  if (!when_ || !when_->on_term || !has_noted_term()) return;
  if (has_failed_) die(1, place_ + ": the program ends by SIGTERM, and is not saved");
  inform(fmt::format("SIGTERM: saved as {}; --resume goes on from it",
                     path_of_point(folder_->path(), last_saved_)));
  std::exit(status_of_term);
}

}  // namespace stradsap::rt
