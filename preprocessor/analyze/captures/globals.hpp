// Variables that a body names without a capture: globals, statics, and locals of the function around it that
// refer to these. The values that it only reads travel with the loop. Writes to them are refused, and so are
// values that cannot travel. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analyze/captures/captures.hpp"
#include "analyze/code/region.hpp"
#include "analyze/code/types.hpp"
#include "analyze/dependences/dependences.hpp"
#include "analyze/findings/translation_unit.hpp"
#include "analyze/source/diagnostics.hpp"

namespace stradsap::pp {

/// The local variables around the lambda that it uses without a capture, because they are static or refer to
/// a constant address. Other processes never run the function that sets them, so they become captures.
std::vector<outer_variable> variables_to_capture(const region& code,
                                                 const std::vector<outer_variable>& captured);

/// The globals with values that each launch must send. Reports those that cannot travel. `steering`: the data
/// behind subscripts.
std::vector<loop_global> travelling_globals(const region& code, const std::vector<outer_variable>& outer,
                                            const origins& steering, travelling_types& types,
                                            diagnostics& out);

/// Advice for a container that is used without a capture: how it reaches the place of this use.
std::string advice_for_use(const region& code, const clang::Expr& use, bool is_captured);

}  // namespace stradsap::pp
