// The use of pointer arguments by functions of the standard library, of C and of the processor: the argument
// that limits their reach. A function that is not listed may reach any element. Stateless.
#pragma once

#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>

namespace stradsap::pp {

struct pointer_role {
  enum kind {
    nothing,       // compares or prefetches; or the end of a range
    fixed,         // `amount` bytes; for 0, one object of the pointer's type
    count,         // count: argument `other` is the number of objects
    bytes,         // bytes: argument `other` is the number of bytes
    range,         // range: up to the pointer in argument `other`
    range_of,      // range_of: as long as [argument `other`, the next argument)
    range_before,  // the same, but ends at the pointer: std::copy_backward
    strided,       // BLAS: argument `other` objects; argument `amount` is their distance
    same,          // same: the result is the same pointer
    moved,         // moved: the result is the pointer plus argument `other`
    moved_back     // minus
  } what = nothing;
  unsigned other = 0;
  std::int64_t amount = 0;
  enum returned {
    no_pointer,           // none, or one into other memory
    same_pointer,         // as for memcpy
    end_of_range,         // the end of the output: std::fill_n, std::copy
    in_range,             // at one of the objects
    in_or_end             // or behind the last
  } result = no_pointer;  // a pointer, or a pair of these
};

/// The role of argument `i`; nothing if the function is unknown.
std::optional<pointer_role> role_of_pointer(const clang::Expr& call, const clang::FunctionDecl& callee,
                                            unsigned i);

}  // namespace stradsap::pp
