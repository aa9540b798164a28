#include "analyze/refusals/driver_events.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <utility>

#include "analyze/captures/captured_lambdas.hpp"
#include "analyze/code/region.hpp"
#include "analyze/refusals/collected_places.hpp"
#include "analyze/refusals/made_objects.hpp"
#include "analyze/refusals/refusals.hpp"
#include "analyze/refusals/run_functions.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {
namespace {

constexpr std::size_t most_events = 5000;  // of a function with all that it calls

bool has_name(const clang::FunctionDecl& function, llvm::StringRef name) {
  return function.getIdentifier() != nullptr && function.getName() == name;
}

/// Collects the containers that code names, but for their sizes.
class name_reader : public clang::RecursiveASTVisitor<name_reader> {
 public:
  name_reader(event_reader& events, std::set<object_path>& found) : events_(events), found_(found) {}

  bool shouldVisitImplicitCode() const { return true; }  // the operators of a range-for
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) { return note(*name); }
  bool VisitMemberExpr(clang::MemberExpr* member) { return note(*member); }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    for (const clang::CXXMethodDecl* one : call_operators_of(*lambda)) TraverseStmt(one->getBody());
    return true;
  }
  bool TraverseCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const clang::Expr* object = call->getImplicitObjectArgument();
    const bool is_size = callee != nullptr && (has_name(*callee, "size") || has_name(*callee, "empty"));
    if (is_size && is_container(object->getType())) return true;
    return RecursiveASTVisitor::TraverseCXXMemberCallExpr(call);
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* definition = visible_definition(callee_of(*call));
    if (definition == nullptr) return true;
    for (const object_path& one : events_.containers_named_by(*definition)) {
      object_path mine = events_.paths().in_caller(one, *definition, *call);
      if (mine.is_known()) found_.insert(std::move(mine));
    }
    return true;
  }

 private:
  bool note(const clang::Expr& e) {
    if (!is_container(e.getType())) return true;
    object_path path = events_.paths().of(e);
    if (path.is_known()) found_.insert(std::move(path));
    return true;
  }

  event_reader& events_;
  std::set<object_path>& found_;
};

/// Writes down the events of one function.
class event_writer : public clang::RecursiveASTVisitor<event_writer> {
 public:
  event_writer(event_reader& reader, std::vector<driver_event>& found) : reader_(reader), found_(found) {}

  /// The body counts at its calls, but captures are made here.
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      const auto* variable =
          capture.capturesVariable() ? llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar()) : nullptr;
      if (variable == nullptr || !variable->isInitCapture() || variable->getInit() == nullptr) continue;
      TraverseStmt(const_cast<clang::Expr*>(variable->getInit()));
      declare(*variable, *variable->getInit());
    }
    return true;
  }
  bool TraverseIfStmt(clang::IfStmt* node) {
    TraverseStmt(node->getInit());
    TraverseStmt(node->getConditionVariableDeclStmt());
    TraverseStmt(node->getCond());
    const unsigned id = now_++;
    enter({id, 1, false, false, leaves(node->getThen())}, [&] { TraverseStmt(node->getThen()); });
    enter({id, 2, false, false, leaves(node->getElse())}, [&] { TraverseStmt(node->getElse()); });
    return true;
  }
  bool TraverseForStmt(clang::ForStmt* node) {
    TraverseStmt(node->getInit());
    return enter({now_++, 0, true}, [&] {
      TraverseStmt(node->getConditionVariableDeclStmt());
      TraverseStmt(node->getCond());
      TraverseStmt(node->getBody());
      TraverseStmt(node->getInc());
    });
  }
  bool TraverseWhileStmt(clang::WhileStmt* node) {
    return enter({now_++, 0, true}, [&] { RecursiveASTVisitor::TraverseWhileStmt(node); });
  }
  bool TraverseDoStmt(clang::DoStmt* node) {
    return enter({now_++, 0, true}, [&] { RecursiveASTVisitor::TraverseDoStmt(node); });
  }
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt* node) {
    if (const clang::Expr* all = named_collection(*node->getRangeInit()))
      mark(*all, name_entries(*node->getLoopVariable(), *all) ? mention::none : mention::use);
    const clang::Expr& range = *node->getRangeInit();
    const auto* begin = llvm::dyn_cast_or_null<clang::DeclStmt>(node->getBeginStmt());
    object_path container = is_container(range.getType()) ? reader_.paths().of(range) : object_path();
    TraverseStmt(node->getRangeInit());
    if (begin == nullptr || !container.is_known())
      return enter({now_++, 0, true}, [&] { TraverseStmt(node->getBody()); });
    const object_path iterator{begin->getSingleDecl()->getCanonicalDecl(), {}};
    make(iterator, node->getLoopVariable(), range, std::move(container), replaces::all);
    return enter({now_++, 0, true}, [&] {
      TraverseStmt(node->getBody());
      use(iterator, node->getLoopVariable(), range);
    });
  }
  bool TraverseSwitchStmt(clang::SwitchStmt* node) {
    TraverseStmt(node->getCond());
    return enter({now_++, 0, false, true}, [&] { TraverseStmt(node->getBody()); });
  }
  bool TraverseVarDecl(clang::VarDecl* variable) {
    const clang::Expr* init = variable->getInit();
    const clang::Expr* all = init == nullptr ? nullptr : collection_of_entry(*init);
    if (all != nullptr && name_entries(*variable, *all)) mark(*all, mention::none);
    RecursiveASTVisitor::TraverseVarDecl(variable);
    if (init != nullptr && !variable->isImplicit()) declare(*variable, *init);
    return true;
  }
  bool TraverseDecompositionDecl(clang::DecompositionDecl* all) {
    RecursiveASTVisitor::TraverseDecompositionDecl(all);
    if (all->getInit() == nullptr) return true;
    const bool refers = all->getType()->isReferenceType();
    const auto containers = places_in(reader_.paths(), *all->getInit());
    for (const clang::BindingDecl* one : all->bindings()) {
      const object_path place{one->getCanonicalDecl(), {}};
      if (refers) make(place, one, *all->getInit());
      if (refers || !keeps_places(one->getType())) continue;
      for (const auto& [container, value] : containers) make(place, one, *value, container, replaces::same);
    }
    return true;
  }
  bool TraverseBinaryOperator(clang::BinaryOperator* op) {
    if (op->getOpcode() != clang::BO_Assign) return RecursiveASTVisitor::TraverseBinaryOperator(op);
    return assign(*op->getLHS(), *op->getRHS());
  }
  bool TraverseCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() == clang::OO_Equal) return assign(*call->getArg(0), *call->getArg(1));
    mark_collections(*call);
    RecursiveASTVisitor::TraverseCXXOperatorCallExpr(call);
    return note_call(*call);
  }
  bool TraverseCallExpr(clang::CallExpr* call) {
    mark_collections(*call);
    RecursiveASTVisitor::TraverseCallExpr(call);
    return note_call(*call);
  }
  bool TraverseCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    mark_collections(*call);
    RecursiveASTVisitor::TraverseCXXMemberCallExpr(call);
    note_collected(*call);
    return note_call(*call);
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* entry) {
    if (const clang::Expr* all = named_collection(*entry->getBase())) mark(*all, mention::use);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (named_collection(*name) != nullptr) note_mention(*name, *name->getDecl());
    const auto entry = entries_.find(name->getDecl());
    if (entry != entries_.end()) use(entry->second, name->getDecl(), *name);
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool is_binding = llvm::isa<clang::BindingDecl>(name->getDecl());
    const bool is_place = variable != nullptr && keeps_places(variable->getType()) && !variable->isImplicit();
    if (is_place || is_binding) use({name->getDecl()->getCanonicalDecl(), {}}, name->getDecl(), *name);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) {
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    const clang::Expr* all = field == nullptr ? nullptr : named_collection(*member->getBase());
    if (all != nullptr) mark(*all, mention::use);
    if (field != nullptr && named_collection(*member) != nullptr) note_mention(*member, *field);
    if (field == nullptr || !keeps_places(field->getType())) return true;
    object_path path = reader_.paths().of(*member);
    if (path.is_known()) use(std::move(path), field, *member);
    return true;
  }

 private:
  /// How an expression names a collection. Without a mark the entries may be others afterwards.
  enum class mention { none, use };

  template <class Inside> bool enter(frame around, const Inside& inside) {
    frames_.push_back(around);
    inside();
    frames_.pop_back();
    return true;
  }

  /// Whether the statements after an `if` do not follow on the branch.
  static bool leaves(const clang::Stmt* branch) {
    if (branch == nullptr) return false;
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(branch);
    if (block != nullptr) return !block->body_empty() && leaves(block->body_back());
    const auto* e = llvm::dyn_cast<clang::Expr>(branch);
    return llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(branch) ||
           (e != nullptr && llvm::isa<clang::CXXThrowExpr>(e->IgnoreImplicit()));
  }

  driver_event& add(event_kind kind) {
    found_.push_back({});
    driver_event& one = found_.back();
    one.kind = kind;
    one.at = one.end = now_++;
    one.within = frames_;
    return one;
  }
  void use(object_path place, const clang::Decl* owner, const clang::Expr& where) {
    driver_event& one = add(event_kind::uses);
    one.place = std::move(place);
    one.owner = owner;
    one.where = &where;
  }
  void make(object_path place, const clang::Decl* owner, const clang::Expr& value) {
    make(std::move(place), owner, value, reader_.paths().container_of_place(value), replaces::all);
  }
  void make(object_path place, const clang::Decl* owner, const clang::Expr& value, object_path container,
            replaces replaced) {
    driver_event& one = add(event_kind::makes);
    one.place = std::move(place);
    one.container = std::move(container);
    one.replaced = replaced;
    one.owner = owner;
    one.where = &value;
  }
  /// A static variable is made in the first round.
  static void leave_repetitions(driver_event& made) {
    made.is_once = true;
    const auto first =
        std::find_if(made.within.begin(), made.within.end(), [](const frame& one) { return one.repeats; });
    if (first == made.within.end()) return;
    made.at = made.end = first->id - 1;
    made.within.erase(first, made.within.end());
  }
  bool is_made_already(const driver_event& one) const {
    return one.is_once && std::any_of(found_.begin(), found_.end(), [&](const driver_event& other) {
             return other.is_once && other.where == one.where;
           });
  }
  void declare(const clang::VarDecl& variable, const clang::Expr& init) {
    const object_path whole{variable.getCanonicalDecl(), {}};
    if (keeps_places(variable.getType())) make(whole, &variable, init);
    if (variable.isStaticLocal() && !found_.empty() && found_.back().kind == event_kind::makes)
      leave_repetitions(found_.back());
    const bool is_collection = collects_places(variable.getType()) && !variable.getType()->isReferenceType();
    if (is_collection) fill(whole, &variable, init);
    note_fields(whole, variable.getType(), init);
  }

  // ---- collections of places ----

  void mark(const clang::Expr& name, mention as) { marks_.emplace(&name, as); }

  /// Whether the variable, or its parts, refer to entries that they may change.
  bool name_entries(const clang::VarDecl& variable, const clang::Expr& all) {
    const clang::QualType type = variable.getType();
    object_path path = reader_.paths().of(all);
    if (!type->isReferenceType() || type->getPointeeType().isConstQualified() || !path.is_known())
      return false;
    entries_[&variable] = path;
    if (const auto* parts = llvm::dyn_cast<clang::DecompositionDecl>(&variable)) {
      for (const clang::BindingDecl* one : parts->bindings()) entries_[one] = path;
    }
    return true;
  }

  void note_mention(const clang::Expr& name, const clang::ValueDecl& owner) {
    const auto marked = marks_.find(&name);
    if (marked != marks_.end() && marked->second == mention::none) return;
    object_path path = reader_.paths().of(name);
    if (!path.is_known()) return;
    if (marked != marks_.end())
      use(std::move(path), &owner, name);
    else
      make(std::move(path), &owner, name, {}, replaces::all);
  }

  /// The events of functions in sight are repeated, so a collection that they get by reference has no event
  /// at the call.
  void mark_collections(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = callee_of(call);
    if (callee == nullptr) return;
    if (const clang::FunctionDecl* definition = visible_definition(callee)) {
      const std::vector<const clang::Expr*> arguments = arguments_of(call);
      for (unsigned i = 0; i < std::min<std::size_t>(arguments.size(), definition->getNumParams()); ++i) {
        const clang::QualType type = definition->getParamDecl(i)->getType();
        const bool refers = type->isReferenceType() || type->isPointerType();
        if (const clang::Expr* all = named_collection(*arguments[i]))
          mark(*all, refers ? mention::none : mention::use);
      }
    } else if (const clang::Expr* all = collection_of_entry(call)) {
      mark(*all, mention::use);
    } else if (const clang::Expr* object = object_of(call)) {
      all = named_collection(*object);
      const collection_use kind = use_of_collection(*callee);
      if (all != nullptr && kind != collection_use::assigns)
        mark(*all, kind == collection_use::reads ? mention::use : mention::none);
    }
  }

  /// The entries that a collection gets by push_back() and the like.
  void note_collected(const clang::CXXMemberCallExpr& call) {
    const clang::FunctionDecl* callee = callee_of(call);
    const clang::Expr* object = object_of(call);
    const clang::Expr* all = object == nullptr ? nullptr : named_collection(*object);
    if (all == nullptr || callee == nullptr) return;
    const collection_use kind = use_of_collection(*callee);
    if (kind != collection_use::adds && kind != collection_use::assigns) return;
    for (const clang::Expr* argument : call.arguments()) collect(*all, *argument);
  }

  static const clang::ValueDecl& declared_by(const clang::Expr& name) {
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&name);
    return member != nullptr ? *member->getMemberDecl() : *llvm::cast<clang::DeclRefExpr>(name).getDecl();
  }
  /// A collection gets an entry.
  void collect(const clang::Expr& all, const clang::Expr& value) {
    collect(reader_.paths().of(all), &declared_by(all), value);
  }
  void collect(const object_path& path, const clang::Decl* owner, const clang::Expr& value) {
    if (!path.is_known()) return;
    for (const auto& [container, part] : places_in(reader_.paths(), value))
      make(path, owner, *part, container, replaces::same);
  }
  /// All entries of a collection are those of an expression.
  void fill(const object_path& path, const clang::Decl* owner, const clang::Expr& value) {
    if (!path.is_known()) return;
    make(path, owner, value, {}, replaces::all);
    collect(path, owner, value);
    const auto* call = llvm::dyn_cast<clang::CallExpr>(value.IgnoreImplicit());
    const clang::FunctionDecl* callee = call == nullptr ? nullptr : visible_definition(callee_of(*call));
    if (callee == nullptr) return;
    const std::vector<driver_event> inner = reader_.of(*callee);
    for (const driver_event& one : inner) {
      const auto* local = llvm::dyn_cast_or_null<clang::VarDecl>(one.place.root);
      if (one.kind != event_kind::makes || local == nullptr || !local->hasLocalStorage() ||
          !one.place.fields.empty() || !collects_places(local->getType()))
        continue;
      object_path container = reader_.paths().in_caller(one.container, *callee, *call);
      if (container.is_known()) make(path, owner, value, std::move(container), replaces::same);
    }
  }

  /// Variables that exchange their places.
  void exchange(const clang::CallExpr& call) {
    const std::vector<const clang::Expr*> objects = exchanged_by(call);
    const bool repeats =
        std::any_of(frames_.begin(), frames_.end(), [](const frame& f) { return f.repeats; });
    std::vector<driver_event> made;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto* to = llvm::dyn_cast<clang::DeclRefExpr>(objects[i]->IgnoreParenImpCasts());
      const clang::Expr& value = *call.getArg(objects.size() == 2 ? 1 - i : 1);
      const auto* from = llvm::dyn_cast<clang::DeclRefExpr>(value.IgnoreParenImpCasts());
      if (to == nullptr || !keeps_places(to->getDecl()->getType())) return;
      driver_event one;
      one.place = {to->getDecl()->getCanonicalDecl(), {}};
      one.owner = to->getDecl();
      one.where = &value;
      one.replaced = repeats && objects.size() == 2 ? replaces::none : replaces::all;
      if (objects.size() == 1) one.container = reader_.paths().container_of_place(value);
      for (const driver_event& before : found_) {
        if (objects.size() == 2 && from != nullptr && before.kind == event_kind::makes &&
            before.place == object_path{from->getDecl()->getCanonicalDecl(), {}})
          one.container = before.container;
      }
      made.push_back(std::move(one));
    }
    for (driver_event& one : made)
      make(std::move(one.place), one.owner, *one.where, std::move(one.container), one.replaced);
  }
  void rebind(const clang::Expr& object) {
    object_path path = reader_.paths().of(object);
    if (path.is_known()) add(event_kind::rebinds).place = std::move(path);
  }

  /// The members of an object of the program's own class that is made here.
  void note_fields(const object_path& whole, clang::QualType type, const clang::Expr& init) {
    for (placed_member& one : members_placed_by(reader_.paths(), type, init)) {
      object_path path = whole;
      path.fields.push_back(one.member->getCanonicalDecl());
      make(std::move(path), one.member, *one.where, std::move(one.container), replaces::all);
    }
  }

  bool assign(clang::Expr& left, clang::Expr& right) {
    TraverseStmt(&right);
    const clang::Expr* to = left.IgnoreParenImpCasts();
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(to);
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(to);
    const clang::ValueDecl* declared = name != nullptr     ? name->getDecl()
                                       : member != nullptr ? member->getMemberDecl()
                                                           : nullptr;
    if (assign_entries(left, right)) return true;
    const bool is_place =
        declared != nullptr && keeps_places(declared->getType()) && !declared->getType()->isReferenceType();
    if (is_place && name != nullptr) {
      make({declared->getCanonicalDecl(), {}}, declared, right);
    } else if (is_place) {
      object_path path = reader_.paths().of(*member);
      if (path.is_known()) make(std::move(path), declared, right);
    } else {
      TraverseStmt(&left);
      if (to->getType()->isRecordType()) rebind(*to);
    }
    return true;
  }

  /// Notes an assignment to a collection, or to an entry of one; returns false for others.
  bool assign_entries(clang::Expr& left, clang::Expr& right) {
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(left.IgnoreParenImpCasts());
    const bool is_part = member != nullptr && keeps_places(member->getType());
    const clang::Expr& of = is_part ? *member->getBase() : left;
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(of.IgnoreParenImpCasts());
    const auto entry = name == nullptr ? entries_.end() : entries_.find(name->getDecl());
    if (entry != entries_.end()) {
      collect(entry->second, name->getDecl(), right);
      return true;
    }
    const clang::Expr* whole = named_collection(left);
    const clang::Expr* all = whole != nullptr ? whole : collection_of_entry(left);
    if (all == nullptr) return false;
    mark(*all, mention::none);
    TraverseStmt(&left);  // subscripts
    if (whole == nullptr)
      collect(*all, right);
    else
      fill(reader_.paths().of(*all), &declared_by(*all), right);
    return true;
  }

  bool note_call(clang::CallExpr& call) {
    const clang::FunctionDecl* callee = callee_of(call);
    exchange(call);
    if (is_loop_operator(call.getDirectCallee())) {
      note_loop(call);
    } else if (const clang::FunctionDecl* definition = visible_definition(callee)) {
      for (unsigned i = 0; i < definition->getNumParams(); ++i) pass(*definition->getParamDecl(i), i, call);
      insert(*definition, call);
    } else {
      for (const clang::FunctionDecl* one : functions_behind(call, reader_.paths())) insert(*one, call);
      note_unseen(call, callee);
    }
    return true;
  }

  void pass(const clang::ParmVarDecl& parameter, unsigned i, const clang::CallExpr& call) {
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    if (i < arguments.size() && keeps_places(parameter.getType()) &&
        reader_.paths().container_of_place(*arguments[i]).is_known())
      make({parameter.getCanonicalDecl(), {}}, &parameter, *arguments[i]);
  }

  void note_unseen(const clang::CallExpr& call, const clang::FunctionDecl* callee) {
    for (const clang::Expr* argument : call.arguments()) {
      if (argument->isTypeDependent()) continue;
      for (const clang::FunctionDecl* run : run_by(argument->getType())) insert(*run, call);
    }
    if (callee == nullptr || !(has_name(*callee, "swap") || has_name(*callee, "move") ||
                               has_name(*callee, "exchange") || has_name(*callee, "assign")))
      return;
    for (const clang::Expr* argument : call.arguments()) rebind(*argument);
    if (const clang::Expr* object = object_of(call)) rebind(*object);
  }

  void note_loop(const clang::CallExpr& call) {
    std::set<object_path> looped;
    for (const clang::Expr* argument : call.arguments()) {
      const clang::CXXRecordDecl* closure = closure_class(argument->getType());
      for (const clang::FunctionDecl* run : run_by(argument->getType())) {
        const std::set<object_path>& named = reader_.containers_named_by(*run);
        looped.insert(named.begin(), named.end());
        if (closure == nullptr) note_members(*argument, looped);
      }
    }
    driver_event& one = add(event_kind::loops);
    one.looped = std::move(looped);
    one.end = now_++;
  }

  /// The containers that an object with an operator() is made of.
  void note_members(const clang::Expr& functor, std::set<object_path>& looped) {
    name_reader(reader_, looped).TraverseStmt(const_cast<clang::Expr*>(&functor));
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(functor.IgnoreParenImpCasts());
    const auto* variable = name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable != nullptr && variable->getInit() != nullptr)
      name_reader(reader_, looped).TraverseStmt(const_cast<clang::Expr*>(variable->getInit()));
  }

  /// Repeats the events of a called function.
  void insert(const clang::FunctionDecl& callee, const clang::CallExpr& call) {
    const std::vector<driver_event>& inner = reader_.of(callee);
    const unsigned base = now_;
    for (const driver_event& event : inner) {
      if (found_.size() > most_events) return;
      driver_event one = event;
      if (is_made_already(one) || !put_in_caller(one, callee, call)) continue;
      one.at += base;
      one.end += base;
      for (frame& around : one.within) around.id += base;
      one.within.insert(one.within.begin(), frames_.begin(), frames_.end());
      if (one.is_once) leave_repetitions(one);
      now_ = std::max(now_, one.end + 1);
      found_.push_back(std::move(one));
    }
    ++now_;
  }

  /// Whether the event still means something in the caller.
  bool put_in_caller(driver_event& one, const clang::FunctionDecl& callee, const clang::CallExpr& call) {
    const auto moved = [&](const object_path& path) { return reader_.paths().in_caller(path, callee, call); };
    if (one.kind == event_kind::loops) {
      std::set<object_path> looped;
      for (const object_path& path : one.looped) {
        object_path mine = moved(path);
        if (mine.is_known()) looped.insert(std::move(mine));
      }
      one.looped = std::move(looped);
      return !one.looped.empty();
    }
    // a parameter, as a variable of its own, keeps the place that the call made
    const auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(one.place.root);
    const bool is_parameter =
        parameter != nullptr && one.place.fields.empty() && parameter->getDeclContext() == &callee;
    const bool is_made_here =
        is_parameter && std::any_of(found_.begin(), found_.end(), [&](const auto& made) {
          return made.kind == event_kind::makes && made.place == one.place;
        });
    const auto* captured = llvm::dyn_cast_or_null<clang::VarDecl>(one.place.root);
    const bool is_outside = (captured != nullptr && captured->isInitCapture()) ||
                            llvm::isa_and_nonnull<clang::BindingDecl>(one.place.root);
    if (!is_made_here && !is_outside) one.place = moved(one.place);
    if (one.container.is_known()) one.container = moved(one.container);
    return one.place.is_known();
  }

  event_reader& reader_;
  std::vector<driver_event>& found_;
  unsigned now_ = 1;
  std::vector<frame> frames_;
  std::map<const clang::Expr*, mention> marks_;             // names of collections
  std::map<const clang::ValueDecl*, object_path> entries_;  // references to entries, and the collection
};

}  // namespace

const std::vector<driver_event>& event_reader::of(const clang::FunctionDecl& function) {
  const auto [at, fresh] = events_.try_emplace(&function);
  if (!fresh) return at->second;  // also of a function that calls itself: nothing
  std::vector<driver_event> found;
  event_writer writer(*this, found);
  writer.TraverseStmt(function.getBody());
  return events_[&function] = std::move(found);
}

const std::set<object_path>& event_reader::containers_named_by(const clang::FunctionDecl& function) {
  const auto [at, fresh] = named_.try_emplace(&function);
  if (!fresh) return at->second;
  std::set<object_path> found;
  name_reader(*this, found).TraverseStmt(function.getBody());
  return named_[&function] = std::move(found);
}

}  // namespace stradsap::pp
