// What iterations saw and left behind, for the proof that they have a serial order (runtime/observe/
// serial_order.hpp): each element that a loop reaches has a version in each launch, counted by the iterations
// that change it and travelling with it from rank to rank, and each touch notes the version and the bytes
// that it found and left. Only in check builds under STRADSAP_CHECK=conflicts. Thread rule: element_versions
// is thread-safe, as far as groups are; an access_recorder belongs to one executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/frame.hpp"
#include "runtime/loop/touch_index.hpp"

namespace stradsap::rt {

/// One iteration that ran.
struct logged_iteration {
  std::int64_t iteration;
  std::uint32_t block;
};

/// What it did to one element, from its first access to its own end.
struct logged_touch {
  std::uint32_t iteration;  // place in access_log::iterations
  std::uint32_t capture;    // the first of its container
  std::uint64_t element;
  std::uint64_t version;  // that it found; it left the next one if it writes
  std::uint64_t before;   // hashes of the element's bytes
  std::uint64_t after;
  std::uint32_t place;  // in access_log::places: of the first access, or of the first that writes
  bool writes;
  bool torn;  // somebody changed the element meanwhile
};

/// The elements of one group as its owner has them.
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

/// The versions of a launch as one rank knows them: right for the groups whose tokens are here.
class element_versions {
 public:
  explicit element_versions(const loop_frame& f);

  [[nodiscard]] std::uint64_t of(std::size_t capture, std::uint64_t element) const;
  /// The version that a change finds; the element has the next one from now on.
  std::uint64_t change(std::size_t capture, std::uint64_t element);
  /// For the token of a group.
  [[nodiscard]] std::vector<std::uint64_t> take(std::size_t capture, std::uint64_t begin,
                                                std::uint64_t end) const;
  /// Throws error(errc::decode) where there are not as many as elements.
  void put(std::size_t capture, std::uint64_t begin, std::uint64_t end,
           const std::vector<std::uint64_t>& versions);

 private:
  std::vector<std::vector<std::atomic<std::uint64_t>>>
      versions_;  // by capture; empty where nothing is written
};

/// Places of accesses, numbered as they come up.
class place_list {
 public:
  /// `site`: what stands for a place that is not known.
  explicit place_list(const std::string& site) : site_(site) {}
  std::uint32_t number_of(const abi::access_place& where);
  /// FILE:LINE of each.
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
  /// Element `element` of capture `capture` is at `at` and has not been changed by this access yet.
  void touched(std::uint32_t capture, std::uint64_t element, const void* at, bool writes);
  /// To be called also where the iteration threw.
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
  touch_index known_;  // touches of the current iteration
  std::size_t first_ = 0;
  std::vector<const void*> at_;
  bool running_ = false;
};

/// A hash of the bytes that an element travels as.
[[nodiscard]] std::uint64_t hash_of(const container_store& store, const void* element);

/// What this rank owns of all that the loop reaches.
[[nodiscard]] std::vector<logged_state> owned_states(const loop_frame& f, rank_id self);
/// The same of all elements, where all are here.
[[nodiscard]] std::vector<logged_state> all_states(const loop_frame& f);

}  // namespace stradsap::rt
