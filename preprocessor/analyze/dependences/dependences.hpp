// The possible dependences of values: a graph over the variables of a region, the contents of outer
// variables, the fields of classes (each for all objects together), and one node for the unknown. It ignores
// the order of statements. It over-approximates: a superfluous edge costs speed, a missing one would cost
// results. Control counts: an assignment depends on the conditions above it. Borrows from the region; one
// thread at a time.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

/// Variables, the loop's index among them, and fields; null stands for the unknown.
using origins = std::set<const clang::ValueDecl*>;

class dependences {
 public:
  explicit dependences(const region& code);

  /// The dependences if these conditions steer nothing.
  dependences without(std::set<const clang::Stmt*> conditions) const;

  /// The roots of all data that the subscripts and the control of an access may depend on.
  origins of_access(const clang::Expr& access) const;

  /// The roots of all data that the value of a node may depend on, without those that decide whether it runs.
  origins of_value(const clang::Stmt& node) const { return to_the_roots(mentions(&node)); }

  /// Whether a call, an operator or a construction may depend on anything: its function is out of sight.
  bool is_unknown(const clang::Expr& call) const;
  /// Whether a catch may decide all later code.
  bool catches() const { return catches_; }

  /// The nodes that may change a variable, or a field by its name.
  const std::vector<const clang::Stmt*>& changes_of(const clang::ValueDecl* changed) const;

  /// The variables with storage that an lvalue, reference or pointer may reach.
  origins storage(const clang::Expr& lvalue) const;
  /// From now on, storage() also has the function around each `this` that it meets; null in the initialiser
  /// of a capture.
  void follow_this() { follows_this_ = true; }

  /// The value of a local variable that keeps the value of its declaration, as in `const int first = word *
  /// topics`; of any other expression, itself.
  const clang::Expr& behind_names(const clang::Expr& e) const;

  /// Whether the parameter may get arguments that the region does not contain: code that is not walked calls
  /// its function.
  bool gets_unknown(const clang::ValueDecl& parameter) const { return unknown_.count(&parameter) != 0; }

  /// Whether the region changes only fields of a container's elements, each by name, that `steering` does not
  /// contain. The data that steer then stay as they are.
  bool leaves_alone(const clang::ValueDecl* container, const origins& steering) const;

  /// The fields of a container's elements that the region changes; nothing if it changes more than fields.
  std::optional<origins> changed_fields(const clang::ValueDecl* container) const {
    if (changed_whole_.count(container) != 0) return std::nullopt;
    return origins(changed_fields_.begin(), changed_fields_.end());
  }

 private:
  void collect(const clang::Stmt& node);
  void collect_hidden();
  void collect_members(const clang::InitListExpr& list);
  void collect_end(const clang::VarDecl& variable);
  void collect_call(const clang::Expr& call);
  void collect_variable(const clang::VarDecl& variable);
  void assign(const clang::Expr& target, const origins& values, const clang::Stmt& where);
  origins deciders_of_change(const clang::ValueDecl& variable, const clang::Stmt& where) const;
  origins changed_by(const clang::Expr& target, const clang::Stmt& where) const;
  void feed_parameters(const clang::FunctionDecl& callee, const std::vector<const clang::Expr*>& arguments);
  void feed_handed_on(const clang::CXXMethodDecl& lambda, const clang::Expr& name);

  origins to_the_roots(origins reached) const;
  origins mentions(const clang::Stmt* node) const;
  void add_mentions(const clang::Stmt* node, origins& found, bool whole = true) const;
  void add_fields_within(const clang::Expr& object, origins& found) const;
  void add_call_mentions(const clang::Expr& call, origins& found) const;
  bool asks_for_shape_of_one(const clang::Stmt& node) const;
  const origins& outside_of(const clang::FunctionDecl& function) const;
  origins conditions(const clang::Stmt& node) const;
  origins early_exits(const clang::Stmt& node) const;
  bool jump_decides(const clang::Stmt& jump, const clang::Stmt& node) const;
  origins control(const clang::Stmt& node) const;
  void add_storage(const clang::Expr& lvalue, origins& found, origins& open) const;
  void add_call_storage(const clang::CallExpr& call, origins& found, origins& open) const;
  void add_returned(const clang::FunctionDecl& lambda, origins& found, origins& open) const;
  void add_returned_globals(const clang::FunctionDecl& callee, origins& found, origins& open) const;
  void add_captured(const clang::FunctionDecl& lambda, origins& found, origins& open) const;
  void add_alias(const clang::ValueDecl& variable, origins& found, origins& open) const;

  const region& code_;
  std::set<const clang::FieldDecl*> changed_fields_;  // by their names
  std::set<const clang::ValueDecl*> changed_whole_;   // in any other way
  std::set<const clang::ValueDecl*> unknown_;         // parameters with unknown arguments
  bool depends_on_unknown_ = false;                   // hidden code depends on the unknown
  bool catches_ = false;
  bool follows_this_ = false;
  std::set<const clang::Stmt*> ignored_;  // conditions
  std::map<const clang::ValueDecl*, std::vector<const clang::Stmt*>> changes_;
  std::vector<const clang::Stmt*> exits_;  // return, break, continue
  std::vector<const clang::Stmt*> jumps_;  // goto
  std::map<const clang::ValueDecl*, origins> edges_;
  std::map<const clang::ValueDecl*, std::vector<const clang::Expr*>>
      sources_;  // objects that a reference may denote
  std::map<const clang::ValueDecl*, std::vector<const clang::Expr*>>
      aliases_;  // the same, of the previous round
  mutable std::map<const clang::FunctionDecl*, origins> outside_;
  mutable std::map<const clang::Stmt*, origins> control_;
  mutable std::map<void*, std::vector<const clang::FieldDecl*>> fields_of_;  // by type
  mutable std::vector<const clang::FunctionDecl*> open_;  // on the current path, for recursive functions
};

/// The variable behind a name; for a name of a structured binding, the object that was decomposed.
const clang::ValueDecl* storage_of(const clang::ValueDecl* name);

}  // namespace stradsap::pp
