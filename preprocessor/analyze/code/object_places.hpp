// Places in captured objects that have containers among their members: their types, names and access.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace stradsap::pp {

/// A captured object, or a part of one: the variable, or null for `this`, and the members that lead to it.
struct object_place {
  const clang::VarDecl* root = nullptr;
  std::vector<const clang::FieldDecl*> members;

  auto operator<=>(const object_place&) const = default;
};

/// The path to a member from the variable that it is a part of: `data.train.P` after `auto& X = data.train`;
/// empty for other expressions.
std::string path_to_member(const clang::Expr& e);

/// Whether an object of the type has distributed containers in it, at any depth; also true for a container.
bool holds_containers(clang::QualType type);

/// Whether executors can have objects of the class in which only members have values.
bool may_be_an_object(clang::QualType type);

/// Whether an array, or a class of the standard library, leads to distributed containers, or to objects with
/// containers in them; or a pointer to such objects.
bool leads_to_objects(clang::QualType type);

/// The words of the refusal: the name, an expression for one of them as `*owned` or `models[i]`, their kind.
std::vector<std::string> words_behind(const std::string& name, clang::QualType type);

/// An object without parentheses and casts that leave it as it is.
const clang::Expr& same_object(const clang::Expr& e);

/// `X.train.indptr`, or `this`.
std::string text_of(const object_place& place);
std::string text_of(const std::vector<const clang::FieldDecl*>& members);
/// The variable, or the path to the object that it refers to.
std::string path_to_root(const clang::VarDecl* root);

/// Whether text in the scope may name the member. Friends of the class are not looked for.
bool is_accessible(const clang::FieldDecl& field, const clang::DeclContext* scope);

/// The members as the text at the loop names them: private ones through functions that give them.
std::string named_at_loop(const std::vector<const clang::FieldDecl*>& members,
                          const clang::DeclContext* scope);

/// Why executors cannot have the member alone; null if they can.
const char* why_not_alone(const clang::FieldDecl& field);

/// The objects of a loop that its functions get. A function's text names one object at a time. So a loop is
/// analysed once for each object of the function with most, and its findings are joined.
class passed_objects {
 public:
  /// Begins another analysis. Returns false if all objects were looked at.
  bool next();
  /// Adds an object that a function gets as `this`, or as a parameter. Returns the one that its text means
  /// now.
  const object_place& add(const clang::Decl& to, const object_place& place);
  /// Whether a function gets the variable, or a part of it; null stands for `this`.
  bool has(const clang::ValueDecl* root) const;

 private:
  std::size_t number_ = 0;
  std::map<const clang::Decl*, std::vector<object_place>> all_;
};

/// The members of captured objects that each loop uses. A loop that uses a member as a whole, `m.in.at(i)`,
/// has that member's own members in it: `m.in.v[i]` must not be a second part of the object. All analyses of
/// one text agree on this, also those of other instances of a template and of other objects.
class used_parts {
 public:
  /// Notes a use. Returns whether the place is inside a member that the loop uses as a whole.
  bool add(clang::SourceLocation loop, const object_place& place);

  /// Whether all uses were judged by what is known now. If not, the loops must be analysed again.
  bool settle();

 private:
  std::map<clang::SourceLocation, std::set<std::string>> used_;
  bool is_settled_ = true;
};

}  // namespace stradsap::pp
