// The steps of a function of the driver, in the order of its text: it makes places in containers, runs loops,
// uses the places. A collection of places, as `std::vector<float*> rows`, counts as one. Calls of functions
// and lambdas in sight count as their text. Borrows from the ASTContext; one thread at a time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/refusals/object_paths.hpp"

namespace stradsap::pp {

/// A branch or a repeating statement around an event.
struct frame {
  unsigned id = 0;      // the moment when it begins; equal for the branches of an `if`
  unsigned branch = 0;  // 1 and 2 for those of an `if`
  bool repeats = false;
  bool is_switch = false;
  bool leaves = false;  // ends in return, break, continue or throw
};

enum class event_kind { makes, loops, uses, rebinds };

/// The places that are gone once a place is made.
enum class replaces {
  all,   // of the variable or member
  same,  // the entries of a collection in the same container: each in its turn, in a repeating statement
  none   // another variable's place, by a swap that repeats
};

struct driver_event {
  event_kind kind = event_kind::uses;
  object_path place;                   // made, used; or the object with containers that is assigned, swapped
  object_path container;               // of a place that is made; not known for another value
  std::set<object_path> looped;        // containers of a loop
  replaces replaced = replaces::all;   // by a place that is made
  const clang::Decl* owner = nullptr;  // the variable or member that keeps the place
  const clang::Expr* where = nullptr;  // of a use, or the initialiser
  unsigned at = 0, end = 0;
  bool is_once = false;  // made by the initialiser of a static variable
  std::vector<frame> within;
};

class event_reader {
 public:
  explicit event_reader(const std::vector<const clang::FunctionDecl*>& functions) : paths_(functions) {}

  /// The events of a function, in order.
  const std::vector<driver_event>& of(const clang::FunctionDecl& function);
  /// The containers that a function or functions that it calls name.
  const std::set<object_path>& containers_named_by(const clang::FunctionDecl& function);
  path_reader& paths() { return paths_; }

 private:
  path_reader paths_;
  std::map<const clang::FunctionDecl*, std::vector<driver_event>> events_;
  std::map<const clang::FunctionDecl*, std::set<object_path>> named_;
};

}  // namespace stradsap::pp
