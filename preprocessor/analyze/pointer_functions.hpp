// What functions of the standard library, of C and of the processor do with pointers that they are given:
// which argument says how far they reach. A function that is not listed may reach anywhere.
#pragma once

#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>

namespace stradsap::pp {

struct pointer_role {
  enum kind {
    nothing,       // compares, prefetches, or is the end of a range
    fixed,         // `amount` bytes; 0: one object of the pointer's type
    count,         // as many objects as argument `other` says
    bytes,         // as many bytes as argument `other` says
    range,         // up to the pointer that is argument `other`
    range_of,      // as many objects as the range [argument `other`, the next argument) has
    range_before,  // as range_of, but they end at the pointer: std::copy_backward
    strided,       // argument `other` objects, each as many behind the last as argument `amount` says: BLAS
    same,          // the result is the same pointer
    moved,         // the result is the pointer moved up by argument `other`
    moved_back     // down
  } what = nothing;
  unsigned other = 0;
  std::int64_t amount = 0;
  enum returned {
    no_pointer,           // or one that has nothing to do with this argument
    same_pointer,         // memcpy's
    end_of_range,         // where std::fill_n and std::copy have ended
    in_range,             // at one of the objects
    in_or_end             // or behind the last
  } result = no_pointer;  // a pointer, or a pair of them
};

/// Nothing where the function is not known.
std::optional<pointer_role> role_of_pointer(const clang::Expr& call, const clang::FunctionDecl& callee,
                                            unsigned i);

}  // namespace stradsap::pp
