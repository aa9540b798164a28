// Groups for containers that no plan has cut, of about equal use. Thread rule: one thread a rank.
#pragma once

#include <vector>

#include "runtime/loop/plan/inspection.hpp"

namespace stradsap::rt {

/// Cuts the containers that the loop owns, between units, as the iterations of all ranks use them. Warns of
/// elements that keep threads idle. A collective.
void cut_by_use(const planning& in, const inspection& found);

}  // namespace stradsap::rt
