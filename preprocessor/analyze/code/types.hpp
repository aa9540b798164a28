// Decides which types can travel between processes, explains obstacles, and collects the insertions into
// classes that travel. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// The reason why objects of a type cannot travel.
struct obstacle {
  std::string path;                 // `Model.opt.file_`, or the type's name alone
  std::string what;                 // "is a raw pointer"
  clang::SourceLocation where;      // of the member, if it is in the user's code
  bool can_describe_itself = true;  // functions for cereal would help
  std::string advice = {};          // set if other advice applies
  bool is_container = false;
};

/// Advice for the note beside "capture only the parts that the body needs".
std::string advice_to_describe(const obstacle& found);

/// Checks types, and collects the classes that need a list of their members.
class travelling_types {
 public:
  explicit travelling_types(const clang::ASTContext& ast) : ast_(ast) {}

  /// Checks `type`; `called` begins the path in an obstacle.
  std::optional<obstacle> add(clang::QualType type, const std::string& called);

  /// The classes to edit, in the order of their positions.
  std::vector<reflected_class> classes() const { return {classes_.begin(), classes_.end()}; }
  /// Lets the text at loops name a private member. Returns false if its class cannot be edited.
  bool open(const clang::FieldDecl& member);
  std::vector<opened_class> opened() const;

  /// Whether one of them is defined before the API's headers.
  bool before_api() const { return before_api_; }

 private:
  struct by_place {
    bool operator()(const reflected_class& a, const reflected_class& b) const {
      return a.closing_brace < b.closing_brace;
    }
  };

  std::optional<obstacle> add_standard(const clang::CXXRecordDecl& record, const std::string& name,
                                       const std::string& path);
  std::optional<obstacle> add_self_describing(const clang::CXXRecordDecl& record, const std::string& path);
  std::optional<obstacle> add_users(const clang::CXXRecordDecl& record, const std::string& path);
  std::optional<obstacle> add_members(const clang::CXXRecordDecl& record, const std::string& path);
  std::optional<obstacle> reflect(const clang::CXXRecordDecl& record, const std::string& path);
  std::string spelled(const clang::CXXBaseSpecifier& base) const;

  const clang::ASTContext& ast_;
  std::set<const clang::CXXRecordDecl*> seen_;
  std::set<reflected_class, by_place> classes_;
  std::map<text_position, std::set<std::string>> opened_;  // by closing braces
  bool before_api_ = false;
};

/// Whether an object of this type may refer to another object: a reference, a pointer, or a class that may
/// hold one.
bool may_refer(clang::QualType type);

/// Whether an object of the type may come to refer to other data than at its construction: it has a pointer,
/// an iterator, or a reference to an object that has one. References themselves stay.
bool may_be_redirected(clang::QualType type);

/// Whether the cast's result permits changes of an object that is const before the cast.
bool casts_const_away(const clang::ExplicitCastExpr& cast);

/// Whether the type is a mutex, a lock that holds one, or an array or library container of these.
bool is_lock(clang::QualType type);

/// Whether the type is a std::initializer_list, which refers to an array of one process.
bool is_braced_list(clang::QualType type);

/// Whether the type refers to another object's elements: std::span, std::string_view and iterators.
bool is_view(clang::QualType type);

}  // namespace stradsap::pp
