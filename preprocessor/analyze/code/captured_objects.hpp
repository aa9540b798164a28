// Captured objects of the user's classes that have containers among their members, and `this`. To the rest of
// the analysis, each member that the code uses is a variable of its own: `X.index` and `X.value` are two. For
// the time of one analysis, such variables stand in the AST in place of the members' names. Follows
// references, visible functions and member functions with the object as argument. Changes the ASTContext; one
// thread at a time.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/code/object_places.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// The variables that stand for members. They outlive the analysis of a loop, because its findings name them.
using member_variables = std::map<object_place, clang::VarDecl*>;

/// Whether a name stands for a member.
bool is_member_of_object(const clang::DeclRefExpr& name);

/// A member that the code uses.
struct used_member {
  const clang::VarDecl* variable = nullptr;
  const clang::VarDecl* object = nullptr;  // null for `this`
  std::string member = {};                 // `train.indptr`, as the text at the loop names it
  std::string path = {};                   // the same from the variable that the object is a part of
  clang::SourceLocation where = {};        // of the capture
  bool of_closure = false;                 // its value when the closure is made counts: `[rate = X.rate, &X]`
  bool of_body = false;                    // used in other ways too
  bool is_added = false;                   // the object is a reference, which the body gets as a capture
};

class captured_objects {
 public:
  /// Replaces the names of members. `lambda` is null for a functor or function, which have no captured
  /// objects.
  captured_objects(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                   const clang::FunctionDecl& body, member_variables& known, used_parts& parts,
                   passed_objects& passed, travelling_types& types, diagnostics& out);
  /// Restores the AST.
  ~captured_objects();
  captured_objects(const captured_objects&) = delete;
  captured_objects& operator=(const captured_objects&) = delete;

  /// The members in the order of first uses, those of `this` first.
  std::vector<used_member> members() const;
  /// Members of `this` that are references. The body finds captures of the same names in their place.
  const std::vector<used_member>& named() const { return named_; }
  /// Whether the code uses members of the variable; null stands for `this`.
  bool contains(const clang::ValueDecl* variable) const;
  /// Whether the code uses an object in a way that is refused.
  bool is_refused() const { return is_refused_; }
  /// The variable that stands for a member in other text, as in `access(reads(X.index))`; null without one.
  const clang::VarDecl* named_by(const clang::Expr& e) const;

 private:
  void find_roots(const clang::LambdaExpr& lambda);
  void walk_waiting();
  void visit(clang::Stmt*& slot);
  void visit_children(clang::Stmt& node);
  void visit_declarations(clang::DeclStmt& statement);
  void visit_variable(clang::VarDecl& variable);
  void visit_own_captures(const clang::LambdaExpr& lambda);
  void visit_lambda(clang::LambdaExpr& lambda);
  void visit_body(const clang::LambdaExpr& lambda);
  void visit_reference(clang::Stmt*& slot, const object_place& place);
  void visit_call(clang::Expr& call);
  bool pass_object(clang::Expr& call, const clang::FunctionDecl* callee);
  void pass(const clang::Expr& argument, const clang::ParmVarDecl* to, const clang::FunctionDecl* callee);
  void bind(const clang::VarDecl& reference, const object_place& place);
  void walk_later(const clang::FunctionDecl& function) { waiting_.push_back(&function); }
  void open_references(const clang::Stmt* node);
  clang::VarDecl& stand_in_for(const clang::FieldDecl& reference);
  std::optional<object_place> place_of(const clang::Expr& e) const;
  std::optional<object_place> object_behind(const clang::Expr& e) const;
  void use(clang::Stmt*& slot, const object_place& place);
  std::string way_around(const object_place& place) const;
  void refuse_capture(refusal kind, clang::SourceLocation where, const std::vector<std::string>& words,
                      const fix_its& fixes = {});
  bool refuse_member(const clang::Expr& e, const object_place& place);
  void refuse_whole(const clang::Expr& e, const object_place& place);
  void refuse_static_alone();
  clang::VarDecl& variable_for(const object_place& place, clang::QualType type);
  clang::Expr* name_of(clang::VarDecl& variable, const clang::Expr& in_place_of) const;

  clang::ASTContext& ast_;
  clang::DeclContext* function_ = nullptr;  // around the loop
  clang::SourceLocation loop_;
  member_variables& known_;
  used_parts& parts_;
  passed_objects& passed_;
  travelling_types& types_;
  diagnostics& out_;
  bool is_refused_ = false;
  std::set<std::vector<std::string>> told_;  // words on members: one report of all uses in a loop
  std::map<const clang::ValueDecl*, clang::SourceLocation> roots_;  // the captures; null for `this`
  std::set<std::string> captured_names_;
  std::map<const clang::VarDecl*, object_place> references_;    // in the code
  std::map<const clang::FunctionDecl*, object_place> this_of_;  // of member functions
  std::optional<object_place> this_;                            // of the function being walked
  const clang::FunctionDecl* walking_ = nullptr;                // a function that the body calls
  // objects with containers that members of `this` refer to: the variables in place of their plain names
  std::map<const clang::FieldDecl*, const clang::VarDecl*> opened_;
  std::vector<const clang::FunctionDecl*> waiting_;
  std::map<const clang::FunctionDecl*, bool> walked_;
  bool in_copied_capture_ = false;
  bool in_own_captures_ = false;
  bool in_text_of_body_ = false;  // and of lambdas in it with `[&]`; or among the loop's options
  bool takes_this_ = false;       // by name
  std::vector<used_member> named_;
  std::vector<std::pair<const clang::Expr*, object_place>> static_;  // named for a static member
  std::vector<std::pair<object_place, used_member>> used_;
  std::vector<std::pair<clang::Stmt**, clang::Stmt*>> replaced_;
};

}  // namespace stradsap::pp
