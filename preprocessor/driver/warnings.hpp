// The command line's settings for stradsap-cc's own warnings. Each warning has the name of its row in the
// table of diagnostics: -Wstradsap-output-in-body. Plain data.
#pragma once

#include <map>
#include <string>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

class warning_options {
 public:
  /// Whether the word is an option for warnings of stradsap-cc alone. Also notes -w, -Werror and -Wno-error.
  /// The last word on a warning counts.
  bool take(const std::string& word);
  /// An option that names no known warning; empty if there is none.
  const std::string& unknown() const { return unknown_; }

  enum class outcome { silence, warning, error };
  outcome of(const diagnostic& found) const;
  /// `-Wstradsap-output-in-body`, or -Werror= for a warning that is an error; empty for a real error.
  std::string label(const diagnostic& found) const;

 private:
  bool are_silent_ = false;
  bool are_errors_ = false;
  std::map<std::string, bool> shown_;   // by name, `stradsap` for all
  std::map<std::string, bool> errors_;  // the same
  std::string unknown_;
};

}  // namespace stradsap::pp
