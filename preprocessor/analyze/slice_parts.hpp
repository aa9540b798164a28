// Which statements, variables and conditions of a body a slice consists of. Flow-insensitive backward slicing
// over statements: M. Weiser, "Program slicing", ICSE 1981. Borrows from the region.
#pragma once

#include <set>
#include <vector>

#include "analyze/accesses.hpp"
#include "analyze/dependences.hpp"
#include "analyze/region.hpp"

namespace stradsap::pp {

/// Thrown where a body is beyond what slices can express.
struct not_sliceable {
  const char* why;
};

struct slice_parts {
  std::set<const clang::Stmt*> targets;      // the accesses to find, and calls of functions that have some
  std::set<const clang::ValueDecl*> needed;  // variables and fields whose values are
  std::set<const clang::Stmt*> kept;         // statements whose effect is needed, printed whole
  std::set<const clang::Stmt*> exits;        // jumps that are
  std::set<const clang::Stmt*> left_out;     // conditions that depend on what the loop writes
  std::set<const clang::Stmt*> dropped;      // jumps that do
  /// Loops that end when what the loop writes says so. The slice runs their bodies once: each time they find
  /// the same.
  std::set<const clang::Stmt*> once;

  bool holds(const clang::Stmt* node) const;
  bool needs(const clang::Decl& declaration) const;
};

/// What a slice is for.
struct slice_goal {
  const std::vector<access>& accesses;      // all of the body
  std::vector<const access*> targets = {};  // those to find
  origins written = {};          // containers whose contents the loop changes in a way that decides
  origins written_aligned = {};  // containers that it changes at its index alone
};

slice_parts find_slice_parts(const region& code, const dependences& depends, const slice_goal& goal);

}  // namespace stradsap::pp
