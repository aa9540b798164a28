#include "analyze/code/captured_objects.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/known_functions.hpp"
#include "analyze/code/region.hpp"
#include "analyze/source/fix_its.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

// ---- places ---------------------------------------------------------------------------------------------

/// Whether a member of the class around the loop is named without `this->`.
static bool is_plain_member(const clang::MemberExpr& member) {
  const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(member.getBase()->IgnoreImpCasts());
  return self != nullptr && self->isImplicit();
}

std::optional<object_place> captured_objects::place_of(const clang::Expr& e) const {
  const clang::Expr& at = same_object(e);
  if (llvm::isa<clang::CXXThisExpr>(at)) return this_;
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&at)) {
    const bool is_this = step->getOpcode() == clang::UO_Deref &&
                         llvm::isa<clang::CXXThisExpr>(step->getSubExpr()->IgnoreParenImpCasts());
    return is_this ? this_ : std::nullopt;
  }
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&at)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable == nullptr) return std::nullopt;
    if (roots_.count(variable) != 0) return object_place{variable, {}};
    const auto known = references_.find(variable);
    return known == references_.end() ? std::nullopt : std::optional(known->second);
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&at);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (field == nullptr) return std::nullopt;
  const auto opened = opened_.find(field);
  if (opened != opened_.end() && in_text_of_body_ && is_plain_member(*member))
    return object_place{opened->second, {}};
  const clang::Expr& base = *member->getBase();
  if (member->isArrow() && !llvm::isa<clang::CXXThisExpr>(same_object(base))) return std::nullopt;
  std::optional<object_place> place = place_of(base);
  if (place) place->members.push_back(field);
  return place;
}

/// The captured object, or its part with containers, that an expression denotes.
std::optional<object_place> captured_objects::object_behind(const clang::Expr& e) const {
  const std::optional<object_place> place = place_of(e);
  if (!place || place->members.empty()) return place;
  const clang::QualType type = place->members.back()->getType();
  return holds_containers(type) && !is_container(type) ? place : std::nullopt;
}

// ---- the variables --------------------------------------------------------------------------------------

clang::VarDecl& captured_objects::variable_for(const object_place& place, clang::QualType type) {
  std::string name = text_of(place);
  if (place.root == nullptr && captured_names_.count(name) != 0) name = "this->" + name;
  clang::VarDecl*& known = known_[place];
  if (known == nullptr || known->getName() != name) {
    const clang::SourceLocation where = place.members.back()->getLocation();
    known = clang::VarDecl::Create(ast_, function_, where, where, &ast_.Idents.get(name), type,
                                   ast_.getTrivialTypeSourceInfo(type, where), clang::SC_None);
  }
  auto used = std::find_if(used_.begin(), used_.end(), [&](const auto& one) { return one.first == place; });
  if (used == used_.end()) used = used_.insert(used, {place, used_member{.variable = known}});
  (in_copied_capture_ ? used->second.of_closure : used->second.of_body) = true;
  return *known;
}

/// A name with the extent of the text in its place.
clang::Expr* captured_objects::name_of(clang::VarDecl& variable, const clang::Expr& in_place_of) const {
  clang::NestedNameSpecifierLocBuilder begin;
  begin.MakeGlobal(ast_, in_place_of.getBeginLoc());
  const clang::DeclarationNameInfo name(variable.getDeclName(), in_place_of.getEndLoc());
  return clang::DeclRefExpr::Create(ast_, begin.getWithLocInContext(ast_), {}, &variable,
                                    /*RefersToEnclosingVariableOrCapture=*/true, name, in_place_of.getType(),
                                    clang::VK_LValue);
}

bool is_member_of_object(const clang::DeclRefExpr& name) {
  const clang::NestedNameSpecifier* begin = name.getQualifier();
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  return begin != nullptr && begin->getKind() == clang::NestedNameSpecifier::Global && variable != nullptr &&
         variable->hasLocalStorage();
}

void captured_objects::use(clang::Stmt*& slot, const object_place& place) {
  auto& member = llvm::cast<clang::Expr>(*slot);
  if (refuse_member(member, place)) return;
  clang::VarDecl& variable = variable_for(place, place.members.back()->getType());
  replaced_.emplace_back(&slot, slot);
  slot = name_of(variable, member);
}

// ---- references among the members ----------------------------------------------------------------------

/// The first member on the way that is a reference; null without one.
static const clang::FieldDecl* reference_in(const object_place& place) {
  const auto at = std::find_if(place.members.begin(), place.members.end(),
                               [](const auto* field) { return field->getType()->isReferenceType(); });
  return at == place.members.end() ? nullptr : *at;
}

/// The variable in place of a reference's plain name.
clang::VarDecl& captured_objects::stand_in_for(const clang::FieldDecl& reference) {
  clang::VarDecl*& variable = known_[object_place{nullptr, {&reference}}];
  const clang::SourceLocation where = reference.getLocation();
  const clang::QualType type = reference.getType().getNonReferenceType();
  if (variable == nullptr)
    variable = clang::VarDecl::Create(ast_, function_, where, where, &ast_.Idents.get(reference.getName()),
                                      type, ast_.getTrivialTypeSourceInfo(type, where), clang::SC_None);
  return *variable;
}

/// Makes captured objects of those with containers that members of `this` refer to, as `data_` in
/// `data_.y[i]`, as if `auto& data_ = data_;` stood before the loop.
void captured_objects::open_references(const clang::Stmt* node) {
  if (node == nullptr) return;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(node);
  const auto* field = member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (field != nullptr && field->getType()->isReferenceType() && is_plain_member(*member)) {
    const clang::QualType type = field->getType().getNonReferenceType();
    const bool is_object = may_be_an_object(type) && holds_containers(type);
    if (is_object && captured_names_.count(field->getNameAsString()) == 0) {
      const clang::VarDecl& variable = stand_in_for(*field);
      opened_[field] = &variable;
      roots_[&variable] = roots_.at(nullptr);
    }
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(node)) return open_references(lambda->getBody());
  for (const clang::Stmt* child : node->children()) open_references(child);
}

/// Visits a name through a reference, such as `data_.y`. A reference by its plain name in the text of the
/// body becomes a capture of its own, as if `auto& data_ = data_;` stood before the loop: the factory has a
/// parameter of that name, and the body finds it ahead of the member.
void captured_objects::visit_reference(clang::Stmt*& slot, const object_place& place) {
  const auto& e = llvm::cast<clang::Expr>(*slot);
  const clang::FieldDecl& field = *reference_in(place);
  if (place.members.back() != &field) return visit_children(*slot);
  const std::string name = field.getNameAsString();
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e);
  const bool is_plain = member != nullptr && is_plain_member(*member) && place.members.size() == 1;
  if (is_plain && in_own_captures_) return void(captured_names_.insert(name));  // a part of another object
  const clang::QualType type = field.getType().getNonReferenceType();
  const bool is_alone = is_container(type) || (!holds_containers(type) && !leads_to_objects(type));
  if (!is_plain || !is_alone || !in_text_of_body_ || captured_names_.count(name) != 0)
    return void(refuse_member(e, place));
  clang::VarDecl& variable = stand_in_for(field);
  const bool is_known = std::any_of(named_.begin(), named_.end(),
                                    [&](const used_member& one) { return one.variable == &variable; });
  if (!is_known) named_.push_back({.variable = &variable, .where = roots_.at(nullptr)});
  replaced_.emplace_back(&slot, slot);
  slot = name_of(variable, e);
}

/// Makes `write `auto& data = data_;` before the loop, and `data` in the body`. A function that the body
/// calls does not know that variable.
std::string captured_objects::way_around(const object_place& place) const {
  const std::string member = place.members.back()->getNameAsString();
  std::string name = member;
  while (name.size() > 1 && name.back() == '_') name.pop_back();
  const bool is_same = place.root == nullptr && text_of(place) == name;
  const std::string local = std::string("write `") +
                            (place.members.back()->isBitField() ? "const auto " : "auto& ") + name + " = " +
                            (is_same ? "this->" : "") + text_of(place) + ";` before the loop, and ";
  if (walking_ != nullptr)
    return local + "pass `" + name + "` to `" + walking_->getNameAsString() + "` as a parameter";
  return local + "`" + name + "` in the body" +
         (in_text_of_body_ ? "" : ", where the lambda captures `&" + name + "`");
}

bool captured_objects::refuse_member(const clang::Expr& e, const object_place& place) {
  const std::string called = text_of(place);
  for (const clang::FieldDecl* field : place.members) {
    const char* why = why_not_alone(*field);
    const bool is_private = why == nullptr && !is_accessible(*field, function_) && !types_.open(*field);
    if (why == nullptr && !is_private) continue;
    const std::string owner = field->getParent()->getNameAsString();
    const std::vector<std::string> words = {
        called, is_private ? "is not public in `" + owner + "`, a class inside a macro" : std::string(why),
        is_private ? "make it public, or write the loop in a member function of `" + owner + "`"
                   : way_around(place)};
    if (told_.insert(words).second) out_.report(refusal::member_of_object, e.getExprLoc(), words);
    is_refused_ = true;
    return true;
  }
  return false;
}

void captured_objects::refuse_whole(const clang::Expr& e, const object_place& place) {
  const std::string called = text_of(place);
  if (!place.members.empty() && leads_to_objects(e.getType())) {
    refuse_capture(refusal::object_behind, e.getExprLoc(), words_behind(called, e.getType()));
  } else {
    refuse_capture(refusal::object_used_whole, e.getExprLoc(), {called});
  }
}

// ---- the walk -------------------------------------------------------------------------------------------

captured_objects::captured_objects(const clang::ASTContext& ast, const clang::LambdaExpr* lambda,
                                   const clang::FunctionDecl& body, member_variables& known,
                                   used_parts& parts, passed_objects& passed, travelling_types& types,
                                   diagnostics& out)
    : ast_(const_cast<clang::ASTContext&>(ast)),
      known_(known),
      parts_(parts),
      passed_(passed),
      types_(types),
      out_(out) {
  if (lambda == nullptr) return;
  loop_ = lambda->getBeginLoc();
  find_roots(*lambda);
  if (roots_.empty()) return;
  function_ = lambda->getLambdaClass()->getDeclContext();
  const bool has_this = roots_.count(nullptr) != 0;
  if (has_this) this_ = object_place{};
  if (has_this) open_references(body.getBody());
  visit_own_captures(*lambda);
  in_text_of_body_ = true;
  visit_children(*body.getBody());
  in_text_of_body_ = false;
  walk_waiting();
  in_text_of_body_ = true;
  refuse_static_alone();
  this_ = has_this ? std::optional(object_place{}) : std::nullopt;
}

captured_objects::~captured_objects() {
  for (auto at = replaced_.rbegin(); at != replaced_.rend(); ++at) *at->first = at->second;
}

/// Whether `this` around a lambda points to an object without virtual bases.
static bool has_plain_this(const clang::LambdaExpr& lambda) {
  const clang::DeclContext* scope = lambda.getLambdaClass()->getDeclContext();
  for (; scope != nullptr; scope = scope->getParent()) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(scope);
    if (method != nullptr && !method->getParent()->isLambda())
      return method->getParent()->getNumVBases() == 0;
  }
  return false;
}

void captured_objects::find_roots(const clang::LambdaExpr& lambda) {
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    const clang::SourceLocation where =
        capture.isImplicit() ? lambda.getCaptureDefaultLoc() : capture.getLocation();
    if (capture.getCaptureKind() == clang::LCK_This) {
      if (has_plain_this(lambda)) roots_[nullptr] = where;
      takes_this_ = capture.isExplicit();
      continue;
    }
    if (!capture.capturesVariable()) continue;
    captured_names_.insert(capture.getCapturedVar()->getNameAsString());
    if (lambda.isInitCapture(&capture)) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (variable == nullptr || variable->isParameterPack()) continue;
    const bool by_copy = capture.getCaptureKind() == clang::LCK_ByCopy;
    const clang::QualType type = variable->getType().getNonReferenceType();
    const std::string called = variable->getNameAsString();
    if (may_be_an_object(type) && holds_containers(type)) {
      roots_[variable] = where;
      if (by_copy)
        refuse_capture(refusal::captured_object_copy, where, {called},
                       captured_by_reference(ast_, &lambda, *variable));
    } else if (leads_to_objects(type)) {
      refuse_capture(refusal::object_behind, where, words_behind(called, type));
    }
  }
}

void captured_objects::refuse_capture(refusal kind, clang::SourceLocation where,
                                      const std::vector<std::string>& words, const fix_its& fixes) {
  out_.report(kind, where, words, {}, fixes);
  is_refused_ = true;
}

/// Init-captures may name members of objects that are captured too: `[&, rate = X.rate]`.
void captured_objects::visit_own_captures(const clang::LambdaExpr& lambda) {
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (!lambda.isInitCapture(&capture)) continue;
    auto& variable = *llvm::cast<clang::VarDecl>(capture.getCapturedVar());
    in_copied_capture_ = !variable.getType()->isReferenceType();
    in_own_captures_ = true;
    visit_variable(variable);
  }
  in_copied_capture_ = in_own_captures_ = false;
}

void captured_objects::walk_waiting() {
  while (!waiting_.empty()) {
    const clang::FunctionDecl* function = waiting_.back();
    waiting_.pop_back();
    if (!walked_.emplace(function, true).second) continue;
    const auto own = this_of_.find(function);
    this_ = own == this_of_.end() ? std::nullopt : std::optional(own->second);
    walking_ = function;
    visit_children(*function->getBody());
  }
}

void captured_objects::visit_children(clang::Stmt& node) {
  for (clang::Stmt*& child : node.children()) visit(child);
}

/// Whether an expression names a static member, a constant of an enum or a static function of an object's
/// class, as in `A.columns`. The object itself then has no part in the value.
static bool names_static(const clang::MemberExpr& e) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(e.getMemberDecl());
  return method != nullptr ? method->isStatic() : !llvm::isa<clang::FieldDecl>(e.getMemberDecl());
}

/// Refuses objects of which the code names only static members: the text of the body names the object, and a
/// loop has an object only with members.
void captured_objects::refuse_static_alone() {
  for (const auto& [e, place] : static_) {
    if (!contains(place.root)) refuse_whole(*e, place);
  }
}

void captured_objects::visit(clang::Stmt*& slot) {
  if (slot == nullptr || llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(slot)) return;
  if (auto* declarations = llvm::dyn_cast<clang::DeclStmt>(slot)) return visit_declarations(*declarations);
  if (auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(slot)) return visit_lambda(*lambda);
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(slot); member && names_static(*member)) {
    const clang::Expr& base = *member->getBase();
    const bool is_of_this = llvm::isa<clang::CXXThisExpr>(same_object(base));
    const std::optional<object_place> place =
        member->isArrow() && !is_of_this ? std::nullopt : object_behind(base);
    if (place) return static_.emplace_back(&base, *place), void();
  }
  if (llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::CXXThisExpr, clang::UnaryOperator>(slot)) {
    const auto& e = llvm::cast<clang::Expr>(*slot);
    const std::optional<object_place> place = place_of(e);
    if (place && (object_behind(e) || leads_to_objects(e.getType()))) return refuse_whole(e, *place);
    if (place && reference_in(*place)) return visit_reference(slot, *place);
    if (place) return parts_.add(loop_, *place) ? visit_children(*slot) : use(slot, *place);
  }
  if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(slot))
    return visit_call(llvm::cast<clang::Expr>(*slot));
  visit_children(*slot);
}

void captured_objects::visit_declarations(clang::DeclStmt& statement) {
  for (clang::Decl* declaration : statement.decls()) {
    if (auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) visit_variable(*variable);
  }
}

void captured_objects::visit_variable(clang::VarDecl& variable) {
  if (variable.getInit() == nullptr) return;
  const bool refers = variable.getType()->isReferenceType() && !llvm::isa<clang::DecompositionDecl>(variable);
  const std::optional<object_place> object = refers ? object_behind(*variable.getInit()) : std::nullopt;
  if (object) return bind(variable, *object);
  visit(*variable.getInitAddress());
}

void captured_objects::visit_lambda(clang::LambdaExpr& lambda) {
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    const bool by_copy =
        capture.getCaptureKind() == clang::LCK_ByCopy || capture.getCaptureKind() == clang::LCK_StarThis;
    if (capture.capturesThis()) {
      if (by_copy && this_) refuse_whole(lambda, *this_);
    } else if (lambda.isInitCapture(&capture)) {
      visit_variable(*llvm::cast<clang::VarDecl>(capture.getCapturedVar()));
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar())) {
      const bool is_bound = roots_.count(variable) != 0 || references_.count(variable) != 0;
      if (by_copy && is_bound)
        refuse_whole(lambda,
                     roots_.count(variable) != 0 ? object_place{variable, {}} : references_[variable]);
    }
  }
  const bool finds_captures = lambda.getCaptureDefault() == clang::LCD_ByRef;
  const bool in_text = std::exchange(in_text_of_body_, in_text_of_body_ && finds_captures);
  visit_body(lambda);
  in_text_of_body_ = in_text;
}

void captured_objects::visit_body(const clang::LambdaExpr& lambda) {
  const clang::FunctionTemplateDecl* generic = lambda.getDependentCallOperator();
  if (generic == nullptr) return visit_children(*lambda.getCallOperator()->getBody());
  for (const clang::FunctionDecl* instance : generic->specializations()) {
    if (instance->getBody() != nullptr && walked_.emplace(instance, true).second)
      visit_children(*instance->getBody());
  }
}

/// Whether a call goes through the object's table of virtual functions, which executors' objects lack.
static bool may_dispatch(const clang::Expr& call, const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  if (method == nullptr || !method->isVirtual()) return false;
  const auto* member =
      llvm::dyn_cast<clang::MemberExpr>(llvm::cast<clang::CallExpr>(call).getCallee()->IgnoreParens());
  return member == nullptr || !member->hasQualifier();
}

/// Passes a captured object to the member function that is called on it. Returns whether it is one.
bool captured_objects::pass_object(clang::Expr& call, const clang::FunctionDecl* callee) {
  const clang::Expr* object = object_of(call);
  const std::optional<object_place> place = object == nullptr ? std::nullopt : object_behind(*object);
  if (!place) return false;
  const clang::FunctionDecl* definition = visible_definition(callee);
  if (definition == nullptr || may_dispatch(call, *definition)) {
    refuse_whole(*object, *place);
    return true;
  }
  this_of_[definition] = passed_.add(*definition, *place);
  walk_later(*definition);
  return true;
}

void captured_objects::visit_call(clang::Expr& call) {
  const clang::FunctionDecl* callee = callee_of(call);
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call);
  const bool passed = pass_object(call, callee);
  const clang::Expr* object = object_of(call);
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  unsigned number = 0;
  for (clang::Stmt*& child : call.children()) {
    const auto* e = llvm::dyn_cast_or_null<clang::Expr>(child);
    const bool is_argument = number < arguments.size() && e == arguments[number];
    if (!is_argument) {
      const bool is_callee = passed && (e == object || (!is_operator && e == *call.child_begin()));
      if (!is_callee) visit(child);
      continue;
    }
    const clang::ParmVarDecl* to =
        callee != nullptr && number < callee->getNumParams() ? callee->getParamDecl(number) : nullptr;
    ++number;
    object_behind(*e) ? pass(*e, to, callee) : visit(child);
  }
}

void captured_objects::pass(const clang::Expr& argument, const clang::ParmVarDecl* to,
                            const clang::FunctionDecl* callee) {
  const object_place place = *object_behind(argument);
  const clang::FunctionDecl* definition = visible_definition(callee);
  const bool is_constructor = llvm::isa_and_nonnull<clang::CXXConstructorDecl>(callee);
  if (definition == nullptr || to == nullptr || is_constructor || !to->getType()->isReferenceType())
    return refuse_whole(argument, place);
  bind(*definition->getParamDecl(to->getFunctionScopeIndex()), place);
  walk_later(*definition);
}

void captured_objects::bind(const clang::VarDecl& reference, const object_place& place) {
  references_[&reference] = passed_.add(reference, place);
}

// ---- results --------------------------------------------------------------------------------------------

bool captured_objects::contains(const clang::ValueDecl* variable) const {
  if (variable == nullptr && !takes_this_ && (!named_.empty() || !opened_.empty())) return true;
  // an object that only a function uses may have its turn in another analysis
  return (roots_.count(variable) != 0 && passed_.has(variable)) ||
         std::any_of(used_.begin(), used_.end(), [&](const auto& one) { return one.first.root == variable; });
}

std::vector<used_member> captured_objects::members() const {
  std::vector<used_member> found;
  for (const bool of_this : {true, false}) {
    for (const auto& [place, used] : used_) {
      if ((place.root == nullptr) != of_this) continue;
      used_member one = used;
      one.object = place.root;
      one.member = named_at_loop(place.members, function_);
      const std::string members = text_of(place.members);
      one.path = of_this ? members : path_to_root(place.root) + "." + members;
      one.where = roots_.at(place.root);
      one.is_added = std::any_of(opened_.begin(), opened_.end(),
                                 [&](const auto& opened) { return opened.second == place.root; });
      found.push_back(std::move(one));
    }
  }
  return found;
}

const clang::VarDecl* captured_objects::named_by(const clang::Expr& e) const {
  const std::optional<object_place> place = place_of(e);
  const auto known =
      std::find_if(used_.begin(), used_.end(), [&](const auto& one) { return place && one.first == *place; });
  return known == used_.end() ? nullptr : known->second.variable;
}

}  // namespace stradsap::pp
