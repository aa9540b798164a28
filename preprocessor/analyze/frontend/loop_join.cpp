// Joins the findings on all instances of a template into one loop site.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "analyze/frontend/loop.hpp"
#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

constexpr unsigned touches = api::mode_read | api::mode_write;
constexpr unsigned copy_folds = api::mode_replaces | api::mode_replaces_parts | api::mode_keeps_least |
                                api::mode_keeps_greatest | api::mode_folds_bits;

/// The fold of copies of elements: one of `copy_folds`, or an operator; 0 for differences.
static unsigned fold_of(unsigned bits) {
  if ((bits & api::mode_folds_bits) != 0) return bits & (api::mode_folds_bits | api::operator_bits);
  if ((bits & api::mode_accumulates) == 0) return bits & copy_folds;
  const unsigned number = (bits & api::operator_bits) >> api::operator_shift;
  const std::string_view op = number < std::size(api::operators) ? api::operators[number] : api::fold_sum;
  if (op == api::fold_sum) return 0;
  if (op == api::fold_minimum || op == api::fold_minimum_number) return api::mode_keeps_least;
  if (op == api::fold_maximum || op == api::fold_maximum_number) return api::mode_keeps_greatest;
  const bool is_of_bits = op == api::fold_bit_and || op == api::fold_bit_or || op == api::fold_bit_xor;
  return (bits & api::operator_bits) | (is_of_bits ? api::mode_folds_bits : api::mode_accumulates);
}

static unsigned joined_bits(const loop_argument& a, const loop_argument& b) {
  // a promise must hold in each instance that touches an element
  constexpr unsigned promises =
      api::mode_aligned | api::mode_steady | api::mode_listed | api::mode_accumulates | api::mode_writes_own;
  if ((a.bits & touches) == 0 || (b.bits & touches) == 0) return a.bits | b.bits;
  const unsigned joined = ((a.bits | b.bits) & ~promises) | (a.bits & b.bits & promises);
  const bool by_one_operator =
      (joined & api::mode_accumulates) != 0 && ((a.bits ^ b.bits) & api::operator_bits) == 0;
  if (by_one_operator) return joined;
  const unsigned same = fold_of(a.bits) == fold_of(b.bits) ? fold_of(a.bits) : 0;
  const unsigned fold = (same & api::mode_accumulates) != 0 ? 0 : same;
  return (joined & ~(api::mode_accumulates | api::operator_bits | copy_folds)) | fold;
}

/// Whether one operator is the other, but also skips NaN. Of whole numbers, both do the same.
static bool skips_nan_beside(std::string_view op, std::string_view other) {
  return (op == api::fold_minimum_number && other == api::fold_minimum) ||
         (op == api::fold_maximum_number && other == api::fold_maximum);
}

/// Joins reductions; returns false unless each member has one operator in all instances.
static bool join(std::vector<folded_member>& all, const std::vector<folded_member>& one) {
  for (const folded_member& member : one) {
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.path == member.path; });
    if (known == all.end()) {
      all.push_back(member);
    } else if (skips_nan_beside(member.op, known->op)) {
      known->op = member.op;
    } else if (known->op != member.op && !skips_nan_beside(known->op, member.op)) {
      return false;
    }
  }
  return true;
}

/// Joins kinds: a lambda in one instance may be another callable in the next.
static void join_kinds(argument_kind& all, argument_kind one) {
  if (all == argument_kind::value && one == argument_kind::callable) all = one;
}

template <class Name> static void add_new(std::vector<Name>& known, const std::vector<Name>& names) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
}

bool join(reconstructible_closure& all, const reconstructible_closure& one, std::string& conflict) {
  for (const loop_argument& argument : one.arguments) {
    const auto known = std::find_if(all.arguments.begin(), all.arguments.end(),
                                    [&](const loop_argument& a) { return a.name == argument.name; });
    if (known == all.arguments.end()) {
      all.arguments.push_back(argument);
      continue;
    }
    join_kinds(known->kind, argument.kind);
    argument_kind kind = argument.kind;
    join_kinds(kind, known->kind);
    if (known->kind != kind || !join(known->folded, argument.folded)) {
      conflict = argument.name;
      return false;
    }
    known->bits = argument.kind == argument_kind::container ? joined_bits(*known, argument)
                                                            : known->bits | argument.bits;
    if (known->stale != argument.stale) known->stale.reset();
    known->written_fields |= argument.written_fields;
    known->steering_fields |= argument.steering_fields;
  }
  std::stable_partition(all.arguments.begin(), all.arguments.end(),
                        [](const loop_argument& a) { return a.object == "*this"; });
  for (const captured_constant& constant : one.constants) {
    const auto known = std::find_if(all.constants.begin(), all.constants.end(),
                                    [&](const captured_constant& c) { return c.name == constant.name; });
    if (known == all.constants.end()) {
      all.constants.push_back(constant);
    } else if (*known != constant) {
      conflict = constant.name;
      return false;
    }
  }
  return true;
}

/// Makes all instances run as transactions if one needs that.
static bool join_transactions(loop_site& all, const loop_site& one, bool is_relaxable,
                              std::string& conflict) {
  all.transactions.insert(one.transactions.begin(), one.transactions.end());
  all.may_run_again &= one.may_run_again;
  if (all.transactions.empty()) return true;
  all.sets = found_by::transactions;
  if (!is_relaxable) {
    all.inspector.clear();
    all.flags &= ~api::loop_relaxable;
  }
  all.interleaving.reset();
  conflict = all.transactions.begin()->container;
  return all.may_run_again;
}

/// Whether the objects of an instance have all members that the loop uses in other instances: in a template
/// with `auto& self = static_cast<D&>(*this)`, members of `self` may be those of one `D` only.
static bool has_members(const loop_site& in, const loop_site& used, std::string& conflict) {
  for (const loop_argument& argument : used.arguments) {
    const auto object = in.members_of_objects.find(argument.object);
    if (argument.object.empty() || object == in.members_of_objects.end() ||
        object->second.count(argument.member) != 0)
      continue;
    conflict = argument.object + "." + argument.member;
    return false;
  }
  return true;
}

/// Whether the instances mean the same fold of each container that they write.
static bool fold_alike(const loop_site& all, const loop_site& one, std::string& conflict) {
  for (const loop_argument& argument : one.arguments) {
    const auto known = std::find_if(all.arguments.begin(), all.arguments.end(), [&](const loop_argument& a) {
      return a.name == argument.name && a.kind == argument_kind::container && (a.bits & touches) != 0;
    });
    if (known == all.arguments.end() || (argument.bits & touches) == 0) continue;
    conflict = argument.name;
    if (fold_of(known->bits) != fold_of(argument.bits)) return false;
  }
  return true;
}

bool join(loop_site& all, const loop_site& one, std::string& conflict) {
  if (!has_members(all, one, conflict) || !has_members(one, all, conflict)) return false;
  if (all.folds_by_text && !fold_alike(all, one, conflict)) return false;
  for (auto& [object, members] : all.members_of_objects) {
    const auto others = one.members_of_objects.find(object);
    if (others == one.members_of_objects.end()) continue;
    std::erase_if(members, [&](const std::string& name) { return others->second.count(name) == 0; });
  }
  // one inspector must serve all instances
  const bool is_relaxable =
      (all.flags & one.flags & api::loop_relaxable) != 0 && all.inspector == one.inspector;
  const bool fills_maps = (all.flags & one.flags & api::loop_fills_maps) != 0;
  all.flags |= one.flags;
  if (!fills_maps) all.flags &= ~api::loop_fills_maps;
  all.planned |= one.planned;
  if (all.stale != one.stale) all.stale.reset();
  all.folds_by_text &= one.folds_by_text;
  all.knows_rows |= one.knows_rows;
  all.straight = std::min(all.straight, one.straight);
  all.adds_once &= one.adds_once;
  if (all.inspector != one.inspector) {
    all.inspector.clear();
    all.sets = found_by::whole_body;
    all.why_whole_body = "instances of this template differ";
  }
  if (all.interleaving != one.interleaving) {
    all.interleaving.reset();
    all.why_not_interleaved = "instances of the body need different code";
  }
  if (!join_transactions(all, one, is_relaxable, conflict)) return false;
  if (!join(static_cast<reconstructible_closure&>(all), static_cast<const reconstructible_closure&>(one),
            conflict))
    return false;
  all.of_lambdas.insert(all.of_lambdas.end(), one.of_lambdas.begin(), one.of_lambdas.end());
  add_new(all.added_captures, one.added_captures);
  std::erase_if(all.numbers, [&](const copied_number& number) {
    return std::find(one.numbers.begin(), one.numbers.end(), number) == one.numbers.end();
  });
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
