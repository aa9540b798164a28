// Which types can travel between processes, why another cannot, and what has to be written into the classes
// that do. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// Why objects of a type cannot travel.
struct obstacle {
  std::string path;                 // `Model.opt.file_`; just the type's name if the type itself is at fault
  std::string what;                 // "is a raw pointer"
  clang::SourceLocation where;      // of the member, if it is the user's
  bool can_describe_itself = true;  // a member template `serialize` would help
  std::string advice = {};          // where something else helps
  bool is_container = false;
};

/// What a note adds to "capture only the parts that the body needs".
std::string advice_to_describe(const obstacle& found);

/// Collects the classes whose members have to be listed, while it judges types.
class travelling_types {
 public:
  explicit travelling_types(const clang::ASTContext& ast) : ast_(ast) {}

  /// Judges `type`; `called` is how the path in an obstacle begins.
  std::optional<obstacle> add(clang::QualType type, const std::string& called);

  /// Classes to be edited, in the order of their places.
  std::vector<reflected_class> classes() const { return {classes_.begin(), classes_.end()}; }
  /// Whether one of them stands before the API's headers.
  bool before_api() const { return before_api_; }

 private:
  struct by_place {
    bool operator()(const reflected_class& a, const reflected_class& b) const {
      return a.closing_brace < b.closing_brace;
    }
  };

  std::optional<obstacle> add_standard(const clang::CXXRecordDecl& record, const std::string& name,
                                       const std::string& path);
  std::optional<obstacle> add_users(const clang::CXXRecordDecl& record, const std::string& path);
  std::optional<obstacle> add_members(const clang::CXXRecordDecl& record, const std::string& path);
  std::optional<obstacle> reflect(const clang::CXXRecordDecl& record, const std::string& path);
  bool stands_before_api(const clang::CXXRecordDecl& record) const;
  std::string spelled(const clang::CXXBaseSpecifier& base) const;

  const clang::ASTContext& ast_;
  std::set<const clang::CXXRecordDecl*> seen_;
  std::set<reflected_class, by_place> classes_;
  bool before_api_ = false;
};

/// Whether an object of this type may refer to another object: a reference, a pointer, a class that may hold
/// one.
bool may_refer(clang::QualType type);

/// Whether what is const before the cast can be changed through its result.
bool casts_const_away(const clang::ExplicitCastExpr& cast);

/// A mutex of any kind, a lock that holds one, or several in an array or a container of the library.
bool is_lock(clang::QualType type);

/// std::span, std::string_view and iterators: they refer to elements of something else.
bool is_view(clang::QualType type);

}  // namespace stradsap::pp
