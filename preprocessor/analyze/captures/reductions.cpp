#include "analyze/captures/reductions.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

#include "analyze/code/effects.hpp"
#include "analyze/code/fold_types.hpp"
#include "analyze/code/folds.hpp"
#include "analyze/code/known_functions.hpp"
#include "analyze/code/uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

namespace {

/// each block keeps a part of its own, so larger variables belong into a container
constexpr std::int64_t max_size_bytes = 4096;

/// Whether the value of an expression chooses an element: it reaches a subscript, perhaps through a variable
/// or a function's result.
class index_use {
 public:
  explicit index_use(const region& code) : code_(code) {}

  bool holds(const clang::Expr& value) {
    const parent_link above = code_.parent(&value);
    if (above.variable != nullptr) return of_variable(*above.variable);
    if (const auto* leaves = llvm::dyn_cast_or_null<clang::ReturnStmt>(above.statement))
      return of_result(*leaves);
    const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
    if (outer == nullptr) return false;
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(outer))
      return subscript->getIdx() == &value;
    if (const clang::Expr* object = object_of(*outer)) return object != &value && selects(*outer);
    const auto* op = llvm::dyn_cast<clang::BinaryOperator>(outer);
    const bool goes_on =
        op != nullptr
            ? op->isAdditiveOp() || op->isMultiplicativeOp()
            : llvm::isa<clang::ParenExpr, clang::CastExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(
                  outer);
    return goes_on && holds(*outer);
  }

 private:
  bool of_variable(const clang::VarDecl& variable) {
    if (!seen_.insert(&variable).second) return false;
    const auto& uses = code_.uses(&variable);
    return std::any_of(uses.begin(), uses.end(), [&](const clang::Expr* use) { return holds(*use); });
  }
  bool of_result(const clang::ReturnStmt& leaves) {
    const clang::FunctionDecl* function = code_.function_of(&leaves);
    if (!seen_.insert(function).second) return false;
    const auto& calls = code_.callers(function);
    return std::any_of(calls.begin(), calls.end(), [&](const clang::Expr* call) { return holds(*call); });
  }
  static bool selects(const clang::Expr& call) {
    const clang::FunctionDecl* callee = callee_of(call);
    return callee != nullptr && (is_container(object_of(call)->getType()) || selects_a_part(*callee));
  }

  const region& code_;
  std::set<const clang::Decl*> seen_;
};

/// Whether an update's value is stored or returned.
bool is_taken(const region& code, const clang::Expr& value) {
  const parent_link above = code.parent(&value);
  if (above.variable != nullptr) return !above.variable->getType()->isReferenceType();
  if (llvm::isa_and_nonnull<clang::ReturnStmt>(above.statement))
    return !code.function_of(&value)->getReturnType()->isReferenceType();
  const auto* op = llvm::dyn_cast_or_null<clang::BinaryOperator>(above.statement);
  if (op != nullptr) return op->getOpcode() == clang::BO_Assign && op->getRHS() == &value;
  const auto* outer = llvm::dyn_cast_or_null<clang::Expr>(above.statement);
  const bool goes_on =
      outer != nullptr && llvm::isa<clang::ParenExpr, clang::CastExpr, clang::FullExpr>(outer);
  return goes_on && is_taken(code, *outer);
}

/// The reference parameter of a user function that gets the variable by this name: `s` in `add(s, x)`.
const clang::ParmVarDecl* parameter_given(const region& code, const clang::Expr& name) {
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(code.parent(&name).statement);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : visible_definition(callee_of(*call));
  if (callee == nullptr || !code.contains(callee)) return nullptr;
  const std::vector<const clang::Expr*> arguments = arguments_of(*call);
  const auto at = std::find(arguments.begin(), arguments.end(), &name);
  const auto i = static_cast<unsigned>(at - arguments.begin());
  if (at == arguments.end() || i >= callee->getNumParams()) return nullptr;
  const clang::QualType type = callee->getParamDecl(i)->getType();
  const bool is_changeable = type->isLValueReferenceType() && !type->getPointeeType().isConstQualified();
  return is_changeable ? callee->getParamDecl(i) : nullptr;
}

/// Collects the names of a variable. For a name that is passed to a function, it collects the parameter's
/// names there.
void add_names(const region& code, const std::vector<const clang::Expr*>& names,
               std::set<const clang::ParmVarDecl*>& seen, std::vector<const clang::Expr*>& found) {
  for (const clang::Expr* name : names) {
    const clang::ParmVarDecl* parameter = parameter_given(code, *name);
    if (parameter == nullptr)
      found.push_back(name);
    else if (seen.insert(parameter).second)
      add_names(code, code.uses(parameter), seen, found);
  }
}

bool holds_reference(const clang::CXXRecordDecl& record);

bool holds_reference(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return type->isReferenceType() ||
         (record != nullptr && record->hasDefinition() && holds_reference(*record));
}

bool holds_reference(const clang::CXXRecordDecl& record) {
  const clang::CXXRecordDecl& known = *record.getDefinition();
  return std::any_of(known.bases_begin(), known.bases_end(),
                     [](const auto& base) { return holds_reference(base.getType()); }) ||
         std::any_of(known.field_begin(), known.field_end(),
                     [](const auto* field) { return holds_reference(field->getType()); });
}

/// Whether each process can make parts of its own, by the default constructor.
bool can_be_made(const clang::CXXRecordDecl& record) {
  const auto is_out_of_reach = [](const clang::CXXConstructorDecl* made) {
    return made->isDefaultConstructor() && (made->isDeleted() || made->getAccess() != clang::AS_public);
  };
  const auto needs_value = [](const clang::FieldDecl* field) {
    return field->getType().isConstQualified() && !field->hasInClassInitializer();
  };
  return record.hasDefaultConstructor() && !holds_reference(record) &&
         std::none_of(record.ctor_begin(), record.ctor_end(), is_out_of_reach) &&
         (record.hasUserProvidedDefaultConstructor() ||
          std::none_of(record.field_begin(), record.field_end(), needs_value));
}

class reduction_finder {
 public:
  reduction_finder(const region& code, const std::vector<access>& accesses, const outer_variable& variable,
                   diagnostics& out)
      : code_(code), forms_(code), accesses_(accesses), variable_(variable), out_(out) {}

  reduction find(const std::vector<const clang::Expr*>& outer_names) {
    reduction found;
    if (variable_.by_copy || !can_be_folded(variable_.type())) return found;
    std::set<const clang::ParmVarDecl*> seen;
    std::vector<const clang::Expr*> names;
    add_names(code_, outer_names, seen, names);
    if (const clang::Expr* init = changing_initialiser(names)) {
      out_.report(refusal::capture_changes, init->getExprLoc(), {variable_.name}, variable_.where);
      found.folds = names;
      return found;
    }
    std::vector<const clang::Expr*> others;
    for (const clang::Expr* name : names) {
      const update one = forms_.update_of(forms_.designated(*name));
      if (is_fold(one)) {
        updates_.push_back(one);
        found.folds.push_back(name);
      } else {
        others.push_back(name);
      }
    }
    std::erase_if(others,
                  [&](const clang::Expr* name) { return is_part_of_an_update(forms_.designated(*name)); });
    use_reader reader(code_);
    const auto writes = [&](const clang::Expr* name) { return (reader.bits(*name) & use_write) != 0; };
    if (updates_.empty() || std::any_of(others.begin(), others.end(), writes)) return found;
    found.members = members();
    for (const clang::Expr* name : others) {
      if (!counter_refused_) refuse_read(*name);
    }
    return found;
  }

 private:
  /// The initialiser of a capture that changes the variable, also through the functions that it calls.
  const clang::Expr* changing_initialiser(const std::vector<const clang::Expr*>& names) const {
    for (const clang::LambdaExpr* lambda : code_.made_before()) {
      for (const clang::LambdaCapture& capture : lambda->captures()) {
        if (!lambda->isInitCapture(&capture)) continue;
        const clang::Expr& init = *llvm::cast<clang::VarDecl>(capture.getCapturedVar())->getInit();
        const auto changes = [&](const clang::Expr* name) {
          return forms_.update_of(forms_.designated(*name)).statement != nullptr &&
                 runs_within(code_, *name, init);
        };
        if (std::any_of(names.begin(), names.end(), changes)) return &init;
      }
    }
    return nullptr;
  }

  // ---- folds ----

  bool is_number(clang::QualType type) const {
    return type->isArithmeticType() && !type.isConstQualified() && !type.isVolatileQualified();
  }

  bool is_fold(const update& u) const {
    if (u.op == nullptr || !is_number(u.target->getType())) return false;
    // a bool in arithmetic: false - true is true
    return !u.target->getType()->isBooleanType() || (u.op != api::fold_sum && u.op != api::fold_product);
  }

  bool can_be_folded(clang::QualType type) const {
    const clang::ASTContext& ast = code_.ast();
    if (type->isDependentType() || type->isIncompleteType()) return false;
    if (is_number(type)) return true;
    if (!type.isTriviallyCopyableType(ast) || type.isConstQualified() || type->isAnyPointerType())
      return false;
    const clang::Type* element = type->getBaseElementTypeUnsafe();
    const clang::CXXRecordDecl* record = element->getAsCXXRecordDecl();
    if (!element->isArithmeticType() && (record == nullptr || !can_be_made(*record))) return false;
    return ast.getTypeSizeInChars(type).getQuantity() <= max_size_bytes;
  }

  // ---- other conditions ----

  bool is_part_of_an_update(const clang::Expr& target) const {
    return std::any_of(updates_.begin(), updates_.end(), [&](const update& u) {
      return std::find(u.reads.begin(), u.reads.end(), &bare(target)) != u.reads.end();
    });
  }

  std::vector<folded_member> members() {
    std::vector<folded_member> found;
    for (const update& u : updates_) {
      const std::string path = path_of(*u.target);
      const auto known =
          std::find_if(found.begin(), found.end(), [&](const folded_member& m) { return m.path == path; });
      if (known == found.end()) {
        found.push_back({path, u.op});
      } else if (known->op != u.op) {
        out_.report(refusal::reduction_mixed, u.statement->getExprLoc(), {variable_.name});
      }
      if (!forms_.is_dropped(*u.statement)) refuse_used(u);
      refuse_guarded(u);
      check_types(u);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return found;
  }

  void refuse_read(const clang::Expr& name) {
    if (counts() && index_use(code_).holds(name)) return refuse_counter(name);
    out_.report(refusal::reduction_read, name.getExprLoc(), {variable_.name}, variable_.where);
  }
  void refuse_used(const update& u) {
    if (counts() && (index_use(code_).holds(*u.statement) || is_taken(code_, *u.statement)))
      return refuse_counter(*u.statement);
    out_.report(refusal::reduction_value_used, u.statement->getExprLoc(), {variable_.name});
  }

  /// Whether the variable is an integer that the body counts in.
  bool counts() const {
    return std::all_of(updates_.begin(), updates_.end(), [](const update& u) {
      return u.op == api::fold_sum && u.target->getType()->isIntegerType();
    });
  }
  void refuse_counter(const clang::Expr& where) {
    if (!counter_refused_) out_.report(refusal::counter_used, where.getExprLoc(), {variable_.name});
    counter_refused_ = true;
  }

  void refuse_guarded(const update& u) {
    for (const clang::Expr* guarded : u.guarded) {
      if (uses_elements(*guarded))
        refuse_guarded(*guarded, "uses a container that the loop changes");
      else
        refuse_changes(*guarded);
    }
    for (const clang::Expr* again : u.repeated) {
      if (changes_elements(*again))
        refuse_guarded(*again, "changes a container");
      else
        refuse_changes(*again);
    }
  }
  void refuse_changes(const clang::Expr& guarded) {
    const clang::ValueDecl* changed = changed_outside(code_, guarded);
    if (changed != nullptr) refuse_guarded(guarded, "changes `" + changed->getNameAsString() + "`");
  }
  void refuse_guarded(const clang::Expr& guarded, const std::string& what) {
    out_.report(refusal::reduction_guards, guarded.getExprLoc(), {variable_.name, what});
  }

  /// Parts fold in the variable's own type: refuses conversions that make the result depend on the order.
  void check_types(const update& u) {
    const fold_fault fault = fault_of(code_.ast(), u);
    if (fault == fold_fault::none) return;
    const std::string own = type_name(code_.ast(), u.target->getType());
    const std::string computed = u.computed.isNull() ? own : type_name(code_.ast(), u.computed);
    const clang::SourceLocation where = u.statement->getExprLoc();
    if (fault == fold_fault::cut_off) {
      const bool sums = u.op == api::fold_sum;
      out_.report(refusal::reduction_cut_off, where,
                  {variable_.name, own, sums ? "addition" : "multiplication",
                   sums ? ", or add whole numbers: `static_cast<" + own + ">(...)`" : ""},
                  variable_.where, declared_as(code_.ast(), *variable_.declaration, "double"));
    } else if (fault == fold_fault::takes_nan) {
      const bool is_largest = u.op == api::fold_maximum_number;
      out_.report(refusal::reduction_takes_nan, where,
                  {variable_.name + path_of(*u.target), is_largest ? "max" : "min", is_largest ? ">" : "<"});
    } else if (fault == fold_fault::bit_field) {
      const std::string width = std::to_string(u.target->getSourceBitField()->getBitWidthValue(code_.ast()));
      out_.report(refusal::reduction_converted, where,
                  {variable_.name, own + ":" + width, own,
                   "declare `" + variable_.name + path_of(*u.target) + "` without a width"});
    } else {
      const bool truth = fault == fold_fault::no_truth;
      const std::string other = truth ? computed : other_type(u);
      out_.report(refusal::reduction_converted, where,
                  {variable_.name, own, other,
                   truth ? "fold in a truth value: `" + variable_.name + " ^= (... & 1) != 0;`"
                         : "declare it as " + other + ", or convert what is folded in: `const " + own +
                               " value = ...;`"});
    }
  }

  /// The type of the value that the fold chooses besides the variable's.
  std::string other_type(const update& u) const {
    const clang::QualType own = u.target->getType();
    const clang::QualType given = bare(*u.operands.front()).getType().getUnqualifiedType();
    const bool is_other = !code_.ast().hasSameUnqualifiedType(given, own);
    return type_name(code_.ast(), is_other ? given : u.computed);
  }

  /// `.loss`, `[].count`: the path from the variable to the folded part.
  std::string path_of(const clang::Expr& target) const {
    const clang::Expr* at = &bare(target);
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      const bool own = llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreImpCasts());
      return own ? "" : path_of(*member->getBase()) + "." + member->getMemberDecl()->getNameAsString();
    }
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      return path_of(*subscript->getBase()) + "[]";
    }
    if (is_subscript_of_array(*at)) return path_of(*object_of(*at)) + "[]";
    return "";
  }

  bool changes_elements(const clang::Expr& e) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
      return (one.bits & use_write) != 0 && runs_within(code_, *one.call, e) &&
             (!designates(*one.call) || changes_object(code_, *one.call, e));
    });
  }
  /// Whether the access designates an element that exists before and after it.
  static bool designates(const clang::Expr& access) {
    return access.isGLValue() && container_name(object_of(access)->getType()) == api::dvector;
  }
  /// Whether evaluating an expression may change an element, or access one that must be known before the
  /// loop.
  bool uses_elements(const clang::Expr& e) const {
    return changes_elements(e) || std::any_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
             return one.bits != use_none && !one.aligned && is_written(one) &&
                    runs_within(code_, *one.call, e);
           });
  }
  bool is_written(const access& reached) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const access& one) {
      return (one.bits & use_write) != 0 &&
             std::any_of(one.containers.begin(), one.containers.end(),
                         [&](const auto* container) { return reached.containers.count(container) != 0; });
    });
  }

  const region& code_;
  fold_reader forms_;
  const std::vector<access>& accesses_;
  const outer_variable& variable_;
  diagnostics& out_;
  std::vector<update> updates_;
  bool counter_refused_ = false;
};

}  // namespace

reduction find_reduction(const region& code, const std::vector<access>& accesses,
                         const outer_variable& variable, const std::vector<const clang::Expr*>& names,
                         diagnostics& out) {
  return reduction_finder(code, accesses, variable, out).find(names);
}

}  // namespace stradsap::pp
