// dvector<T>: a vector whose elements live on many processes. In a loop body it is a view of what the running
// block may touch; on the driver, outside loops, it is used as a std::vector is.
// Thread rule: the driver's thread; inside a body, that body's own view.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include <stradsap/accumulation.hpp>
#include <stradsap/located.hpp>
#include <stradsap/operations.hpp>

namespace stradsap {
inline namespace STRADSAP_BUILD {

/// A distributed vector of T. T is value-initialised and must be serialisable (see serialize.hpp).
/// References and iterators live until the next loop that uses the container, and until it grows.
template <class T> class dvector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  dvector() : dvector(std::size_t{0}) {}
  explicit dvector(std::size_t n) { adopt(abi::create(abi::operations<T>::table, n)); }
  dvector(std::size_t n, const T& value) : dvector(n) { fill(value); }
  dvector(std::initializer_list<T> values) : dvector(values.size()) { copy(values.begin(), values.end()); }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  dvector(Iterator first, Iterator last) : dvector(static_cast<std::size_t>(std::distance(first, last))) {
    copy(first, last);
  }
  dvector(const dvector& other) : dvector(other.size()) { copy(other.begin(), other.end()); }
  dvector(dvector&& other) noexcept : dvector() { swap(other); }
  dvector& operator=(dvector other) noexcept {
    swap(other);
    return *this;
  }
  ~dvector() {
    if (state_ != nullptr) abi::destroy(state_);
  }

  [[nodiscard]] std::size_t size() const { return window_.size; }
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// Element i, without the bounds check of at(): but an index that the container does not have is found
  /// all the same, and throws stradsap::error. On the driver this counts as writing the element; read
  /// through a const reference where you only read.
#ifdef STRADSAP_CHECKED
  T& operator[](abi::located<std::uint64_t> index) { return to_write(index.noted()); }
  const T& operator[](abi::located<std::uint64_t> index) const { return to_read(index.noted()); }
  T& at(abi::located<std::uint64_t> index) { return to_write(index.noted()); }
  const T& at(abi::located<std::uint64_t> index) const { return to_read(index.noted()); }
  std::span<T> span(abi::located<std::uint64_t> first, std::uint64_t n) {
    return {range_to_write(first.noted(), n), n};
  }
  std::span<const T> span(abi::located<std::uint64_t> first, std::uint64_t n) const {
    return {range_to_read(first.noted(), n), n};
  }
#else
  template <class Index> T& operator[](Index index) { return to_write(static_cast<std::uint64_t>(index)); }
  template <class Index> const T& operator[](Index index) const {
    return to_read(static_cast<std::uint64_t>(index));
  }
  template <class Index> T& at(Index index) { return (*this)[index]; }
  template <class Index> const T& at(Index index) const { return (*this)[index]; }

  /// Elements [first, first + n), side by side in memory, in loop bodies too. Throws
  /// error(errc::out_of_range) where the container does not have them all. What is said of [] holds for them.
  template <class Index, class Count> std::span<T> span(Index first, Count n) {
    const auto size = static_cast<std::uint64_t>(n);
    return {range_to_write(static_cast<std::uint64_t>(first), size), size};
  }
  template <class Index, class Count> std::span<const T> span(Index first, Count n) const {
    const auto size = static_cast<std::uint64_t>(n);
    return {range_to_read(static_cast<std::uint64_t>(first), size), size};
  }
#endif

  /// Iterators bring the whole container to the driver; not for loop bodies.
  iterator begin() { return static_cast<T*>(state_->all(abi::access::write)); }
  iterator end() { return begin() + size(); }
  const_iterator begin() const { return static_cast<const T*>(state_->all(abi::access::read)); }
  const_iterator end() const { return begin() + size(); }

  void resize(std::size_t n) { state_->resize(n); }
  void reserve(std::size_t n) { state_->reserve(n); }
  void clear() { state_->resize(0); }
  void push_back(T value) {
    state_->resize(size() + 1);
    (*this)[size() - 1] = std::move(value);
  }
  void assign(std::size_t n, const T& value) {
    resize(n);
    fill(value);
  }

  void swap(dvector& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(state_, other.state_);
    if (state_ != nullptr) state_->attach(&window_);
    if (other.state_ != nullptr) other.state_->attach(&other.window_);
  }

  // ---- for generated code ----
  using element_type = T;
  /// A view: reaches what `w` says and owns nothing.
  explicit dvector(const abi::window& w) { look_at(w); }
  void look_at(const abi::window& w) {
    window_ = w;
    window_.base = static_cast<std::byte*>(w.base) + w.lo * sizeof(T);
  }
  /// Takes over a container that the runtime made.
  explicit dvector(abi::handle_target* made) { adopt(made); }
  [[nodiscard]] abi::handle_target* state() const { return state_; }
  /// Element i is at `element`, if it is in reach, and nothing else is: the view of one iteration of an
  /// aligned loop.
  void rebase(std::uint64_t i, std::byte* element, bool in_reach) {
    window_.base = element;
    window_.lo = i;
    window_.count = window_.readable = in_reach ? 1 : 0;
  }
  static constexpr const abi::element_ops& ops() { return abi::operations<T>::table; }
  static constexpr std::unique_ptr<abi::key_index> (*make_keys)() = nullptr;
  template <class Op> static constexpr const abi::accumulation* added_by() {
    if constexpr (abi::element_fold<Op, T>::is_possible()) {
      return &abi::accumulation_of<Op, T>::table;
    } else {
      return nullptr;
    }
  }

 private:
  T& to_write(std::uint64_t i) {
    if (i - window_.lo < window_.count) [[likely]]
      return at_base(i);
    return *abi::made_from<T>(window_.base, window_.beyond(i, abi::access::write));
  }
  const T& to_read(std::uint64_t i) const {
    if (i - window_.lo < window_.readable) [[likely]]
      return at_base(i);
    return *abi::made_from<T>(window_.base, window_.beyond(i, abi::access::read));
  }
  T* range_to_write(std::uint64_t first, std::uint64_t n) {
    if (covers(window_.count, first, n)) [[likely]]
      return &at_base(first);
    return abi::made_from<T>(window_.base, window_.beyond(first, n, abi::access::write));
  }
  const T* range_to_read(std::uint64_t first, std::uint64_t n) const {
    if (covers(window_.readable, first, n)) [[likely]]
      return &at_base(first);
    return abi::made_from<T>(window_.base, window_.beyond(first, n, abi::access::read));
  }
  /// Whether the window's `count` elements hold [first, first + n); also of nothing, where the container has
  /// that place.
  [[nodiscard]] bool covers(std::uint64_t count, std::uint64_t first, std::uint64_t n) const {
    const std::uint64_t at = first - window_.lo;
    return (at < count && n <= count - at) || (n == 0 && first <= window_.size);
  }
  /// From lo on: so that which element an iteration's own is counts for nothing where it is reached.
  T& at_base(std::uint64_t i) const { return static_cast<T*>(window_.base)[i - window_.lo]; }
  void fill(const T& value) {
    for (T *at = begin(), *last = end(); at != last; ++at) *at = value;
  }
  template <class Iterator> void copy(Iterator first, Iterator last) {
    for (T* at = begin(); first != last; ++first, ++at) *at = *first;
  }
  void adopt(abi::handle_target* made) {
    state_ = made;
    state_->attach(&window_);
  }

  abi::window window_;  // its base is where element lo is
  abi::handle_target* state_ = nullptr;
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
