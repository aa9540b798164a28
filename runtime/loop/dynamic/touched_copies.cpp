#include "runtime/loop/dynamic/touched_copies.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <stradsap/cereal.hpp>

namespace stradsap::rt {

namespace {

/// The memory of a unit's elements.
struct unit_bytes {
  std::byte* first = nullptr;
  std::size_t size = 0;
  bool is_plain = false;
};

}  // namespace

static unit_bytes bytes_of(const loop_frame& f, const touched_unit& unit) {
  const replica& local = *f.replicas[unit.capture];
  return {local.at(unit.first), unit.count * local.ops().size, local.ops().own.assign == nullptr};
}

void touched_copies::keep(const loop_frame& f, const touched_elements& all,
                          const std::vector<std::int64_t>& members) {
  units_.clear();
  before_.clear();
  for (const std::int64_t j : members) {
    const std::span<const std::uint32_t> written = all.written_by(j);
    units_.insert(units_.end(), written.begin(), written.end());
  }
  std::sort(units_.begin(), units_.end());
  units_.erase(std::unique(units_.begin(), units_.end()), units_.end());
  for (const std::uint32_t unit : units_) {
    const unit_bytes now = bytes_of(f, all[unit]);
    if (now.is_plain) before_.insert(before_.end(), now.first, now.first + now.size);
  }
}

void touched_copies::drop_unchanged(const loop_frame& f, const touched_elements& all) {
  const std::byte* before = before_.data();
  std::erase_if(units_, [&](std::uint32_t unit) {
    const unit_bytes now = bytes_of(f, all[unit]);
    const bool is_same = now.is_plain && std::memcmp(before, now.first, now.size) == 0;
    if (now.is_plain) before += now.size;
    return is_same;
  });
}

void write_touched(const loop_frame& f, const touched_elements& all,
                   const std::vector<touched_copies>& shards, abi::writer& out) {
  std::vector<std::uint32_t> units;
  for (const touched_copies& one : shards) units.insert(units.end(), one.units().begin(), one.units().end());
  abi::output_archive archive(out);
  archive(units);
  for (const std::uint32_t unit : units) {
    const touched_unit at = all[unit];
    const replica& local = *f.replicas[at.capture];
    local.ops().write(local.at(at.first), at.count, out);
  }
}

void read_touched(const loop_frame& f, const touched_elements& all, abi::reader& in) {
  std::vector<std::uint32_t> units;
  abi::input_archive archive(in);
  archive(units);
  for (const std::uint32_t unit : units) {
    if (unit >= all.num_units())
      throw error(errc::decode, fmt::format("changes in unit {} of {}", unit, all.num_units()));
    const touched_unit at = all[unit];
    const replica& local = *f.replicas[at.capture];
    local.ops().read(local.at(at.first), at.count, in);
  }
}

}  // namespace stradsap::rt
