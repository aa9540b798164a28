#include "analyze/slicing/slice_text.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <utility>

#include "analyze/code/control.hpp"
#include "analyze/code/counting_loop.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/slicing/speculation_safety.hpp"
#include "analyze/source/excerpt.hpp"

namespace stradsap::pp {

static bool is_jump(const clang::Stmt& node) {
  return llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(node);
}

static std::vector<std::string> local_types(const region& code) {
  std::vector<std::string> found;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* statement = llvm::dyn_cast<clang::DeclStmt>(node);
    if (statement == nullptr) continue;
    for (const clang::Decl* declaration : statement->decls()) {
      const auto* type = llvm::dyn_cast<clang::TypeDecl>(declaration);
      if (type != nullptr) found.push_back(type->getNameAsString());
    }
  }
  return found;
}

slice_text::slice_text(const region& code, const slice_parts& parts, other_texts inserted,
                       const clang::FunctionDecl& function, const function_names& names_of_slices)
    : code_(code),
      parts_(parts),
      function_(function),
      slice_names_(names_of_slices),
      inserted_(std::move(inserted)) {
  // omit local types that the slice does not name: they would be unused
  for (std::size_t known = 1; known != types_.size();) {
    known = types_.size();
    write();
    for (const std::string& type : local_types(code_)) {
      if (names(type)) types_.insert(type);
    }
    if (types_.empty()) break;
  }
  refuse_missing_names();
  refuse_computed_conditions();
}

void slice_text::write() {
  text_.clear();
  found_.clear();
  printed_.clear();
  both_ways_.clear();
  declared_.clear();
  print(*function_.getBody());
}

bool slice_text::computes(const clang::Stmt& node) const {
  for (const clang::Stmt* at = &node; at != nullptr; at = code_.above(at)) {
    if (printed_.count(at) != 0) return true;
  }
  return false;
}

std::string slice_text::text_of(clang::SourceRange range) const {
  const std::optional<std::string> text = excerpt(code_.ast(), range, inserted_);
  if (!text) throw not_sliceable{"text of a macro's definition or a directive stands in the way"};
  return *text;
}

// ---- statements -----------------------------------------------------------------------------------------

/// Prints a statement. One that only finds elements is printed once, unless variables may have changed since.
void slice_text::print(const clang::Stmt& node) {
  const std::size_t begin = text_.size();
  const unsigned before = num_effects_;
  const std::vector<std::string> found = found_;
  print_statement(node);
  const bool finds = text_.size() > begin &&
                     !llvm::isa<clang::DeclStmt, clang::CompoundStmt, clang::Expr>(node) && !is_jump(node);
  if (!finds || num_effects_ != before) return;
  const std::string text = text_.substr(begin);
  text_.resize(begin);
  found_ = found;  // otherwise the statement could count as one of its own parts
  add_once(text);
}

void slice_text::add_once(const std::string& text) {
  if (std::find(found_.begin(), found_.end(), text) != found_.end()) return;
  found_.push_back(text);
  text_ += text;
}

void slice_text::print_statement(const clang::Stmt& node) {
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node)) return print_block(*block);
  if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&node))
    return print_declarations(*declarations);
  if (!parts_.holds(&node)) return;
  if (parts_.kept.count(&node) != 0) return print_whole(node);
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&node)) return print_if(*branch);
  if (parts_.once.count(&node) != 0) return print_once(node);
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&node)) {
    return print_loop(*loop, {loop->getForLoc(), loop->getRParenLoc()}, *loop->getBody());
  }
  if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) return print_ranged(*loop);
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&node)) {
    return print_loop(*loop, {loop->getWhileLoc(), loop->getRParenLoc()}, *loop->getBody());
  }
  if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(&node)) return print_do(*loop);
  if (const auto* exit = llvm::dyn_cast<clang::ReturnStmt>(&node)) return print_return(*exit);
  if (llvm::isa<clang::BreakStmt>(node)) return void(text_ += "break; ");
  if (llvm::isa<clang::ContinueStmt>(node)) return void(text_ += "continue; ");
  if (!llvm::isa<clang::Expr>(node)) throw not_sliceable{"a statement of this kind is not taken apart"};
  print_targets(node);
}

void slice_text::print_whole(const clang::Stmt& node) {
  print_choices_within(node);
  printed_.insert(&node);
  found_.clear();
  if (!llvm::isa<clang::DeclStmt>(node)) ++num_effects_;
  note_names_within(node);
  const std::string text = text_of(node);
  const bool is_closed = text.ends_with('}') && !llvm::isa<clang::Expr, clang::DeclStmt>(node);
  text_ += text + (text.ends_with(';') || is_closed ? " " : "; ");
}

/// Prints a body without its braces.
void slice_text::print_within(const clang::Stmt& node) {
  if (llvm::isa<clang::Expr>(node)) return print_targets(node);
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node);
  if (block == nullptr) return print(node);
  for (const clang::Stmt* child : block->children()) print(*child);
}

void slice_text::print_block(const clang::CompoundStmt& block) {
  print_conditional(&block, /*repeated=*/false);
}

void slice_text::print_return(const clang::ReturnStmt& exit) {
  const bool is_body = &function_ == &code_.body();
  if (is_body && exit.getRetValue() != nullptr) throw not_sliceable{"the body returns a value"};
  if (exit.getRetValue() != nullptr) print_targets(*exit.getRetValue());
  if (parts_.exits.count(&exit) == 0) return;
  text_ += "return; ";
}

void slice_text::print_declarations(const clang::DeclStmt& statement) {
  const auto is_variable = [](const clang::Decl* declaration) {
    return llvm::isa<clang::VarDecl>(declaration);
  };
  if (!std::all_of(statement.decl_begin(), statement.decl_end(), is_variable)) return print_type(statement);
  if (!parts_.holds(&statement)) return;
  const auto needed = [&](const clang::Decl* declaration) { return parts_.needs(*declaration); };
  if (std::none_of(statement.decl_begin(), statement.decl_end(), needed) &&
      parts_.kept.count(&statement) == 0) {
    for (const clang::Decl* declaration : statement.decls()) {
      const auto* variable = llvm::cast<clang::VarDecl>(declaration);
      if (variable->getInit() != nullptr) print_targets(*variable->getInit());
    }
    return;
  }
  if (print_only_effects(statement)) return;
  print_whole(statement);
  for (const clang::Decl* declaration : statement.decls())
    mark_used(*llvm::cast<clang::VarDecl>(declaration));
}

/// `(void)(out[draw() % n]);` in place of `Row& b = out[draw() % n];`, if only the draw is needed: then the
/// slice names the element, and nobody copies it for the slice to read.
bool slice_text::print_only_effects(const clang::DeclStmt& statement) {
  const auto* variable =
      statement.isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(statement.getSingleDecl()) : nullptr;
  if (variable == nullptr || variable->getInit() == nullptr || parts_.needs(*variable)) return false;
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(&bare(*variable->getInit()));
  const bool points = address != nullptr && address->getOpcode() == clang::UO_AddrOf;
  const clang::Expr& element = bare(points ? *address->getSubExpr() : *variable->getInit());
  if (parts_.targets.count(&element) == 0) return false;
  print_choices_within(element);
  text_ += "(void)(" + text_of_target(element) + "); ";
  note_arguments(element);
  found_.clear();
  ++num_effects_;
  return true;
}

/// Prints a declaration of types, aliases or assertions; types only if the slice names them.
void slice_text::print_type(const clang::DeclStmt& statement) {
  for (const clang::Decl* declaration : statement.decls()) {
    const auto* type = llvm::dyn_cast<clang::TypeDecl>(declaration);
    if (type != nullptr && types_.count(type->getNameAsString()) != 0) {
      text_ += text_of(statement) + " ";
      return;
    }
    if (llvm::isa<clang::UsingDirectiveDecl, clang::UsingDecl, clang::NamespaceAliasDecl>(declaration)) {
      text_ += text_of(statement) + " ";
      return;
    }
    if (llvm::isa<clang::VarDecl>(declaration))
      throw not_sliceable{"a declaration mixes variables and types"};
  }
}

void slice_text::print_if(const clang::IfStmt& branch) {
  if (branch.isConsteval()) throw not_sliceable{"if consteval is not taken apart"};
  const bool matters = parts_.holds(branch.getThen()) || parts_.holds(branch.getElse());
  if (!matters || parts_.left_out.count(branch.getCond()) != 0) return print_opened(branch);
  for (const clang::Stmt* part :
       {branch.getInit(), static_cast<const clang::Stmt*>(branch.getConditionVariableDeclStmt()),
        static_cast<const clang::Stmt*>(branch.getCond())}) {
    if (part == nullptr) continue;
    printed_.insert(part);
    note_names_within(*part);
    if (parts_.kept.count(part) == 0) continue;
    found_.clear();
    ++num_effects_;
  }
  text_ += text_of({branch.getIfLoc(), branch.getRParenLoc()}) + " ";
  print_conditional(branch.getThen(), /*repeated=*/false);
  if (!parts_.holds(branch.getElse())) return;
  text_ += "else ";
  print_conditional(branch.getElse(), /*repeated=*/false);
}

/// Prints the inside of an if that decides nothing in the slice, with the variables that it declares.
void slice_text::print_opened(const clang::IfStmt& branch) {
  const auto print_inside = [&] {
    if (branch.getInit() != nullptr) print(*branch.getInit());
    if (branch.hasVarStorage()) print(*branch.getConditionVariableDeclStmt());
    if (parts_.left_out.count(branch.getCond()) == 0) return print_targets(*branch.getCond());
    print_left_out(*branch.getCond(), branch.getThen(), branch.getElse());
  };
  if (!branch.hasInitStorage() && !branch.hasVarStorage()) return print_inside();
  print_in_braces(/*repeated=*/false, print_inside);
}

/// Prints a block. Later code cannot rely on its accesses; if it repeats, its rounds cannot rely on earlier
/// ones.
void slice_text::print_in_braces(bool repeated, const std::function<void()>& print_inside) {
  const std::vector<std::string> found = found_;
  const unsigned before = num_effects_;
  if (repeated) found_.clear();
  text_ += "{ ";
  print_inside();
  text_ += "} ";
  found_ = num_effects_ == before ? found : std::vector<std::string>();
}

/// `first` is a variable that the head declares.
void slice_text::print_conditional(const clang::Stmt* node, bool repeated, const clang::VarDecl* first) {
  print_in_braces(repeated, [&] {
    if (first != nullptr) mark_used(*first);
    if (node != nullptr) print_within(*node);
  });
}

/// Prints the accesses of a condition that the slice omits, and those of both branches.
void slice_text::print_left_out(const clang::Stmt& condition, const clang::Stmt* if_true,
                                const clang::Stmt* if_false) {
  both_ways_.insert(&condition);
  print_targets(condition);
  print_unguarded(if_true);
  print_unguarded(if_false);
}

/// Prints a branch of an omitted condition. Throws not_sliceable if it may fail where the condition does not
/// hold.
void slice_text::print_unguarded(const clang::Stmt* node) {
  if (!parts_.holds(node)) return;
  if (!is_safe_to_speculate(code_, parts_, *node))
    throw not_sliceable{
        "under a branch that is decided by what the loop writes stands what may fail: a subscript, a "
        "division, a call"};
  print_conditional(node, /*repeated=*/false);
}

/// Prints one round of a loop, which finds as much as several rounds would.
void slice_text::print_once(const clang::Stmt& loop) {
  const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
  const clang::Stmt* init = plain == nullptr ? nullptr : plain->getInit();
  print_in_braces(/*repeated=*/false, [&] {
    if (init != nullptr) print(*init);
    for (const clang::Stmt* part : parts_of_loop(loop)) {
      if (parts_.left_out.count(part) != 0) both_ways_.insert(part);
      if (part != init) print_unguarded(part);
    }
  });
}

void slice_text::print_loop(const clang::Stmt& loop, clang::SourceRange head, const clang::Stmt& body) {
  const auto* ranged = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop);
  const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
  const auto counted = plain == nullptr ? std::nullopt : counting_loop_of(code_, *plain);
  for (const clang::Stmt* child : loop.children()) {
    if (child == nullptr || child == &body) continue;
    printed_.insert(child);
    note_names_within(*child);
    const bool steps = ranged != nullptr || (counted && counted->step == child);
    if (parts_.kept.count(child) != 0 && !steps) ++num_effects_;
  }
  text_ += text_of(head) + " ";
  const std::size_t begin = text_.size();
  const std::optional<span_of_rounds> rounds =
      counted ? spans_instead_of_rounds(*counted, body) : std::nullopt;
  rounds_ = rounds ? &*rounds : nullptr;
  print_conditional(&body, /*repeated=*/true, ranged != nullptr ? ranged->getLoopVariable() : nullptr);
  rounds_ = nullptr;
  const bool names_index = counted && names_in(text_.substr(begin), counted->index->getNameAsString());
  if (rounds || (counted && !names_index && only_finds(body))) text_.insert(text_.size() - 2, "break; ");
}

/// `(void)(rows[i]);` in place of `for (float& x : rows[i]) ...` if the slice needs nothing in the loop: then
/// it names the element, and reads no numbers of it.
void slice_text::print_ranged(const clang::CXXForRangeStmt& loop) {
  const bool has_effects = std::any_of(loop.child_begin(), loop.child_end(), [&](const clang::Stmt* child) {
    return child != nullptr && parts_.kept.count(child) != 0;
  });
  if (has_effects || loop.getInit() != nullptr || parts_.holds(loop.getBody()))
    return print_loop(loop, {loop.getForLoc(), loop.getRParenLoc()}, *loop.getBody());
  print_targets(*loop.getRangeInit());
}

void slice_text::print_do(const clang::DoStmt& loop) {
  printed_.insert(loop.getCond());
  if (parts_.kept.count(loop.getCond()) != 0) ++num_effects_;
  text_ += "do ";
  print_conditional(loop.getBody(), /*repeated=*/true);
  text_ += "while (" + text_of(*loop.getCond()) + "); ";
}

// ---- names ----------------------------------------------------------------------------------------------

void slice_text::mark_used(const clang::VarDecl& variable) {
  const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(&variable);
  if (tuple == nullptr) return mark_name_used(variable.getNameAsString());
  for (const clang::BindingDecl* binding : tuple->bindings()) mark_name_used(binding->getNameAsString());
}

void slice_text::mark_name_used(const std::string& name) {
  declare(name);
  text_ += "(void)" + name + "; ";
}

/// Declares a name; texts with this name referred to another variable, so they no longer count as printed.
void slice_text::declare(const std::string& name) {
  declared_.insert(name);
  std::erase_if(found_, [&](const std::string& text) { return names_in(text, name); });
}

/// Declares the variables in a text that is printed whole.
void slice_text::note_names_within(const clang::Stmt& node) {
  if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&node)) {
    for (const clang::Decl* declaration : declarations->decls()) {
      const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
      if (named != nullptr) declare(named->getNameAsString());
      const auto* tuple = llvm::dyn_cast<clang::DecompositionDecl>(declaration);
      if (tuple == nullptr) continue;
      for (const clang::BindingDecl* binding : tuple->bindings()) declare(binding->getNameAsString());
    }
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) note_names_within(*child);
  }
}

/// Refuses names of missing locals in types, such as `int row[width]`: the tree has no expressions for them.
void slice_text::refuse_missing_names() const {
  for (const clang::VarDecl* variable : code_.variables()) {
    const bool local = variable->getDeclContext() == static_cast<const clang::DeclContext*>(&function_);
    const bool missing = local && !parts_.needs(*variable) && variable != code_.index();
    const bool declared = declared_.count(variable->getNameAsString()) != 0;
    if (missing && !declared && !variable->getName().empty() && names(variable->getName()))
      throw not_sliceable{"a type names a variable of the body"};
  }
}

/// Refuses omitted conditions that the text still computes, unless it finds the accesses of both branches.
void slice_text::refuse_computed_conditions() const {
  const auto is_computed = [&](const clang::Stmt* condition) {
    return computes(*condition) && both_ways_.count(condition) == 0;
  };
  if (std::any_of(parts_.left_out.begin(), parts_.left_out.end(), is_computed))
    throw not_sliceable{
        "a branch that is decided by what the loop writes stands in a statement that is kept whole"};
}

bool slice_text::names(llvm::StringRef identifier) const { return names_in(text_, identifier.str()); }

}  // namespace stradsap::pp
