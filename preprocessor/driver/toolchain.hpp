// The compilers and folders that one run works with, found once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/command_line.hpp"
#include "driver/process.hpp"

namespace stradsap::pp {

struct toolchain {
  std::vector<std::string> native;  // the native compiler, words before its arguments included
  std::string native_options;       // that CXX holds with it
  bool native_is_clang = false;
  bool checks = false;               // --check
  bool sanitizes_threads = false;    // -fsanitize=thread
  bool sanitizes_addresses = false;  // -fsanitize=address
  bool needs_lines = false;          // of a check build whose user says nothing of debug information
  std::string include_dir;
  std::string library_dir;
  std::string temporary_parent;  // TMPDIR, may be empty
  std::string error;

  /// What every compilation of rewritten text needs.
  std::vector<std::string> compile_flags() const;
  /// What every link needs, to stand last.
  std::vector<std::string> link_flags() const;
  /// For the analysis: the native compiler's own headers, parsed as it would see them. Asks it once.
  std::vector<std::string> parse_flags(process_runner& runner) const;
  /// Which native compiler it is: two that may make other objects have other names. Asks it once.
  std::string identity(process_runner& runner) const;
};

/// The value of a variable in `environment` as main gets it; empty if there is none.
std::string variable(char** environment, std::string_view name);

/// What the command line chose, and what lies around this program. Says in `error` what is missing.
toolchain find_toolchain(const command_line& line, std::string temporary_parent);

/// The error for a Clang resource folder that is not installed; nothing if it is.
std::optional<std::string> missing_resources();

}  // namespace stradsap::pp
