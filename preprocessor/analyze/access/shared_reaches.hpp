// The reach of pointers that helper functions make: `&m[i * dim]` in a function that several loops call, or
// in several instances of one template. They share one text, so its reach covers all of them. One thread at a
// time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/access/accesses.hpp"

namespace stradsap::pp {

class shared_reaches {
 public:
  /// Joins a loop's findings with the known reaches of other loops through the same text, and records them
  /// for the others.
  std::vector<access> joined(const region& code, std::vector<access> found);

  /// Whether all loops agree on the reaches. If not, they must be analysed again.
  bool settle();

 private:
  /// The findings on one subscript.
  struct known {
    std::set<std::string> offsets;  // as text; empty for the element alone
    std::set<std::string> sure;     // the parts that are always reached; used if all agree
    std::vector<clang::SourceRange> parts;
  };

  std::map<clang::SourceLocation, known> noted_;
  std::map<clang::SourceLocation, known> settled_;
};

}  // namespace stradsap::pp
