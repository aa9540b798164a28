#include "analyze/pointers/offsets.hpp"

#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "analyze/code/control.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/index_loop.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/types.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/excerpt.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

// ---- text -----------------------------------------------------------------------------------------------

static std::string operand(const offset& one) { return one.is_compound ? "(" + one.text + ")" : one.text; }

static offset joined(const offset& a, const offset& b, std::string text) {
  offset made{std::move(text), std::nullopt, /*is_compound=*/true, a.parts};
  made.parts.insert(made.parts.end(), b.parts.begin(), b.parts.end());
  return made;
}

offset number(std::int64_t n) { return {std::to_string(n), std::pair{n, n}, /*is_compound=*/n < 0, {}}; }

/// Combines an interval and a number of any type; the number becomes an interval, so that interval arithmetic
/// applies.
static offset combined(const offset& a, const char* op, const offset& b) {
  return joined(a, b, operand(a) + " " + op + " " + operand(b));
}

static bool is_number(const offset& one) { return one.bounds && one.bounds->first == one.bounds->second; }

offset add(const offset& a, const offset& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (is_number(a) && is_number(b)) return number(a.bounds->first + b.bounds->first);
  offset made = combined(a, "+", b);
  if (a.bounds && b.bounds)
    made.bounds = {a.bounds->first + b.bounds->first, a.bounds->second + b.bounds->second};
  return made;
}

offset subtract(const offset& a, const offset& b) {
  if (b.is_zero()) return a;
  if (is_number(a) && is_number(b)) return number(a.bounds->first - b.bounds->first);
  offset made = combined(a, "-", b);
  if (a.bounds && b.bounds)
    made.bounds = {a.bounds->first - b.bounds->second, a.bounds->second - b.bounds->first};
  return made;
}

offset multiply(const offset& a, const offset& b) {
  if (a.is_zero() || b.is_zero()) return number(0);
  if (is_number(a) && a.bounds->first == 1) return b;
  if (is_number(b) && b.bounds->first == 1) return a;
  if (is_number(a) && is_number(b)) return number(a.bounds->first * b.bounds->first);
  offset made = combined(a, "*", b);
  if (a.bounds && b.bounds) {
    const auto corners = {a.bounds->first * b.bounds->first, a.bounds->first * b.bounds->second,
                          a.bounds->second * b.bounds->first, a.bounds->second * b.bounds->second};
    made.bounds = std::minmax(corners);
  }
  return made;
}

offset call_of(const char* function, const std::vector<offset>& arguments) {
  offset made{function, std::nullopt, false, {}};
  made.text += "(";
  for (const offset& one : arguments) {
    made.text += (&one == arguments.data() ? "" : ", ") + one.text;
    made.parts.insert(made.parts.end(), one.parts.begin(), one.parts.end());
  }
  made.text += ")";
  return made;
}

offset between(const offset& begin, const offset& end) {
  offset made = call_of(api::between, {begin, end});
  if (begin.bounds && end.bounds) made.bounds = {begin.bounds->first, end.bounds->second - 1};
  return made;
}

std::int64_t size_of_object(const clang::ASTContext& ast, clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isIncompleteType() || type->isFunctionType() || type->isDependentType()) return 1;
  return std::max<std::int64_t>(1, ast.getTypeSizeInChars(type).getQuantity());
}
std::int64_t size_of_target(const clang::ASTContext& ast, clang::QualType pointer) {
  return size_of_object(ast, pointer.getNonReferenceType()->getPointeeType());
}

// ---- positions --------------------------------------------------------------------------------------------

const clang::Stmt* offset_reader::lexically_above(const clang::Stmt* node) const {
  if (const clang::Stmt* above = code_.above(node)) return above;
  const clang::FunctionDecl* function = code_.function_of(node);
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (method == nullptr || method == &code_.body() || !method->getParent()->isLambda()) return nullptr;
  for (const clang::Expr* caller : code_.callers(method)) {
    if (llvm::isa<clang::LambdaExpr>(caller)) return caller;
  }
  return nullptr;
}

bool offset_reader::is_around(const clang::Stmt* outer, const clang::Stmt* node) const {
  while (node != nullptr && node != outer) node = lexically_above(node);
  return node != nullptr;
}

/// Whether all lambdas between the anchor and the scope of a variable capture it.
bool offset_reader::is_captured_up_to(const clang::ValueDecl& variable, const clang::Stmt* scope) const {
  for (const clang::Stmt* at = &anchor_; at != nullptr && at != scope; at = lexically_above(at)) {
    const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(at);
    if (lambda == nullptr || lambda->getCaptureDefault() != clang::LCD_None) continue;
    const bool captured =
        std::any_of(lambda->capture_begin(), lambda->capture_end(), [&](const clang::LambdaCapture& capture) {
          return capture.capturesVariable() && capture.getCapturedVar() == &variable;
        });
    if (!captured) return false;
  }
  return true;
}

bool offset_reader::is_shadowed(const clang::ValueDecl& variable) const {
  return std::any_of(code_.variables().begin(), code_.variables().end(), [&](const clang::VarDecl* other) {
    if (other == &variable || other->getName() != variable.getName()) return false;
    const clang::Stmt* declared = code_.declaration_of(other);
    return declared == nullptr ? code_.function_of(&anchor_) == other->getDeclContext()
                               : is_around(lexically_above(declared), &anchor_);
  });
}

/// Whether the anchor belongs to the variable's initialiser, or to an earlier one of the same declaration.
bool offset_reader::is_behind_in(const clang::Stmt& declaration, const clang::ValueDecl& variable) const {
  if (!is_around(&declaration, &anchor_)) return false;
  const auto* known = llvm::dyn_cast<clang::VarDecl>(&variable);
  const clang::Expr* made_from = known == nullptr ? nullptr : known->getInit();
  return made_from == nullptr || is_around(made_from, &anchor_) ||
         code_.parent(made_from).order > code_.parent(&anchor_).order;
}

bool offset_reader::is_visible(const clang::ValueDecl& variable) const {
  const auto* known = llvm::dyn_cast<clang::VarDecl>(&variable);
  if (variable.getName().empty() || is_shadowed(variable)) return false;
  const clang::SourceManager& sources = code_.ast().getSourceManager();
  if (known != nullptr && known->hasGlobalStorage() && !known->isStaticLocal()) {
    return sources.isBeforeInTranslationUnit(known->getFirstDecl()->getLocation(), anchor_.getExprLoc());
  }
  const clang::Stmt* declared = code_.declaration_of(&variable);
  if (declared != nullptr) {
    const clang::Stmt* scope = lexically_above(declared);
    return is_around(scope, &anchor_) && code_.parent(declared).order < code_.parent(&anchor_).order &&
           !is_behind_in(*declared, variable) && is_captured_up_to(variable, scope);
  }
  if (code_.declares(&variable) && llvm::isa<clang::ParmVarDecl>(variable)) {
    for (const clang::Stmt* at = &anchor_; at != nullptr; at = lexically_above(at)) {
      if (code_.function_of(at) == variable.getDeclContext()) return is_captured_up_to(variable, nullptr);
    }
    return false;
  }
  // captured by the body, or an init-capture of it
  for (const clang::Stmt* at = &anchor_; at != nullptr; at = lexically_above(at)) {
    if (code_.function_of(at) == &code_.body()) return is_captured_up_to(variable, nullptr);
  }
  return false;
}

// ---- unchanged values -------------------------------------------------------------------------------------

const clang::ForStmt* offset_reader::loop_of(const clang::VarDecl& index) const {
  const clang::Stmt* declared = code_.declaration_of(&index);
  const auto* loop =
      declared == nullptr ? nullptr : llvm::dyn_cast_or_null<clang::ForStmt>(code_.above(declared));
  return loop != nullptr && loop->getInit() == declared ? loop : nullptr;
}

/// Whether all holders of the pointer live within one round of a loop.
bool offset_reader::stays_within(const clang::Stmt& loop) const {
  return std::all_of(carriers_.begin(), carriers_.end(), [&](const clang::VarDecl* carrier) {
    const clang::Stmt* declared = code_.declaration_of(carrier);
    const bool in_head = declared != nullptr && code_.above(declared) == &loop;
    return declared == nullptr ? llvm::isa<clang::ParmVarDecl>(carrier)
                               : !in_head && is_around(&loop, declared);
  });
}

/// Whether the index of a loop around the anchor keeps its value: within one round of that loop.
bool offset_reader::keeps_its_value(const clang::VarDecl& index) const {
  const clang::ForStmt* loop = loop_of(index);
  return loop != nullptr && is_around(loop->getBody(), &anchor_) && index_loop_of(code_, *loop) &&
         stays_within(*loop);
}

/// Whether a variable has one value for all uses of the pointer. A loop makes its variables anew in each
/// round, and a later round may use the pointer.
bool offset_reader::is_of_one_round(const clang::ValueDecl& variable) const {
  const clang::Stmt* at = code_.declaration_of(&variable);
  for (at = at == nullptr ? nullptr : lexically_above(at); at != nullptr; at = lexically_above(at)) {
    if (is_loop(*at)) return stays_within(*at);
  }
  return true;
}

bool offset_reader::is_unchanged(const clang::ValueDecl& variable) {
  const auto* local = llvm::dyn_cast<clang::VarDecl>(&variable);
  if (local != nullptr && keeps_its_value(*local)) return true;
  return (use_reader(code_).bits_of_variable(variable) & use_write) == 0;
}

bool offset_reader::is_plain_name(const clang::DeclRefExpr& name) {
  const clang::ValueDecl& declared = *name.getDecl();
  if (llvm::isa<clang::FunctionDecl, clang::EnumConstantDecl>(declared)) return true;
  if (is_container(declared.getType()) && code_.declares(&declared)) return false;
  if (!is_visible(declared) || !is_unchanged(declared) || !is_of_one_round(declared)) return false;
  if (!declared.getType()->isReferenceType() && !llvm::isa<clang::BindingDecl>(declared)) return true;
  return is_of_unchanged(name);
}

/// Whether the object behind the expression has the same value during the whole iteration.
bool offset_reader::is_of_unchanged(const clang::Expr& e) {
  const origins reached = depends_.storage(e);
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  return std::all_of(reached.begin(), reached.end(), [&](const clang::ValueDecl* variable) {
    if (variable == nullptr) return false;
    if (is_container(variable->getType())) return is_read_only_(variable);
    return (name != nullptr && variable == name->getDecl()) || is_unchanged(*variable);
  });
}

bool offset_reader::is_plain_call(const clang::Expr& call) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr || !is_pure(*callee)) return false;
  const clang::Expr* object = object_of(call);
  if (object != nullptr && is_view(object->getType()) && call.isGLValue()) return is_of_unchanged(call);
  if (object == nullptr || !is_container(object->getType())) return true;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&bare(*object));
  if (name == nullptr) return false;
  const bool asks_for_size = callee->getIdentifier() != nullptr && callee->getName() == "size";
  return asks_for_size || is_read_only_(name->getDecl());
}

/// Whether the text has the same value at the anchor as at its own position.
bool offset_reader::is_plain(const clang::Stmt& node) {
  if (llvm::isa<clang::SubstNonTypeTemplateParmExpr, clang::UnaryExprOrTypeTraitExpr>(node))
    return is_of_anchors_function(node);
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) return is_plain_name(*name);
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    if (op->isAssignmentOp()) return false;
  }
  if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    const auto kind = step->getOpcode();
    if (step->isIncrementDecrementOp() || kind == clang::UO_Deref || kind == clang::UO_AddrOf) return false;
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
    if (member->isArrow() && !llvm::isa<clang::CXXThisExpr>(bare(*member->getBase()))) return false;
  }
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
    if (!is_of_unchanged(*subscript)) return false;
  }
  if (llvm::isa<clang::CXXThisExpr>(node)) return code_.function_of(&node) == code_.function_of(&anchor_);
  if (llvm::isa<clang::LambdaExpr, clang::CXXNewExpr, clang::CXXThrowExpr, clang::StmtExpr>(node))
    return false;
  if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(node)) {
    if (!is_plain_call(llvm::cast<clang::Expr>(node))) return false;
  }
  return std::all_of(node.child_begin(), node.child_end(),
                     [&](const clang::Stmt* child) { return child == nullptr || is_plain(*child); });
}

// ---- values -----------------------------------------------------------------------------------------------

offset offset_reader::of_plain(const clang::Expr& e) {
  const std::optional<std::string> text = excerpt(code_.ast(), e.getSourceRange());
  if (!text || !is_plain(e)) throw unbounded{&e, "its offset is not known where it is made"};
  const bool is_name =
      llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::SubstNonTypeTemplateParmExpr>(
          *e.IgnoreParens());
  return {*text, std::nullopt, !is_name, {&e}};
}

/// The anchor's function has returned to a call: a parameter of it in place of the equal argument.
std::optional<offset> offset_reader::of_argument(const clang::Expr& e) {
  if (returned_to_.empty() || !is_plain_here(e)) return std::nullopt;
  const clang::Expr& call = *returned_to_.front();
  const clang::FunctionDecl* callee = visible_definition(callee_of(call));
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  for (unsigned i = 0;
       callee != nullptr && i < std::min<std::size_t>(arguments.size(), callee->getNumParams()); ++i) {
    const clang::ParmVarDecl& parameter = *callee->getParamDecl(i);
    const bool same = parameter.getType().getNonReferenceType()->isIntegralOrEnumerationType() &&
                      are_same(code_.ast(), *arguments[i]->IgnoreParenCasts(), *e.IgnoreParenCasts());
    if (same && is_visible(parameter) && is_unchanged(parameter))
      return offset{parameter.getNameAsString(), std::nullopt, false, {}};
  }
  return std::nullopt;
}

/// Whether a variable, or a member of one, is unchanged from the call to this position.
bool offset_reader::is_plain_here(const clang::Expr& e) {
  const clang::Expr* at = e.IgnoreParenCasts();
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
    if (member->isArrow()) return false;
    at = member->getBase()->IgnoreParenCasts();
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return name != nullptr && !name->getDecl()->getType()->isReferenceType() &&
         is_unchanged(*name->getDecl()) && is_of_one_round(*name->getDecl());
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
  if (parameter != nullptr && is_unchanged(*parameter)) {
    if (const std::optional<offset> given = given_to(*parameter, path)) return *given;
  }
  const clang::ForStmt* loop = loop_of(*variable);
  if (loop != nullptr && !keeps_its_value(*variable) && index_loop_of(code_, *loop))
    return of_index(*loop, path);
  if (is_plain(name)) return of_plain(name);
  if (const auto counted = counted_variable_of(code_, *variable)) return of_counted(*counted, name, path);
  // a local declared after the anchor, or in a called function: follow its initialiser
  const bool local = code_.declaration_of(variable) != nullptr && variable->getInit() != nullptr;
  if (local && variable->getType()->isIntegerType() && is_unchanged(*variable))
    return of(*variable->getInit(), path);
  throw unbounded{&name, "its offset is not known where it is made"};
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
  if (found->counts_up) return of_narrow(*found, between(start, end_of(*found, path)), path);
  const offset one = number(1);
  if (found->steps_in_condition) return of_narrow(*found, between(bound, start), path);
  return of_narrow(*found, between(found->is_inclusive ? bound : add(bound, one), add(start, one)), path);
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
  for (const clang::Stmt* at = lexically_above(&loop); at != nullptr; at = lexically_above(at)) {
    if (declared != nullptr && is_around(at, declared)) return false;
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
  if (bits >= code_.ast().getTypeSize(from.getType()) || is_number(value)) return value;
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

/// Whether the anchor belongs to the same function, so that template parameters have the same names.
bool offset_reader::is_of_anchors_function(const clang::Stmt& node) const {
  const clang::FunctionDecl* function = code_.function_of(&node);
  for (const clang::Stmt* at = &anchor_; at != nullptr; at = lexically_above(at)) {
    if (code_.function_of(at) == function) return true;
  }
  return false;
}

offset offset_reader::of(const clang::Expr& e, const call_path& path) {
  const clang::Expr* at = e.IgnoreParens();
  const std::optional<offset> known = constant(*at);
  if (known && !differs_by_instance(*at)) return *known;
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
  if (chooses && !is_plain(*call))
    return call_of(api::hull, {of(*call->getArg(0), path), of(*call->getArg(1), path)});
  return of_plain(*at);
}

}  // namespace stradsap::pp
