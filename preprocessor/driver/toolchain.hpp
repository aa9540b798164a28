// The compilers and folders that one run works with, found once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/process.hpp"

namespace stradsap::pp {

struct toolchain {
  std::vector<std::string> native;  // the native compiler, words before its arguments included
  bool native_is_clang = false;
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
};

/// `environment` as main gets it. Says in `error` what is missing.
toolchain find_toolchain(char** environment);

/// The error for a Clang resource folder that is not installed; nothing if it is.
std::optional<std::string> missing_resources();

}  // namespace stradsap::pp
