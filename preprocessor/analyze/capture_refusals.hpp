// What is wrong with a capture whatever else the loop does: references to elements, second names of
// reductions, and what a write to a captured variable is called. Borrows from the ASTContext.
#pragma once

#include <vector>

#include "analyze/captures.hpp"
#include "analyze/diagnostics.hpp"
#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// `const long& seen = count;`, and the body adds to `count` and reads `seen`; two names of one container
/// that the body writes. `arguments`: what became of the variables.
void refuse_second_names(const std::vector<outer_variable>& variables,
                         const std::vector<loop_argument>& arguments, diagnostics& out);

/// Of the standard library's random numbers.
bool is_engine(clang::QualType type);
bool is_distribution(clang::QualType type);
/// `normal(engine)`, where the engine is shared by all iterations as well: one cause, told of the engine.
bool draws_from_shared_engine(const region& code, const clang::Expr& name);

/// By which a write to a captured variable of that type is refused.
refusal refusal_of_write(clang::QualType type);

/// Warns of an object that is too large to be copied.
void warn_of_size(const clang::ASTContext& ast, const outer_variable& variable, diagnostics& out);

/// `auto& row = D[0];` or `auto& [x, y] = D[0];` before the loop, and then `[&row]` or `[&x]`.
/// References and pointers are followed to what they were made from, also out of functions in sight.
bool is_element_reference(const outer_variable& capture);

}  // namespace stradsap::pp
