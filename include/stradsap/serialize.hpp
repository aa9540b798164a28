// How a value becomes bytes and bytes become a value again, and how two changed copies of a value merge.
// One codec for elements, captures and the runtime's own messages. Every length is checked against the
// bytes left before anything is allocated. Format: docs/formats.md. Thread rule: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/error.hpp>

namespace stradsap::abi {

/// Appends values to a buffer that it does not own.
class writer {
 public:
  explicit writer(std::vector<std::byte>& out) : out_(out) {}
  void bytes(const void* from, std::size_t size) {
    if (size >= least_run) return append_run(from, size);
    if (size != 0) std::memcpy(extend(size), from, size);
  }
  /// Appends `size` zeros, to be written over; the address is valid until more is appended.
  std::byte* extend(std::size_t size) {
    const std::size_t before = out_.size();
    out_.resize(before + size);
    return out_.data() + before;
  }
  template <class... T> void operator()(const T&... values);

 private:
  static constexpr std::size_t least_run = 4096;
  void append_run(const void* from, std::size_t size);  // without zeros first

  std::vector<std::byte>& out_;
};

/// Throws error(errc::decode): `left` bytes where `expected` should be.
[[noreturn]] void throw_early_end(std::size_t left, std::size_t expected);
/// Throws error(errc::decode): a message claims `claimed` "entries in" no more than `left` "bytes".
[[noreturn]] void throw_too_many(std::uint64_t claimed, const char* things, std::size_t left,
                                 const char* what);

/// Takes values from a buffer that it does not own. Throws error(errc::decode) before it reads past the end.
class reader {
 public:
  reader(const std::byte* first, std::size_t size) : at_(first), end_(first + size) {}
  explicit reader(const std::vector<std::byte>& from) : reader(from.data(), from.size()) {}
  [[nodiscard]] std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  const std::byte* take(std::size_t size) {
    if (size > remaining()) throw_early_end(remaining(), size);
    return std::exchange(at_, at_ + size);
  }
  void bytes(void* to, std::size_t size) {
    const std::byte* from = take(size);
    if (size != 0) std::memcpy(to, from, size);
  }
  /// A count of things that take at least `least` bytes each.
  std::size_t count(std::size_t least) {
    std::uint64_t n = 0;
    bytes(&n, sizeof n);
    if (n > remaining() / (least == 0 ? 1 : least)) throw_too_many(n, "entries in", remaining(), "bytes");
    return static_cast<std::size_t>(n);
  }
  template <class... T> void operator()(T&... values);

 private:
  const std::byte* at_;
  const std::byte* end_;
};

/// Names the direct bases that take part, in the member list that stradsap-cc adds to a class.
template <class... Base> struct bases {};

/// The member list of Class; the tag tells it from one that a derived class merely inherited.
template <class Class, class Bases, class... Member> struct member_list {
  using owner = Class;
  std::tuple<Member...> pointers;
};

template <class Class, class... Base, class... Member>
constexpr auto stradsap_members(bases<Base...>, Member... member) {
  return member_list<Class, bases<Base...>, Member...>{std::tuple<Member...>(member...)};
}

template <class T>
concept reflected =
    requires { requires std::is_same_v<typename decltype(T::stradsap_members_())::owner, T>; };

template <class T>
concept self_serializing = !reflected<T> && requires(T& value, writer& out) { value.serialize(out); };

template <class T>
concept map_like = requires {
  typename T::key_type;
  typename T::mapped_type;
};

template <class T>
concept set_like = !map_like<T> && requires { typename T::key_type; };

template <class T>
concept smooth = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T> inline constexpr bool is_vector = false;
template <class T, class A> inline constexpr bool is_vector<std::vector<T, A>> = true;
template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept hashed = requires(const T& value) { value.bucket_count(); };
template <class T> inline constexpr bool is_array = std::is_array_v<T>;
template <class T, std::size_t N> inline constexpr bool is_array<std::array<T, N>> = true;

/// Calls f with each base and member, in declaration order, of each of the values at once.
template <class Class, class... Base, class... Member, class F, class... Value>
void for_each_member(const member_list<Class, bases<Base...>, Member...>& list, const F& f, Value&... value) {
  [[maybe_unused]] const auto visit_base = [&]<class B>(std::type_identity<B>) {
    f(static_cast<std::conditional_t<std::is_const_v<Value>, const B, B>&>(value)...);
  };
  (visit_base(std::type_identity<Base>{}), ...);
  const auto visit = [&](auto pointer) { f((value.*pointer)...); };
  std::apply([&](auto... pointer) { (visit(pointer), ...); }, list.pointers);
}

template <class T> consteval std::size_t plain_size();

template <class Class, class... Base, class... Member>
consteval std::size_t plain_size_of_members(const member_list<Class, bases<Base...>, Member Class::*...>&) {
  constexpr bool all = (... && (plain_size<Base>() != 0)) && (... && (plain_size<Member>() != 0));
  return all ? (std::size_t{0} + ... + plain_size<Base>()) + (std::size_t{0} + ... + plain_size<Member>())
             : 0;
}

/// The bytes of T's encoding where these are its bytes in memory: numbers and what is made of them without a
/// gap. Else 0; a bool's too, which has bytes that are no value.
template <class T> consteval std::size_t plain_size() {
  if constexpr (smooth<T> || std::is_enum_v<T>) {
    return sizeof(T);
  } else if constexpr (std::is_array_v<T>) {
    return plain_size<std::remove_extent_t<T>>() == 0 ? 0 : sizeof(T);
  } else if constexpr (!std::is_trivially_copyable_v<T> || !std::is_copy_assignable_v<T>) {
    return 0;
  } else if constexpr (reflected<T>) {
    return plain_size_of_members(T::stradsap_members_()) == sizeof(T) ? sizeof(T) : 0;
  } else if constexpr (is_array<T>) {
    return plain_size<typename T::value_type>() * std::tuple_size_v<T> == 0 ? 0 : sizeof(T);
  } else {
    return 0;
  }
}

/// Travels as one run of bytes, as do many of them side by side.
template <class T>
concept plain = plain_size<T>() != 0;

template <class T> void write(writer& out, const T& value);
template <class T> void read(reader& in, T& value);

template <class T> void write_each(writer& out, const T& range) {
  const std::uint64_t n = range.size();
  out.bytes(&n, sizeof n);
  for (const auto& entry : range) write(out, entry);
}

template <class T> void write(writer& out, const T& value) {
  if constexpr (plain<T> || std::is_same_v<T, bool>) {
    out.bytes(&value, sizeof value);
  } else if constexpr (reflected<T>) {
    for_each_member(T::stradsap_members_(), [&](const auto& member) { write(out, member); }, value);
  } else if constexpr (is_array<T>) {
    for (const auto& entry : value) write(out, entry);
  } else if constexpr (is_tuple<T>) {
    std::apply([&](const auto&... part) { (write(out, part), ...); }, value);
  } else if constexpr (is_optional<T>) {
    write(out, value.has_value());
    if (value) write(out, *value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    const std::uint64_t n = value.size();
    out.bytes(&n, sizeof n);
    out.bytes(value.data(), value.size());
  } else if constexpr (is_vector<T>) {
    if constexpr (plain<typename T::value_type>) {
      const std::uint64_t n = value.size();
      out.bytes(&n, sizeof n);
      out.bytes(value.data(), value.size() * sizeof(typename T::value_type));
    } else {
      write_each(out, value);
    }
  } else if constexpr (map_like<T> || set_like<T>) {
    if constexpr (hashed<T>) {
      const std::uint64_t buckets = value.bucket_count();
      out.bytes(&buckets, sizeof buckets);
    }
    write_each(out, value);
  } else if constexpr (self_serializing<T>) {
    const_cast<T&>(value).serialize(out);
  } else {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "this type cannot travel between processes: give it a member template "
                  "serialize(Archive& archive) { archive(a, b); }");
    out.bytes(&value, sizeof value);
  }
}

template <class T> void read_vector(reader& in, T& value) {
  using element = typename T::value_type;
  if constexpr (plain<element>) {
    const std::size_t n = in.count(sizeof(element));
    if constexpr (std::is_same_v<element, std::byte>) {
      const std::byte* first = in.take(n);
      value.assign(first, first + n);
    } else {
      value.resize(n);
      in.bytes(value.data(), n * sizeof(element));
    }
  } else {
    const std::size_t n = in.count(0);
    value.clear();
    if (n <= 16 * in.remaining() / sizeof(element)) value.reserve(n);  // a wrong one takes no more
    for (std::size_t i = 0; i < n; ++i) {
      element entry{};
      read(in, entry);
      value.push_back(std::move(entry));
    }
  }
}

template <class T> struct entry_of {
  using type = typename T::key_type;
};
template <map_like T> struct entry_of<T> {
  using type = std::pair<typename T::key_type, typename T::mapped_type>;
};

template <class T> void read_ordered(reader& in, T& value) {
  value.clear();
  for (std::size_t n = in.count(0); n > 0; --n) {
    typename entry_of<T>::type entry{};
    read(in, entry);
    value.insert(value.end(), std::move(entry));
  }
}

/// Bodies may walk through a hash table, so its order travels too. libstdc++ puts an entry before those that
/// its bucket has, and a new bucket before all others: with as many buckets, entries inserted last to first
/// stand in the order in which they were written.
template <class T> void read_hashed(reader& in, T& value) {
  std::uint64_t buckets = 0;
  in.bytes(&buckets, sizeof buckets);
  std::vector<typename entry_of<T>::type> entries(in.count(0));
  for (auto& entry : entries) read(in, entry);
  if (buckets > (std::uint64_t{1} << 24) + 4096 * entries.size()) {
    throw_too_many(buckets, "buckets for", entries.size(), "entries");
  }
  T made;
  if (buckets != made.bucket_count()) made.rehash(buckets);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) made.insert(std::move(*entry));
  value = std::move(made);
}

template <class T> void read(reader& in, T& value) {
  if constexpr (plain<T> || std::is_same_v<T, bool>) {
    in.bytes(&value, sizeof value);
  } else if constexpr (reflected<T>) {
    for_each_member(T::stradsap_members_(), [&](auto& member) { read(in, member); }, value);
  } else if constexpr (is_array<T>) {
    for (auto& entry : value) read(in, entry);
  } else if constexpr (is_tuple<T>) {
    std::apply([&](auto&... part) { (read(in, part), ...); }, value);
  } else if constexpr (is_optional<T>) {
    bool present = false;
    read(in, present);
    present ? read(in, value.emplace()) : value.reset();
  } else if constexpr (std::is_same_v<T, std::string>) {
    value.resize(in.count(1));
    in.bytes(value.data(), value.size());
  } else if constexpr (is_vector<T>) {
    read_vector(in, value);
  } else if constexpr (hashed<T>) {
    read_hashed(in, value);
  } else if constexpr (map_like<T> || set_like<T>) {
    read_ordered(in, value);
  } else if constexpr (self_serializing<T>) {
    value.serialize(in);
  } else {
    in.bytes(&value, sizeof value);
  }
}

/// Equal as far as a program can tell: a NaN is itself, and the zeros differ.
template <class T> bool is_unchanged(const T& start, const T& end) {
  if constexpr (std::is_floating_point_v<T>) {
    return start == end ? __builtin_signbit(start) == __builtin_signbit(end) : start != start && end != end;
  } else {
    return start == end;
  }
}

/// A value as bytes: what need not have an operator== can be compared so.
template <class T> std::vector<std::byte> encoded(const T& value) {
  std::vector<std::byte> bytes;
  writer out(bytes);
  write(out, value);
  return bytes;
}

template <class T> void merge_run(T* sum, const T* start, const T* end, std::size_t n);

/// Folds what one copy changed into `sum`: numbers add the difference, member by member; anything else
/// (text, flags, containers whose size changed) takes the later copy's value if that copy changed it.
/// `start` is what every copy began with.
template <class T> void merge(T& sum, const T& start, const T& end) {
  if constexpr (requires { sum.stradsap_merge_(start, end); }) {
    sum.stradsap_merge_(start, end);
  } else if constexpr (reflected<T>) {
    for_each_member(
        T::stradsap_members_(), [](auto& s, const auto& from, const auto& to) { merge(s, from, to); }, sum,
        start, end);
  } else if constexpr (smooth<T>) {
    // what only one copy changed is exactly what that copy says; infinities have no difference
    if (is_unchanged(start, end)) return;
    sum = is_unchanged(start, sum) ? end : static_cast<T>(sum + (end - start));
  } else if constexpr (is_array<T>) {
    merge_run(std::data(sum), std::data(start), std::data(end), std::size(sum));
  } else if constexpr (is_vector<T>) {
    if (sum.size() != start.size() || start.size() != end.size()) {
      sum = end;
    } else if constexpr (std::is_same_v<typename T::value_type, bool>) {
      if (!(start == end)) sum = end;
    } else {
      for (std::size_t i = 0; i < sum.size(); ++i) merge(sum[i], start[i], end[i]);
    }
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (merge(std::get<I>(sum), std::get<I>(start), std::get<I>(end)), ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (std::is_scalar_v<T>) {
    if (!(start == end)) sum = end;
  } else {
    if (encoded(start) != encoded(end)) sum = end;
  }
}

/// Not inlined: arrays of all sizes share it.
template <class T>
[[gnu::noinline, gnu::noclone]] void merge_run(T* sum, const T* start, const T* end, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) merge(sum[i], start[i], end[i]);
}

template <class... T> void writer::operator()(const T&... values) { (write(*this, values), ...); }

template <class... T> void reader::operator()(T&... values) { (read(*this, values), ...); }

}  // namespace stradsap::abi

namespace stradsap {

// What stradsap-cc inserts into classes, perhaps before anything else of ours is included; see inserted.hpp.
using abi::stradsap_members;
template <class... Base> using stradsap_bases = abi::bases<Base...>;

}  // namespace stradsap
