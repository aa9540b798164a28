#include "analyze/access/shared_reaches.hpp"

#include <utility>

#include "analyze/access/inserted_reaches.hpp"

namespace stradsap::pp {

/// Expressions of `code` that stand where another instance of the text has those.
static std::vector<const clang::Expr*> expressions_at(const region& code,
                                                      const std::vector<clang::SourceRange>& ranges) {
  std::vector<const clang::Expr*> found;
  for (const clang::Stmt* node : code.nodes()) {
    const auto* expression = llvm::dyn_cast_or_null<clang::Expr>(node);
    if (expression == nullptr) continue;
    for (const clang::SourceRange range : ranges) {
      if (expression->getSourceRange() == range) found.push_back(expression);
    }
  }
  return found;
}

std::vector<access> shared_reaches::joined(const region& code, std::vector<access> found) {
  for (access& one : found) {
    if (!one.may_reach || !one.given.empty()) continue;
    const clang::SourceLocation where = subscript_of(*one.call).getBegin();
    if (const auto at = settled_.find(where); at != settled_.end()) {
      if (!one.reach) one.reach.emplace();
      one.reach->offsets = hull_of(at->second.offsets);
      one.reach->sure = at->second.sure.size() == 1 ? *at->second.sure.begin() : std::string();
      one.reach->parts = expressions_at(code, at->second.parts);
      one.is_range = true;
      one.aligned = false;
    }
    known& all = noted_[where];
    all.offsets.insert(one.reach ? offsets_text(*one.reach) : std::string());
    all.sure.insert(one.reach ? one.reach->sure : std::string());
    if (!one.reach) continue;
    for (const clang::Expr* part : one.reach->parts) all.parts.push_back(part->getSourceRange());
  }
  return found;
}

bool shared_reaches::settle() {
  bool settled = true;
  for (auto& [where, all] : std::exchange(noted_, {})) {
    if (all.offsets.size() == 1 && all.sure.size() == 1) continue;
    if (all.offsets.erase("") != 0) all.offsets.insert("0");  // the element alone
    settled_[where] = std::move(all);
    settled = false;
  }
  return settled;
}

}  // namespace stradsap::pp
