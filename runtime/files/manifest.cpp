#include "runtime/files/manifest.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/abi/program.hpp>

#include "runtime/files/descriptor.hpp"
#include "runtime/net/build_id.hpp"

namespace stradsap::rt {

using json = nlohmann::ordered_json;

static std::string manifest_of(const std::string& folder) {
  return (std::filesystem::path(folder) / "manifest.json").string();
}

/// The manifest of a folder; an empty object if there is none. Throws error(code).
static json read_manifest(const std::string& path, errc code) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed) && !failed) return json::object();
  std::ifstream file(path);
  if (!file) throw error(code, path + ": cannot be read: " + std::strerror(errno));
  json all = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!all.is_object()) throw error(code, path + ": is no manifest: a JSON object was expected");
  return all;
}

static std::string program_name() {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : self.filename().string();
}

new_file new_file_in(const std::string& folder, const std::string& name, const char* ending) {
  if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos || name == "manifest")
    throw error(errc::output,
                fmt::format("{}: `{}` cannot be the name of a file here: write the name without "
                            "a folder and without the ending {}",
                            folder, name, ending));
  try {
    (void)json(name).dump();
  } catch (const json::type_error&) {
    throw error(errc::output, folder + ": the name of a file must be UTF-8");
  }
  make_folder(folder);
  return new_file((std::filesystem::path(folder) / (name + ending)).string());
}

folder_lock::folder_lock(const std::string& folder)
    : opened_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (opened_ >= 0 && ::flock(opened_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

folder_lock::~folder_lock() {
  if (opened_ >= 0) ::close(opened_);
}

manifest_entry::manifest_entry(const std::string& folder, const char* kind, const std::string& name,
                               const json& about)
    : lock_(folder), file_(manifest_of(folder)) {
  json all = read_manifest(file_.path(), errc::output);
  all["format"] = 1;
  all["program"] = program_name();
  all["build_id"] = build_id();
  all["seed"] = abi::seed();
  if (!all[kind].is_object()) all[kind] = json::object();
  all[kind][name] = about;
  const std::string text = all.dump(2) + "\n";
  descriptor::to_write(file_.aside(), file_.path()).write(text.data(), 0, text.size());
}

std::string file_in_manifest(const std::string& folder, const char* kind, const std::string& name) {
  if (std::error_code failed; !std::filesystem::exists(manifest_of(folder), failed))
    throw error(errc::bad_input, manifest_of(folder) + ": cannot be read: no such file");
  const json all = read_manifest(manifest_of(folder), errc::bad_input);
  const json::json_pointer at = json::json_pointer() / kind / name / "file";
  if (!all.contains(at) || !all[at].is_string())
    throw error(errc::bad_input,
                fmt::format("{}: has no `{}` among its {}", manifest_of(folder), name, kind));
  return (std::filesystem::path(folder) / all[at].get<std::string>()).string();
}

}  // namespace stradsap::rt
