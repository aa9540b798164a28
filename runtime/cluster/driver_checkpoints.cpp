// The state of the driver in checkpoints: all that decides later bits. Plans are not in it: a resumed run
// makes each anew from the same inputs and cuts. Thread rule: main thread.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/checkpoint/records.hpp"
#include "runtime/cluster/driver.hpp"

namespace stradsap::rt {

void driver::request_checkpoints(const abi::checkpoint_request& how) { checkpoints_.request(how); }

// ---- saving ----

/// Also without a checkpoint: bits must not depend on when a program is saved.
void driver::reach_save_point(const std::string& place) {
  refuse_other_threads();
  while (!clocked_.empty()) settle(*clocked_.front());
  for (const auto& [id, handle] : handles_) handle->settle_writes();
  refuse_moved_containers(place);
  if (const std::unique_ptr<whole_checkpoint> from = checkpoints_.reach(place)) {
    resume(*from);
  } else if (checkpoints_.is_due()) {
    save();
  }
}

/// A resumed program has its containers in the variables that made them, as before its first save point.
void driver::refuse_moved_containers(const std::string& place) {
  if (!checkpoints_.may_save()) return;
  for (const auto& [id, handle] : handles_) {
    const auto [at, is_first] = homes_.try_emplace(handle->variable(), id);
    if (is_first || at->second == id) continue;
    if (handles_.contains(at->second) || handle->has_moved())
      throw error(errc::unsupported,
                  fmt::format("{}: since an earlier save point a container was moved or swapped into another "
                              "variable, which a resumed run would not know: copy the elements (`a = b`), or "
                              "swap back before the save point",
                              place));
    at->second = id;
  }
}

void driver::save() {
  checkpoint_manifest about;
  std::vector<const replica*> containers;
  for (const auto& [id, handle] : handles_) {
    (void)handle->all(abi::access::read);
    const replica& local = handle->local();
    const auto number = static_cast<std::uint64_t>(id);
    about.containers.push_back({number, local.ops().type == nullptr ? "" : local.ops().type->name(),
                                local.size(), local.keys() != nullptr, fmt::format("container-{}", number)});
    containers.push_back(&local);
  }
  bytes state;
  abi::writer out(state);
  checkpoints_.save_variables(out);
  save_history(out);
  checkpoints_.save(std::move(about), std::move(containers), std::move(state));
  checkpoints_.leave_if_asked();
}

void driver::save_history(abi::writer& out) const {
  out(launches_, next_container_, destroyed_);
  plans_.save(out);
  additions_.save(out);
  out(std::uint64_t{routes_.size()});
  for (const auto& [kind, chosen] : routes_)
    out(kind, chosen.route, chosen.why, chosen.large_accumulators, chosen.has_choice, chosen.may_change,
        chosen.moves);
  for (const auto& [id, handle] : handles_) handle->save_history(out);
  node_.save_scales(out);
}

// ---- resuming ----

static void refuse_container(const whole_checkpoint& from, const std::string& why) {
  throw error(errc::bad_input,
              fmt::format("{}: does not fit the program at {}: {}", from.path, from.about.place, why));
}

/// The program has made the same containers again, in the same order.
void driver::refuse_other_containers(const whole_checkpoint& from) const {
  const std::vector<saved_container>& saved = from.about.containers;
  if (saved.size() != handles_.size())
    refuse_container(from,
                     fmt::format("it has {} containers, and the program {}", saved.size(), handles_.size()));
  auto at = saved.begin();
  for (const auto& [id, handle] : handles_) {
    const saved_container& one = *at++;
    if (static_cast<std::uint64_t>(id) != one.id)
      refuse_container(from, fmt::format("container {} there is container {} here, in the order of creation",
                                         one.id, static_cast<std::uint64_t>(id)));
    const abi::element_ops& ops = handle->local().ops();
    const std::string type = ops.type == nullptr ? "" : ops.type->name();
    if (type != one.type || (handle->local().keys() != nullptr) != one.is_map)
      refuse_container(from, fmt::format("container {} has elements of {}, and here of {}", one.id,
                                         demangled(one.type), demangled(type)));
  }
}

static void read_elements(driver_handle& to, const whole_checkpoint& from, const saved_container& saved) {
  const std::string path = from.path + "/" + saved.file;
  record_reader records(path);
  bytes encoded;
  if (saved.is_map) {
    if (records.at_end()) refuse_container(from, saved.file + " has no keys");
    const std::uint64_t count = records.next(encoded);
    if (count != saved.elements) refuse_container(from, saved.file + " has another number of keys");
    to.begin_resume(count, encoded);
  } else {
    to.begin_resume(saved.elements);
  }
  std::uint64_t at = 0;
  while (!records.at_end()) {
    const std::uint64_t count = records.next(encoded);
    if (count > saved.elements - at) refuse_container(from, saved.file + " has too many elements");
    to.local().unpack(at, at + count, encoded);
    at += count;
  }
  if (at != saved.elements)
    refuse_container(from, fmt::format("{} has {} elements, expected {}", saved.file, at, saved.elements));
}

void driver::resume(const whole_checkpoint& from) {
  refuse_other_containers(from);
  abi::reader in(from.state);
  checkpoints_.resume_variables(in);
  auto saved = from.about.containers.begin();
  for (const auto& [id, handle] : handles_) read_elements(*handle, from, *saved++);
  resume_history(from, in);
  checkpoints_.resumed(from);
}

void driver::resume_history(const whole_checkpoint& from, abi::reader& in) {
  std::vector<container_id> destroyed;
  const std::uint32_t before = launches_;
  in(launches_, next_container_, destroyed);
  if (launches_ < before)
    refuse_container(from, fmt::format("{} loops had run, and {} here", launches_, before));
  destroyed_.insert(destroyed_.end(), destroyed.begin(), destroyed.end());
  plans_.resume(in);
  additions_.resume(in);
  routes_.clear();
  for (std::size_t left = in.count(sizeof(plan_id)); left > 0; --left) {
    plan_id kind{};
    chosen_route chosen{loop_route::blocks, wave_pace(num_executors_, 1, 0), {}};
    in(kind, chosen.route, chosen.why, chosen.large_accumulators, chosen.has_choice, chosen.may_change,
       chosen.moves);
    chosen.has_no_pace = true;
    routes_.insert_or_assign(kind, std::move(chosen));
  }
  for (const auto& [id, handle] : handles_) handle->resume_history(in);
  resumed_scales scales;
  scales.histories.resize(in.remaining());
  in.bytes(scales.histories.data(), scales.histories.size());
  for (rank_id to = 1; to < settings().world_size; ++to) node_.net()->send(to, scales);
  node_.perform(scales);
}

/// The pace of a route from a checkpoint follows from a new survey, which decides no bit.
void driver::find_pace(const resolved_request& r, const abi::launch_key& key, chosen_route& chosen) {
  if (!std::exchange(chosen.has_no_pace, false)) return;
  chosen_route again = surveyed_route(r, key);
  chosen.pace = again.pace;
  chosen.is_unsurveyed = again.is_unsurveyed;
  chosen.disjoint = std::move(again.disjoint);
}

}  // namespace stradsap::rt
