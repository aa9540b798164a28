// dvector<T>: a vector with its elements distributed over ranks. Outside loops it is used as a std::vector,
// on the driver. In a loop body it is a view of the elements that the running block may touch.
// Thread rule: one thread at a time, outside loops; inside a body, the view belongs to that body.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include <stradsap/abi/accumulation.hpp>
#include <stradsap/abi/located.hpp>
#include <stradsap/abi/operations.hpp>
#include <stradsap/abi/reach.hpp>

namespace stradsap {
inline namespace STRADSAP_BUILD {

/// A distributed vector of T. Elements are value-initialised; T must be serialisable (see serialize.hpp).
/// References, iterators and spans are valid until the next loop that uses the container, and until it grows.
/// On the driver, elements come from their owners as the program asks for them; each member states its cost.
template <class T_> class dvector {
 public:
  using value_type = T_;
  using iterator = T_*;
  using const_iterator = const T_*;

  dvector() : dvector(std::size_t{0}) {}
  /// n value-initialised elements. Costs address space; pages cost memory when they are touched.
  explicit dvector(std::size_t n_) { adopt(abi::create(abi::operations<T_>::table, n_)); }
  dvector(std::size_t n_, const T_& value) : dvector(n_) { fill(value); }
  dvector(std::initializer_list<T_> values) : dvector(values.size()) { copy(values.begin(), values.end()); }
  /// Copies a range; passes over it twice.
  template <class Iterator_, class = typename std::iterator_traits<Iterator_>::iterator_category>
  dvector(Iterator_ first, Iterator_ last) : dvector(static_cast<std::size_t>(std::distance(first, last))) {
    copy(first, last);
  }
  /// A deep copy: brings every element of `other` to the driver.
  dvector(const dvector& other) : dvector(other.size()) { copy(other.begin(), other.end()); }
  /// Constant time; `other` is empty afterwards.
  dvector(dvector&& other) noexcept : dvector() { swap(other); }
  dvector& operator=(dvector other) noexcept {
    swap(other);
    return *this;
  }
  ~dvector() {
    if (state_ != nullptr) abi::destroy(state_);
  }

  /// Constant time, in loop bodies too.
  [[nodiscard]] std::size_t size() const { return window_.size; }
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// Element i; at(i) is the same. Both throw error(errc::out_of_range) if the container has no element i. On
  /// the driver the first access fetches the element's group from its owner; later ones are array accesses.
  /// On the driver, a non-const access counts as a write: the group moves here, and the copies on other ranks
  /// become invalid. Read through a const reference (std::as_const) where you only read.
#ifdef STRADSAP_CHECKED
  T_& operator[](abi::located<std::uint64_t> index) { return to_write(index.noted()); }
  const T_& operator[](abi::located<std::uint64_t> index) const { return to_read(index.noted()); }
  T_& at(abi::located<std::uint64_t> index) { return to_write(index.noted()); }
  const T_& at(abi::located<std::uint64_t> index) const { return to_read(index.noted()); }
  std::span<T_> span(abi::located<std::uint64_t> first, std::uint64_t n_) {
    return {range_to_write(first.noted(), n_), n_};
  }
  std::span<const T_> span(abi::located<std::uint64_t> first, std::uint64_t n_) const {
    return {range_to_read(first.noted(), n_), n_};
  }
  std::span<T_> span(abi::located<abi::reach> from, std::uint64_t n_) {
    return {span_to_write(from.noted(), n_), n_};
  }
  std::span<const T_> span(abi::located<abi::reach> from, std::uint64_t n_) const {
    return {span_to_read(from.noted(), n_), n_};
  }
  T_& operator[](abi::located<abi::reach> from) { return to_write(from.noted()); }
  const T_& operator[](abi::located<abi::reach> from) const { return to_read(from.noted()); }
  T_& at(abi::located<abi::reach> from) { return to_write(from.noted()); }
  const T_& at(abi::located<abi::reach> from) const { return to_read(from.noted()); }
#else
  template <class Index_> T_& operator[](Index_ index) {
    if constexpr (std::is_same_v<Index_, abi::reach>) {
      return to_write(index);
    } else {
      return to_write(static_cast<std::uint64_t>(index));
    }
  }
  template <class Index_> const T_& operator[](Index_ index) const {
    if constexpr (std::is_same_v<Index_, abi::reach>) {
      return to_read(index);
    } else {
      return to_read(static_cast<std::uint64_t>(index));
    }
  }
  template <class Index_> T_& at(Index_ index) { return (*this)[index]; }
  template <class Index_> const T_& at(Index_ index) const { return (*this)[index]; }

  /// Elements [first, first + n), contiguous in memory, in loop bodies too. Throws error(errc::out_of_range)
  /// if the container does not have all of them. An iteration touches all n elements. Cost and writes: as for
  /// [].
  template <class Index_, class Count_> std::span<T_> span(Index_ first, Count_ n_) {
    const auto size = static_cast<std::uint64_t>(n_);
    return {range_to_write(static_cast<std::uint64_t>(first), size), size};
  }
  template <class Index_, class Count_> std::span<const T_> span(Index_ first, Count_ n_) const {
    const auto size = static_cast<std::uint64_t>(n_);
    return {range_to_read(static_cast<std::uint64_t>(first), size), size};
  }
  template <class Count_> std::span<T_> span(abi::reach from, Count_ n_) {
    const auto size = static_cast<std::uint64_t>(n_);
    return {span_to_write(from, size), size};
  }
  template <class Count_> std::span<const T_> span(abi::reach from, Count_ n_) const {
    const auto size = static_cast<std::uint64_t>(n_);
    return {span_to_read(from, size), size};
  }
#endif

  /// Iterators and data() bring the whole container to the driver, and the non-const ones count as a write of
  /// all elements.
  /// In a loop body a pointer made from them may reach the elements that stradsap-cc finds in the text; it
  /// refuses a pointer that it cannot follow (SAP056).
  iterator begin() { return static_cast<T_*>((state_->all)(abi::access::write)); }
  iterator end() { return begin() + size(); }
  const_iterator begin() const { return static_cast<const T_*>((state_->all)(abi::access::read)); }
  const_iterator end() const { return begin() + size(); }
  T_* data() { return begin(); }
  const T_* data() const { return begin(); }

  /// resize, clear, push_back and assign: on the driver only. New elements are value-initialised. Growth
  /// beyond the capacity moves all elements and adds half of the size, so push_back takes amortised constant
  /// time.
  /// Every change of the size invalidates references and iterators, and makes the plans of loops over the
  /// container void.
  void resize(std::size_t n_) { state_->resize(n_); }
  /// Room for n elements without a move.
  void reserve(std::size_t n_) { state_->reserve(n_); }
  void clear() { state_->resize(0); }
  void push_back(T_ value) {
    state_->resize(size() + 1);
    (*this)[size() - 1] = std::move(value);
  }
  void assign(std::size_t n_, const T_& value) {
    resize(n_);
    fill(value);
  }

  /// Constant time. References and iterators follow their elements.
  void swap(dvector& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(state_, other.state_);
    if (state_ != nullptr) state_->attach(&window_);
    if (other.state_ != nullptr) other.state_->attach(&other.window_);
  }

  // ---- for generated code ----
  using element_type = T_;
  /// A view of the elements in `w`; it owns nothing.
  explicit dvector(const abi::window& w_) { look_at(w_); }
  void look_at(const abi::window& w_) {
    window_ = w_;
    window_.base = static_cast<std::byte*>(w_.base) + w_.lo * sizeof(T_);
  }
  /// Takes over a container that the runtime made; the destructor destroys it.
  explicit dvector(abi::handle_target* made) { adopt(made); }
  [[nodiscard]] abi::handle_target* state() const { return state_; }
  /// The view of one iteration of an aligned loop: element i is at `element` if it is `in_reach`; the window
  /// holds no other element.
  void rebase(std::uint64_t i_, std::byte* element, bool in_reach) {
    window_.base = element;
    window_.lo = i_;
    window_.count = window_.readable = in_reach ? 1 : 0;
  }
  /// begin(), end() and data() in a body. `from` has the elements that the pointer reaches.
  T_* begin(const abi::reach& from) { return &to_write(from); }
  T_* end(const abi::reach& from) { return &to_write({from.first + size(), from.offsets}); }
  T_* data(const abi::reach& from) { return &to_write(from); }
  const T_* begin(const abi::reach& from) const { return &to_read(from); }
  const T_* end(const abi::reach& from) const { return &to_read({from.first + size(), from.offsets}); }
  const T_* data(const abi::reach& from) const { return &to_read(from); }
  static constexpr const abi::element_ops& ops() { return abi::operations<T_>::table; }
  static constexpr std::unique_ptr<abi::key_index> (*make_keys)() = nullptr;
  template <class Op_> static constexpr const abi::accumulation* added_by() {
    if constexpr (abi::element_fold<Op_, T_>::is_possible()) {
      return &abi::accumulation_of<Op_, T_>::table;
    } else {
      return nullptr;
    }
  }

 private:
  T_& to_write(std::uint64_t i_) {
    if (i_ - window_.lo < window_.count) [[__likely__]]
      return at_base(i_);
    return *abi::made_from<T_>(window_.base, window_.beyond(i_, abi::access::write));
  }
  const T_& to_read(std::uint64_t i_) const {
    if (i_ - window_.lo < window_.readable) [[__likely__]]
      return at_base(i_);
    return *abi::made_from<T_>(window_.base, window_.beyond(i_, abi::access::read));
  }
  T_& to_write(const abi::reach& from) {
    if (from.is_within(window_.lo, window_.count)) [[__likely__]]
      return at_base(from.first);
    if (window_.listed != nullptr) return *named(from);
    return *abi::made_from<T_>(window_.base, cut_off(window_, from, abi::access::write));
  }
  const T_& to_read(const abi::reach& from) const {
    if (from.is_within(window_.lo, window_.readable)) [[__likely__]]
      return at_base(from.first);
    if (window_.listed != nullptr) return *named(from);
    return *abi::made_from<T_>(window_.base, cut_off(window_, from, abi::access::read));
  }
  /// For planning, which runs through all iterations: records the elements of `from` without a virtual call.
  T_* named(const abi::reach& from) const {
    const abi::reach::run run = from.within(window_.size);
    return static_cast<T_*>(window_.listed->name(run.first, run.size)) + run.back;
  }
  /// The address of the subscript of `from`, off the fast path: at an end of the container, or beyond the
  /// window.
  /// Not inlined, so that the loop around it stays small. The window is passed by value: g++ keeps members of
  /// a view in registers only if no call knows the view's address.
  [[__gnu__::__noinline__]] static T_* cut_off(abi::window w_, abi::reach from, abi::access how) {
    const abi::reach::run run = from.within(w_.size);
    const std::uint64_t count = how == abi::access::write ? w_.count : w_.readable;
    void* const found = w_.covers(count, run.first, run.size)
                            ? static_cast<T_*>(w_.base) + static_cast<std::ptrdiff_t>(run.first - w_.lo)
                            : w_.beyond(run.first, run.size, how);
    return static_cast<T_*>(found) + run.back;
  }
  T_* range_to_write(std::uint64_t first, std::uint64_t n_) {
    if (window_.covers(window_.count, first, n_)) [[__likely__]]
      return &at_base(first);
    return abi::made_from<T_>(window_.base, window_.beyond(first, n_, abi::access::write));
  }
  const T_* range_to_read(std::uint64_t first, std::uint64_t n_) const {
    if (window_.covers(window_.readable, first, n_)) [[__likely__]]
      return &at_base(first);
    return abi::made_from<T_>(window_.base, window_.beyond(first, n_, abi::access::read));
  }
  bool has(std::uint64_t first, std::uint64_t n_) const {
    return first <= window_.size && n_ <= window_.size - first;
  }
  T_* span_to_write(const abi::reach& from, std::uint64_t n_) {
    return has(from.first, n_) ? &to_write(from.with(n_)) : range_to_write(from.first, n_);
  }
  const T_* span_to_read(const abi::reach& from, std::uint64_t n_) const {
    return has(from.first, n_) ? &to_read(from.with(n_)) : range_to_read(from.first, n_);
  }
  /// Relative to lo, so that the address of an iteration's own element does not depend on the element's
  /// number.
  T_& at_base(std::uint64_t i_) const { return static_cast<T_*>(window_.base)[i_ - window_.lo]; }
  void fill(const T_& value) {
    for (T_ *at = begin(), *last = end(); at != last; ++at) *at = value;
  }
  template <class Iterator_> void copy(Iterator_ first, Iterator_ last) {
    for (T_* at = begin(); first != last; ++first, ++at) *at = *first;
  }
  void adopt(abi::handle_target* made) {
    state_ = made;
    state_->attach(&window_);
  }

  abi::window window_;  // `base` is the address of element `lo`
  abi::handle_target* state_ = nullptr;
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
