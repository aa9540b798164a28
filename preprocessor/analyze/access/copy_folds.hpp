// The fold that the text asks for where several copies of an element changed: those of a `sync` loop's
// shards, and those of accumulators. A store replaces the element, and a comparison keeps the least or the
// greatest value. Stateless.
#pragma once

#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"

namespace stradsap::pp {

enum class copy_fold {
  differences,  // nothing else is known of the changes
  last,         // elements are only assigned whole, values that do not come from them
  last_parts,   // the same of their parts
  least,        // a value is only assigned if it is less
  greatest,
  and_bits,  // one operator changes elements, which the body also reads
  or_bits,
  xor_bits,
};

/// A change of a container that its fold does not mean.
struct doubtful_change {
  enum class reason {
    chosen,  // a comparison with an element decides it, but not for the copy that wins
    mixed,   // a store or an operator, beside changes of other kinds
    hidden,  // the text does not show the change
  };
  reason why = reason::hidden;
  const clang::Expr* where = nullptr;
};

struct found_fold {
  copy_fold how = copy_fold::differences;
  std::vector<doubtful_change> doubts;
};

/// Of a container that the body writes at computed places. `written`: all such containers of the loop.
found_fold fold_of_copies(const region& code, const dependences& depends, const std::vector<access>& accesses,
                          const clang::ValueDecl* container, const origins& written);

}  // namespace stradsap::pp
