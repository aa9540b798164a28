// The properties of this machine that may decide bits of a program: the functions of the C library choose
// their code by the CPU. Thread rule: any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

/// The CPU's model and the C library's version. Ranks with equal texts compute equal bits.
[[nodiscard]] std::string machine_kind();

/// One rank and its machine_kind().
struct kind_of_rank {
  rank_id rank;
  std::string kind;
};
/// A warning that names the ranks of each kind. Empty if all are of one kind.
[[nodiscard]] std::string why_bits_may_differ(std::vector<kind_of_rank> ranks);

}  // namespace stradsap::rt
