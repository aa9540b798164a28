// The log for the proof of a serial order (runtime/observe/serial_order.hpp). In each launch, each element
// that the loop reaches has a version. Each iteration that changes the element increments it, and tokens
// carry it from rank to rank. Each touch logs the version and hashes of the bytes at its start and end.
// Only in check builds under STRADSAP_CHECK=conflicts. Thread rule: element_versions is thread-safe for the
// groups that a thread may touch; an access_recorder belongs to one executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/access/touch_index.hpp"
#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// One iteration that ran.
struct logged_iteration {
  std::int64_t iteration;
  std::uint32_t block;
  template <class Archive> void serialize(Archive& archive) { archive(iteration, block); }
};

/// One iteration's touch of one element, from its first access to the iteration's end.
struct logged_touch {
  std::uint32_t iteration;  // place in access_log::iterations
  std::uint32_t capture;    // the first of its container
  std::uint64_t element;
  std::uint64_t version;  // at the first access; a write leaves the next version
  std::uint64_t before;   // hashes of the element's bytes
  std::uint64_t after;
  std::uint32_t place;  // in access_log::places: of the first access, or of the first write
  bool writes;
  bool torn;  // another iteration changed the element meanwhile
  template <class Archive> void serialize(Archive& archive) {
    archive(iteration, capture, element, version, before, after, place, writes, torn);
  }
};

/// The elements of one group, on its owner.
struct logged_state {
  std::uint32_t capture = 0;
  std::uint64_t begin = 0;
  std::vector<std::uint64_t> hashes;
  template <class Archive> void serialize(Archive& archive) { archive(capture, begin, hashes); }
};

struct access_log {
  std::vector<logged_iteration> iterations;
  std::vector<logged_touch> touches;
  std::vector<std::string> places;  // FILE:LINE
  std::vector<logged_state> start;
  std::vector<logged_state> end;
  template <class Archive> void serialize(Archive& archive) {
    archive(iterations, touches, places, start, end);
  }
};

/// The element versions of a launch on one rank. Valid for the groups with tokens on this rank.
class element_versions {
 public:
  explicit element_versions(const loop_frame& f);

  [[nodiscard]] std::uint64_t of(std::size_t capture, std::uint64_t element) const;
  /// Increments the version; returns the old one.
  std::uint64_t change(std::size_t capture, std::uint64_t element);
  /// The versions of elements [begin, end), for their group's token.
  [[nodiscard]] std::vector<std::uint64_t> take(std::size_t capture, std::uint64_t begin,
                                                std::uint64_t end) const;
  /// Throws error(errc::decode) unless there is one version for each element.
  void put(std::size_t capture, std::uint64_t begin, std::uint64_t end,
           const std::vector<std::uint64_t>& versions);

 private:
  std::vector<std::vector<std::atomic<std::uint64_t>>>
      versions_;  // by capture; empty where nothing is written
};

/// Places of accesses, numbered in order of first use.
class place_list {
 public:
  /// `site`: used if a place is unknown.
  explicit place_list(const std::string& site) : site_(site) {}
  std::uint32_t number_of(const abi::access_place& where);
  /// FILE:LINE of each number.
  [[nodiscard]] std::vector<std::string> take() { return std::move(places_); }

 private:
  const std::string& site_;
  std::vector<std::string> places_;
  std::map<std::pair<const char*, std::uint32_t>, std::uint32_t> number_of_;
};

class access_recorder {
 public:
  access_recorder(const loop_frame& f, element_versions& versions)
      : frame_(f), versions_(versions), places_(f.site) {}

  void begin(std::int64_t iteration, std::uint32_t block);
  /// Logs an access to element `element` of capture `capture`, which is at `at`. Call it before the access
  /// changes the element.
  void touched(std::uint32_t capture, std::uint64_t element, const void* at, bool writes);
  /// Must also be called if the iteration threw.
  void end();
  [[nodiscard]] access_log take() {
    log_.places = places_.take();
    return std::move(log_);
  }

 private:
  void note_change(logged_touch& touch);

  const loop_frame& frame_;
  element_versions& versions_;
  place_list places_;
  access_log log_;
  touch_index known_;  // the current iteration's touches
  std::size_t first_ = 0;
  std::vector<const void*> at_;
  bool running_ = false;
};

/// A hash of the element's encoded bytes.
[[nodiscard]] std::uint64_t hash_of(const replica& local, const void* element);

/// The groups of captured containers that this rank owns.
[[nodiscard]] std::vector<logged_state> owned_states(const loop_frame& f, rank_id self);
/// All groups of captured containers. Requires that all elements are here.
[[nodiscard]] std::vector<logged_state> all_states(const loop_frame& f);

}  // namespace stradsap::rt
