#include "runtime/cluster/survey_frame.hpp"

#include <utility>
#include <vector>

namespace stradsap::rt {

loop_frame frame_of_survey(const launch_request& r, const abi::launch_key& key, ConsistencyModel::kind model,
                           const relaxations& relaxed) {
  std::vector<replica*> replicas;
  for (driver_handle* handle : r.containers)
    replicas.push_back(handle == nullptr ? nullptr : &handle->local());
  launch l;
  l.id = launch_id{key.number};
  l.site = r.site;
  l.n = r.n;
  l.model = static_cast<std::uint8_t>(model);
  l.relaxed = as_sent(relaxed);
  loop_frame f = make_frame(*r.entry, l, key.seed, r.values.borrowed(), std::move(replicas));
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    const bool has_size = capture.added == nullptr || capture.added->size_bytes == nullptr;
    const bool only_named = f.uses[c] == usage::owned && has_size && (capture.mode & abi::listed) != 0;
    if (f.replicas[c] != nullptr && !f.is_aligned(c) && !only_named) r.containers[c]->all(abi::access::read);
  }
  return f;
}

void bring_aligned(const loop_frame& f, const launch_request& r, std::int64_t j) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.is_aligned(c) && static_cast<std::uint64_t>(j) < f.replicas[c]->size())
      (void)r.containers[c]->element(static_cast<std::uint64_t>(j), abi::access::read);
  }
}

}  // namespace stradsap::rt
