// The part of the pointer analysis that follows spans and their iterators. By the rules of the language,
// `s[k]`, `*it` and algorithms over iterators stay within the span. Pointers made from these are followed as
// pointers. One thread at a time.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/pointers/object_follower.hpp"

namespace stradsap::pp {

/// Neighbouring elements: those of a span, or the possible positions of an iterator.
struct element_view {
  position first;
  std::optional<position> end = {};  // nothing if the length is unknown
  bool is_first = false;             // an iterator at the first element
  std::optional<offset> count = {};  // of a span
};

/// All functions throw unbounded if they lose a pointer.
class span_follower : public object_follower {
 public:
  using object_follower::object_follower;

 protected:
  /// Follows an expression with a value that is a span of these elements, or an iterator among them.
  void view(const clang::Expr& e, const element_view& seen, const call_path& path);
  /// Follows a span, or a pointer made from it, that an object keeps: any part of that type from an object
  /// may be it. If the analysis loses it there, or it is kept again, it stays within the span by the user's
  /// statement.
  template <class Follow> void keep(const clang::Expr& kept, const position& at, const Follow& follow);
  /// Follows elements that an algorithm passes to user functions.
  void given_to_functions(const clang::Expr& call, const element_view& seen, const call_path& path);

  void views_at(const std::vector<const clang::Expr*>& uses, const element_view& seen, const call_path& path);

  virtual void view_into_parameter(const clang::FunctionDecl& definition, unsigned i, const clang::Expr& call,
                                   const element_view& seen, const call_path& path) = 0;
  virtual void view_into_callers(const clang::FunctionDecl& function, const clang::Expr& e,
                                 const element_view& seen, const call_path& path) = 0;

 private:
  void keep_view(const clang::Expr& e, const element_view& seen);
  void note_size(const clang::Expr& use, const element_view& seen);
  void view_in_variable(const clang::VarDecl& variable, const element_view& seen, const call_path& path);
  void view_in_call(const clang::Expr& call, const clang::Expr& e, const element_view& seen,
                    const call_path& path);
  void called_on_view(const clang::Expr& call, llvm::StringRef method, const element_view& seen,
                      const call_path& path);
  void part_of_view(const clang::Expr& call, llvm::StringRef method, const element_view& seen,
                    const call_path& path);
  void result_of(const clang::Expr& call, const position& at, const element_view& seen,
                 const call_path& path);
  position any_of(const element_view& seen, std::int64_t size) const;
  position at_index(const clang::Expr& index, const element_view& seen, std::int64_t size,
                    const call_path& path);
  offset number_of(const clang::Expr& call, unsigned i, const call_path& path);
  std::vector<const clang::Expr*> given_out(clang::QualType type) const;

  std::set<std::pair<clang::QualType, std::string>> kept_spans_;  // types and starting positions
  std::set<clang::QualType> open_types_;                          // types of kept spans on the current path
};

template <class Follow>
void span_follower::keep(const clang::Expr& kept, const position& at, const Follow& follow) {
  const clang::QualType type = kept.getType().getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (!kept_spans_.emplace(type, at.from.text).second || !open_types_.insert(type).second) return;
  for (const clang::Expr* one : given_out(type)) {
    try {
      follow(*one);
    } catch (const unbounded&) {  // it stays in the span
    }
  }
  open_types_.erase(type);
}

}  // namespace stradsap::pp
