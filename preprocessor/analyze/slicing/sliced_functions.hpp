// Slices of functions that contain accesses, as functions beside them:
//
//   before: int step(int i, double rate) { double s = 0; for (int k = 0; k < 9; ++k) s += P[i + k]; ... }
//   after:  int step(int i, double rate) { ... } void stradsap_sliced_step_4f(int i) { for (...) P[i + k]; }
//
// Stateless.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "analyze/code/region.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/slicing/slice_parts.hpp"
#include "analyze/slicing/slice_text.hpp"
#include "analyze/source/excerpt.hpp"

namespace stradsap::pp {

/// Whether a slice of the function can stand beside it and saves work: the function has a loop and a name,
/// neither jumps nor throws nor calls itself, is no template and ends before the loop in its file.
bool may_be_sliced(const region& code, const clang::FunctionDecl& function);

struct sliced_function {
  std::unique_ptr<slice_text> body;
  std::string text;
  text_position place;
};
using sliced_functions = std::map<const clang::FunctionDecl*, sliced_function>;

/// Throws not_sliceable if a text cannot be written.
sliced_functions write_sliced_functions(const region& code, const slice_parts& parts,
                                        const other_texts& inserted, function_names& names);

}  // namespace stradsap::pp
