#include "analyze/pointers/pointer_places.hpp"

#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

position pointer_places::at_use(const clang::VarDecl& variable, const clang::Expr& use, const position& start,
                                const call_path& path) {
  const std::vector<pointer_move> all = moves_.of(variable);
  if (all.empty()) return start;
  for (const pointer_move& one : all) {
    if (const char* why = moves_.is_repeated_by(one, variable)) throw unbounded{&use, why};
  }
  if (const auto ended = before_end(variable, use, start, all, path)) return *ended;
  position there = start;
  there.way = {};
  for (const pointer_move& one : all) {
    if (code_.function_of(one.statement) != variable.getDeclContext())
      throw unbounded{&use, "a lambda moves it"};
    const offset by = one.by == nullptr ? number(1) : offsets_.of(*one.by, path);
    const offset step = one.forward ? by : subtract(number(0), by);
    const std::int64_t size = size_of_target(code_.ast(), variable.getType());
    if (moves_.is_done_before(use, one, variable)) {
      there.move(step, size);
      continue;
    }
    const bool before = moves_.comes_before(use, one, variable);
    std::vector<offset> rounds{step, {before ? "1" : "0", std::nullopt, false, {}}};
    for (const clang::Stmt* loop : moves_.loops_around(*one.statement, variable)) {
      rounds.push_back(offsets_.of_rounds(*loop, path));
    }
    there.move(call_of(api::steps, rounds), size);
  }
  return there;
}

/// Where the only move is one up in a loop that compares the pointer with an end.
std::optional<position> pointer_places::before_end(const clang::VarDecl& variable, const clang::Expr& use,
                                                   const position& start,
                                                   const std::vector<pointer_move>& all,
                                                   const call_path& path) {
  const pointer_move& move = all.front();
  const std::vector<const clang::Stmt*> loops = moves_.loops_around(*move.statement, variable);
  const bool steps_by_one = all.size() == 1 && move.by == nullptr && move.forward && loops.size() == 1;
  const clang::Expr* end = steps_by_one ? pointer_moves::end_of(*loops.back(), variable) : nullptr;
  const std::optional<pointer_value> stop = end == nullptr ? std::nullopt : values_.of(*end, path);
  if (!stop || start.is_member) return std::nullopt;
  const std::optional<displacement> stop_at = from_access(*stop);
  if (!stop_at) return std::nullopt;
  const std::int64_t size = size_of_target(code_.ast(), variable.getType());
  position there = start;
  there.way = {};
  there.count_in(size);
  displacement last = *stop_at;
  last.count_in(size);
  if (there.unit != last.unit) return std::nullopt;
  const bool before = code_.is_around(loops.back(), &use) && moves_.comes_before(use, move, variable);
  there.from = between(there.from, before ? last.from : add(last.from, number(1)));
  return there;
}

/// How far from the access a pointer is that was made from it, perhaps by a helper that has returned it.
std::optional<displacement> pointer_places::from_access(const pointer_value& pointer) {
  const auto returned = returned_.find(pointer.root);
  if (returned == returned_.end()) return values_.distance({&access_, {number(0), element_size_}}, pointer);
  displacement there = returned->second;
  displacement by = pointer.at;
  there.count_in(by.unit);
  by.count_in(there.unit);
  if (returned->second.is_member || there.unit != by.unit) return std::nullopt;
  there.from = add(there.from, by.from);
  return there;
}

std::optional<position> pointer_places::end_from_access(const clang::Expr& first, const clang::Expr& last,
                                                        position at, const call_path& path) {
  if (at.is_member || distance_of(first, last, path)) return std::nullopt;
  const std::optional<pointer_value> end = values_.of(last, path);
  const std::optional<displacement> there = end ? from_access(*end) : std::nullopt;
  if (!there) return std::nullopt;
  position behind{*there};
  behind.count_in(target_size(first));
  at.count_in(target_size(first));
  return behind.unit == at.unit && at.unit == target_size(first) ? std::optional(behind) : std::nullopt;
}

offset pointer_places::length_of(const clang::Expr& first, const clang::Expr& last, const call_path& path,
                                 const clang::Expr& where) {
  const std::optional<offset> length = distance_of(first, last, path);
  if (!length) throw unbounded{&where, "the end of the range is not known where the pointer is made"};
  return *length;
}

std::optional<offset> pointer_places::distance_of(const clang::Expr& first, const clang::Expr& last,
                                                  const call_path& path) {
  const auto begin = values_.of(first, path);
  const auto end = values_.of(last, path);
  auto length = begin && end ? values_.distance(*begin, *end) : std::nullopt;
  if (length) length->count_in(target_size(first));
  if (!length || length->unit != target_size(first)) return std::nullopt;
  return length->from;
}

}  // namespace stradsap::pp
