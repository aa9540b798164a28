// The inspector of a loop: a slice of the body that computes its accesses, so that reconnaissance need not
// run the whole body. Stateless.
#pragma once

#include <map>
#include <set>
#include <string>

#include "analyze/findings/translation_unit.hpp"
#include "analyze/frontend/container_modes.hpp"
#include "analyze/frontend/steering.hpp"

namespace stradsap::pp {

struct loop_inspector {
  found_by sets = found_by::nothing;  // nothing: no access needs to be known before the loop
  std::string head;                   // `[&](int64_t j) { `
  std::string text;                   // statements; empty if only the body finds its accesses
  std::string why_whole_body;
  std::map<text_position, std::string> functions;  // that it calls, by their insertion points
  origins only_named;                              // containers with elements that the text never reads
  std::set<const clang::Stmt*> left_out;  // conditions; the text then may name more elements than the body
  bool fills_maps = false;                // it writes a map, and the text takes as long as the body
};

loop_inspector find_inspector(const loop_facts& facts, const container_modes& modes, const steering& steers);

}  // namespace stradsap::pp
