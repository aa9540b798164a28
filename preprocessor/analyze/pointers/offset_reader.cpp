#include "analyze/pointers/offset_reader.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "analyze/code/captured_objects.hpp"
#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/function_copies.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether a number comes from a call or an element, not from names alone.
static bool is_of_data(const clang::Stmt& number) {
  return llvm::isa<clang::CallExpr, clang::ArraySubscriptExpr>(number) ||
         std::any_of(number.child_begin(), number.child_end(),
                     [](const clang::Stmt* child) { return child != nullptr && is_of_data(*child); });
}

static unbounded unknown_there(const clang::Expr& e, const std::optional<std::string>& text) {
  if (!text) return {&e, "its offset is not known where it is made", /*is_offset=*/true};
  const bool decides = is_of_data(e);
  return {&e, (decides ? "data decide it: `" : "`") + *text + "` is not known where the pointer is made",
          /*is_offset=*/true};
}

offset offset_reader::of_plain(const clang::Expr& e) {
  const std::optional<std::string> text = excerpt(code_.ast(), e.getSourceRange());
  if (!text || !available_.is_available(e)) throw unknown_there(e, text);
  const bool is_name =
      llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::SubstNonTypeTemplateParmExpr>(
          *e.IgnoreParens());
  return {*text, std::nullopt, !is_name, {&e}, /*is_exact=*/true};
}

/// The anchor's function has returned to a call: a parameter of it in place of the equal argument.
std::optional<offset> offset_reader::of_argument(const clang::Expr& e) {
  if (returned_to_.empty() || !available_.is_unchanged(e)) return std::nullopt;
  const clang::Expr& call = *returned_to_.front();
  const clang::FunctionDecl* callee = visible_definition(callee_of(call));
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  for (unsigned i = 0;
       callee != nullptr && i < std::min<std::size_t>(arguments.size(), callee->getNumParams()); ++i) {
    const clang::ParmVarDecl& parameter = *callee->getParamDecl(i);
    const bool same = parameter.getType().getNonReferenceType()->isIntegralOrEnumerationType() &&
                      are_same(code_.ast(), *arguments[i]->IgnoreParenCasts(), *e.IgnoreParenCasts());
    if (same && available_.is_visible(parameter) && available_.is_unchanged(parameter))
      return offset{parameter.getNameAsString(), std::nullopt, false, {}, /*is_exact=*/true};
  }
  return std::nullopt;
}

/// The argument for a parameter in the calls on the path.
std::optional<offset> offset_reader::given_to(const clang::ParmVarDecl& parameter, const call_path& path) {
  for (std::size_t depth = path.size(); depth-- > 0;) {
    const clang::FunctionDecl* callee = visible_definition(callee_of(*path[depth]));
    if (callee == nullptr || callee != parameter.getDeclContext()) continue;
    const std::vector<const clang::Expr*> arguments = arguments_of(*path[depth]);
    const unsigned i = parameter.getFunctionScopeIndex();
    if (i >= arguments.size()) return std::nullopt;
    return of(*arguments[i], call_path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)));
  }
  return std::nullopt;
}

offset offset_reader::of_name(const clang::DeclRefExpr& name, const call_path& path) {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (variable == nullptr || std::find(open_.begin(), open_.end(), variable) != open_.end())
    return of_plain(name);
  open_.push_back(variable);
  struct closing {
    std::vector<const clang::ValueDecl*>& open;
    ~closing() { open.pop_back(); }
  } const close{open_};
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable);
  if (parameter != nullptr && available_.is_unchanged(*parameter)) {
    if (const std::optional<offset> given = given_to(*parameter, path)) return *given;
  }
  const clang::ForStmt* loop = loop_declaring(code_, *variable);
  if (loop != nullptr && !available_.keeps_its_value(*variable) && index_loop_of(code_, *loop))
    return of_index(*loop, path);
  if (available_.is_available(name)) return of_plain(name);
  if (const auto member = available_.member_at_anchor(name, returned_to_))
    return {*member, std::nullopt, /*is_compound=*/false, {&name}, /*is_exact=*/true};
  if (const auto counted = counted_variable_of(code_, *variable)) return of_counted(*counted, name, path);
  // a local declared after the anchor, or in a called function: follow its initialiser
  const bool local = code_.declaration_of(variable) != nullptr && variable->getInit() != nullptr;
  if (local && variable->getType()->isIntegerType() && available_.is_unchanged(*variable))
    return of(*variable->getInit(), path);
  if (is_member_of_object(name) && !returned_to_.empty()) {
    const std::string text =
        excerpt(code_.ast(), name.getSourceRange()).value_or(variable->getNameAsString());
    throw unbounded{&name, "`" + text + "` has no known name or value in the function that makes it"};
  }
  throw unknown_there(name, excerpt(code_.ast(), name.getSourceRange()));
}

/// The name of a type: `unsigned char`.
static std::string spelled(const clang::ASTContext& ast, clang::QualType type) {
  return type.getCanonicalType().getUnqualifiedType().getAsString(ast.getPrintingPolicy());
}
static std::string for_type(const char* function, const clang::ASTContext& ast, clang::QualType type) {
  return std::string(function) + "<" + spelled(ast, type) + ">";
}

/// The values of an index with `k != bound`: it may reach the bound, or miss it, from the other side.
offset offset_reader::of_meeting(const index_loop& found, const offset& start, const offset& bound,
                                 const call_path& path) {
  const offset by = found.by == nullptr ? number(1) : of(*found.by, path);
  const offset step = found.counts_up ? by : subtract(number(0), by);
  const offset& low = found.counts_up ? start : bound;
  const offset& high = found.counts_up ? bound : start;
  const bool is_known =
      by.text == "1" && low.bounds && high.bounds && low.bounds->second <= high.bounds->first;
  const offset one = number(found.counts_up ? 0 : 1);
  const offset values = is_known ? between(add(low, one), add(high, one))
                                 : call_of(for_type(api::until, code_.ast(), found.index->getType()).c_str(),
                                           {start, bound, step});
  return found.steps_in_condition ? subtract(values, number(1)) : values;
}

/// The values of an index of a narrow type: arithmetic beyond its range is defined and wraps.
offset offset_reader::of_narrow(const index_loop& found, const offset& values, const call_path& path) {
  const clang::ASTContext& ast = code_.ast();
  const clang::QualType type = found.index->getType();
  if (ast.getTypeSize(type) >= ast.getTypeSize(ast.IntTy) || type->isEnumeralType()) return values;
  const offset by = found.by == nullptr ? number(found.steps_in_condition ? 0 : 1) : of(*found.by, path);
  if (values.bounds && by.bounds) {
    const auto bits = static_cast<unsigned>(ast.getTypeSize(type));
    const std::int64_t far = by.bounds->second;
    const bool has_sign = type->isSignedIntegerType();
    const std::int64_t most = (std::int64_t{1} << (bits - (has_sign ? 1 : 0))) - 1;
    const std::int64_t least = has_sign ? -most - 1 : 0;
    if (values.bounds->first - (found.counts_up ? 0 : far) >= least &&
        values.bounds->second + (found.counts_up ? far : 0) <= most)
      return values;
  }
  const offset step = found.counts_up ? by : subtract(number(0), by);
  return call_of(for_type(api::counted, ast, type).c_str(), {values, step});
}

static bool subtracts(const clang::Stmt& node) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node);
  return (op != nullptr && op->getOpcode() == clang::BO_Sub) ||
         std::any_of(node.child_begin(), node.child_end(),
                     [](const clang::Stmt* child) { return child != nullptr && subtracts(*child); });
}

/// A bound as an index is compared with it: `n - 1` without a sign may be far.
static offset compared(const offset& bound, const clang::Expr& text, bool ignores_signs) {
  const bool has_sign = !bound.bounds || bound.bounds->first < 0;
  return ignores_signs && has_sign && subtracts(text) ? call_of(api::without_sign, {bound}) : bound;
}

offset offset_reader::end_of(const index_bound& found, const call_path& path) {
  const std::int64_t beyond = (found.is_inclusive ? 1 : 0) - found.ahead;
  const offset bound = compared(of(*found.bound, path), *found.bound, found.ignores_signs);
  if (beyond < 0) return subtract(bound, number(-beyond));
  return beyond == 0 ? bound : add(bound, number(beyond));
}

offset offset_reader::of_index(const clang::ForStmt& loop, const call_path& path) {
  const std::optional<index_loop> found = index_loop_of(code_, loop);
  if (!found) throw unbounded{nullptr, "a loop does not count its index to a bound"};
  const offset start = of(*found->start, path);
  const offset bound = found->bound == nullptr ? number(0) : of(*found->bound, path);
  if (found->waits_to_meet) return of_meeting(*found, start, bound, path);
  const offset one = number(1);
  offset begin = start;
  offset end = add(start, one);
  if (found->counts_up) {
    end = end_of(*found, path);
  } else if (found->steps_in_condition) {
    begin = bound;
    end = start;
  } else {
    begin = found->is_inclusive ? bound : add(bound, one);
  }
  offset values = between(begin, end);
  const bool tests_alone = loop.getCond()->IgnoreParenImpCasts() == found->test->IgnoreParenImpCasts();
  values.is_exact = begin.is_exact && end.is_exact && begin.indices.empty() && end.indices.empty() &&
                    found->by == nullptr && tests_alone;
  values.indices = {found->index};
  return of_narrow(*found, values, path);
}

offset offset_reader::of_counted(const counted_variable& found, const clang::Expr& use,
                                 const call_path& path) {
  const offset start = of(*found.start, path);
  std::vector<offset> all{start};
  for (const counting& one : found.loops) {
    const offset end = end_of(one, path);
    if (one.is_in_round(code_, use)) return between(start, end);
    all.push_back(between(start, add(end, one.by == nullptr ? number(1) : of(*one.by, path))));
  }
  return call_of(api::hull, all);
}

/// The value of a variable before a loop, if only the loop changes it.
offset offset_reader::of_start(const clang::VarDecl& variable, const clang::Stmt& loop,
                               const call_path& path) {
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable);
  if (parameter != nullptr) {
    if (const std::optional<offset> given = given_to(*parameter, path)) return *given;
  } else if (variable.getInit() != nullptr && !is_repeated_since(variable, loop)) {
    return of(*variable.getInit(), path);
  }
  throw unbounded{nullptr, "a loop does not count its index to a bound"};
}

/// Whether a loop may start again during a variable's life.
bool offset_reader::is_repeated_since(const clang::VarDecl& variable, const clang::Stmt& loop) const {
  const clang::Stmt* declared = code_.declaration_of(&variable);
  for (const clang::Stmt* at = code_.lexically_above(&loop); at != nullptr; at = code_.lexically_above(at)) {
    if (declared != nullptr && code_.is_around(at, declared)) return false;
    if (is_loop(*at)) return true;
  }
  return false;
}

offset offset_reader::of_rounds(const clang::Stmt& loop, const call_path& path) {
  const auto* plain = llvm::dyn_cast<clang::ForStmt>(&loop);
  if (plain != nullptr && index_loop_of(code_, *plain)) {
    offset values = of_index(*plain, path);
    const bool steps_over =
        values.text.rfind(api::until, 0) == 0 && index_loop_of(code_, *plain)->by != nullptr;
    if (steps_over || values.text.rfind(api::counted, 0) == 0)
      throw unbounded{nullptr, "it moves in a loop whose index may wrap"};
    return values;
  }
  if (const auto counted = counted_by(code_, loop))
    return between(of(*counted->start, path), end_of(counted->loops.front(), path));
  const clang::VarDecl* counter = counter_of(code_, loop);
  if (counter == nullptr)
    throw unbounded{nullptr, "it moves in a loop that does not count its index to a bound"};
  return between(number(0), of_start(*counter, loop, path));
}

offset offset_reader::of_cast(const clang::CastExpr& cast, const call_path& path) {
  const clang::Expr& from = *cast.getSubExpr();
  if (cast.getCastKind() == clang::CK_LValueToRValue || cast.getCastKind() == clang::CK_NoOp)
    return of(from, path);
  if (cast.getCastKind() != clang::CK_IntegralCast) {
    offset value = of_plain(cast);
    if (llvm::isa<clang::ImplicitCastExpr>(cast))  // the text is that of the operand
      value.text = for_type("static_cast", code_.ast(), cast.getType()) + "(" + value.text + ")";
    return value;
  }
  const offset value = of(from, path);
  const std::uint64_t bits = code_.ast().getTypeSize(cast.getType());
  if (bits >= code_.ast().getTypeSize(from.getType()) || value.is_number()) return value;
  return call_of(for_type(api::narrowed, code_.ast(), cast.getType()).c_str(), {value});
}

offset offset_reader::of_operator(const clang::BinaryOperator& op, const call_path& path) {
  switch (op.getOpcode()) {
    case clang::BO_Add:
      return add(of(*op.getLHS(), path), of(*op.getRHS(), path));
    case clang::BO_Comma:
      return of(*op.getRHS(), path);
    case clang::BO_Sub:
      return subtract(of(*op.getLHS(), path), of(*op.getRHS(), path));
    case clang::BO_Mul:
      return multiply(of(*op.getLHS(), path), of(*op.getRHS(), path));
    case clang::BO_Div:
    case clang::BO_Rem:
    case clang::BO_Shl:
    case clang::BO_Shr:
    case clang::BO_And: {
      const std::string text(op.getOpcodeStr());
      // use interval arithmetic for all operands
      const offset left = call_of(api::interval, {of(*op.getLHS(), path)});
      return combined(left, text.c_str(), of(*op.getRHS(), path));
    }
    default:
      return of_plain(op);
  }
}

std::optional<offset> offset_reader::constant(const clang::Expr& e) const {
  clang::Expr::EvalResult known;
  if (e.isValueDependent() || !e.getType()->isIntegralOrEnumerationType()) return std::nullopt;
  if (!e.EvaluateAsInt(known, code_.ast()) || !known.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return number(known.Val.getInt().getExtValue());
}

/// Whether a constant may differ between instances of the template, which share one text.
static bool differs_by_instance(const clang::Stmt& node) {
  if (llvm::isa<clang::SubstNonTypeTemplateParmExpr, clang::UnaryExprOrTypeTraitExpr>(node)) return true;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable != nullptr && !variable->hasGlobalStorage() && variable->getInit() != nullptr)
      return differs_by_instance(*variable->getInit());
  }
  return std::any_of(node.child_begin(), node.child_end(), [](const clang::Stmt* child) {
    return child != nullptr && differs_by_instance(*child);
  });
}

offset offset_reader::of(const clang::Expr& e, const call_path& path) {
  const clang::Expr* at = e.IgnoreParens();
  const std::optional<offset> known = constant(*at);
  const auto has_instances = [&] {
    return is_in_instance(&code_.body()) || is_in_instance(code_.function_of(at));
  };
  if (known && (!differs_by_instance(*at) || !has_instances())) return *known;
  if (known) {
    try {
      return of_part(*at, path);
    } catch (const unbounded&) {
      return *known;  // instances have different numbers; the text must cover each
    }
  }
  return of_part(*at, path);
}

offset offset_reader::of_part(const clang::Expr& e, const call_path& path) {
  const clang::Expr* at = &e;
  if (const auto known = known_.find(at); known != known_.end()) return known->second;
  if (const std::optional<offset> argument = of_argument(*at)) return *argument;
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(at)) return of(*full->getSubExpr(), path);
  if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(at))
    return of(*temporary->getSubExpr(), path);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) return of_cast(*cast, path);
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at)) return of_name(*name, path);
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(at)) return of_operator(*op, path);
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(at))
    return call_of(api::hull, {of(*choice->getTrueExpr(), path), of(*choice->getFalseExpr(), path)});
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(at)) {
    if (step->getOpcode() == clang::UO_Minus) return subtract(number(0), of(*step->getSubExpr(), path));
    if (step->getOpcode() == clang::UO_Plus) return of(*step->getSubExpr(), path);
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(at);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  const bool chooses = callee != nullptr && callee->getIdentifier() != nullptr && is_in_std(*callee) &&
                       (callee->getName() == "min" || callee->getName() == "max") && call->getNumArgs() == 2;
  if (chooses && !available_.is_available(*call))
    return call_of(api::hull, {of(*call->getArg(0), path), of(*call->getArg(1), path)});
  return of_plain(*at);
}

}  // namespace stradsap::pp
