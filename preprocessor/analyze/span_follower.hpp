// The part of following a pointer to an element that follows spans and their iterators. The language keeps
// `s[k]`, `*it` and algorithms over iterators inside the span; pointers made from these go on as pointers.
// One thread at a time.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/object_follower.hpp"

namespace stradsap::pp {

/// Elements side by side: those of a span, or where an iterator may be.
struct element_view {
  position first;
  std::optional<position> end = {};  // nothing where the length is not known
  bool is_first = false;             // an iterator that is at the first of them
  std::optional<offset> count = {};  // of a span
};

/// All of it throws unbounded where it loses a pointer.
class span_follower : public object_follower {
 public:
  using object_follower::object_follower;

 protected:
  /// Follows an expression whose value is a span of these elements, or an iterator among them.
  void view(const clang::Expr& e, const element_view& seen, const call_path& path);
  /// An object keeps the span, or a pointer made from it: that may be it wherever an object gives out one of
  /// its type. What does not follow from there, or is kept again, stays in the span, as the user says.
  template <class Follow> void keep(const clang::Expr& kept, const position& at, const Follow& follow);
  /// An algorithm over the elements hands them to a function of the user's.
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

  std::set<std::pair<clang::QualType, std::string>> kept_spans_;  // their type, and where they begin
  std::set<clang::QualType> open_types_;                          // of what is kept and being followed
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
