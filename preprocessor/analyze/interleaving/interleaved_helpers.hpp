// Copies of user functions with sums over loops: each copy computes the sums of several iterations at once.
// One thread at a time.
#pragma once

#include <map>
#include <set>
#include <string>

#include "analyze/code/region.hpp"
#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

class interleaved_helpers {
 public:
  explicit interleaved_helpers(const region& code) : code_(code) {}

  struct helper {
    bool sums_up = false;
    std::set<const clang::VarDecl*> bounds;  // parameters that determine the number of steps
  };
  /// The properties of a function that a call names.
  const helper& known(const clang::FunctionDecl& function);
  /// Writes the copy that a call needs; throws not_interleavable if it cannot.
  void need(const clang::FunctionDecl& function);
  /// The name of the copy.
  static std::string name_of_copy(const clang::FunctionDecl& function);
  /// The copies by their insertion points.
  const std::map<text_position, std::string>& texts() const { return texts_; }

 private:
  helper look_at(const clang::FunctionDecl& function);
  std::string copy_of(const clang::FunctionDecl& function);

  const region& code_;
  std::map<const clang::FunctionDecl*, helper> known_;
  std::map<text_position, std::string> texts_;
};

}  // namespace stradsap::pp
