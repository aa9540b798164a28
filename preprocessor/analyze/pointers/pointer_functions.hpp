// The use of pointer arguments by functions of the standard library, of C and of the processor: the argument
// that limits their reach. A function that is not listed may reach any element. Stateless.
#pragma once

#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>

namespace stradsap::pp {

struct pointer_role {
  /// The use of the pointer. N is the value of argument `other`, S that of argument `amount`.
  enum kind {
    nothing,       // compares or prefetches; or the end of a range
    fixed,         // `amount` bytes; for 0, one object of the pointer's type
    count,         // N objects
    area,          // N * S objects
    bytes,         // N bytes
    range,         // the range up to the pointer N
    range_of,      // as many objects as the range [N, next argument)
    range_before,  // as many, ending at the pointer: std::copy_backward
    strided,       // N objects at distance S: BLAS
    same,          // the result is the same pointer
    moved,         // the result is the pointer plus N
    moved_back     // the result is the pointer minus N
  } what = nothing;
  unsigned other = 0;
  std::int64_t amount = 0;
  enum returned {
    no_pointer,           // none, or a pointer into other memory
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
