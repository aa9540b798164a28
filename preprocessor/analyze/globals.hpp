// Variables that a body names without capturing them: globals, statics, and locals of the function around it
// that stand for such. What it only reads travels with the loop; what it writes, or what no other process
// could be given, is refused.
#pragma once

#include <string>
#include <vector>

#include "analyze/captures.hpp"
#include "analyze/dependences.hpp"
#include "analyze/diagnostics.hpp"
#include "analyze/region.hpp"
#include "analyze/translation_unit.hpp"
#include "analyze/types.hpp"

namespace stradsap::pp {

/// Variables of the functions around the lambda that it uses without a capture, because they are static or
/// because they refer to a constant address. Other processes never run the function that sets them, so they
/// become captures.
std::vector<outer_variable> variables_to_capture(const region& code,
                                                 const std::vector<outer_variable>& captured);

/// The globals whose values every launch has to bring along; reports those that cannot be. `steering`: what
/// subscripts depend on.
std::vector<loop_global> travelling_globals(const region& code, const std::vector<outer_variable>& outer,
                                            const origins& steering, travelling_types& types,
                                            diagnostics& out);

/// What a note about a container that is used without a capture adds: how it gets to where this use stands.
std::string advice_for_use(const region& code, const clang::Expr& use, bool is_captured);

}  // namespace stradsap::pp
