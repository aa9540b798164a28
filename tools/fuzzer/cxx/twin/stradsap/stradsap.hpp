// The twin of <stradsap/stradsap.hpp>: the same names over std::vector and std::map, on one thread, without a
// library. A plain compiler compiles a generated program with it, to get the correct output for stradsap-cc's
// build.
// TWIN_ORDERS names a file of lines "launch j0 j1 ...": these launches run in that order, all others in
// program order. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stradsap {

template <class T> class dvector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  dvector() = default;
  explicit dvector(std::size_t n, const T& value = T()) : elements_(n, value) {}
  dvector(std::initializer_list<T> values) : elements_(values) {}

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] bool empty() const { return elements_.empty(); }
  T& operator[](std::uint64_t i) { return elements_.at(i); }
  const T& operator[](std::uint64_t i) const { return elements_.at(i); }
  T& at(std::uint64_t i) { return elements_.at(i); }
  const T& at(std::uint64_t i) const { return elements_.at(i); }
  std::span<T> span(std::uint64_t first, std::uint64_t n) {
    return std::span<T>(elements_).subspan(first, n);
  }
  std::span<const T> span(std::uint64_t first, std::uint64_t n) const {
    return std::span<const T>(elements_).subspan(first, n);
  }
  iterator begin() { return elements_.data(); }
  iterator end() { return begin() + size(); }
  const_iterator begin() const { return elements_.data(); }
  const_iterator end() const { return begin() + size(); }
  void resize(std::size_t n) { elements_.resize(n); }
  void push_back(T value) { elements_.push_back(std::move(value)); }

 private:
  std::vector<T> elements_;
};

template <class T> struct less_by_hash {
  bool operator()(const T& a, const T& b) const { return std::hash<T>()(a) < std::hash<T>()(b); }
};

/// Keys need no order: the hashes of the programs never collide.
template <class K, class V> class dmap : std::map<K, V, less_by_hash<K>> {
  using base = std::map<K, V, less_by_hash<K>>;

 public:
  using base::at;
  using base::begin;
  using base::contains;
  using base::count;
  using base::end;
  using base::erase;
  using base::find;
  using base::insert;
  using base::size;
  using typename base::value_type;
  using base::operator[];
};

namespace consistency {
struct ConsistencyModel {
  constexpr ConsistencyModel operator()(std::int64_t) const { return {}; }
};
inline constexpr ConsistencyModel async{}, ordered{}, sync{};
}  // namespace consistency
using consistency::ConsistencyModel;

namespace twin {
using order = std::vector<std::int64_t>;

inline std::map<std::int64_t, order> read_orders() {
  std::map<std::int64_t, order> all;
  const char* path = std::getenv("TWIN_ORDERS");
  std::ifstream file(path != nullptr ? path : "");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::int64_t launch = 0, j = 0;
    words >> launch;
    order& order = all[launch];
    while (words >> j) order.push_back(j);
  }
  return all;
}

inline std::int64_t launches = 0;
}  // namespace twin

template <class Count, class Body> void parallel_for(Count n, const Body& body, ConsistencyModel) {
  static const std::map<std::int64_t, twin::order> orders = twin::read_orders();
  const auto given = orders.find(++twin::launches);
  if (given == orders.end()) {
    for (Count j = 0; j < n; ++j) body(j);
    return;
  }
  if (given->second.size() != static_cast<std::size_t>(n))
    throw std::logic_error("the order is of another loop");
  for (const std::int64_t j : given->second) body(static_cast<Count>(j));
}
template <class Count, class Body> void async_for(Count n, const Body& body) {
  parallel_for(n, body, consistency::async);
}

}  // namespace stradsap
