// What the command line says about warnings of ours: each has the name that the table of diagnostics gives
// it, -Wstradsap-output-in-body. Plain data.
#pragma once

#include <map>
#include <string>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

class warning_options {
 public:
  /// Whether the word is an option of ours, and no other compiler's. Of others it notes -w, -Werror,
  /// -Wno-error. The last word on a warning counts.
  bool take(const std::string& word);
  /// An option that names no warning; empty if there is none.
  const std::string& unknown() const { return unknown_; }

  enum class outcome { silence, warning, error };
  outcome of(const diagnostic& found) const;
  /// `-Wstradsap-output-in-body`, or with -Werror= where it is an error; empty for what is always one.
  std::string label(const diagnostic& found) const;

 private:
  bool are_silent_ = false;
  bool are_errors_ = false;
  std::map<std::string, bool> shown_;   // by name, `stradsap` for all
  std::map<std::string, bool> errors_;  // the same
  std::string unknown_;
};

}  // namespace stradsap::pp
