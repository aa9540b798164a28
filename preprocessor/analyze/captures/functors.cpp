#include "analyze/captures/functors.hpp"

#include <clang/AST/ASTContext.h>

#include <algorithm>
#include <string>

#include "analyze/code/region.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

const clang::CXXRecordDecl* functor_class(clang::QualType type) {
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const bool candidate =
      record != nullptr && record->hasDefinition() && !record->isLambda() && is_users(*record);
  return candidate ? record->getDefinition() : nullptr;
}

/// Why an object of the class cannot be made anew from its members; empty if it can.
static std::string obstacle_of(const clang::CXXRecordDecl& functor) {
  if (functor.isUnion()) return "it is a union";
  if (functor.isPolymorphic() || functor.getNumBases() > 0) return "it has bases or virtual functions";
  if (functor.getIdentifier() == nullptr) return "it has no name";
  for (const clang::FieldDecl* field : functor.fields()) {
    if (field->isBitField() || field->isAnonymousStructOrUnion())
      return "it has bit-fields or unnamed members";
    if (field->getType()->isArrayType()) return "its member `" + field->getNameAsString() + "` is a C array";
  }
  return {};
}

static std::vector<const clang::CXXMethodDecl*> call_operators(const clang::CXXRecordDecl& functor) {
  std::vector<const clang::CXXMethodDecl*> found;
  for (const clang::CXXMethodDecl* method : functor.methods()) {
    if (method->getOverloadedOperator() == clang::OO_Call) found.push_back(method);
  }
  return found;
}

const clang::CXXMethodDecl* functor_body(const clang::CXXRecordDecl& functor, clang::SourceLocation use,
                                         diagnostics& out) {
  const auto refuse = [&](const std::string& why) {
    out.report(refusal::functor_form, use, {functor.getNameAsString(), why}, functor.getLocation());
    return nullptr;
  };
  if (const std::string why = obstacle_of(functor); !why.empty()) return refuse(why);
  if (!position_of(functor.getASTContext(), functor.getBraceRange().getEnd()))
    return refuse("it is defined inside a macro");
  const std::vector<const clang::CXXMethodDecl*> operators = call_operators(functor);
  if (operators.size() != 1 || operators.front()->getNumParams() != 1)
    return refuse("it needs one `operator()(int64_t j) const`, which is no template");
  if (!operators.front()->isConst()) {
    out.report(refusal::mutable_body, operators.front()->getLocation(), {});
    return nullptr;
  }
  const auto* body = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(visible_definition(operators.front()));
  return body != nullptr ? body : refuse("the text of its operator() is not in this file");
}

std::vector<outer_variable> functor_members(const clang::CXXRecordDecl& functor) {
  std::vector<outer_variable> members;
  for (const clang::FieldDecl* field : functor.fields()) {
    members.push_back({field, field->getNameAsString(), field->getLocation(),
                       /*by_copy=*/!field->getType()->isReferenceType(), /*is_constant=*/false});
  }
  return members;
}

}  // namespace stradsap::pp
