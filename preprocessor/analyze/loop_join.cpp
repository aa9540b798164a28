// One loop site for all instances of a template.
#include <algorithm>

#include "analyze/api_names.hpp"
#include "analyze/loop.hpp"

namespace stradsap::pp {

static unsigned joined_bits(const loop_argument& a, const loop_argument& b) {
  // aligned is the one bit that promises: it must hold in every instance that touches an element
  const unsigned touches = api::mode_read | api::mode_write;
  const unsigned all = a.bits | b.bits;
  const bool a_aligned = (a.bits & api::mode_aligned) != 0 || (a.bits & touches) == 0;
  const bool b_aligned = (b.bits & api::mode_aligned) != 0 || (b.bits & touches) == 0;
  return a_aligned && b_aligned ? all : all & ~api::mode_aligned;
}

/// One operator for each member, in all instances.
static bool join(std::vector<folded_member>& all, const std::vector<folded_member>& one) {
  for (const folded_member& member : one) {
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.path == member.path; });
    if (known == all.end()) {
      all.push_back(member);
    } else if (known->op != member.op) {
      return false;
    }
  }
  return true;
}

bool join(loop_site& all, const loop_site& one, std::string& conflict) {
  all.flags |= one.flags;
  all.planned |= one.planned;
  if (all.inspector != one.inspector) {
    all.inspector.clear();
    all.sets = found_by::whole_body;
    all.why_whole_body = "instances of this template differ";
  }
  for (const loop_argument& argument : one.arguments) {
    const auto known = std::find_if(all.arguments.begin(), all.arguments.end(),
                                    [&](const loop_argument& a) { return a.name == argument.name; });
    if (known == all.arguments.end()) {
      all.arguments.push_back(argument);
    } else if (known->kind != argument.kind || !join(known->folded, argument.folded)) {
      conflict = argument.name;
      return false;
    } else {
      known->bits = argument.kind == argument_kind::container ? joined_bits(*known, argument)
                                                              : known->bits | argument.bits;
      known->written_fields |= argument.written_fields;
      known->steering_fields |= argument.steering_fields;
    }
  }
  const auto add_new = [](std::vector<std::string>& known, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  };
  add_new(all.constants, one.constants);
  add_new(all.added_captures, one.added_captures);
  for (const loop_global& global : one.globals) {
    const auto known = std::find_if(all.globals.begin(), all.globals.end(),
                                    [&](const loop_global& g) { return g.path == global.path; });
    if (known == all.globals.end()) {
      all.globals.push_back(global);
    } else {
      known->bits |= global.bits;
    }
  }
  return true;
}

}  // namespace stradsap::pp
