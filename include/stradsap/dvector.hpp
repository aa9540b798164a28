// dvector<T>: a vector with its elements distributed over ranks. Outside loops it is used as a std::vector,
// on the driver. In a loop body it is a view of the elements that the running block may touch.
// Thread rule: one thread at a time, outside loops; inside a body, the view belongs to that body.
#pragma once

#include <concepts>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <stradsap/abi/accumulation.hpp>
#include <stradsap/abi/hoisting.hpp>
#include <stradsap/abi/internals.hpp>
#include <stradsap/abi/iterators.hpp>
#include <stradsap/abi/located.hpp>
#include <stradsap/abi/operations.hpp>
#include <stradsap/abi/plain_dvector.hpp>
#include <stradsap/abi/reach.hpp>
#include <stradsap/access.hpp>

namespace stradsap {
inline namespace STRADSAP_BUILD {
#ifdef STRADSAP_INSTRUMENTED  // else it is in <stradsap/abi/plain_dvector.hpp>

/// A distributed vector of T. Elements are value-initialised; T must be serialisable (see serialize.hpp).
/// References, iterators and spans are valid until the next loop that uses the container, and until its size
/// changes.
/// On the driver, elements come from their owners as the program asks for them; each member states its cost.
/// In a loop body only [], at, span, data, begin, end, size and empty are accepted (SAP050).
template <class T_> class dvector {
 public:
  using value_type = T_;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T_&;
  using const_reference = const T_&;
  using iterator = T_*;
  using const_iterator = const T_*;

  /// No elements, n value-initialised ones, n copies of a value, or the values given. Costs address space;
  /// pages cost memory when they are touched. No message is sent before a loop uses the container.
  /// @code
  /// dvector<float> none, zeros(1000), ones(1000, 1.0f), listed{1, 2, 3};
  /// @endcode
  dvector() : dvector(std::size_t{0}) {}
  explicit dvector(std::size_t n_) { adopt(abi::create(abi::operations<T_>::table, n_)); }
  dvector(std::size_t n_, const T_& value) : dvector(n_) { fill(value); }
  /// The same for a container with a consistency model of its own: see consistency::stale. The model goes
  /// with the elements: moves and swaps take it along. A copy has none; a container that is assigned from a
  /// copy, or by assign(), keeps its own.
  /// Throws error(errc::unsupported) if it is neither `stale` nor `async`, which stands for none.
  /// @code
  /// dvector<long> totals(100, consistency::stale(0));
  /// dvector<float> weights(100, 0.5f, consistency::stale(0)), copied(table, consistency::stale(0));
  /// @endcode
  dvector(std::size_t n_, const ConsistencyModel& model) : dvector(n_) { state_->relax(model); }
  dvector(std::size_t n_, const T_& value, const ConsistencyModel& model) : dvector(n_, value) {
    state_->relax(model);
  }
  dvector(std::initializer_list<T_> values) : dvector(values.size()) { copy(values.begin(), values.end()); }
  /// Copies [first, last), also of a stream; or a std::vector of T, and back: that brings all elements here.
  /// @code
  /// std::istringstream words("3 1 4");
  /// const dvector<int> read{std::istream_iterator<int>(words), std::istream_iterator<int>()};
  /// const dvector<float> copied(table.begin(), table.end()), same = table;
  /// std::vector<float> all = same;
  /// @endcode
  template <abi::passes_range Iterator_> dvector(Iterator_ first, Iterator_ last) : dvector() {
    assign(first, last);
  }
  template <class Other_, class A_> dvector(const std::vector<Other_, A_>& from) : dvector(from.size()) {
    static_assert(std::is_same_v<T_, Other_>, "for elements of another type write X(v.begin(), v.end())");
    copy(from.begin(), from.end());
  }
  template <class Other_, class A_>
  dvector(const std::vector<Other_, A_>& from, const ConsistencyModel& model) : dvector(from) {
    state_->relax(model);
  }
  operator std::vector<T_>() const { return std::vector<T_>(begin(), end()); }
  template <class A_> dvector& operator=(const std::vector<T_, A_>& from) {
    assign(from.begin(), from.end());
    return *this;
  }
  /// A deep copy: brings every element of `other` to the driver. A move takes constant time and leaves
  /// `other` empty. Assignment is either, and also takes a list. A copy into a container of the same size
  /// leaves the plans of loops valid.
  /// @code
  /// dvector<float> copy = X;
  /// Y = std::move(copy);
  /// Y = {1, 2, 3};
  /// @endcode
  dvector(const dvector& other) : dvector(other.size()) { copy(other.begin(), other.end()); }
  dvector(dvector&& other) noexcept : dvector() { swap(other); }
  dvector& operator=(const dvector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  dvector& operator=(dvector&& other) noexcept {
    dvector taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~dvector() {
    if (state_ != nullptr) abi::destroy(state_);
  }

  /// The number of elements. Constant time, in loop bodies too.
  /// @code
  /// async_for(X.size(), [&X](int64_t j) { X[j] /= X.size(); });
  /// @endcode
  [[nodiscard]] std::size_t size() const { return window_.size; }
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// Element i. at(i) is the same, and throws error(errc::out_of_range) if the container has no element i. So
  /// does [] in loop bodies, in check builds and without optimisation. Otherwise [] on the driver checks no
  /// more than std::vector does once all elements are there.
  /// On the driver the first access fetches the element's group from its owner; later ones are array
  /// accesses. On the driver, a non-const access counts as a write: the group moves here, and the copies on
  /// other ranks become invalid. Read through a const reference (std::as_const) where you only read.
  /// @code
  /// X[0] = 1;
  /// const float second = std::as_const(X).at(1);
  /// @endcode
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
  template <class Index_>
    requires(!abi::is_loaded<Index_>)
  T_& operator[](Index_ index) {
    if constexpr (std::is_same_v<Index_, abi::reach>) {
      return to_write(index);
    } else if constexpr (abi::is_hoisted<Index_>) {
      return index.base != nullptr ? index.base[index.index] : to_write(index.subscript());
    } else {
      return to_write(static_cast<std::uint64_t>(index));
    }
  }
  template <class Index_> const T_& operator[](Index_ index) const {
    if constexpr (std::is_same_v<Index_, abi::reach>) {
      return to_read(index);
    } else if constexpr (abi::is_hoisted<Index_>) {
      return index.base != nullptr ? index.base[index.index] : to_read(index.subscript());
    } else {
      return to_read(static_cast<std::uint64_t>(index));
    }
  }
  template <class Value_> T_ operator[](const abi::loaded<Value_>& index) const {
    return index.is_there ? index.value : to_read(index.subscript);
  }
  template <class Index_> T_& at(Index_ index) { return (*this)[required(index)]; }
  template <class Index_> const T_& at(Index_ index) const { return (*this)[required(index)]; }

  /// Elements [first, first + n), contiguous in memory, in loop bodies too. Throws error(errc::out_of_range)
  /// if the container does not have all of them. An iteration touches all n elements. Cost and writes: as for
  /// [].
  /// @code
  /// async_for(n / 10, [&X](int64_t j) {
  ///   for (float& x : X.span(j * 10, 10)) x += 1;
  /// });
  /// @endcode
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
  /// all elements. Messages: one to each rank that owns elements.
  /// In a loop body a pointer made from them may reach the elements that stradsap-cc finds in the text; it
  /// refuses a pointer that it cannot follow (SAP056).
  /// @code
  /// double total = 0;
  /// for (const float x : std::as_const(X)) total += x;
  /// if (!X.empty()) std::memcpy(table.data(), std::as_const(X).data(), table.size() * sizeof(float));
  /// std::sort(X.begin(), X.end());
  /// const float most = *std::max_element(X.cbegin(), X.cend());
  /// @endcode
  iterator begin() {
    const bool is_open = window_.open == abi::opening::to_write;
    return static_cast<T_*>(is_open ? window_.base : (state_->all)(abi::access::write));
  }
  iterator end() { return begin() + size(); }
  const_iterator begin() const {
    const bool is_open = window_.open >= abi::opening::to_read;
    return static_cast<const T_*>(is_open ? window_.base : (state_->all)(abi::access::read));
  }
  const_iterator end() const { return begin() + size(); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  T_* data() { return begin(); }
  const T_* data() const { return begin(); }
  /// The same with the elements that the pointer reaches, in text that stradsap-cc rewrites.
  T_* begin(const abi::reach& from) { return &to_write(from); }
  T_* end(const abi::reach& from) { return &to_write(from.moved(size())); }
  T_* data(const abi::reach& from) { return &to_write(from); }
  const T_* begin(const abi::reach& from) const { return &to_read(from); }
  const T_* end(const abi::reach& from) const { return &to_read(from.moved(size())); }
  const T_* data(const abi::reach& from) const { return &to_read(from); }

  /// The first and the last element, on the driver. Cost and writes: as for []. An empty container throws
  /// error(errc::out_of_range).
  /// @code
  /// X.front() = X.back();
  /// @endcode
  T_& front() { return at(0); }
  const T_& front() const { return at(0); }
  T_& back() { return (*this)[last()]; }
  const T_& back() const { return (*this)[last()]; }

  /// resize, clear and assign: on the driver only, as all members below. New elements are value-initialised,
  /// or copies of `value`. Growth beyond the capacity brings all elements to the driver, moves them, and adds
  /// half of the size.
  /// Every change of the size invalidates references and iterators, and makes the plans of loops over the
  /// container void.
  /// @code
  /// X.resize(2 * n);
  /// X.assign(n, 0.5f);
  /// X.assign(table.begin(), table.end());
  /// X.clear();
  /// @endcode
  void resize(std::size_t n_) { state_->resize(n_); }
  void resize(std::size_t n_, T_ value) {
    const std::size_t old = size();
    resize(n_);
    for (std::size_t i_ = old; i_ < n_; ++i_) (*this)[i_] = value;
  }
  void assign(std::size_t n_, T_ value) {
    resize(n_);
    fill(value);
  }
  template <abi::passes_range Iterator_> void assign(Iterator_ first, Iterator_ last) {
    if constexpr (std::forward_iterator<Iterator_>) {
      resize(static_cast<std::size_t>(std::distance(first, last)));
      copy(first, last);
    } else {
      const std::vector<T_> all = collected(first, last);
      assign(all.begin(), all.end());
    }
  }
  void clear() { state_->resize(0); }

  /// Room for n elements in all, so that growth up to there moves none. capacity() is the room there is.
  /// @code
  /// X.reserve(10 * n);
  /// while (X.size() < X.capacity()) X.push_back(1);
  /// @endcode
  void reserve(std::size_t n_) { state_->reserve(n_); }
  [[nodiscard]] std::size_t capacity() const { return state_->capacity(); }

  /// Append an element, in amortised constant time, or remove the last one. emplace_back makes the element
  /// from its arguments, and returns it. pop_back of an empty container throws error(errc::out_of_range).
  /// @code
  /// X.push_back(1.5f);
  /// X.emplace_back(2.5f) += 1;
  /// X.pop_back();
  /// @endcode
  void push_back(T_ value) { emplace_back(std::move(value)); }
  template <class... Argument_> T_& emplace_back(Argument_&&... arguments) {
    T_ made(std::forward<Argument_>(arguments)...);  // first: an argument may be an element
    state_->resize(size() + 1);
    return back() = std::move(made);
  }
  void pop_back() { state_->resize(last()); }

  /// Insert before `at`, or erase; return the position of the first element inserted, or behind those erased.
  /// Linear time: they bring the whole container to the driver and move the elements behind `at`.
  /// @code
  /// X.insert(X.begin(), 0.5f);
  /// X.insert(X.end(), table.begin(), table.end());
  /// X.erase(std::remove(X.begin(), X.end(), 0.5f), X.end());
  /// @endcode
  iterator insert(const_iterator at, T_ value) {
    iterator place = make_room(at, 1);
    *place = std::move(value);
    return place;
  }
  template <abi::passes_range Iterator_> iterator insert(const_iterator at, Iterator_ first, Iterator_ last) {
    const std::vector<T_> values = collected(first, last);  // they may be elements of this container
    iterator place = make_room(at, values.size());
    for (std::size_t i_ = 0; i_ < values.size(); ++i_) place[i_] = values[i_];
    return place;
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    const std::size_t to = position(first), n_ = position(last) - to;
    T_* const all = begin();
    for (std::size_t i_ = to; n_ != 0 && i_ + n_ < size(); ++i_) all[i_] = std::move(all[i_ + n_]);
    state_->resize(size() - n_);
    return begin() + to;
  }

  /// Whether both have the same elements, in the same order. Brings all elements of both to the driver.
  /// @code
  /// if (X == Y) std::printf("converged\n");
  /// @endcode
  friend bool operator==(const dvector& one, const dvector& other)
    requires std::equality_comparable<T_>
  {
    if (one.size() != other.size()) return false;
    const T_ *a_ = one.begin(), *b_ = other.begin();
    for (std::size_t i_ = 0; i_ < one.size(); ++i_) {
      if (!(a_[i_] == b_[i_])) return false;
    }
    return true;
  }

  /// Exchanges two containers in constant time. References and iterators follow their elements.
  /// @code
  /// X.swap(Y);
  /// @endcode
  void swap(dvector& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(state_, other.state_);
    if (state_ != nullptr) state_->attach(&window_);
    if (other.state_ != nullptr) other.state_->attach(&other.window_);
  }

 private:
  friend struct abi::internals;
  using element_type = T_;
  static constexpr bool is_follower = false;
  static constexpr std::unique_ptr<abi::key_index> (*make_keys)() = nullptr;
  static constexpr const abi::element_ops& ops() { return abi::operations<T_>::table; }
  template <class Op_> static constexpr const abi::accumulation* added_by() {
    if constexpr (abi::element_fold<Op_, T_>::is_possible()) {
      return &abi::accumulation_of<Op_, T_>::table;
    } else {
      return nullptr;
    }
  }
  explicit dvector(const abi::window& w_) { look_at(w_); }
  void look_at(const abi::window& w_) {
    window_ = w_;
    window_.open = abi::opening::view;  // a constant for the optimiser
    window_.base = static_cast<std::byte*>(w_.base) + w_.lo * sizeof(T_);
  }
  void rebase(std::uint64_t i_, std::byte* element, bool in_reach) {
    window_.base = element;
    window_.lo = i_;
    window_.count = window_.readable = in_reach ? 1 : 0;
  }
  [[nodiscard]] abi::handle_target* state() const { return state_; }

  /// On the driver: brings all elements, so that the loops that follow access them without a call. Containers
  /// that are fetched group by group stay closed.
  [[__gnu__::__always_inline__]] void open_handle(abi::access how) const {
    if (!is_windowed()) abi::open_window(window_, sizeof(T_), how);
  }

  /// In a body `window_.open` is a constant. In `main` it is a word that loops over elements do not change,
  /// so the compiler makes a copy of such a loop without the slow path, and vectorises it. In functions that
  /// are not inlined into a body, and in interleaved ones, the word is `view`: then the window is tested.
  [[__gnu__::__always_inline__]] T_& to_write(std::uint64_t i_) {
    if (is_windowed()) {
      if (i_ - window_.lo < window_.count) [[__likely__]]
        return at_base(i_);
      return *abi::made_from<T_>(window_.base, window_.beyond(i_, abi::access::write));
    }
    T_* const all = static_cast<T_*>(window_.base);
    if (window_.open == abi::opening::to_write) [[__likely__]]
      return all[i_];
    if (i_ - window_.lo < window_.count) return at_base(i_);
    return *far(i_, abi::access::write);
  }
  [[__gnu__::__always_inline__]] const T_& to_read(std::uint64_t i_) const {
    if (is_windowed()) {
      if (i_ - window_.lo < window_.readable) [[__likely__]]
        return at_base(i_);
      return *abi::made_from<T_>(window_.base, window_.beyond(i_, abi::access::read));
    }
    const T_* const all = static_cast<const T_*>(window_.base);
    if (window_.open >= abi::opening::to_read) [[__likely__]]
      return all[i_];
    if (i_ - window_.lo < window_.readable) return at_base(i_);
    return *far(i_, abi::access::read);
  }
  /// Whether each access compares its subscript with the window: in loop bodies, in check builds, and without
  /// optimisation. False if the compiler cannot tell. The hint is argued in docs/decisions/hoisted-checks.md.
  [[__gnu__::__always_inline__]] bool is_windowed() const {
    if constexpr (!abi::drives_unchecked) return true;
    const bool is_view = __builtin_expect(window_.open == abi::opening::view, true) != 0;
    return __builtin_constant_p(is_view) && is_view;
  }
  [[__gnu__::__always_inline__]] T_* far(std::uint64_t i_, abi::access how) const {
    void* const found = abi::far_element(window_, i_, abi::sized_access(sizeof(T_), how));
    return abi::kept_from<T_>(window_.base, found);
  }
  /// The index. Throws on the driver if there is no such element. Accesses of views check always.
  template <class Index_> Index_ required(Index_ index) const {
    if constexpr (!std::is_same_v<Index_, abi::reach>) {
      const auto i_ = static_cast<std::uint64_t>(index);
      if (window_.open != abi::opening::view && i_ >= window_.size) [[__unlikely__]]
        abi::refuse_element(*window_.source, i_);
    }
    return index;
  }
  T_& to_write(const abi::reach& from) {
    if (window_.complete) return at_base_of(from, window_.count);
    if (from.is_within(window_.lo, window_.count)) [[__likely__]]
      return at_base(from.first);
    if (window_.listed != nullptr) return *named(from);
    return *abi::made_from<T_>(window_.base, cut_off(window_, from, abi::access::write));
  }
  const T_& to_read(const abi::reach& from) const {
    if (window_.complete) return at_base_of(from, window_.readable);
    if (from.is_within(window_.lo, window_.readable)) [[__likely__]]
      return at_base(from.first);
    if (window_.listed != nullptr) return *named(from);
    return *abi::made_from<T_>(window_.base, cut_off(window_, from, abi::access::read));
  }
  /// Never true: a second use of an element's address. With one use, g++ adds the subscript to each offset of
  /// the pointer instead, and loops of an inlined function become too large to unroll and to vectorise.
  bool is_source(const T_& found) const { return static_cast<const void*>(&found) == window_.source; }
  /// Where elements outside the window do not exist, so all that `from` reaches are in the window or beyond
  /// the container. What it surely reaches must be in the window. The slow path does not return: g++ keeps
  /// sums in registers only if no call returns.
  T_& at_base_of(const abi::reach& from, std::uint64_t count) const {
    T_& found = at_base(from.first);
    if (!from.starts_within(window_.lo, count)) [[__unlikely__]] {
      if (is_source(found)) __builtin_trap();
      if (from.exceeds(window_.size)) abi::refuse_element(*window_.source, from.missing(window_.size));
      if (from.first - window_.lo >= count && from.leaves(window_.lo, count, window_.size))
        abi::refuse_element(*window_.source, from.first);
    }
    return found;
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
    if (w_.open == abi::opening::view && from.exceeds(w_.size)) [[__unlikely__]]
      (void)w_.beyond(from.missing(w_.size), how);  // throws, or a slice has gone further than its body
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
  /// The address of element `first` if the window has the n elements from there on, else null. Throws where
  /// no element exists beyond the window.
  T_* held(std::uint64_t first, std::uint64_t n_) {
    return is_held(window_.count, first, n_) ? present(first) : nullptr;
  }
  const T_* held(std::uint64_t first, std::uint64_t n_) const {
    return is_held(window_.readable, first, n_) ? present(first) : nullptr;
  }
  /// The same for n elements, each `step` behind the one before it. n is at least 1.
  T_* held_in_steps(std::uint64_t first, std::uint64_t n_, std::int64_t step) {
    return is_held_in_steps(window_.count, first, n_, step) ? present(first) : nullptr;
  }
  const T_* held_in_steps(std::uint64_t first, std::uint64_t n_, std::int64_t step) const {
    return is_held_in_steps(window_.readable, first, n_, step) ? present(first) : nullptr;
  }
  T_* spanned(const abi::value_range& by) { return spans(window_.count, by) ? present(0) : nullptr; }
  const T_* spanned(const abi::value_range& by) const {
    return spans(window_.readable, by) ? present(0) : nullptr;
  }
  bool spans(std::uint64_t count, const abi::value_range& by) const {
    const bool from = static_cast<std::uint64_t>(by.least) - window_.lo < count;
    return from & (static_cast<std::uint64_t>(by.greatest) - window_.lo < count);  // & leaves the outer loop
  }
  [[nodiscard]] abi::value_range values() const { return window_.values; }
  bool is_held(std::uint64_t count, std::uint64_t first, std::uint64_t n_) const {
    if (window_.has_rounds(count, first, n_)) [[__likely__]]
      return true;
    if (window_.complete)
      abi::refuse_element(*window_.source, first - window_.lo < count ? window_.lo + count : first);
    return false;
  }
  bool is_held_in_steps(std::uint64_t count, std::uint64_t first, std::uint64_t n_, std::int64_t step) const {
    if (window_.has_steps(count, first, n_, step)) [[__likely__]]
      return true;
    const std::uint64_t at = first - window_.lo;
    if (window_.complete)
      abi::refuse_element(*window_.source, at < count ? abi::first_beyond(first, at, count, step) : first);
    return false;
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
  /// The address of an element that the window has. The compiler learns that it is not null, as the base of
  /// an empty window: else g++ compiles the slow path for a null base, and warns of it.
  T_* present(std::uint64_t i_) const {
    T_* const found = &at_base(i_);
    if (found == nullptr) __builtin_unreachable();
    return found;
  }
  /// The index of the last element. Throws error(errc::out_of_range) if there is none.
  [[nodiscard]] std::size_t last() const {
    if (empty()) throw error(errc::out_of_range, "the container is empty: it has no last element");
    return size() - 1;
  }
  [[nodiscard]] std::size_t position(const_iterator at) const {
    return static_cast<std::size_t>(at - std::as_const(*this).begin());
  }
  /// Moves the elements from `at` on by n_ places; returns the first place.
  iterator make_room(const_iterator at, std::size_t n_) {
    const std::size_t from = position(at), old = size();
    state_->resize(old + n_);
    T_* const all = begin();
    for (std::size_t i_ = old; n_ != 0 && i_ > from; --i_) all[i_ - 1 + n_] = std::move(all[i_ - 1]);
    return all + from;
  }
  void fill(const T_& value) {
    // no store to an element changes a copy in the eyes of the compiler
    std::conditional_t<std::is_trivially_copyable_v<T_>, const T_, const T_&> kept_ = value;
    for (T_ *at = begin(), *last = at + size(); at != last; ++at) *at = kept_;
  }
  template <class Iterator_> static std::vector<T_> collected(Iterator_ first, Iterator_ last) {
    std::vector<T_> all;
    for (; first != last; ++first) all.push_back(T_(*first));
    return all;
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

#else
template <class T_> class dvector;
#endif
}  // namespace STRADSAP_BUILD

template <class T_> inline constexpr bool abi::is_container<dvector<T_>> = true;

}  // namespace stradsap
