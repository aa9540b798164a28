#include "rewrite/explain.hpp"

#include <algorithm>

#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

static bool has(const loop_argument& argument, unsigned bit) { return (argument.bits & bit) != 0; }

static bool is_computed_write(const loop_argument& argument) {
  return argument.kind == argument_kind::container && has(argument, api::mode_write) &&
         !has(argument, api::mode_aligned);
}

/// a, b and c
static std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

/// `a`, `b` and `c`
static std::string listed(std::vector<std::string> names) {
  for (std::string& name : names) name.insert(0, 1, '`').push_back('`');
  return joined(names);
}

/// The arguments of the loop and of the lambdas that its body captures; each container once, by name.
static std::vector<loop_argument> arguments_of(const loop_site& site) {
  std::vector<loop_argument> all = site.arguments;
  for (const loop_argument& held : site.of_lambdas) {
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const loop_argument& one) { return one.name == held.name; });
    if (!known) all.push_back(held);
  }
  return all;
}

/// Whether the loop may add into private copies of the container. A dmap gets copies only if the analysis
/// found its operator and the loop writes no other container at computed places. The model and the
/// container's size are left to the runtime.
static bool is_accumulated(const loop_site& site, const loop_argument& argument) {
  if (!is_computed_write(argument) || !has(argument, api::mode_accumulates)) return false;
  if (!argument.has_keys) return true;
  const bool is_seen = (argument.bits & api::operator_bits) != api::operator_stated << api::operator_shift;
  const std::vector<loop_argument> all = arguments_of(site);
  return is_seen && std::none_of(all.begin(), all.end(), [](const loop_argument& one) {
           return is_computed_write(one) && !has(one, api::mode_accumulates);
         });
}

static bool adds_late(const loop_argument& container) { return has(container, api::mode_adds_late); }

static std::string use_of(const loop_argument& container) {
  if (adds_late(container)) return "added into and read";
  if (has(container, api::mode_accumulates)) return "only added into";
  const bool reads = has(container, api::mode_read);
  if (has(container, api::mode_write)) return reads ? "read and written" : "written";
  return reads ? "read" : "not touched";
}

static const char* exactness(const loop_site& site) {
  switch (site.sets) {
    case found_by::exact_slice:
      return "PROVEN by an exact slice";
    case found_by::slice:
      return "PLANNED by a slice, each access checked";
    case found_by::transactions:
      return "as transactions";
    default:
      return "RECORDED by running the body, each access checked";
  }
}

/// Whether the container's model counts in the loop: it does in those that need access sets.
static bool counts_model_of(const loop_site& site, const loop_argument& argument) {
  return site.planned && !site.stale && argument.stale && is_computed_write(argument);
}

/// Whether the text says that the loop sees old values of the container.
static bool is_stated_stale(const loop_site& site, const loop_argument& argument) {
  return counts_model_of(site, argument) && !argument.stale->is_computed;
}

static std::string calls(std::int64_t n) {
  return n == 1 ? "the call before" : "the " + std::to_string(n) + " calls before";
}

/// `a look at them`
static const char* it_or_them(const std::vector<std::string>& names) {
  return names.size() == 1 ? "it" : "them";
}

/// The reads of a loop under consistency::stale.
static std::string remark_on_stale_loop(const loop_site& site) {
  std::vector<std::string> late;
  for (const loop_argument& argument : arguments_of(site)) {
    if (is_computed_write(argument)) late.push_back(argument.name);
  }
  const stated_staleness& model = *site.stale;
  if (late.empty()) return "`" + model.text + "` changes nothing: the loop writes at its own index only";
  const std::string earlier = !model.bound       ? ", and in as many calls before as the bound says"
                              : *model.bound > 0 ? ", and in " + calls(*model.bound)
                                                 : "";
  std::string text = "`" + model.text + "`: of " + listed(late) +
                     ", an iteration misses what iterations outside its own sixteenth of the loop change in "
                     "this call" +
                     earlier;
  text += model.runs_freely ? ", but for calls that have come: timing decides which, and so the bits"
                            : ", and nothing else: the same in every run";
  return text + ". The call may return while other ranks run; a look of the program at " + it_or_them(late) +
         " waits for all calls";
}

/// The reads of a container that is consistency::stale.
static std::string remark_on_stale(const loop_argument& container) {
  const stated_staleness& model = *container.stale;
  if (model.is_computed)
    return "`" + container.name + "` has the model `" + model.text +
           "`, which the program computes: if that is consistency::stale, an iteration sees the changes of "
           "its "
           "own accumulator at once, and those of all others late, the same in every run";
  const std::string what = model.of_hottest ? "of its hottest elements, an iteration" : "an iteration";
  const std::string late = !model.bound        ? "as many rounds late as the bound says"
                           : *model.bound == 0 ? "from the next round on"
                           : *model.bound == 1
                               ? "one round later than the next one"
                               : std::to_string(*model.bound) + " rounds later than the next one";
  return "`" + container.name + "` is `" + model.text + "`: " + what +
         " sees the changes of its own accumulator at once, and those of all others " + late +
         ", the same in every run" +
         (model.of_hottest ? "; other elements are current" : "; no iteration waits for it");
}

/// The fold of copies that several shards changed, if the loop names no merge.
static std::string fold_of(const loop_argument& container) {
  if (has(container, api::mode_accumulates | api::mode_folds_bits)) return "the operator folds all changes";
  if (has(container, api::mode_keeps_least)) return "the least value counts";
  if (has(container, api::mode_keeps_greatest)) return "the greatest value counts";
  if (has(container, api::mode_replaces | api::mode_replaces_parts)) return "the last shard's value counts";
  return "numbers take the sum of the shards' differences";
}

static std::string remark_on_container(const loop_site& site, const loop_argument& container) {
  std::string text = "`" + container.name + "` is " + use_of(container);
  if (has(container, api::mode_aligned)) return text + " at the loop's index only (PROVEN)";
  if (!has(container, api::mode_read | api::mode_write)) return text;
  text += " at computed places";
  if (is_stated_stale(site, container) && !container.stale->of_hottest) return text + ": in private copies";
  if (!has(container, api::mode_write)) return text + ": whole on every rank";
  if (site.folds_by_text) return text + "; where several shards change an element, " + fold_of(container);
  if (site.planned && site.sets != found_by::transactions && adds_late(container))
    return text + ", accumulated: private copies that start with its elements, and whose changes are folded";
  if (site.planned && is_accumulated(site, container) && !adds_late(container))
    return text + ", accumulated: private copies, folded" +
           (container.has_keys ? " (under `ordered`, or if entries are large: cut as what is written)"
                               : " (if large beside the iterations: fewer copies, or as what is written: "
                                 "cut, or in program order)");
  return text + (site.planned ? std::string(" (") + exactness(site) + ")" : "");
}

static std::string remark_on_sets(const loop_site& site) {
  switch (site.sets) {
    case found_by::exact_slice:
      return "an inspector, a slice of the body, finds exactly the elements that iterations touch";
    case found_by::slice:
      return "an inspector, a slice of the body, finds the elements that iterations may touch";
    case found_by::whole_body:
      return "the whole body is run to find the elements that iterations touch: " + site.why_whole_body;
    case found_by::transactions:
      return "transactions: iterations run one after the other, or on copies and again if an earlier one has "
             "changed what they touched, since data that the loop writes decide what that is; subscripts "
             "kept apart, in a container that it only reads, would be faster";
    default:
      return "nothing has to be found out before the loop runs";
  }
}

static std::string remark_on_parallelism(const loop_site& site) {
  std::vector<std::string> shared;
  std::vector<std::string> copied;  // containers that may be too large for it
  for (const loop_argument& argument : arguments_of(site)) {
    if (!is_computed_write(argument) || is_stated_stale(site, argument)) continue;
    if (!is_accumulated(site, argument)) shared.push_back(argument.name);
    if (is_accumulated(site, argument) && !argument.has_keys) copied.push_back(argument.name);
  }
  if (site.stale) return "accumulators, which are sixteenths of the loop, run at the same time";
  if (!site.planned) return "the model decides what runs at the same time, see docs/consistency.md";
  if (site.sets == found_by::transactions)
    return "where iterations take long, they run at the same time on the threads of rank 0, and count if no "
           "earlier one changes what they touch";
  if (shared.empty() && copied.empty()) return "all iterations may run at the same time";
  if (shared.empty())
    return "all iterations may run at the same time, if private copies of " + listed(copied) +
           " pay: then `accumulated` in the statistics names " + (copied.size() == 1 ? "it" : "them");
  return "iterations run at the same time if they share no group of elements of " + listed(shared) +
         "; at most N / (uses of the hottest element) at once";
}

static std::string remark_on_plan(const loop_site& site) {
  if ((site.flags & api::loop_unknown_dependences) != 0) {
    const std::string cause = site.unknown.empty() ? "something" : joined(site.unknown);
    return "planned at every call: subscripts depend on " + cause + ", which stradsap-cc cannot follow";
  }
  if ((site.flags & api::loop_random) != 0)
    return "planned at every call: subscripts depend on random numbers";
  std::vector<std::string> names;
  for (const loop_argument& argument : arguments_of(site)) {
    if (has(argument, api::mode_steers)) names.push_back(argument.name);
  }
  for (const loop_global& global : site.globals) {
    if ((global.bits & api::mode_steers) != 0) names.push_back(global.path.substr(2));
  }
  return "the plan is kept until the number of iterations or a container's size changes" +
         (names.empty() ? "" : ", or what subscripts read of " + listed(names));
}

/// How a loop that runs as transactions can have a plan; empty if it cannot.
static std::string remark_on_hindering(const loop_site& site) {
  std::vector<std::string> added;
  std::vector<std::string> others;
  for (const loop_argument& argument : site.arguments) {
    if (!has(argument, api::mode_hinders)) continue;
    (has(argument, api::mode_accumulates) ? added : others).push_back(argument.name);
  }
  if (!others.empty()) {
    return "once " + listed(others) + (others.size() == 1 ? " is" : " are") +
           " made with consistency::stale(0), the loop needs no transactions: iterations then see the "
           "changes "
           "of others there late";
  }
  return added.empty() ? "" : "the loop needs no transactions if private copies of " + listed(added) + " pay";
}

bool runs_as_transactions(const loop_site& site) {
  if (site.transactions.empty() || (site.flags & api::loop_relaxable) == 0) return !site.transactions.empty();
  return std::any_of(site.arguments.begin(), site.arguments.end(), [&](const loop_argument& one) {
    const bool is_relaxed = is_stated_stale(site, one) && !one.stale->of_hottest;
    return has(one, api::mode_hinders) && !is_relaxed;
  });
}

/// The loop as it runs if the containers are stale that would make it run as transactions.
static std::vector<std::string> remarks_on_planned(loop_site site) {
  site.sets = site.inspector.empty() ? found_by::nothing : found_by::slice;
  site.transactions.clear();
  for (loop_argument& one : site.arguments) one.bits &= ~api::mode_hinders;
  return remarks_on(site);
}

std::vector<std::string> remarks_on(const loop_site& site) {
  if (!site.transactions.empty() && !runs_as_transactions(site)) return remarks_on_planned(site);
  std::vector<std::string> remarks{remark_on_sets(site)};
  if (site.stale) remarks.push_back(remark_on_stale_loop(site));
  if (std::string remark = remark_on_hindering(site); !remark.empty()) remarks.push_back(std::move(remark));
  for (const loop_argument& argument : arguments_of(site)) {
    if (argument.kind == argument_kind::container) remarks.push_back(remark_on_container(site, argument));
    if (counts_model_of(site, argument)) remarks.push_back(remark_on_stale(argument));
    if (argument.kind == argument_kind::value && argument.is_object) {
      remarks.push_back("`" + argument.name +
                        "` is only read (PROVEN): in place on rank 0; other ranks get it "
                        "once, and again after a change");
    }
    if (argument.kind == argument_kind::reduction) {
      remarks.push_back("`" + argument.name + "` is a reduction: parts are folded in the order of blocks");
    }
  }
  remarks.push_back(remark_on_parallelism(site));
  if (site.interleaving) {
    remarks.push_back(
        "under async, where iterations share nothing, an executor runs four of them side by side, so that "
        "their sums "
        "need not wait for each other");
  } else if (!site.why_not_interleaved.empty() && site.sets != found_by::nothing) {
    remarks.push_back("an executor runs iterations one by one: " + site.why_not_interleaved);
  }
  if (site.knows_rows) {
    remarks.push_back(
        "where the text reads all columns of a row in a loop, an element at an unknown column of it is taken "
        "to be in that row; if it is not, the access throws");
  }
  const bool is_planned = site.planned && site.sets != found_by::nothing;
  if (is_planned && site.sets != found_by::transactions) remarks.push_back(remark_on_plan(site));
  return remarks;
}

std::string remark_on(const resumed_loop& loop) {
  std::string names;
  for (const std::string& name : loop.unregistered) names += (names.empty() ? "`" : ", `") + name + "`";
  return "this loop has a save point and changes " + names +
         ", which resumable() does not name: a resumed run begins with the first value of each";
}

std::string remark_on(const decided_access& one) {
  return "transactions: which element is used here depends on data in `" + one.container +
         "`, which this loop " + one.writes;
}

std::string remark_on_comparison(const decided_access& one) {
  return "transactions: this comparison of pointers counts as a use of data in `" + one.container +
         "`: compare the indices instead, and the loop may get a plan";
}

}  // namespace stradsap::pp
