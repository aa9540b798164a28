#include "analyze/pointers/offsets.hpp"

#include <algorithm>

#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

static std::string operand(const offset& one) { return one.is_compound ? "(" + one.text + ")" : one.text; }

static offset joined(const offset& a, const offset& b, std::string text) {
  offset made{std::move(text), std::nullopt, /*is_compound=*/true, a.parts};
  made.parts.insert(made.parts.end(), b.parts.begin(), b.parts.end());
  return made;
}

/// The same for a sum, a difference or a product. Its ends are among its values if each loop moves one
/// operand only.
static offset calculated(const offset& a, const char* op, const offset& b) {
  offset made = combined(a, op, b);
  const bool share = std::any_of(a.indices.begin(), a.indices.end(), [&](const clang::VarDecl* index) {
    return std::find(b.indices.begin(), b.indices.end(), index) != b.indices.end();
  });
  made.is_exact = a.is_exact && b.is_exact && !share;
  made.indices = a.indices;
  made.indices.insert(made.indices.end(), b.indices.begin(), b.indices.end());
  return made;
}

offset number(std::int64_t n) {
  return {std::to_string(n), std::pair{n, n}, /*is_compound=*/n < 0, {}, /*is_exact=*/true};
}

offset combined(const offset& a, const char* op, const offset& b) {
  return joined(a, b, operand(a) + " " + op + " " + operand(b));
}

offset add(const offset& a, const offset& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (a.is_number() && b.is_number()) return number(a.bounds->first + b.bounds->first);
  offset made = calculated(a, "+", b);
  if (a.bounds && b.bounds)
    made.bounds = {a.bounds->first + b.bounds->first, a.bounds->second + b.bounds->second};
  return made;
}

offset subtract(const offset& a, const offset& b) {
  if (b.is_zero()) return a;
  if (a.is_number() && b.is_number()) return number(a.bounds->first - b.bounds->first);
  offset made = calculated(a, "-", b);
  if (a.bounds && b.bounds)
    made.bounds = {a.bounds->first - b.bounds->second, a.bounds->second - b.bounds->first};
  return made;
}

offset multiply(const offset& a, const offset& b) {
  if (a.is_zero() || b.is_zero()) return number(0);
  if (a.is_number() && a.bounds->first == 1) return b;
  if (b.is_number() && b.bounds->first == 1) return a;
  if (a.is_number() && b.is_number()) return number(a.bounds->first * b.bounds->first);
  offset made = calculated(a, "*", b);
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

}  // namespace stradsap::pp
