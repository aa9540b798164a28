// The values of one key of a dmultimap. Copies share them until one copy changes. So a copy of a long list,
// as reconnaissance makes, costs no more than a copy of a short one.
// Thread rule: one thread may change a list while no other uses it; several may copy and read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/abi.hpp>

namespace stradsap::abi {

/// Pairs of one key, ordered by launch, then by iteration, then by insertion within the iteration. The order
/// in which iterations run does not matter.
template <class K_, class V_> class value_list {
 public:
  using pair = std::pair<K_, V_>;

  [[nodiscard]] std::size_t size() const { return inside().pairs.size(); }
  [[nodiscard]] const pair* begin() const { return inside().pairs.data(); }
  [[nodiscard]] const pair* end() const { return begin() + size(); }

  /// Inserts a pair; launch 0 stands for the driver between loops. Constant time if iterations come in order.
  void insert(pair value, std::uint32_t launch, std::int64_t iteration) {
    contents& own = mine();
    if (own.launch != launch || launch == 0) own.iterations.clear();
    own.launch = launch;
    auto place = own.iterations.end();  // iterations mostly come in order
    while (place != own.iterations.begin() && *std::prev(place) > iteration) --place;
    own.pairs.insert(own.pairs.end() - std::distance(place, own.iterations.end()), std::move(value));
    own.iterations.insert(place, iteration);
  }

  void stradsap_write_(writer& out) const { out(inside().pairs, inside().iterations, inside().launch); }
  void stradsap_read_(reader& in) {
    auto made = std::make_shared<contents>();
    in(made->pairs, made->iterations, made->launch);
    if (made->iterations.size() > made->pairs.size())
      throw error(errc::decode, "more iterations than values");
    contents_ = std::move(made);
  }

  /// Appends the pairs that `end` has beyond `start`: loops only add to lists.
  void stradsap_merge_(const value_list& start, const value_list& end) {
    if (end.contents_ == start.contents_) return;
    contents& own = mine();
    own.iterations.clear();
    own.pairs.insert(own.pairs.end(), end.begin() + start.size(), end.end());
  }

 private:
  struct contents {
    std::vector<pair> pairs;
    std::vector<std::int64_t> iterations;  // of the last pairs, which came from `launch`
    std::uint32_t launch = 0;
  };

  [[nodiscard]] const contents& inside() const {
    static const contents empty;
    return contents_ == nullptr ? empty : *contents_;
  }
  contents& mine() {
    if (contents_ == nullptr || contents_.use_count() != 1) contents_ = std::make_shared<contents>(inside());
    return *contents_;
  }

  std::shared_ptr<contents> contents_;  // shared by copies of the list; null if empty
};

}  // namespace stradsap::abi
