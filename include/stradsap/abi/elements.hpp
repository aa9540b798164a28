// Elements without their type: operations, and the window through which a handle or view reaches them.
// Thread rule: each class states its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <typeinfo>
#include <vector>

#include <stradsap/abi/listing.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::abi {

enum class access : std::uint8_t { read, write };

/// The functions of an element type. A null pointer stands for the same operation on plain bytes, so that no
/// code is generated.
struct element_functions {
  void (*construct)(void* first, std::size_t n_);
  void (*destroy)(void* first, std::size_t n_);
  void (*write)(const void* first, std::size_t n_, writer& out);
  void (*read)(void* first, std::size_t n_, reader& in);
  void (*copy)(void* to, const void* from);
  void (*assign)(void* to, const void* from);
  void (*merge)(void* into, const void* start, const void* end, std::size_t n_);
  void (*merge_by)(const stradsap::merge::rule& how, void* into, const void* start,
                   const std::byte* const* ends, std::size_t num_ends);
  bool (*has_part_of)(const std::type_info& type);
  bool (*same)(const void* a_, const void* b_);
  void (*add_distances)(const void* some, const void* others, std::size_t n_, double* squared);
  void (*visit_changes)(void* now, const void* start, double scale, std::vector<double>* list);
  bool (*has_changed)(const void* start, const void* end);  // null: their encodings tell
  std::size_t (*first_infinite)(const void* now, const void* start, std::size_t n_);
  void (*take_change)(const void* now, const void* start, float* before, double& norm2, double& along);
};

/// The runtime's description of an element type: static data. All functions take live objects, except
/// `construct`, which makes value-initialised ones, and `copy`, which makes *to.
struct element_ops {
  std::size_t size;
  std::size_t align;
  bool born_zero;    // a value-initialised element is all zero bytes and needs no destructor
  bool is_compared;  // same() can compare two elements by value: it ignores bytes without a value, as padding
  bool has_numbers;  // that merge_by() can average and compare
  element_functions own;
  const std::type_info* type = nullptr;  // of the element
  std::size_t num_fractions = 0;         // of an element that is a row of fractions, as std::array<float, 4>

  void construct(void* first, std::size_t n_) const {
    own.construct != nullptr ? own.construct(first, n_) : void(std::memset(first, 0, n_ * size));
  }
  void destroy(void* first, std::size_t n_) const {
    if (own.destroy != nullptr) own.destroy(first, n_);
  }
  void write(const void* first, std::size_t n_, writer& out) const {
    own.write != nullptr ? own.write(first, n_, out) : out.bytes(first, n_ * size);
  }
  void read(void* first, std::size_t n_, reader& in) const {
    own.read != nullptr ? own.read(first, n_, in) : in.bytes(first, n_ * size);
  }
  void copy(void* to, const void* from) const {
    own.copy != nullptr ? own.copy(to, from) : void(std::memcpy(to, from, size));
  }
  void assign(void* to, const void* from) const {
    own.assign != nullptr ? own.assign(to, from) : void(std::memcpy(to, from, size));
  }
  /// Folds the changes of one copy of n elements. See abi::merge.
  void merge(void* into, const void* start, const void* end, std::size_t n_) const {
    own.merge(into, start, end, n_);
  }
  /// Folds all copies of one element, which have their values at `ends`. See abi::merge_by.
  void merge_by(const stradsap::merge::rule& how, void* into, const void* start, const std::byte* const* ends,
                std::size_t num_ends) const {
    own.merge_by(how, into, start, ends, num_ends);
  }
  /// Adds to each of n numbers the squared distance of two elements; of the same elements, their squared
  /// norms. See abi::distance2.
  void add_distances(const void* some, const void* others, std::size_t n_, double* squared) const {
    own.add_distances(some, others, n_, squared);
  }
  /// Appends the changes of one element's fractions since `start`. See abi::visit_changes.
  void list_changes(const void* now, const void* start, std::vector<double>& to) const {
    own.visit_changes(const_cast<void*>(now), start, 1, &to);
  }
  /// Of an element that is a row of fractions: the squared norm of its change since `start`, and the product
  /// of the change with the one in `before`, which it replaces.
  void take_change(const void* now, const void* start, float* before, double& norm2, double& along) const {
    own.take_change(now, start, before, norm2, along);
  }
  /// Scales them: each fraction becomes start + scale * (now - start).
  void scale_changes(void* now, const void* start, double scale) const {
    own.visit_changes(now, start, scale, nullptr);
  }
  /// The first of n elements of which a fraction has become infinite, or not a number, since `start`; n if
  /// there is none. Vectors of another size count as finite.
  [[nodiscard]] std::size_t first_infinite(const void* now, const void* start, std::size_t n_) const {
    return own.first_infinite == nullptr ? n_ : own.first_infinite(now, start, n_);
  }
  /// Whether the rule finds something to fold in an element.
  [[nodiscard]] bool can_merge_by(const stradsap::merge::rule& how) const {
    using rules = stradsap::merge::rule::kind;
    if (how.which() == rules::function) return own.has_part_of(*how.function().signature->type);
    if (how.which() == rules::adaptive) return own.visit_changes != nullptr;
    return how.which() == rules::sum || has_numbers;
  }
};

/// Finds the elements that a view does not cover; every access off the fast path asks it. Thread rule: that
/// of the view.
class element_source {
 public:
  /// Address of element i, never null; the owner of the source states how long it is valid. Throws
  /// stradsap::error.
  virtual void* element(std::uint64_t i_, access how) = 0;
  /// Address of element `first`, with the n - 1 following ones behind it; n is at least 1. Otherwise as
  /// element().
  virtual void* range(std::uint64_t first, std::uint64_t n_, access how) = 0;
  /// Makes the entry of the key that was just added to the window's index, and returns its address.
  virtual void* add_entry() = 0;

 protected:
  ~element_source() = default;
};

/// Larger containers are fetched group by group.
inline constexpr std::uint64_t most_bytes_at_once = std::uint64_t{256} << 20;

class key_index;

/// The place of an access in the program. Known in check builds only; else line 0.
struct access_place {
  const char* file = "";
  std::uint32_t line = 0;
};
/// The place of this thread's last access.
inline constinit thread_local access_place current_access{};

/// Throws: there is no element i. It never returns, so g++ keeps the sums of inner loops in registers across
/// the call.
[[__noreturn__, __gnu__::__cold__, __gnu__::__noinline__]] inline void refuse_element(element_source& source,
                                                                                      std::uint64_t i_) {
  source.element(i_, access::read);
  __builtin_trap();
}

/// The first of the elements first, first + step, ... that is not among `count` elements, of which `first` is
/// number `at`. They leave them.
[[__gnu__::__cold__]] constexpr std::uint64_t first_beyond(std::uint64_t first, std::uint64_t at,
                                                           std::uint64_t count, std::int64_t step) {
  const auto by = static_cast<std::uint64_t>(step);
  const std::uint64_t rounds = step > 0 ? (count - 1 - at) / by + 1 : at / (0 - by) + 1;
  return first + rounds * by;
}

/// Whether a handle of the driver reaches all elements without a call; `view` in loop bodies. A type of its
/// own: then no store to an element can change it in the eyes of the compiler, and loops test it once.
enum class opening : std::uint64_t { view, closed, to_read, to_write };

/// Whether [] on the driver checks no subscript once all elements are there: in optimised builds, as
/// std::vector.
#if defined(__OPTIMIZE__) && !defined(STRADSAP_CHECKED)
inline constexpr bool drives_unchecked = true;
#else
inline constexpr bool drives_unchecked = false;
#endif

/// A number of elements. Stores to elements do not change it in the eyes of the compiler either.
class element_count {
  enum class word : std::uint64_t {};
  word n_ = word{};

 public:
  constexpr element_count() = default;
  explicit constexpr element_count(std::uint64_t n_in) : n_(static_cast<word>(n_in)) {}
  constexpr element_count& operator=(std::uint64_t n_in) { return *this = element_count(n_in); }
  constexpr operator std::uint64_t() const { return static_cast<std::uint64_t>(n_); }
};

/// The least and the greatest value of a container's elements. By default nothing is known of them.
struct value_range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
};

/// The elements that a handle reaches without a call: [lo, lo + count) for writing, and [lo, lo + readable)
/// for reading. Accesses to other elements go through the source.
struct window {
  void* base = nullptr;  // address of element 0, even if there is none
  std::uint64_t lo = 0;
  std::uint64_t count = 0;
  std::uint64_t readable = 0;
  element_count size;            // elements of the container
  key_index* keys = nullptr;     // of a dmap
  bool may_insert = false;       // a key without a slot may get one here and now
  key_index* pending = nullptr;  // takes new keys that a reconnaissance meets
  bool only_records = false;     // a reconnaissance: writes are dropped
  element_source* source = nullptr;
  listing* listed = nullptr;  // not null: elements are only named
  bool complete = false;      // elements outside the window do not exist
  opening open = opening::view;
  value_range values = {};  // of all elements, if they are subscripts of others

  /// Whether the `count` elements from lo on hold [first, first + n); true for n = 0 if the container reaches
  /// to `first`.
  [[nodiscard]] bool covers(std::uint64_t count_, std::uint64_t first, std::uint64_t n_) const {
    const std::uint64_t at = first - lo;
    return (at < count_ && n_ <= count_ - at) || (n_ == 0 && first <= size);
  }
  /// Whether the `count` elements from lo on hold the n from `first` on. The right side of the comparison
  /// often is known before a loop.
  [[nodiscard]] bool has_rounds(std::uint64_t count_, std::uint64_t first, std::uint64_t n_) const {
    const std::uint64_t more = n_ == 0 ? 0 : n_ - 1;
    return first - lo < (more < count_ ? count_ - more : 0);
  }
  /// The same for n >= 1 elements of which each is `step` behind the one before.
  [[nodiscard]] bool has_steps(std::uint64_t count_, std::uint64_t first, std::uint64_t n_,
                               std::int64_t step) const {
    const std::uint64_t at = first - lo;
    std::int64_t way = 0;
    return at < count_ && !__builtin_mul_overflow(step, n_ - 1, &way) &&
           at + static_cast<std::uint64_t>(way) < count_;
  }
  /// Address of element i, outside the window.
  void* beyond(std::uint64_t i_, access how) const {
    if (complete) refuse_element(*source, i_);
    return listed != nullptr ? listed->name(i_) : source->element(i_, how);
  }
  /// Address of elements [first, first + n), not all in the window.
  void* beyond(std::uint64_t first, std::uint64_t n_, access how) const {
    return listed != nullptr ? listed->name(first, n_) : source->range(first, n_, how);
  }
};

/// Opens the window of a handle on the driver, if the container is fetched whole. Not inlined: after
/// branches, g++ would leave tests of the window in the loops that follow, and not pack them.
[[__gnu__::__noinline__]] inline void open_window(const window& w_, std::uint64_t size, access how) {
  const opening enough = how == access::write ? opening::to_write : opening::to_read;
  if (w_.open == opening::view || w_.open >= enough) return;
  if (w_.size != 0 && w_.size * size <= most_bytes_at_once) (void)w_.source->element(0, how);
}

/// The size of an element, and how it is accessed, in one argument of far_element().
constexpr std::uint64_t sized_access(std::uint64_t size, access how) {
  return 2 * size + (how == access::write ? 1 : 0);
}
/// Address of element i, off the fast path of code that may serve `main` and loop bodies. It fetches and
/// claims the element, yet is declared pure; docs/decisions/driver-access.md argues why it may be. Callers
/// must use the result in any case. Throws stradsap::error.
[[__nodiscard__, __gnu__::__pure__, __gnu__::__cold__]] void* far_element(const window& w_, std::uint64_t i_,
                                                                          std::uint64_t sized_access);

/// The top bit marks slots of keys that are only pending.
inline constexpr std::uint64_t pending_bit = std::uint64_t{1} << 63;

}  // namespace stradsap::abi
