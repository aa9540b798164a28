#include "analyze/refusals/object_paths.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <optional>

#include "analyze/code/region.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static constexpr unsigned most_steps = 16;  // from name to name

bool object_path::begins_with(const object_path& whole) const {
  return root == whole.root && whole.fields.size() <= fields.size() &&
         std::equal(whole.fields.begin(), whole.fields.end(), fields.begin());
}

std::string object_path::text() const {
  std::string found;
  const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(root);
  if (variable != nullptr) found = variable->getNameAsString();
  const char* join = variable != nullptr && variable->getType()->isPointerType() ? "->" : ".";
  for (const clang::FieldDecl* field : fields) {
    if (!found.empty()) found += join;
    found += field->getNameAsString();
    join = ".";
  }
  return found;
}

bool keeps_places(clang::QualType type) {
  if (type->isPointerType()) return !type->getPointeeType()->isPointerType();  // `float** rows` is an array
  if (type->isReferenceType()) return true;
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || record->getIdentifier() == nullptr || is_container(type)) return false;
  if (is_in_api(*record)) return true;
  const llvm::StringRef name = record->getName();
  return is_in_std(*record) && llvm::StringSwitch<bool>(name)
                                   .Cases("span", "basic_string_view", "reference_wrapper", true)
                                   .Cases("__normal_iterator", "reverse_iterator", true)
                                   .Default(false);
}

/// Whether the result of a container's method is a place in it.
static bool gives_a_place(const clang::FunctionDecl& method) {
  if (method.getOverloadedOperator() == clang::OO_Subscript) return true;
  return method.getIdentifier() != nullptr && llvm::StringSwitch<bool>(method.getName())
                                                  .Cases("at", "front", "back", "data", "span", "find", true)
                                                  .Cases("begin", "end", "cbegin", "cend", true)
                                                  .Cases("rbegin", "rend", "lower_bound", "upper_bound", true)
                                                  .Default(false);
}

/// The expression without conversions; null if one of them makes a copy of an object.
static const clang::Expr* uncopied(const clang::Expr& e) {
  const clang::Expr* at = &e;
  for (;;) {
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(at);
    const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(at);
    const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(at);
    const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(at);
    const auto* parens = llvm::dyn_cast<clang::ParenExpr>(at);
    const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(at);
    const auto* converted = llvm::dyn_cast<clang::ExplicitCastExpr>(at);
    if (cast != nullptr) {
      if (cast->getCastKind() == clang::CK_LValueToRValue && !cast->getType()->isPointerType())
        return nullptr;
      at = cast->getSubExpr();
    } else if (cleanups != nullptr) {
      at = cleanups->getSubExpr();
    } else if (temporary != nullptr) {
      at = temporary->getSubExpr();
    } else if (bound != nullptr) {
      at = bound->getSubExpr();
    } else if (parens != nullptr) {
      at = parens->getSubExpr();
    } else if (made != nullptr) {  // of an iterator, or a span of a pointer and a length
      if (made->getNumArgs() == 0 || !keeps_places(made->getType())) return nullptr;
      at = made->getArg(0);
    } else if (converted != nullptr && (converted->getType()->isPointerType() || converted->isGLValue())) {
      at = converted->getSubExpr();
    } else {
      return at;
    }
  }
}

static clang::QualType pointed_type(const clang::Expr& object) {
  const clang::QualType type = object.getType();
  return type->isPointerType() ? type->getPointeeType() : type;
}

/// The function returns its argument as it is, or lets it be changed.
static bool passes_on(const clang::FunctionDecl& callee) {
  return is_in_std(callee) && callee.getIdentifier() != nullptr && callee.getNumParams() == 1 &&
         llvm::StringSwitch<bool>(callee.getName())
             .Cases("move", "as_const", "forward", "addressof", "ref", "cref", true)
             .Default(false);
}

std::vector<const clang::Expr*> exchanged_by(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr || !is_in_std(*callee)) return {};
  if (callee->getName() == "swap" && call.getNumArgs() == 2) return {call.getArg(0), call.getArg(1)};
  if (callee->getName() == "exchange" && call.getNumArgs() == 2) return {call.getArg(0)};
  return {};
}

const clang::ValueDecl* declaration_named_by(const clang::Expr& e) {
  const clang::Expr* at = e.IgnoreParenImpCasts();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) return member->getMemberDecl();
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at);
  return name == nullptr ? nullptr : name->getDecl();
}

/// Whether objects of the type keep a function: pointers, and std::function.
static bool is_called(clang::QualType type) {
  if (type.getNonReferenceType()->isFunctionPointerType()) return true;
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->getIdentifier() != nullptr && is_in_std(*record) &&
         (record->getName() == "function" || record->getName() == "move_only_function");
}

namespace {

/// The values that a function returns.
class returned_values : public clang::RecursiveASTVisitor<returned_values> {
 public:
  bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }
  bool VisitReturnStmt(clang::ReturnStmt* statement) {
    if (statement->getRetValue() != nullptr) found.push_back(statement->getRetValue());
    return true;
  }
  std::vector<const clang::Expr*> found;
};

}  // namespace

std::vector<const clang::Expr*> values_returned_by(const clang::FunctionDecl& function) {
  returned_values reader;
  reader.TraverseStmt(function.getBody());
  return reader.found;
}

class path_reader::counter : public clang::RecursiveASTVisitor<path_reader::counter> {
 public:
  explicit counter(path_reader& reader) : found_(reader.counts_), assigned_(reader.assigned_) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    if (name->getDecl()->getType()->isPointerType()) ++found_[name->getDecl()].names;
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (cast->getCastKind() != clang::CK_LValueToRValue) return true;
    if (const clang::ValueDecl* pointer = named(*cast->getSubExpr())) ++found_[pointer].reads;
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* step) {
    if (!step->isIncrementDecrementOp()) return true;
    if (const clang::ValueDecl* pointer = named(*step->getSubExpr())) ++found_[pointer].steps;
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) {
    if (!op->isAssignmentOp()) return true;
    if (const clang::ValueDecl* pointer = named(*op->getLHS())) ++found_[pointer].steps;
    if (op->getOpcode() == clang::BO_Assign) note_assigned(*op->getLHS(), *op->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getOperator() == clang::OO_Equal) note_assigned(*call->getArg(0), *call->getArg(1));
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    for (const clang::Expr* one : exchanged_by(*call)) {
      if (const clang::ValueDecl* pointer = named(*one)) ++found_[pointer].steps;
    }
    return true;
  }

 private:
  static const clang::ValueDecl* named(const clang::Expr& e) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e.IgnoreParens());
    return name != nullptr && name->getDecl()->getType()->isPointerType() ? name->getDecl() : nullptr;
  }
  void note_assigned(const clang::Expr& to, const clang::Expr& value) {
    const clang::ValueDecl* declared = declaration_named_by(to);
    if (declared != nullptr && is_called(declared->getType())) assigned_[declared].push_back(&value);
  }
  std::map<const clang::ValueDecl*, counts>& found_;
  std::map<const clang::ValueDecl*, std::vector<const clang::Expr*>>& assigned_;
};

const std::vector<const clang::Expr*>& path_reader::functions_assigned_to(
    const clang::ValueDecl& callable) const {
  static const std::vector<const clang::Expr*> none;
  const auto found = assigned_.find(&callable);
  return found == assigned_.end() ? none : found->second;
}

path_reader::path_reader(const std::vector<const clang::FunctionDecl*>& functions) {
  for (const clang::FunctionDecl* function : functions) counter(*this).TraverseStmt(function->getBody());
}

bool path_reader::is_passed_on(const clang::ValueDecl& pointer) const {
  const auto found = counts_.find(&pointer);
  return found != counts_.end() && found->second.names > found->second.reads + found->second.steps;
}

bool path_reader::keeps_its_value(const clang::VarDecl& pointer) const {
  const auto found = counts_.find(&pointer);
  return found == counts_.end() || found->second.names == found->second.reads;
}

// ---- objects ----------------------------------------------------------------------------------------------

object_path path_reader::of(const clang::Expr& e, unsigned depth) {
  if (depth > most_steps) return {};
  const clang::Expr* at = e.IgnoreParenImpCasts()->IgnoreImplicit()->IgnoreParenImpCasts();
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at))
    return of_variable(*name->getDecl(), depth + 1);
  if (llvm::isa<clang::CXXThisExpr>(at)) {
    const clang::CXXRecordDecl* record = at->getType()->getPointeeCXXRecordDecl();
    return {record->getCanonicalDecl(), {}};
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (field == nullptr) return of_variable(*member->getMemberDecl(), depth + 1);
    object_path found = of(*member->getBase(), depth + 1);
    if (found.is_known()) found.fields.push_back(field->getCanonicalDecl());
    return found;
  }
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(at)) {
    const bool leads = op->getOpcode() == clang::UO_AddrOf || op->getOpcode() == clang::UO_Deref;
    return leads ? of(*op->getSubExpr(), depth + 1) : object_path();
  }
  return llvm::isa<clang::CallExpr>(at) ? of_call(*at, depth + 1) : object_path();
}

object_path path_reader::of_variable(const clang::ValueDecl& declared, unsigned depth) {
  if (const auto* binding = llvm::dyn_cast<clang::BindingDecl>(&declared))
    return binding->getBinding() == nullptr ? object_path() : of(*binding->getBinding(), depth);
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declared);
  if (variable == nullptr) return {};
  const clang::Expr* init = variable->getInit();
  const clang::QualType type = variable->getType();
  const bool is_alias = type->isReferenceType() || (type->isPointerType() && keeps_its_value(*variable));
  if (is_alias && init != nullptr && !llvm::isa<clang::ParmVarDecl>(variable)) {
    object_path found = of(*init, depth);
    if (found.is_known()) return found;
  }
  if (type->isPointerType() && !keeps_its_value(*variable)) return {};
  return {variable->getCanonicalDecl(), {}};
}

object_path path_reader::of_call(const clang::Expr& call, unsigned depth) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr) return {};
  if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call); op != nullptr && is_in_std(*callee))
    return op->getOperator() == clang::OO_Arrow || op->getOperator() == clang::OO_Star
               ? of(*op->getArg(0), depth)
               : object_path();  // a smart pointer
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (passes_on(*callee) && arguments.size() == 1) return of(*arguments[0], depth);
  const clang::FunctionDecl* definition = visible_definition(callee);
  const clang::QualType type = callee->getReturnType();
  if (definition == nullptr || !(type->isReferenceType() || type->isPointerType())) return {};
  return in_caller(returned_by(*definition, returned_objects_, &path_reader::of, depth), *definition, call,
                   depth + 1);
}

/// The first of the returned values that is known. A function that calls itself adds none.
object_path path_reader::returned_by(const clang::FunctionDecl& function,
                                     std::map<const clang::FunctionDecl*, object_path>& known,
                                     object_path (path_reader::*read)(const clang::Expr&, unsigned),
                                     unsigned depth) {
  const auto [at, fresh] = known.try_emplace(&function);
  if (!fresh) return at->second;
  for (const clang::Expr* value : values_returned_by(function)) {
    object_path found = (this->*read)(*value, depth + 1);
    if (found.is_known()) return known[&function] = std::move(found);
  }
  return {};
}

object_path path_reader::in_caller(const object_path& path, const clang::FunctionDecl& callee,
                                   const clang::Expr& call, unsigned depth) {
  if (!path.is_known() || depth > most_steps) return {};
  const auto joined = [&](const clang::Expr* whole) {
    object_path found = whole == nullptr ? object_path() : of(*whole, depth + 1);
    if (found.is_known()) found.fields.insert(found.fields.end(), path.fields.begin(), path.fields.end());
    return found;
  };
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  if (llvm::isa<clang::CXXRecordDecl>(path.root)) {
    if (method == nullptr || method->getParent()->getCanonicalDecl() != path.root)
      return path;  // of a lambda
    const bool is_object = !llvm::isa<clang::CXXConstructExpr>(call);
    return is_object ? joined(object_of(call)) : object_path();
  }
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(path.root);
  if (parameter != nullptr && parameter->getDeclContext() == &callee) {
    const clang::QualType type = parameter->getType();
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const unsigned i = parameter->getFunctionScopeIndex();
    const bool refers = type->isReferenceType() || type->isPointerType();
    return refers && i < arguments.size() ? joined(arguments[i]) : object_path();
  }
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(path.root);
  if (variable == nullptr) return {};
  const bool lives_in_call = variable->hasLocalStorage() && variable->getParentFunctionOrMethod() == &callee;
  return lives_in_call ? object_path() : path;
}

// ---- places -----------------------------------------------------------------------------------------------

object_path path_reader::container_of_place(const clang::Expr& e, unsigned depth) {
  const clang::Expr* at = depth > most_steps ? nullptr : uncopied(e);
  if (at == nullptr) return {};
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(at)) return place_of_call(*call, depth + 1);
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool refers = variable != nullptr && variable->getInit() != nullptr &&
                        !llvm::isa<clang::ParmVarDecl>(variable) && keeps_places(variable->getType());
    if (!refers || (variable->getType()->isPointerType() && is_passed_on(*variable))) return {};
    return container_of_place(*variable->getInit(), depth + 1);
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
    const bool is_pointer = member->getType()->isPointerType();
    return is_pointer ? object_path() : container_of_place(*member->getBase(), depth + 1);
  }
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(at))
    return container_of_place(*element->getBase(), depth + 1);
  if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(at)) {
    const bool moves = sum->isAdditiveOp() && sum->getType()->isPointerType();
    return moves ? container_of_place(*sum->getLHS(), depth + 1) : object_path();
  }
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(at)) {
    const bool leads = op->getOpcode() == clang::UO_AddrOf || op->getOpcode() == clang::UO_Deref;
    return leads ? container_of_place(*op->getSubExpr(), depth + 1) : object_path();
  }
  return {};
}

object_path path_reader::place_of_call(const clang::CallExpr& call, unsigned depth) {
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr || !keeps_places(callee->getReturnType())) return {};
  const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  const clang::Expr* object = object_of(call);
  if (object == nullptr && op != nullptr) object = op->getArg(0);
  if (object != nullptr && is_container(pointed_type(*object)))
    return gives_a_place(*callee) ? of(*object, depth) : object_path();
  if (const clang::FunctionDecl* definition = visible_definition(callee)) {
    return in_caller(returned_by(*definition, returned_places_, &path_reader::container_of_place, depth),
                     *definition, call, depth + 1);
  }
  if (object != nullptr) return container_of_place(*object, depth);
  const bool returns_first =
      is_in_std(*callee) && call.getNumArgs() > 0 &&
      callee->getReturnType().getNonReferenceType().getCanonicalType().getUnqualifiedType() ==
          call.getArg(0)->getType().getCanonicalType().getUnqualifiedType();
  return returns_first ? container_of_place(*call.getArg(0), depth) : object_path();
}

}  // namespace stradsap::pp
