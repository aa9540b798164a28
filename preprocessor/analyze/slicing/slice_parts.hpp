// Selects the statements, variables and conditions of a slice. Flow-insensitive backward slicing over
// statements: M. Weiser, "Program slicing", ICSE 1981. Borrows from the region; stateless.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analyze/access/accesses.hpp"
#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// Thrown if slices cannot express a body.
struct not_sliceable {
  const char* why;
};

/// A function with a slice of its own: its parameters that the slice needs, by their numbers.
using needed_parameters = std::set<unsigned>;

struct slice_parts {
  std::set<const clang::Stmt*> targets;      // accesses to find, and calls of functions that contain some
  std::set<const clang::ValueDecl*> needed;  // variables and fields with values that the slice needs
  std::set<const clang::VarDecl*> places;    // pointers and references of which it compares addresses
  std::set<const clang::Stmt*> kept;         // statements with effects that it needs: printed whole
  std::set<const clang::Stmt*> exits;        // jumps that it needs
  std::set<const clang::Stmt*> left_out;     // conditions that it omits
  std::set<const clang::Stmt*> dropped;      // jumps under them
  /// Loops that end by data that the loop writes. The slice runs their bodies once, because each round finds
  /// the same.
  std::set<const clang::Stmt*> once;
  /// Functions that contain accesses, and of which the slice calls slices. It calls the others whole.
  std::map<const clang::FunctionDecl*, needed_parameters> functions;

  /// The arguments of a target that the slice evaluates.
  std::vector<const clang::Expr*> needed_arguments(const clang::Expr& target) const;
  bool holds(const clang::Stmt* node) const;
  bool needs(const clang::Decl& declaration) const;
};

/// The task of a slice.
struct slice_goal {
  const std::vector<access>& accesses;      // all accesses of the body
  std::vector<const access*> targets = {};  // accesses to find
  origins written = {};                     // containers, if the loop changes contents that steer
  origins written_aligned = {};             // containers changed only at the loop's index
  /// Conditions that need not stand in the slice.
  std::set<const clang::Stmt*> omissible = {};
};

/// `apart`: functions may have slices of their own.
slice_parts find_slice_parts(const region& code, const dependences& depends, const slice_goal& goal,
                             bool apart);

}  // namespace stradsap::pp
