#include "driver/toolchain.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "configured.hpp"

namespace stradsap::pp {

namespace fs = std::filesystem;

std::string variable(char** environment, std::string_view name) {
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == '=') {
      return std::string(text.substr(name.size() + 1));
    }
  }
  return {};
}

/// The folder that contains bin/stradsap-cc of a build, or lib/stradsap/stradsap-cc of an installation.
static fs::path home_of(const fs::path& program) {
  const fs::path folder = program.parent_path();
  return (folder.filename() == "stradsap" ? folder.parent_path() : folder).parent_path();
}

toolchain find_toolchain(const command_line& line, std::string temporary_parent) {
  toolchain found;
  found.native = line.native;
  found.native_options = line.native_options;
  found.native_is_clang =
      fs::path(found.native.back()).filename().string().find("clang") != std::string::npos;
  found.checks = line.check;
  found.sanitizes_threads = line.sanitizes_threads;
  found.sanitizes_addresses = line.sanitizes_addresses;
  found.needs_lines = line.check && !line.has_debug_level;
  found.temporary_parent = std::move(temporary_parent);

  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) found.error = "cannot tell where stradsap-cc is installed: " + failure.message();
  const fs::path home = home_of(program);
  const bool installed = fs::exists(home / "include/stradsap/stradsap.hpp", failure);
  found.include_dir = installed ? (home / "include").string() : STRADSAP_CC_SOURCE_INCLUDE;
  found.library_dir = (home / "lib").string();
  const bool is_whole = fs::exists(fs::path(found.library_dir) / "libstradsap.a", failure);
  if (line.sanitizes_threads && line.goal == stage::link && is_whole &&
      !fs::exists(fs::path(found.library_dir) / "libstradsap_tsan.a", failure)) {
    found.error = "there is no libstradsap_tsan.a in " + found.library_dir + ": tools/build release makes it";
  }
  if (!fs::exists(fs::path(found.include_dir) / "stradsap/stradsap.hpp", failure)) {
    found.error = "the headers of StradsAP are not in " + found.include_dir;
  }
  return found;
}

std::vector<std::string> toolchain::compile_flags() const {
  std::vector<std::string> flags{"-DSTRADSAP_INSTRUMENTED", "-isystem", include_dir, "-pthread"};
  if (checks) flags.push_back("-DSTRADSAP_CHECKED");
  if (needs_lines) flags.push_back("-g1");
  return flags;
}

static const std::string instrumented_library = "-lstradsap_tsan";

std::vector<std::string> toolchain::link_flags() const {
  std::vector<std::string> flags{"-L" + library_dir, STRADSAP_CC_LINK_LIBRARIES};
  // the sanitizer must see the synchronisation of the runtime's threads
  if (sanitizes_threads)
    std::replace(flags.begin(), flags.end(), std::string("-lstradsap"), instrumented_library);
  if (native_is_clang && (sanitizes_threads || sanitizes_addresses))
    flags.insert(flags.begin(), {"-u", "stradsap_suppressions"});
  return flags;
}

std::vector<std::string> toolchain::parse_flags(process_runner& runner) const {
  std::vector<std::string> flags{"-xc++",
                                 "-w",
                                 "-ferror-limit=0",
                                 "-fno-caret-diagnostics",
                                 "-DSTRADSAP_ANALYSIS",
                                 "-resource-dir=" STRADSAP_CC_RESOURCE_DIR,
                                 "-isystem",
                                 include_dir};
  if (native_is_clang) return flags;
  // Clang picks the newest gcc folder on the machine, but needs the headers of the chosen compiler.
  std::vector<std::string> question = native;
  question.push_back("-print-libgcc-file-name");
  const fs::path library = runner.first_line_of(question);
  if (library.has_parent_path()) flags.push_back("--gcc-install-dir=" + library.parent_path().string());
  // gcc compiles the source, so Clang must read it as gcc does. For gcc 11 and later, the C library's headers
  // use an attribute in a form that Clang does not know.
  // Clang has the ABI number of an old gcc, for which Eigen has other types.
  flags.insert(flags.end(),
               {"-U__clang__", "-fgnuc-version=10.2.0", "-U__GXX_ABI_VERSION", "-D__GXX_ABI_VERSION=1014"});
  if (sanitizes_threads) flags.push_back("-D__SANITIZE_THREAD__=1");
  if (sanitizes_addresses) flags.push_back("-D__SANITIZE_ADDRESS__=1");
  return flags;
}

// A g++ that was built without isl refuses the option.
bool toolchain::finds_graphite(process_runner& runner, const command_line& line) const {
  const auto unswitches = [](const command_word& word) {
    return word.text == "-O3" || word.text == "-Ofast";
  };
  if (native_is_clang || std::none_of(line.words.begin(), line.words.end(), unswitches)) return false;
  std::vector<std::string> question{
      "sh", "-c", "\"$@\" -fgraphite -xc++ -fsyntax-only /dev/null 2>/dev/null && echo yes", "sh"};
  question.insert(question.end(), native.begin(), native.end());
  return runner.first_line_of(question) == "yes";
}

/// The file that a shell would run under that name.
static fs::path executable(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  std::istringstream folders(variable(environ, "PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return name;
}

std::string toolchain::identity(process_runner& runner) const {
  std::error_code absent;
  const fs::path file = fs::canonical(executable(native.back()), absent);
  struct stat about = {};
  (void)stat(file.c_str(), &about);
  std::string text;
  for (const std::string& word : native) text += word + " ";
  text += native_options + "(" + runner.first_line_of({native.back(), "--version"}) + ", " + file.string() +
          ", " + std::to_string(about.st_size) + " bytes, " + std::to_string(about.st_mtime) + ")";
  std::replace(text.begin(), text.end(), '"', '\'');
  std::replace(text.begin(), text.end(), '\\', '/');
  return text;
}

std::optional<std::string> missing_resources() {
  std::error_code failure;
  if (fs::exists(STRADSAP_CC_RESOURCE_DIR "/include/stddef.h", failure)) return std::nullopt;
  return "Clang's own headers are not in " STRADSAP_CC_RESOURCE_DIR
         ": install the package libclang-common-19-dev";
}

}  // namespace stradsap::pp
