#include "driver/toolchain.hpp"

#include <filesystem>
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

toolchain find_toolchain(const command_line& line, std::string temporary_parent) {
  toolchain found;
  found.native = line.native;
  found.native_is_clang =
      fs::path(found.native.back()).filename().string().find("clang") != std::string::npos;
  found.checks = line.check;
  found.temporary_parent = std::move(temporary_parent);

  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) found.error = "cannot tell where stradsap-cc is installed: " + failure.message();
  const fs::path home = program.parent_path().parent_path();
  const bool installed = fs::exists(home / "include/stradsap/stradsap.hpp", failure);
  found.include_dir = installed ? (home / "include").string() : STRADSAP_CC_SOURCE_INCLUDE;
  found.library_dir = (home / "lib").string();
  if (!fs::exists(fs::path(found.include_dir) / "stradsap/stradsap.hpp", failure)) {
    found.error = "the headers of StradsAP are not in " + found.include_dir;
  }
  return found;
}

std::vector<std::string> toolchain::compile_flags() const {
  std::vector<std::string> flags{"-DSTRADSAP_INSTRUMENTED", "-isystem", include_dir, "-pthread"};
  if (checks) flags.push_back("-DSTRADSAP_CHECKED");
  return flags;
}

std::vector<std::string> toolchain::link_flags() const {
  return {"-L" + library_dir, STRADSAP_CC_LINK_LIBRARIES};
}

std::vector<std::string> toolchain::parse_flags(process_runner& runner) const {
  std::vector<std::string> flags{"-xc++",
                                 "-w",
                                 "-ferror-limit=0",
                                 "-fno-caret-diagnostics",
                                 "-resource-dir=" STRADSAP_CC_RESOURCE_DIR,
                                 "-isystem",
                                 include_dir};
  if (native_is_clang) return flags;
  // Clang picks the newest gcc folder that it sees; the headers must be those of the compiler that will be
  // run
  std::vector<std::string> question = native;
  question.push_back("-print-libgcc-file-name");
  const fs::path library = runner.first_line_of(question);
  if (library.has_parent_path()) flags.push_back("--gcc-install-dir=" + library.parent_path().string());
  // The source is compiled by gcc and must be read as gcc reads it. From version 11 on the C library's
  // headers use an attribute in a form that Clang does not know.
  flags.insert(flags.end(), {"-U__clang__", "-fgnuc-version=10.2.0"});
  return flags;
}

std::optional<std::string> missing_resources() {
  std::error_code failure;
  if (fs::exists(STRADSAP_CC_RESOURCE_DIR "/include/stddef.h", failure)) return std::nullopt;
  return "Clang's own headers are not in " STRADSAP_CC_RESOURCE_DIR
         ": install the package libclang-common-19-dev";
}

}  // namespace stradsap::pp
