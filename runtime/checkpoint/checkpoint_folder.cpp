#include "runtime/checkpoint/checkpoint_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <cxxabi.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/base/elapsed.hpp"
#include "runtime/base/log.hpp"
#include "runtime/checkpoint/records.hpp"
#include "runtime/files/new_file.hpp"

namespace stradsap::rt {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

static constexpr int format_version = 1;
static constexpr std::string_view name_of_point = "point-";
static constexpr const char* manifest_name = "manifest.json";
static constexpr const char* state_name = "state";

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

// ---- the folder ----

/// A child of a run that was killed may still write: it ends soon.
static bool take_lock(int folder) {
  constexpr double longest_seconds = 60;
  constexpr int each_milliseconds = 20;
  const auto start = std::chrono::steady_clock::now();
  while (::flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return true;  // the file system has no locks
    if (seconds_since(start) > longest_seconds) return false;
    (void)::poll(nullptr, 0, each_milliseconds);
  }
  return true;
}

checkpoint_folder::checkpoint_folder(std::string path) : path_(std::move(path)) {
  make_folder(path_);
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) fail_to_write(path_);
  if (::access(path_.c_str(), W_OK) != 0) {
    ::close(lock_);
    fail_to_write(path_);
  }
  if (take_lock(lock_)) return;
  ::close(lock_);
  throw error(errc::output, path_ + ": another run saves its checkpoints in this folder");
}

checkpoint_folder::~checkpoint_folder() { ::close(lock_); }

std::string path_of_point(const std::string& folder, std::uint64_t point) {
  return (fs::path(folder) / fmt::format("{}{:08}", name_of_point, point)).string();
}

std::vector<std::uint64_t> points_in(const std::string& folder) {
  std::vector<std::uint64_t> points;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(name_of_point)) continue;
    std::uint64_t point = 0;
    const char* const last = name.data() + name.size();
    const auto [ends, wrong] = std::from_chars(name.data() + name_of_point.size(), last, point);
    if (wrong == std::errc() && ends == last) points.push_back(point);
  }
  std::sort(points.begin(), points.end());
  return points;
}

/// A rename is durable when its folder is.
static void sync_folder(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return;
  (void)::fsync(number);  // some file systems cannot
  ::close(number);
}

// ---- the manifest ----

static json as_json(const saved_container& one) {
  return {{"id", one.id},
          {"type", one.type},
          {"elements", one.elements},
          {"map", one.is_map},
          {"file", one.file}};
}

static json as_json(const checkpoint_manifest& about) {
  json containers = json::array();
  for (const saved_container& one : about.containers) containers.push_back(as_json(one));
  return {{"format", format_version},
          {"program", about.run.program},
          {"build_id", about.run.build_id},
          {"options", about.run.options},
          {"job", about.job},
          {"point", about.point},
          {"place", about.place},
          {"variables", about.variables},
          {"containers", containers}};
}

static checkpoint_manifest from_json(const json& given) {
  checkpoint_manifest about;
  given.at("program").get_to(about.run.program);
  given.at("build_id").get_to(about.run.build_id);
  given.at("options").get_to(about.run.options);
  about.job = given.value("job", "");
  given.at("point").get_to(about.point);
  given.at("place").get_to(about.place);
  given.at("variables").get_to(about.variables);
  for (const json& one : given.at("containers")) {
    saved_container& to = about.containers.emplace_back();
    one.at("id").get_to(to.id);
    one.at("type").get_to(to.type);
    one.at("elements").get_to(to.elements);
    one.at("map").get_to(to.is_map);
    one.at("file").get_to(to.file);
  }
  return about;
}

static std::string as_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

static std::string sum_of_text(const std::string& text) {
  running_hash hash;
  hash.add(text.data(), text.size());
  return as_text(hash.value());
}

// ---- writing ----

namespace {

/// A folder that is removed unless it gets its name.
class new_folder {
 public:
  explicit new_folder(std::string path) : path_(std::move(path)) {
    const fs::path place(path_);
    aside_ = (place.parent_path() / ("." + place.filename().string() + ".part")).string();
    remove(aside_);
    make_folder(aside_);
  }
  ~new_folder() {
    if (!aside_.empty()) remove(aside_);
  }
  new_folder(const new_folder&) = delete;
  new_folder& operator=(const new_folder&) = delete;

  [[nodiscard]] std::string aside(const std::string& name) const {
    return (fs::path(aside_) / name).string();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (fs::path(path_) / name).string(); }
  void complete() {
    sync_folder(aside_);
    remove(path_);  // one that was refused
    if (std::rename(aside_.c_str(), path_.c_str()) != 0) fail_to_write(path_);
    aside_.clear();
    sync_folder(fs::path(path_).parent_path().string());
  }

  static void remove(const std::string& path) {
    std::error_code failed;
    fs::remove_all(path, failed);
  }

 private:
  std::string path_;
  std::string aside_;  // empty: completed
};

}  // namespace

/// Also parts that a killed run left.
static void remove_others(const std::string& folder, const std::vector<std::uint64_t>& kept) {
  for (const std::uint64_t point : points_in(folder)) {
    if (std::find(kept.begin(), kept.end(), point) == kept.end())
      new_folder::remove(path_of_point(folder, point));
  }
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(fmt::format(".{}", name_of_point)) && name.ends_with(".part"))
      new_folder::remove(at->path().string());
  }
}

void write_checkpoint(const std::string& folder, const checkpoint_manifest& about,
                      const std::vector<const replica*>& containers, const bytes& state,
                      const std::vector<std::uint64_t>& kept) {
  new_folder made(path_of_point(folder, about.point));
  json sums = json::object();
  const auto add = [&](const std::string& name, const auto& write) {
    hashed_file file(made.aside(name), made.path(name));
    write(file);
    const file_sum sum = file.complete();
    sums[name] = {{"bytes", sum.size_bytes}, {"xxh3", as_text(sum.hash)}};
  };
  for (std::size_t c = 0; c < containers.size(); ++c)
    add(about.containers[c].file, [&](hashed_file& file) { write_records(file, *containers[c]); });
  add(state_name, [&](hashed_file& file) { file.append(state.data(), state.size()); });
  json all = as_json(about);
  all["files"] = std::move(sums);
  const json signed_by_sum = {{"checkpoint", all}, {"xxh3", sum_of_text(all.dump())}};
  const std::string text = signed_by_sum.dump(2) + "\n";
  hashed_file manifest(made.aside(manifest_name), made.path(manifest_name));
  manifest.append(text.data(), text.size());
  (void)manifest.complete();
  made.complete();
  remove_others(folder, kept);
}

// ---- reading ----

static std::string read_text_of(const std::string& path) {
  const descriptor file = descriptor::to_read(path);
  std::string text(file.size(), '\0');
  file.read(text.data(), 0, text.size());
  return text;
}

/// The manifest, of which the sum is right. Throws error(errc::bad_input).
static json read_manifest(const std::string& path) {
  const json given = json::parse(read_text_of(path), nullptr, /*allow_exceptions=*/false);
  if (!given.is_object() || !given.contains("checkpoint") || !given.contains("xxh3"))
    throw error(errc::bad_input, path + ": is no manifest of a checkpoint");
  if (given["xxh3"] != sum_of_text(given["checkpoint"].dump()))
    throw error(errc::bad_input, path + ": its bytes are not those that were written");
  const json& all = given["checkpoint"];
  if (const json& version = all.at("format"); version != format_version)
    throw error(errc::unsupported, fmt::format("{}: has format {}, and this program reads format {}", path,
                                               version.dump(), format_version));
  return all;
}

bool has_checkpoint_of(const std::string& job, const std::string& folder) {
  const std::vector<std::uint64_t> points = points_in(folder);
  return std::any_of(points.rbegin(), points.rend(), [&](std::uint64_t point) {
    try {
      return read_manifest((fs::path(path_of_point(folder, point)) / manifest_name).string())
                 .value("job", "") == job;
    } catch (const std::exception&) {
      return false;  // a torn one is refused later, by name
    }
  });
}

static void refuse_other_bytes(const std::string& folder, const json& all) {
  for (const auto& [name, wanted] : all.at("files").items()) {
    const std::string path = (fs::path(folder) / name).string();
    const file_sum found = sum_of_file(path);
    const auto size = wanted.at("bytes").get<std::uint64_t>();
    if (found.size_bytes != size)
      throw error(errc::bad_input,
                  fmt::format("{}: has {} bytes, expected {}", path, found.size_bytes, size));
    if (as_text(found.hash) != wanted.at("xxh3").get<std::string>())
      throw error(errc::bad_input, path + ": its bytes are not those that were written");
  }
}

static void refuse_other_run(const std::string& path, const run_identity& saved, const run_identity& now) {
  if (saved.program != now.program || saved.build_id != now.build_id)
    throw error(errc::unsupported,
                fmt::format("{}: is of another program, {} with build id {}; this is {} with build id {}",
                            path, saved.program, saved.build_id, now.program, now.build_id));
  if (saved.options != now.options)
    throw error(errc::unsupported,
                fmt::format("{}: is of a run with {}; this one has {}, and would end with other bits", path,
                            saved.options, now.options));
}

/// Throws error(errc::bad_input) if it is torn, and errc::unsupported if the program cannot use it.
static whole_checkpoint read_checkpoint(const std::string& path, const run_identity& run) {
  try {
    const json all = read_manifest((fs::path(path) / manifest_name).string());
    whole_checkpoint found{path, from_json(all), {}};
    refuse_other_run(path, found.about.run, run);
    refuse_other_bytes(path, all);
    const std::string state = read_text_of((fs::path(path) / state_name).string());
    const auto* const first = reinterpret_cast<const std::byte*>(state.data());
    found.state.assign(first, first + state.size());
    return found;
  } catch (const json::exception& e) {
    throw error(errc::bad_input, fmt::format("{}: its manifest is not complete: {}", path, e.what()));
  }
}

whole_checkpoint newest_checkpoint(const std::string& folder, const run_identity& run,
                                   const std::function<void(const std::string&)>& refused) {
  std::vector<std::uint64_t> points = points_in(folder);
  for (; !points.empty(); points.pop_back()) {
    try {
      return read_checkpoint(path_of_point(folder, points.back()), run);
    } catch (const error& e) {
      if (e.code() != errc::bad_input) throw;
      refused(e.what());
    }
  }
  throw error(errc::bad_input, folder + ": has no whole checkpoint");
}

}  // namespace stradsap::rt
