#include "analyze/frontend/access_annotations.hpp"

#include <algorithm>
#include <string>

#include "analyze/access/visible_uses.hpp"
#include "analyze/source/api_names.hpp"
#include "analyze/source/source.hpp"

namespace stradsap::pp {

static const char* verb_of(visible what) {
  switch (what) {
    case visible::read:
      return "reads";
    case visible::added:
      return "adds into";
    case visible::changed:
      return "changes";
  }
  return "";
}

/// Whether a visible use contradicts the statement: `adds` permits additions only, `adds_late` reads too,
/// `reads` permits no changes.
static bool belies(visible what, const annotated_access& said) {
  if ((said.bits & api::mode_adds_late) != 0) return what == visible::changed;
  if ((said.bits & api::mode_accumulates) != 0) return what != visible::added;
  return (said.bits & api::mode_write) == 0 && what != visible::read;
}

static void refuse_contradictions(const region& code, const std::vector<access>& accesses,
                                  const clang::ValueDecl& container, const annotated_access& said,
                                  diagnostics& out) {
  const std::string name = container.getNameAsString();
  for (const visible_use& use : visible_uses(code, accesses, &container)) {
    if (!belies(use.what, said)) continue;
    out.report(refusal::access_contradicted, use.where->getExprLoc(), {name, verb_of(use.what), said.word},
               said.where,
               said.alone.isValid() ? replacement(code.ast(), said.alone, api::writes) : fix_its());
  }
}

void refuse_annotations(const region& code, const std::vector<access>& accesses,
                        const std::vector<outer_variable>& outer, const access_annotations& annotations,
                        diagnostics& out) {
  for (const auto& [container, said] : annotations) {
    const auto is_captured = [&, declaration = container](const outer_variable& v) {
      return v.declaration == declaration && is_container(v.type());
    };
    if (std::any_of(outer.begin(), outer.end(), is_captured)) {
      refuse_contradictions(code, accesses, *container, said, out);
    } else {
      out.report(refusal::access_unknown, said.where, {container->getNameAsString()});
    }
  }
}

}  // namespace stradsap::pp
