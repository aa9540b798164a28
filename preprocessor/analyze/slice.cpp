#include "analyze/slice.hpp"

#include "analyze/slice_parts.hpp"
#include "analyze/slice_text.hpp"
#include "analyze/totality.hpp"

namespace stradsap::pp {

std::optional<slice> find_slice(const region& code, const dependences& depends,
                                const std::vector<const access*>& targets, const origins& written) {
  try {
    slice_parts parts = find_slice_parts(code, depends, targets, written);
    if (!follows_are_total(code, parts)) return std::nullopt;
    const slice_text written_out(code, parts);
    slice made{written_out.text(), {}, {}};
    for (const access* one : targets) {
      for (const clang::ValueDecl* container : one->containers) made.only_named.insert(container);
    }
    for (const access* one : targets) {
      const bool in_body =
          code.function_of(one->call) == &code.body();  // else what it is called from looks at it
      if (in_body && !written_out.computes(*one->call)) continue;
      for (const clang::ValueDecl* container : one->containers) made.only_named.erase(container);
    }
    made.left_out = std::move(parts.left_out);
    return made;
  } catch (const not_sliceable&) {
    return std::nullopt;
  }
}

}  // namespace stradsap::pp
