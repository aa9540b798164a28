// Objects of the user's classes that keep their values. In a member function, `a[at]` names the member of an
// object that the region made, so `++at`, `*this = walker{}` or another member function may change it.
// Stateless.
#pragma once

#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

/// Whether nothing in the region changes an object of the class after its constructor. References to anything
/// but containers count as changed.
bool keeps_objects_of(const clang::CXXRecordDecl& type, const region& code, const dependences& depends);

}  // namespace stradsap::pp
