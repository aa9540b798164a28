#include "analyze/code/known_functions.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "analyze/code/region.hpp"
#include "analyze/code/types.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

/// Whether the function's result depends on more than its arguments, as for some of the standard library's.
static bool is_impure_name(llvm::StringRef name) {
  static constexpr llvm::StringLiteral impure[] = {"now",
                                                   "rand",
                                                   "random",
                                                   "drand48",
                                                   "lrand48",
                                                   "mrand48",
                                                   "time",
                                                   "clock",
                                                   "getenv",
                                                   "get_id",
                                                   "Random",
                                                   "setRandom",
                                                   "getpid",
                                                   "system",
                                                   "fork",
                                                   "random_shuffle",
                                                   "hardware_concurrency"};
  return std::find(std::begin(impure), std::end(impure), name) != std::end(impure) ||
         name.contains("rdtsc") || name.contains("rdrand") || name.contains("cyclecounter");
}

bool is_random(const clang::ValueDecl* function) {
  if (!llvm::isa_and_nonnull<clang::FunctionDecl>(function) || !is_in_api(*function)) return false;
  return function->getIdentifier() != nullptr && function->getName() == api::random;
}

/// Whether the function draws from a stream: it changes this stream and nothing else.
static bool belongs_to_stream(const clang::CXXMethodDecl& method) {
  const clang::CXXRecordDecl& owner = *method.getParent();
  return is_in_api(owner) && owner.getIdentifier() != nullptr && owner.getName() == api::random_stream;
}

bool is_unrepeatable(const clang::FunctionDecl& function) {
  if (is_users(function) || is_in_api(function)) return false;
  const clang::IdentifierInfo* name = function.getIdentifier();
  if (name != nullptr && is_impure_name(name->getName())) return true;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const clang::IdentifierInfo* owner = method == nullptr ? nullptr : method->getParent()->getIdentifier();
  return owner != nullptr && owner->getName() == "random_device";
}

bool is_of_iterator(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const clang::DeclContext* around = method == nullptr ? nullptr : method->getParent()->getDeclContext();
  const auto* container = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(around);
  return container != nullptr && is_container(function.getASTContext().getRecordType(container));
}

bool is_pure(const clang::FunctionDecl& function) {
  if (function.isDefaulted() || function.isImplicit() || is_random(&function)) return true;
  const clang::IdentifierInfo* name = function.getIdentifier();
  if (name != nullptr && is_impure_name(name->getName())) return false;
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function)) {
    const clang::IdentifierInfo* owner = method->getParent()->getIdentifier();
    if (belongs_to_stream(*method)) return true;
    if (is_container(function.getASTContext().getRecordType(method->getParent()))) return true;
    if (is_of_iterator(function)) return true;
    if (owner != nullptr && (owner->getName() == "random_device" || owner->getName().contains("stream"))) {
      return false;
    }
  }
  // a user's specialisation of a std template is user text
  return ((is_in_std(function) || is_in_eigen(function)) && !is_users(function)) ||
         function.getBuiltinID() != 0;
}

/// The class of a function object of the standard library; null if the function is no such call operator.
static const clang::CXXRecordDecl* called_class(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const bool calls = method != nullptr && method->getOverloadedOperator() == clang::OO_Call;
  return calls && is_in_std(function) && !is_users(function) &&
                 method->getParent()->getIdentifier() != nullptr
             ? method->getParent()
             : nullptr;
}

llvm::StringRef ranges_algorithm(const clang::FunctionDecl& function) {
  const clang::CXXRecordDecl* called = called_class(function);
  llvm::StringRef name = called == nullptr ? llvm::StringRef() : called->getName();
  return name.consume_front("__") && name.consume_back("_fn") ? name : llvm::StringRef();
}

std::string spoken_name(const clang::FunctionDecl& function) {
  const llvm::StringRef algorithm = ranges_algorithm(function);
  if (!algorithm.empty()) return "std::ranges::" + algorithm.str();
  const clang::CXXRecordDecl* called = called_class(function);
  return called != nullptr ? called->getQualifiedNameAsString() : function.getNameAsString();
}

static bool is_subscript_of(const clang::Expr& expression, llvm::StringRef library_class) {
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&expression);
  if (op == nullptr || op->getOperator() != clang::OO_Subscript) return false;
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(op->getDirectCallee());
  return method != nullptr && is_in_std(*method) && method->getParent()->getIdentifier() != nullptr &&
         method->getParent()->getName() == library_class;
}

bool is_subscript_of_array(const clang::Expr& expression) { return is_subscript_of(expression, "array"); }

bool is_subscript_of_vector(const clang::Expr& expression) { return is_subscript_of(expression, "vector"); }

bool is_subscript_of_span(const clang::Expr& expression) { return is_subscript_of(expression, "span"); }

/// Whether a constructor may change an lvalue given for the parameter, or the target of a pointer or view.
static bool may_change_argument(const clang::ParmVarDecl& parameter) {
  const clang::QualType type = parameter.getType();
  if (type->isRValueReferenceType()) return type->isDependentType();
  const clang::QualType given = type.getNonReferenceType();
  return (type->isReferenceType() && !is_protected(given)) || may_refer(given);
}

static bool may_change_arguments(const clang::FunctionDecl& constructor) {
  return std::any_of(constructor.param_begin(), constructor.param_end(),
                     [](const clang::ParmVarDecl* parameter) { return may_change_argument(*parameter); });
}

/// Whether a class of the user's has a constructor that may change its arguments.
static bool has_changing_constructor(const clang::CXXRecordDecl& record) {
  if (!record.hasDefinition() || record.getDefinition()->hasInheritedConstructor()) return true;
  const clang::CXXRecordDecl& defined = *record.getDefinition();
  return std::any_of(defined.decls_begin(), defined.decls_end(), [](const clang::Decl* member) {
    const auto* some = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    const clang::Decl* one = some != nullptr ? some->getTemplatedDecl() : member;
    const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(one);
    return constructor != nullptr && may_change_arguments(*constructor);
  });
}

/// Whether the type, an argument of its template, or an argument of that, has such a constructor.
static bool makes_changes(const clang::TemplateArgument& argument) {
  if (argument.getKind() == clang::TemplateArgument::Type) return makes_changes(argument.getAsType());
  return argument.getKind() == clang::TemplateArgument::Pack &&
         std::any_of(argument.pack_begin(), argument.pack_end(),
                     [](const clang::TemplateArgument& part) { return makes_changes(part); });
}

bool makes_changes(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record == nullptr) return false;
  if (is_users(*record)) return has_changing_constructor(*record);
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  if (special == nullptr) return false;
  const llvm::ArrayRef<clang::TemplateArgument> arguments = special->getTemplateArgs().asArray();
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const clang::TemplateArgument& argument) { return makes_changes(argument); });
}

/// Whether a library container may pass its arguments to a constructor of the user's that changes them.
static bool passes_to_changes(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && makes_changes(method->getASTContext().getRecordType(method->getParent()));
}

/// Whether a library container may make objects of its arguments that refer to them.
static bool makes_references(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && may_refer(method->getASTContext().getRecordType(method->getParent()));
}

/// Whether a constructor makes a pair or tuple of copies: std::pair<int, int>(a, b).
static bool makes_tuple_of_values(const clang::CXXConstructorDecl& constructor) {
  const clang::CXXRecordDecl& made = *constructor.getParent();
  const llvm::StringRef name = made.getIdentifier() == nullptr ? llvm::StringRef() : made.getName();
  if ((name != "pair" && name != "tuple") || is_users(constructor) || passes_to_changes(constructor))
    return false;
  return !may_refer(constructor.getASTContext().getRecordType(&made));
}

/// Whether a function makes an object of the library, or a number, on the heap or in an optional:
/// std::make_unique<int>(e). An lvalue is copied into it.
static bool makes_value_apart(const clang::FunctionDecl& function) {
  static constexpr llvm::StringLiteral makers[] = {"make_unique", "make_shared", "make_optional"};
  const clang::TemplateArgumentList* given = function.getTemplateSpecializationArgs();
  if (given == nullptr || given->size() == 0 || function.getIdentifier() == nullptr || is_users(function) ||
      std::find(std::begin(makers), std::end(makers), function.getName()) == std::end(makers))
    return false;
  if (given->get(0).getKind() != clang::TemplateArgument::Type) return false;
  const clang::QualType made = given->get(0).getAsType().getNonReferenceType();  // of an lvalue, T is `int&`
  return !may_refer(made) && !makes_changes(made);
}

bool only_takes_values(const clang::FunctionDecl* function) {
  static constexpr llvm::StringLiteral makers[] = {
      "emplace", "emplace_back",     "emplace_front", "try_emplace", "push_back", "push_front",
      "insert",  "insert_or_assign", "make_pair",     "make_tuple",  "push"};
  if (function == nullptr || !is_in_std(*function)) return false;
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function))
    return makes_tuple_of_values(*constructor);
  if (function->getIdentifier() == nullptr) return false;
  if (makes_value_apart(*function)) return true;
  return !is_users(*function) && !passes_to_changes(*function) && !makes_references(*function) &&
         std::find(std::begin(makers), std::end(makers), function->getName()) != std::end(makers);
}

/// The name of the called function, or of the library's function object.
static llvm::StringRef called_name(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || !is_in_std(*callee) || is_users(*callee)) return {};
  if (callee->getIdentifier() != nullptr) return callee->getName();
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const bool calls = method != nullptr && method->getOverloadedOperator() == clang::OO_Call;
  return calls && method->getParent()->getIdentifier() != nullptr ? method->getParent()->getName()
                                                                  : llvm::StringRef();
}

static bool can_be_called(clang::QualType type) {
  if (type->isFunctionType() || type->isFunctionPointerType() || type->isMemberPointerType()) return true;
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr &&
         std::any_of(record->method_begin(), record->method_end(), [](const clang::CXXMethodDecl* method) {
           return method->getOverloadedOperator() == clang::OO_Call;
         });
}

/// Whether the argument is a lambda with known parameters, so not a generic one.
static bool is_plain_lambda(const clang::Expr& argument) {
  const clang::CXXRecordDecl* closure = closure_class(argument.getType());
  if (closure == nullptr || closure->isGenericLambda()) return false;
  const clang::Expr* at = argument.IgnoreImplicit();
  while (const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(at)) {
    if (copy->getNumArgs() != 1) return false;
    at = copy->getArg(0)->IgnoreImplicit();
  }
  return llvm::isa<clang::LambdaExpr, clang::DeclRefExpr>(at);
}

bool only_calls_lambdas(const clang::Expr& call) {
  static constexpr llvm::StringLiteral callers[] = {"for_each", "for_each_n",    "apply",
                                                    "invoke",   "__for_each_fn", "__for_each_n_fn"};
  const auto* made = llvm::dyn_cast<clang::CallExpr>(&call);
  if (made == nullptr ||
      std::find(std::begin(callers), std::end(callers), called_name(*made)) == std::end(callers))
    return false;
  bool has_lambda = false;
  for (const clang::Expr* argument : arguments_of(call)) {
    const bool lambda = is_plain_lambda(*argument);
    has_lambda |= lambda;
    const clang::QualType type = argument->getType().getNonReferenceType();
    if (!lambda && can_be_called(type) && !llvm::isa<clang::CXXDefaultArgExpr>(argument)) return false;
  }
  return has_lambda;
}

/// Whether the class is std::plus<> or a similar operation, which returns values.
static bool is_operation(const clang::CXXRecordDecl* record) {
  static constexpr llvm::StringLiteral names[] = {
      "plus",    "minus",         "multiplies", "divides",    "modulus",     "negate",     "equal_to",
      "greater", "greater_equal", "less",       "less_equal", "logical_and", "logical_or", "logical_not",
      "bit_and", "bit_or",        "bit_xor",    "bit_not",    "not_equal_to"};
  return record != nullptr && is_in_std(*record) && !is_users(*record) &&
         record->getIdentifier() != nullptr &&
         std::find(std::begin(names), std::end(names), record->getName()) != std::end(names);
}

/// Whether the call is std::invoke(&model::f, object, ...) of a const member function, and argument `i` is
/// the object.
static bool is_object_of_const_member(const clang::CallExpr& call, unsigned i) {
  if (called_name(call) != "invoke" || i != 1) return false;
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(call.getArg(0)->IgnoreParenImpCasts());
  if (address == nullptr || address->getOpcode() != clang::UO_AddrOf) return false;
  const auto* named = llvm::dyn_cast<clang::DeclRefExpr>(address->getSubExpr()->IgnoreParens());
  const auto* method = named == nullptr ? nullptr : llvm::dyn_cast<clang::CXXMethodDecl>(named->getDecl());
  return method != nullptr && method->isConst();
}

bool only_reads(const clang::Expr& call, unsigned i) {
  const auto* made = llvm::dyn_cast<clang::CallExpr>(&call);
  const clang::FunctionDecl* callee = made == nullptr ? nullptr : made->getDirectCallee();
  if (callee == nullptr || !is_in_std(*callee) || is_users(*callee) || i >= callee->getNumParams())
    return false;
  if (is_object_of_const_member(*made, i)) return true;
  // an rvalue may be moved from, and user operators may do anything
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  const clang::CXXRecordDecl* given = arguments[i]->getType()->getAsCXXRecordDecl();
  if (!callee->getParamDecl(i)->getType()->isLValueReferenceType() || (given != nullptr && is_users(*given)))
    return false;
  const llvm::StringRef name = called_name(*made);
  if (is_operation(called_class(*callee))) return true;
  if (name == "invoke") return i > 0 && is_operation(arguments[0]->getType()->getAsCXXRecordDecl());
  return (name == "exchange" && i == 1) || (name == "value_or" && i == 0);
}

bool selects_a_part(const clang::FunctionDecl& function) {
  if (!is_in_std(function)) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr) {
    return function.getIdentifier() != nullptr && function.getName() == "get";
  }
  const clang::IdentifierInfo* owner = method->getParent()->getIdentifier();
  if (owner == nullptr) return false;
  const llvm::StringRef type = owner->getName();
  const bool is_map = type == "map" || type == "unordered_map";
  if (!is_map && type != "array" && type != "vector" && type != "deque" && type != "basic_string" &&
      type != "optional" && type != "valarray" && type != "bitset") {
    return false;
  }
  const clang::OverloadedOperatorKind op = method->getOverloadedOperator();
  if (type == "valarray" && !method->getReturnType()->isReferenceType()) return false;  // a slice to write to
  if (is_map) return method->getIdentifier() != nullptr && method->getName() == "at";   // [] may insert
  if (op == clang::OO_Subscript || op == clang::OO_Star) return true;
  if (method->getIdentifier() == nullptr) return false;
  const llvm::StringRef name = method->getName();
  return name == "at" || name == "front" || name == "back" || name == "value";
}

bool is_as_const(const clang::Stmt& node) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr && is_in_std(*callee) &&
         callee->getName() == "as_const" && call->getNumArgs() == 1;
}

const clang::Expr& behind_as_const(const clang::Expr& container) {
  const clang::Expr* at = container.IgnoreParenImpCasts();
  while (is_as_const(*at)) at = llvm::cast<clang::CallExpr>(*at).getArg(0)->IgnoreParenImpCasts();
  return *at;
}

}  // namespace stradsap::pp
