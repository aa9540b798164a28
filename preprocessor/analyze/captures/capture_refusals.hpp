// Refusals of captures that depend on nothing else in the loop: references to elements, second names of
// reductions, and the kinds of writes to captured variables. Borrows from the ASTContext; one thread at a
// time.
#pragma once

#include <vector>

#include "analyze/captures/captures.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// Refuses second names: `const long& seen = count;` in a body that adds to `count` and reads `seen`, or two
/// names of a container that the body writes. `arguments` holds the findings on the variables.
void refuse_second_names(const std::vector<outer_variable>& variables,
                         const std::vector<loop_argument>& arguments, diagnostics& out);

/// Whether the type is an engine or a distribution of the standard library's random numbers.
bool is_engine(clang::QualType type);
bool is_distribution(clang::QualType type);
/// Whether this is `normal(engine)` with an engine that all iterations share. The refusal of the engine then
/// suffices.
bool draws_from_shared_engine(const region& code, const clang::Expr& name);

/// The refusal of a write to a captured variable of that type.
refusal refusal_of_write(clang::QualType type);

/// Warns of an object that is too large for a copy.
void warn_of_size(const clang::ASTContext& ast, const outer_variable& variable, diagnostics& out);

/// Whether the capture refers to an element: `auto& row = D[0];` or `auto& [x, y] = D[0];` before the loop,
/// and then `[&row]` or `[&x]`. Follows references and pointers to their origins, also through visible
/// functions.
bool is_element_reference(const outer_variable& capture);

}  // namespace stradsap::pp
