#include "analyze/access/element_names.hpp"

#include <set>
#include <utility>

#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/matrix_folds.hpp"
#include "analyze/code/returned_places.hpp"
#include "analyze/code/types.hpp"

namespace stradsap::pp {

/// The element that a pointer or span designates: `row[k]`, `*row`, `row->count`; null in another use.
static const clang::Expr* element_at(const region& code, const clang::Expr& use) {
  const clang::Stmt* part = &use;
  const clang::Stmt* above = code.above(part);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr, clang::MaterializeTemporaryExpr>(above)) {
    part = above;
    above = code.above(part);
  }
  const auto* found = llvm::dyn_cast_or_null<clang::Expr>(above);
  const auto* subscript = llvm::dyn_cast_or_null<clang::ArraySubscriptExpr>(found);
  const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(found);
  const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(found);
  const bool is_element = (subscript != nullptr && subscript->getBase() == part) ||
                          (step != nullptr && step->getOpcode() == clang::UO_Deref) ||
                          (member != nullptr && member->isArrow()) ||
                          (found != nullptr && is_subscript_of_span(*found) && object_of(*found) == part);
  return is_element ? found : nullptr;
}

/// Whether a span is only asked for its size.
static bool asks_size(const region& code, const clang::Expr& use) {
  const clang::Stmt* above = code.above(&use);
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr>(above)) above = code.above(above);
  const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
  return member != nullptr && !member->isArrow() && member->getMemberDecl()->getNameAsString() == "size";
}

/// The elements that all uses of a pointer or span designate. Null among them if it is used in another way.
static std::vector<const clang::Expr*> elements_at(const region& code, const clang::VarDecl& row) {
  std::vector<const clang::Expr*> elements;
  for (const clang::Expr* use : code.uses(&row)) {
    if (!asks_size(code, *use)) elements.push_back(element_at(code, *use));
  }
  return elements;
}

const clang::UnaryOperator* address_of(const region& code, const clang::Expr& call) {
  const auto* op = llvm::dyn_cast_or_null<clang::UnaryOperator>(code.above(&call));
  return op != nullptr && op->getOpcode() == clang::UO_AddrOf ? op : nullptr;
}

/// The variable that is bound to an expression; null if there is none.
static const clang::VarDecl* bound_to(const region& code, const clang::Expr& e) {
  const clang::Stmt* part = &e;
  while (code.parent(part).variable == nullptr &&
         llvm::isa_and_nonnull<clang::FullExpr>(code.parent(part).statement)) {
    part = code.parent(part).statement;
  }
  return code.parent(part).variable;
}

/// `std::span<float>(row, n)`: the row is its first argument.
static bool is_span_of(const clang::Expr& above, const clang::Expr& row) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&above);
  return made != nullptr && is_view(made->getType()) && made->getNumArgs() > 0 && made->getArg(0) == &row;
}

/// The pointer or span that the access makes: `&X[i]`, `X.data() + i`, `X.span(i, n)`; null if it makes none.
static const clang::Expr* row_from(const region& code, const clang::Expr& call) {
  const clang::Expr* row = address_of(code, call);
  if (row == nullptr && (is_view(call.getType()) || call.getType()->isPointerType())) row = &call;
  while (row != nullptr) {
    const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code.above(row));
    const auto* sum = llvm::dyn_cast_or_null<clang::BinaryOperator>(above);
    const bool is_moved = sum != nullptr && sum->isAdditiveOp() && sum->getType()->isPointerType();
    const bool is_same = llvm::isa_and_nonnull<clang::ParenExpr>(above);
    if (!is_moved && !is_same && (above == nullptr || !is_span_of(*above, *row))) break;
    row = above;
  }
  return row;
}

std::vector<const clang::Expr*> names_at(const region& code, const clang::Expr& call) {
  const clang::Expr* row = row_from(code, call);
  const clang::VarDecl* alias = bound_to(code, row != nullptr ? *row : call);
  if (row != nullptr && alias != nullptr) return elements_at(code, *alias);
  if (row != nullptr) {
    const std::vector<const clang::Expr*> maps = uses_of_map_at(code, *row);
    return maps.empty() ? std::vector<const clang::Expr*>{element_at(code, *row)} : maps;
  }
  if (alias == nullptr) return {&call};
  const bool plain = alias->getType()->isReferenceType() && !llvm::isa<clang::DecompositionDecl>(alias);
  return plain ? code.uses(alias) : std::vector<const clang::Expr*>{nullptr};
}

namespace {

/// Follows a place into functions in sight.
class name_finder {
 public:
  explicit name_finder(const region& code) : code_(code), forms_(code) {}

  void add_place(const clang::Expr& place) {
    for (const clang::Expr* user : users_of_place(code_, place)) {
      if (user == nullptr) {
        found_.push_back(nullptr);
      } else if (!forms_.is_dropped(*user)) {
        add_user(*user);
      }
    }
  }
  [[nodiscard]] std::vector<const clang::Expr*> take() { return std::move(found_); }

 private:
  void add_user(const clang::Expr& place) {
    const clang::Expr* row = row_from(code_, place);
    const clang::Expr& part = row != nullptr ? *row : place;
    const clang::VarDecl* alias = bound_to(code_, part);
    if (const clang::ParmVarDecl* parameter = parameter_of(part)) {
      add_variable(*parameter);
    } else if (const clang::FunctionDecl* method = method_on(part)) {
      add_object_of(*method);
    } else if (const clang::CXXForRangeStmt* loop = alias == nullptr ? nullptr : loop_over(code_, *alias)) {
      add_entries(*loop, part);
    } else if (alias != nullptr && !llvm::isa<clang::DecompositionDecl>(alias)) {
      add_variable(*alias);
    } else {
      for (const clang::Expr* name : names_at(code_, place)) found_.push_back(name);
    }
  }

  /// The uses of a reference, a pointer or a span.
  void add_variable(const clang::VarDecl& variable) {
    const bool is_reference = variable.getType()->isReferenceType();
    if (!is_reference && !variable.getType()->isPointerType() && !is_view(variable.getType()))
      return found_.push_back(nullptr);
    if (!open_.insert(&variable).second) return;
    for (const clang::Expr* use : code_.uses(&variable)) {
      if (is_reference) {
        add_place(*use);
      } else if (!asks_size(code_, *use)) {
        add_pointer(*use);
      }
    }
  }
  /// The entries of an element, or of a span, by a reference; a copy reads the whole.
  void add_entries(const clang::CXXForRangeStmt& loop, const clang::Expr& whole) {
    const clang::VarDecl& entry = *loop.getLoopVariable();
    if (llvm::isa<clang::DecompositionDecl>(entry)) return found_.push_back(nullptr);
    entry.getType()->isReferenceType() ? add_variable(entry) : found_.push_back(&whole);
  }
  void add_pointer(const clang::Expr& use) {
    if (const clang::ParmVarDecl* parameter = parameter_of(use)) return add_variable(*parameter);
    const clang::VarDecl* alias = bound_to(code_, use);
    if (const clang::CXXForRangeStmt* loop = alias == nullptr ? nullptr : loop_over(code_, *alias))
      return add_entries(*loop, use);
    const clang::Expr* element = element_at(code_, use);
    element != nullptr ? add_place(*element) : found_.push_back(nullptr);
  }

  /// The uses of the object's members in a method.
  void add_object_of(const clang::FunctionDecl& method) {
    if (!open_.insert(&method).second) return;
    for (const clang::CXXThisExpr* use : code_.this_uses()) {
      if (!code_.is_around(method.getBody(), use)) continue;
      const clang::Expr& self = without_casts(*use);
      const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code_.parent(&self).statement);
      const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(above);
      const bool is_whole = step != nullptr && step->getOpcode() == clang::UO_Deref;
      const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(above);
      if (code_.function_of(use) != &method || (member == nullptr && !is_whole)) {
        found_.push_back(nullptr);
      } else if (const clang::FunctionDecl* next = member != nullptr ? method_on(self) : nullptr) {
        add_object_of(*next);
      } else {
        add_place(*above);
      }
    }
  }

  /// The widest expression that designates the same place.
  [[nodiscard]] const clang::Expr& without_casts(const clang::Expr& part) const {
    const clang::Expr* same = &part;
    while (code_.parent(same).variable == nullptr) {
      const auto* above = llvm::dyn_cast_or_null<clang::Expr>(code_.above(same));
      const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(above);
      const bool is_of_pointer = cast != nullptr && cast->getType()->isPointerType() &&
                                 cast->getCastKind() == clang::CK_LValueToRValue;
      const bool is_same = cast != nullptr && (cast->getCastKind() == clang::CK_NoOp || is_of_pointer ||
                                               cast->getCastKind() == clang::CK_DerivedToBase ||
                                               cast->getCastKind() == clang::CK_UncheckedDerivedToBase);
      if (!is_same && !llvm::isa_and_nonnull<clang::ParenExpr>(above)) break;
      same = above;
    }
    return *same;
  }
  /// The parameter by which a function in sight gets the place; null if none does.
  [[nodiscard]] const clang::ParmVarDecl* parameter_of(const clang::Expr& place) const {
    const clang::Expr& part = without_casts(place);
    const auto* call = llvm::dyn_cast_or_null<clang::Expr>(code_.parent(&part).statement);
    const clang::FunctionDecl* function = call == nullptr ? nullptr : code_.in_sight(callee_of(*call));
    if (function == nullptr) return nullptr;
    const std::vector<const clang::Expr*> arguments = arguments_of(*call);
    for (unsigned i = 0; i < arguments.size() && i < function->getNumParams(); ++i) {
      if (arguments[i] == &part) return function->getParamDecl(i);
    }
    return nullptr;
  }
  /// The method in sight that has the place as its object; null if there is none.
  [[nodiscard]] const clang::FunctionDecl* method_on(const clang::Expr& place) const {
    const clang::Expr& part = without_casts(place);
    const auto* call = llvm::dyn_cast_or_null<clang::Expr>(code_.parent(&part).statement);
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(call);
    if (member != nullptr) call = llvm::dyn_cast_or_null<clang::Expr>(code_.parent(member).statement);
    return call != nullptr && object_of(*call) == &part ? code_.in_sight(callee_of(*call)) : nullptr;
  }

  const region& code_;
  const fold_reader forms_;
  std::set<const clang::Decl*> open_;  // variables and methods
  std::vector<const clang::Expr*> found_;
};

}  // namespace

std::vector<const clang::Expr*> names_of(const region& code, const clang::Expr& call) {
  name_finder names(code);
  names.add_place(call);
  return names.take();
}

}  // namespace stradsap::pp
