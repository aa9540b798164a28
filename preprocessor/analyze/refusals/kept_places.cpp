#include "analyze/refusals/kept_places.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyze/refusals/collected_places.hpp"
#include "analyze/refusals/driver_events.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {
namespace {

/// A member that constructors alone set, to a place in another member.
struct member_place {
  const clang::Expr* made = nullptr;
  std::vector<const clang::FieldDecl*> container;  // members of the same object that lead to it
};

class member_reader : public clang::RecursiveASTVisitor<member_reader> {
 public:
  member_reader(path_reader& paths, std::map<const clang::FieldDecl*, std::optional<member_place>>& found)
      : paths_(paths), found_(found) {}

  void read(const clang::FunctionDecl& function) {
    const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function);
    is_constructor_ = constructor != nullptr;
    if (constructor != nullptr) note_members(*constructor);
    TraverseStmt(function.getBody());
  }
  /// A constructor without text of its own initialises members by their defaults.
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    const clang::CXXConstructorDecl& constructor = *made->getConstructor();
    const clang::FunctionDecl* definition = nullptr;
    const bool has_no_text = constructor.isDefaulted() && constructor.isDefaultConstructor();
    if (has_no_text && is_users(*constructor.getParent()) && constructor.isDefined(definition))
      note_members(llvm::cast<clang::CXXConstructorDecl>(*definition));
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) {
    if (op->getOpcode() == clang::BO_Assign) note_assigned(*op->getLHS(), *op->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() == clang::OO_Equal) note_assigned(*call->getArg(0), *call->getArg(1));
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const clang::Expr* all = named_collection(*call->getImplicitObjectArgument());
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(all);
    if (member == nullptr || callee == nullptr || use_of_collection(*callee) != collection_use::adds)
      return true;
    for (const clang::Expr* argument : call->arguments()) note_assigned(*member, *argument);
    return true;
  }

 private:
  static bool is_null(const clang::Expr& init) {
    const clang::Expr* bare = init.IgnoreParenImpCasts();
    const auto* list = llvm::dyn_cast<clang::InitListExpr>(bare);
    const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(bare);
    return llvm::isa<clang::CXXNullPtrLiteralExpr, clang::ImplicitValueInitExpr>(bare) ||
           (list != nullptr && list->getNumInits() == 0) || (made != nullptr && made->getNumArgs() == 0);
  }
  void note_members(const clang::CXXConstructorDecl& constructor) {
    for (const clang::CXXCtorInitializer* one : constructor.inits()) {
      const clang::Expr* init = one->getInit();
      if (const auto* stated = llvm::dyn_cast_or_null<clang::CXXDefaultInitExpr>(init))
        init = stated->getExpr();
      if (one->isMemberInitializer() && init != nullptr && !is_null(*init)) note(*one->getMember(), *init);
    }
  }
  void note_assigned(const clang::Expr& left, const clang::Expr& right) {
    const clang::Expr* all = collection_of_entry(left);
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(all != nullptr ? all : left.IgnoreParenImpCasts());
    const auto* field =
        member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (field == nullptr) return;
    const bool is_own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    if (is_constructor_ && is_own)
      note(*field, right);
    else
      found_[field->getCanonicalDecl()].reset();
  }
  void note(const clang::FieldDecl& field, const clang::Expr& value) {
    if (!keeps_places(field.getType()) && !collects_places(field.getType())) return;
    object_path container = paths_.container_of_place(value);
    if (collects_places(field.getType())) {
      const auto all = places_in(paths_, value);
      container = all.size() == 1 ? all.begin()->first : object_path();
    }
    const bool is_of_object = container.is_known() && llvm::isa<clang::CXXRecordDecl>(container.root);
    std::optional<member_place> one;
    if (is_of_object) one = member_place{&value, std::move(container.fields)};
    const auto [at, fresh] = found_.try_emplace(field.getCanonicalDecl(), one);
    const bool is_same =
        at->second.has_value() == one.has_value() && (!one || at->second->container == one->container);
    if (!fresh && !is_same) at->second.reset();
  }

  path_reader& paths_;
  std::map<const clang::FieldDecl*, std::optional<member_place>>& found_;
  bool is_constructor_ = false;
};

class kept_places_check {
 public:
  kept_places_check(const std::vector<const clang::FunctionDecl*>& functions, diagnostics& out)
      : events_(functions), out_(out) {
    member_reader reader(events_.paths(), members_);
    for (const clang::FunctionDecl* one : functions) reader.read(*one);
  }

  void check(const clang::FunctionDecl& function) {
    std::vector<driver_event> events = events_.of(function);
    add_members(events);
    drop_others(events);
    for (const driver_event& one : events) {
      if (one.kind == event_kind::makes && one.container.is_known()) check(one, events);
    }
  }

 private:
  /// Members that constructors set keep their places from the beginning, or from when the object is made.
  void add_members(std::vector<driver_event>& events) const {
    std::set<object_path> seen;
    std::vector<driver_event> added;
    for (const driver_event& one : events) {
      if (one.kind != event_kind::uses || one.place.fields.empty()) continue;
      const auto member = members_.find(one.place.fields.back());
      if (member == members_.end() || !member->second || !seen.insert(one.place).second) continue;
      driver_event made;
      made.kind = event_kind::makes;
      made.place = made.container = one.place;
      made.container.fields.pop_back();
      made.container.fields.insert(made.container.fields.end(), member->second->container.begin(),
                                   member->second->container.end());
      made.owner = one.owner;
      made.where = member->second->made;
      added.push_back(std::move(made));
    }
    events.insert(events.begin(), added.begin(), added.end());
  }

  /// Leaves the events that concern a place in a container, or a container with such a place.
  static void drop_others(std::vector<driver_event>& events) {
    std::set<object_path> places, containers;
    for (const driver_event& one : events) {
      if (one.kind != event_kind::makes || !one.container.is_known()) continue;
      places.insert(one.place);
      containers.insert(one.container);
    }
    std::erase_if(events, [&](const driver_event& one) {
      if (one.kind == event_kind::rebinds) return places.empty();
      if (one.kind != event_kind::loops) return places.count(one.place) == 0;
      return std::none_of(one.looped.begin(), one.looped.end(),
                          [&](const object_path& container) { return containers.count(container) != 0; });
    });
  }

  void check(const driver_event& made, const std::vector<driver_event>& events) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(made.owner);
    if (variable != nullptr && variable->getType()->isPointerType() &&
        events_.paths().is_passed_on(*variable))
      return;
    for (const driver_event& used : events) {
      if (used.kind != event_kind::uses || used.place != made.place) continue;
      if (is_stale(made, used, events)) return report(made, used);
    }
  }

  static bool is_stale(const driver_event& made, const driver_event& used,
                       const std::vector<driver_event>& events) {
    const auto is_remade_in = [&](unsigned id) {
      return std::any_of(events.begin(), events.end(), [&](const driver_event& other) {
        return replaces_place(other, made) && is_within(other, id);
      });
    };
    const bool is_last = std::none_of(events.begin(), events.end(), [&](const driver_event& other) {
      return replaces_place(other, made) && other.at > made.at && other.at < used.at;
    });
    if (!is_last || made.at > used.at || is_rebound(made, used, events)) return false;
    return std::any_of(events.begin(), events.end(), [&](const driver_event& loop) {
      if (loop.kind != event_kind::loops || loop.looped.count(made.container) == 0) return false;
      if (loop.at < made.at || ends_before(loop, used)) return false;
      for (const frame& around : loop.within) {
        if (around.repeats && around.id > made.at && is_within(used, around.id) && !is_remade_in(around.id))
          return true;
      }
      return used.at > loop.end && !are_alternatives(loop, used);
    });
  }

  /// Whether an event makes the place again, or the variable leads elsewhere since.
  static bool replaces_place(const driver_event& other, const driver_event& made) {
    return other.kind == event_kind::makes && other.place == made.place &&
           (other.replaced == replaces::all ||
            (other.replaced == replaces::same && other.container == made.container));
  }

  /// Whether the name of the container may mean another one at the use: after an assignment or a swap.
  static bool is_rebound(const driver_event& made, const driver_event& used,
                         const std::vector<driver_event>& events) {
    return std::any_of(events.begin(), events.end(), [&](const driver_event& other) {
      if (other.kind != event_kind::rebinds || !made.container.begins_with(other.place)) return false;
      const bool is_repeated =
          std::any_of(other.within.begin(), other.within.end(),
                      [&](const frame& around) { return around.repeats && is_within(used, around.id); });
      return is_repeated || (other.at > made.at && other.at < used.at);
    });
  }
  static bool is_within(const driver_event& one, unsigned id) {
    return std::any_of(one.within.begin(), one.within.end(),
                       [&](const frame& around) { return around.id == id; });
  }
  /// Whether the way from the loop to the use is cut: the branch with the loop ends in `return`, or the like.
  static bool ends_before(const driver_event& loop, const driver_event& used) {
    return std::any_of(loop.within.begin(), loop.within.end(), [&](const frame& around) {
      return around.leaves && std::none_of(used.within.begin(), used.within.end(), [&](const frame& other) {
               return other.id == around.id && other.branch == around.branch;
             });
    });
  }
  /// Whether they stand in different branches of an `if`, or below one `switch`, where only one of them may
  /// run.
  static bool are_alternatives(const driver_event& loop, const driver_event& used) {
    return std::any_of(loop.within.begin(), loop.within.end(), [&](const frame& around) {
      return std::any_of(used.within.begin(), used.within.end(), [&](const frame& other) {
        return other.id == around.id && (around.is_switch || other.branch != around.branch);
      });
    });
  }

  void report(const driver_event& made, const driver_event& used) {
    const clang::ASTContext& ast = out_.ast();
    const clang::SourceLocation where = made.where->getExprLoc();
    if (!reported_.insert(where).second) return;
    const auto* owner = llvm::cast<clang::NamedDecl>(made.owner);
    const unsigned line = ast.getSourceManager().getPresumedLineNumber(where);
    out_.report(refusal::kept_place, used.where->getExprLoc(),
                {owner->getNameAsString(), made.container.text(), std::to_string(line),
                 excerpt(ast, made.where->getSourceRange()).value_or("...")});
  }

  event_reader events_;
  diagnostics& out_;
  std::map<const clang::FieldDecl*, std::optional<member_place>> members_;
  std::set<clang::SourceLocation> reported_;
};

}  // namespace

void warn_of_kept_places(const std::vector<const clang::FunctionDecl*>& functions, diagnostics& out) {
  kept_places_check check(functions, out);
  for (const clang::FunctionDecl* one : functions) check.check(*one);
}

}  // namespace stradsap::pp
