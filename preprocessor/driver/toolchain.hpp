// The compilers and folders of one run, found once. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/command_line.hpp"
#include "driver/process.hpp"

namespace stradsap::pp {

struct toolchain {
  std::vector<std::string> native;  // the native compiler, after launchers and before its arguments
  std::string native_options;       // from CXX
  bool native_is_clang = false;
  bool has_graphite = false;         // g++ takes -fgraphite, and the command line optimizes loops
  bool checks = false;               // --check
  bool sanitizes_threads = false;    // -fsanitize=thread
  bool sanitizes_addresses = false;  // -fsanitize=address
  bool needs_lines = false;          // of a check build without an option for debug information
  std::string include_dir;
  std::string library_dir;
  std::string temporary_parent;  // TMPDIR, may be empty
  std::string error;

  /// The flags that each compilation of rewritten text needs.
  std::vector<std::string> compile_flags() const;
  /// The flags that each link needs, behind all others.
  std::vector<std::string> link_flags() const;
  /// The flags of the analysis: it parses the native compiler's own headers as that compiler does. Asks it
  /// once.
  std::vector<std::string> parse_flags(process_runner& runner) const;
  /// Whether `has_graphite` holds. Asks the native compiler once, if the command line optimizes loops.
  bool finds_graphite(process_runner& runner, const command_line& line) const;
  /// Identifies the native compiler: two that may make different objects have different names. Asks it once.
  std::string identity(process_runner& runner) const;
};

/// The value of a variable in `environment`, which has the form of main's third argument; empty if there is
/// none.
std::string variable(char** environment, std::string_view name);

/// Finds the tools that the command line chose and the folders around this program. `error` names a missing
/// one.
toolchain find_toolchain(const command_line& line, std::string temporary_parent);

/// The error for Clang resource headers that are not installed; nothing if they are.
std::optional<std::string> missing_resources();

}  // namespace stradsap::pp
