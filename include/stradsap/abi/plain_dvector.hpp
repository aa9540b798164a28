// dvector<T> in a program that stradsap-cc did not compile: a std::vector with the members of dvector.hpp,
// which describes them. Loops run on the calling thread, so elements are always here.
// Thread rule: as std::vector.
#pragma once

#ifndef STRADSAP_INSTRUMENTED

#include <concepts>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/build.hpp>
#include <stradsap/abi/internals.hpp>
#include <stradsap/abi/iterators.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/error.hpp>

namespace stradsap {
namespace abi {

/// An element of a std::vector that has a reference, in place of a bool.
struct plain_bool {
  plain_bool(bool value = false) : value_(value) {}
  bool value_;
};

template <class T_> using plain_element = std::conditional_t<std::is_same_v<T_, bool>, plain_bool, T_>;

/// Whether [] checks its subscript: without optimisation. at() always does.
#ifdef __OPTIMIZE__
inline constexpr bool plain_checks = false;
#else
inline constexpr bool plain_checks = true;
#endif

[[__noreturn__, __gnu__::__cold__, __gnu__::__noinline__]] inline void refuse_plain_index(std::uint64_t i_,
                                                                                          std::size_t size) {
  throw error(errc::out_of_range, "index " + std::to_string(static_cast<std::int64_t>(i_)) +
                                      " is out of range: the container has " + std::to_string(size) +
                                      " elements");
}
[[__noreturn__, __gnu__::__cold__, __gnu__::__noinline__]] inline void refuse_plain_range(std::uint64_t first,
                                                                                          std::uint64_t n_,
                                                                                          std::size_t size) {
  throw error(errc::out_of_range, std::to_string(static_cast<std::int64_t>(n_)) + " elements from index " +
                                      std::to_string(static_cast<std::int64_t>(first)) +
                                      " are out of range: the container has " + std::to_string(size) +
                                      " elements");
}

}  // namespace abi

inline namespace STRADSAP_BUILD {

template <class T_> class dvector {
  using stored = std::vector<abi::plain_element<T_>>;

 public:
  using value_type = T_;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T_&;
  using const_reference = const T_&;
  using iterator = T_*;
  using const_iterator = const T_*;

  dvector() = default;
  explicit dvector(std::size_t n_) : elements_(n_) {}
  dvector(std::size_t n_, const T_& value) : elements_(n_, value) {}
  dvector(std::size_t n_, const ConsistencyModel& model) : elements_(n_) {
    abi::check_model_of_container(model);
  }
  dvector(std::size_t n_, const T_& value, const ConsistencyModel& model) : elements_(n_, value) {
    abi::check_model_of_container(model);
  }
  dvector(std::initializer_list<T_> values) : elements_(values.begin(), values.end()) {}
  template <abi::passes_range Iterator_> dvector(Iterator_ first, Iterator_ last) {
    if constexpr (std::forward_iterator<Iterator_>)
      elements_.reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) elements_.push_back(T_(*first));
  }
  template <class Other_, class A_>
  dvector(const std::vector<Other_, A_>& from) : elements_(from.begin(), from.end()) {
    static_assert(std::is_same_v<T_, Other_>, "for elements of another type write X(v.begin(), v.end())");
  }
  template <class Other_, class A_>
  dvector(const std::vector<Other_, A_>& from, const ConsistencyModel& model) : dvector(from) {
    abi::check_model_of_container(model);
  }
  dvector(const dvector& other) = default;
  dvector(dvector&& other) noexcept = default;
  dvector& operator=(dvector other) noexcept {
    swap(other);
    return *this;
  }
  ~dvector() = default;

  operator std::vector<T_>() const { return std::vector<T_>(begin(), end()); }

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] bool empty() const { return elements_.empty(); }

  template <class Index_> T_& operator[](Index_ index) {
    const auto i_ = static_cast<std::uint64_t>(index);
    if constexpr (abi::plain_checks) require(i_);
    return first()[i_];
  }
  template <class Index_> const T_& operator[](Index_ index) const {
    const auto i_ = static_cast<std::uint64_t>(index);
    if constexpr (abi::plain_checks) require(i_);
    return first()[i_];
  }
  template <class Index_> T_& at(Index_ index) {
    require(static_cast<std::uint64_t>(index));
    return first()[static_cast<std::uint64_t>(index)];
  }
  template <class Index_> const T_& at(Index_ index) const {
    require(static_cast<std::uint64_t>(index));
    return first()[static_cast<std::uint64_t>(index)];
  }
  template <class Index_, class Count_> std::span<T_> span(Index_ from, Count_ n_) {
    require(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(n_));
    return {first() + from, static_cast<std::size_t>(n_)};
  }
  template <class Index_, class Count_> std::span<const T_> span(Index_ from, Count_ n_) const {
    require(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(n_));
    return {first() + from, static_cast<std::size_t>(n_)};
  }

  iterator begin() { return first(); }
  iterator end() { return first() + size(); }
  const_iterator begin() const { return first(); }
  const_iterator end() const { return first() + size(); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  T_* data() { return first(); }
  const T_* data() const { return first(); }

  T_& front() { return at(0); }
  const T_& front() const { return at(0); }
  T_& back() { return (*this)[last()]; }
  const T_& back() const { return (*this)[last()]; }

  void resize(std::size_t n_) { elements_.resize(n_); }
  void resize(std::size_t n_, T_ value) { elements_.resize(n_, value); }
  void assign(std::size_t n_, T_ value) { elements_.assign(n_, value); }
  template <abi::passes_range Iterator_> void assign(Iterator_ from, Iterator_ to) {
    *this = dvector(from, to);
  }
  void clear() { elements_.clear(); }
  void reserve(std::size_t n_) { elements_.reserve(n_); }
  [[nodiscard]] std::size_t capacity() const { return elements_.capacity(); }

  void push_back(T_ value) { elements_.push_back(std::move(value)); }
  template <class... Argument_> T_& emplace_back(Argument_&&... arguments) {
    elements_.push_back(T_(std::forward<Argument_>(arguments)...));
    return back();
  }
  void pop_back() {
    (void)last();
    elements_.pop_back();
  }

  iterator insert(const_iterator at, T_ value) {
    const std::ptrdiff_t place = at - begin_const();
    elements_.insert(elements_.begin() + place, std::move(value));
    return begin() + place;
  }
  template <abi::passes_range Iterator_> iterator insert(const_iterator at, Iterator_ from, Iterator_ to) {
    const std::ptrdiff_t place = at - begin_const();
    const dvector values(from, to);  // they may be elements of this container
    elements_.insert(elements_.begin() + place, values.elements_.begin(), values.elements_.end());
    return begin() + place;
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator from, const_iterator to) {
    const std::ptrdiff_t place = from - begin_const();
    elements_.erase(elements_.begin() + place, elements_.begin() + (to - begin_const()));
    return begin() + place;
  }

  friend bool operator==(const dvector& one, const dvector& other)
    requires std::equality_comparable<T_>
  {
    if (one.size() != other.size()) return false;
    for (std::size_t i_ = 0; i_ < one.size(); ++i_) {
      if (!(one.first()[i_] == other.first()[i_])) return false;
    }
    return true;
  }

  void swap(dvector& other) noexcept { elements_.swap(other.elements_); }

 private:
  friend struct abi::internals;

  T_* first() { return reinterpret_cast<T_*>(elements_.data()); }
  const T_* first() const { return reinterpret_cast<const T_*>(elements_.data()); }
  const_iterator begin_const() const { return first(); }
  void require(std::uint64_t i_) const {
    if (i_ >= size()) [[__unlikely__]]
      abi::refuse_plain_index(i_, size());
  }
  void require(std::uint64_t from, std::uint64_t n_) const {
    if (from > size() || n_ > size() - from) [[__unlikely__]]
      abi::refuse_plain_range(from, n_, size());
  }
  [[nodiscard]] std::size_t last() const {
    if (empty()) throw error(errc::out_of_range, "the container is empty: it has no last element");
    return size() - 1;
  }

  stored elements_;
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap

#endif
