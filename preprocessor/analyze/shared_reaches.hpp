// How far pointers go that helpers make: `&m[i * dim]` in a function that several loops call, or in several
// instances of one text. The text is one, so all of them ask for what any of them reaches. One thread at a
// time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/accesses.hpp"

namespace stradsap::pp {

class shared_reaches {
 public:
  /// What a loop found, with what the others reach through the same text, as far as that is known; and notes
  /// it for the others.
  std::vector<access> joined(const region& code, std::vector<access> found);

  /// Whether all loops know the same. If not, they have to be judged again.
  bool settle();

 private:
  /// What is known of one subscript.
  struct known {
    std::set<std::string> offsets;  // as text; the empty one: the element alone
    std::vector<clang::SourceRange> parts;
  };

  std::map<clang::SourceLocation, known> noted_;
  std::map<clang::SourceLocation, known> settled_;
};

}  // namespace stradsap::pp
