// The codec: values to bytes and back. Elements, captures and the runtime's messages share it. The reader
// checks every length against the remaining bytes before it allocates memory.
// Format: docs/formats.md. Thread rule: values.
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

#include <stradsap/abi/dense_matrix.hpp>
#include <stradsap/error.hpp>

namespace stradsap::abi {

/// Takes an encoding piece by piece, so that no buffer has to hold all of it.
class byte_sink {
 public:
  virtual void take(const std::byte* first, std::size_t size) = 0;
  /// Whether it needs no more, so that the writer may leave out entries of containers.
  [[nodiscard]] virtual bool is_full() const { return false; }

 protected:
  ~byte_sink() = default;
};

/// Appends values to a buffer that it does not own.
class writer {
 public:
  explicit writer(std::vector<std::byte>& out) : out_(out) {}
  /// Passes the bytes on to the sink whenever the buffer is full. The last ones stay in the buffer.
  writer(std::vector<std::byte>& out, byte_sink& sink)
      : out_(out), sink_(&sink), most_(std::size_t{1} << 15) {}
  void bytes(const void* from, std::size_t size) {
    if (size >= least_run) return append_run(from, size);
    if (size != 0) std::memcpy(extend(size), from, size);
  }
  /// Makes room for `size` more bytes.
  void reserve(std::size_t size) { out_.reserve(out_.size() + size); }
  /// Appends `size` zeros and returns their address, for the caller to write over; valid until the next
  /// append.
  std::byte* extend(std::size_t size) {
    if (out_.size() > most_) pass_on();
    const std::size_t before = out_.size();
    out_.resize(before + size);
    return out_.data() + before;
  }
  template <class... T_> void operator()(const T_&... values);
  [[nodiscard]] bool is_full() const { return is_full_; }

 private:
  static constexpr std::size_t least_run = 4096;
  void append_run(const void* from, std::size_t size);  // without a fill of zeros
  void pass_on();

  std::vector<std::byte>& out_;
  byte_sink* sink_ = nullptr;
  std::size_t most_ = ~std::size_t{0};  // bytes in the buffer before the sink takes them
  bool is_full_ = false;                // the sink is
};

/// Throws error(errc::decode): `left` bytes instead of `expected`.
[[__noreturn__]] void throw_early_end(std::size_t left, std::size_t expected);
/// Throws error(errc::decode): a message claims `claimed` "entries in" no more than `left` "bytes".
[[__noreturn__]] void throw_too_many(std::uint64_t claimed, const char* things, std::size_t left,
                                     const char* what);

/// Throws error(errc::decode): a bool is encoded as `found`.
[[__noreturn__]] void throw_no_flag(unsigned found);

/// Reads values from a buffer that it does not own. Throws error(errc::decode) before it reads past the end.
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
  /// Reads the number of things that take at least `least` bytes each.
  std::size_t count(std::size_t least) {
    std::uint64_t n_ = 0;
    bytes(&n_, sizeof n_);
    if (n_ > remaining() / (least == 0 ? 1 : least)) throw_too_many(n_, "entries in", remaining(), "bytes");
    return static_cast<std::size_t>(n_);
  }
  /// Reads a bool; throws for a byte that is none.
  bool flag() {
    const std::byte one = *take(1);
    if (one > std::byte{1}) throw_no_flag(static_cast<unsigned>(one));
    return one == std::byte{1};
  }
  template <class... T_> void operator()(T_&... values);

 private:
  const std::byte* at_;
  const std::byte* end_;
};

/// The direct bases of a class that are encoded; part of the member list that stradsap-cc inserts into a
/// class.
template <class... Base_> struct bases {};

/// The member list of Class. The tag distinguishes it from a list that a derived class inherited.
template <class Class_, class Bases_, class... Member_> struct member_list {
  using owner = Class_;
  std::tuple<Member_...> pointers;
};

template <class Class_, class... Base_, class... Member_>
constexpr auto stradsap_members(bases<Base_...>, Member_... member) {
  return member_list<Class_, bases<Base_...>, Member_...>{std::tuple<Member_...>(member...)};
}

template <class T_>
concept reflected =
    requires { requires std::is_same_v<typename decltype(T_::stradsap_members_())::owner, T_>; };

/// The encoding of a class by functions that the program provides. <stradsap/cereal.hpp> specialises it for
/// each class that cereal can encode: it sets `exists`, and adds write(writer&, const T_&),
/// read(reader&, T_&) and name(), the mangled name of the class.
template <class T_> struct own_encoding {
  static constexpr bool exists = false;
};

template <class T_>
concept self_serializing = !reflected<T_> && own_encoding<T_>::exists;

template <class T_>
concept map_like = requires {
  typename T_::key_type;
  typename T_::mapped_type;
};

template <class T_>
concept set_like = !map_like<T_> && requires { typename T_::key_type; };

template <class T_>
concept smooth = std::is_arithmetic_v<T_> && !std::is_same_v<T_, bool>;

template <class T_> inline constexpr bool is_vector = false;
template <class T_, class A_> inline constexpr bool is_vector<std::vector<T_, A_>> = true;
template <class T_> inline constexpr bool is_tuple = false;
template <class... T_> inline constexpr bool is_tuple<std::tuple<T_...>> = true;
template <class A_, class B_> inline constexpr bool is_tuple<std::pair<A_, B_>> = true;
template <class T_> inline constexpr bool is_optional = false;
template <class T_> inline constexpr bool is_optional<std::optional<T_>> = true;
template <class T_>
concept hashed = requires(const T_& value) { value.bucket_count(); };
template <class T_> inline constexpr bool is_array = std::is_array_v<T_>;
template <class T_, std::size_t N_> inline constexpr bool is_array<std::array<T_, N_>> = true;

/// Values in one piece: of a vector, or of a matrix, whose shape may change.
template <class T_>
concept resizable = is_vector<T_> || matrix_like<T_>;
template <resizable T_> bool has_same_shape(const T_& one, const T_& other) {
  if constexpr (matrix_like<T_>)
    return one.rows() == other.rows() && columns_of(one) == columns_of(other);
  else
    return one.size() == other.size();
}
/// Gives a value the shape of another one. Its entries then have any values.
template <resizable T_> void take_shape(T_& value, const T_& like) {
  if constexpr (matrix_like<T_>)
    value.resize(like.rows(), static_cast<decltype(like.rows())>(columns_of(like)));
  else
    value.resize(like.size());
}

/// Whether a copy of the bytes is a copy of the value. Matrices with a fixed number of numbers have
/// constructors of their own, which do the same.
template <class T_>
inline constexpr bool is_its_bytes = std::is_trivially_copyable_v<T_> || is_matrix_of_numbers<T_>();

/// Calls f for each base and member in declaration order, with that part of each of the values.
template <class Class_, class... Base_, class... Member_, class F_, class... Value_>
void for_each_member(const member_list<Class_, bases<Base_...>, Member_...>& list, const F_& f_,
                     Value_&... value) {
  [[__maybe_unused__]] const auto visit_base = [&]<class B_>(std::type_identity<B_>) {
    f_(static_cast<std::conditional_t<std::is_const_v<Value_>, const B_, B_>&>(value)...);
  };
  (visit_base(std::type_identity<Base_>{}), ...);
  const auto visit_ = [&](auto pointer) { f_((value.*pointer)...); };
  std::apply([&](auto... pointer) { (visit_(pointer), ...); }, list.pointers);
}

template <class T_> consteval std::size_t plain_size();

template <class Class_, class... Base_, class... Member_>
consteval std::size_t plain_size_of_members(
    const member_list<Class_, bases<Base_...>, Member_ Class_::*...>&) {
  constexpr bool all = (... && (plain_size<Base_>() != 0)) && (... && (plain_size<Member_>() != 0));
  return all ? (std::size_t{0} + ... + plain_size<Base_>()) + (std::size_t{0} + ... + plain_size<Member_>())
             : 0;
}

/// The size of T's encoding if that equals its bytes in memory: numbers, and types made of numbers without
/// padding. Otherwise 0; also for bool, because some bytes are not a valid bool.
template <class T_> consteval std::size_t plain_size() {
  if constexpr (smooth<T_> || std::is_enum_v<T_>) {
    return sizeof(T_);
  } else if constexpr (std::is_array_v<T_>) {
    return plain_size<std::remove_extent_t<T_>>() == 0 ? 0 : sizeof(T_);
  } else if constexpr (is_matrix_of_numbers<T_>()) {
    return sizeof(T_);
  } else if constexpr (!std::is_trivially_copyable_v<T_> || !std::is_copy_assignable_v<T_>) {
    return 0;
  } else if constexpr (reflected<T_>) {
    return plain_size_of_members(T_::stradsap_members_()) == sizeof(T_) ? sizeof(T_) : 0;
  } else if constexpr (is_array<T_>) {
    return plain_size<typename T_::value_type>() * std::tuple_size_v<T_> == 0 ? 0 : sizeof(T_);
  } else {
    return 0;
  }
}

/// A T is encoded as its bytes in memory, and an array of T as one run of bytes.
template <class T_>
concept plain = plain_size<T_>() != 0;

template <class T_> consteval bool is_copied_bytewise();

template <class Class_, class... Base_, class... Member_>
consteval bool are_members_copied_bytewise(
    const member_list<Class_, bases<Base_...>, Member_ Class_::*...>&) {
  return (... && is_copied_bytewise<Base_>()) && (... && is_copied_bytewise<Member_>());
}

/// Whether elements of type T travel as their bytes in memory, including padding: T is trivially copyable,
/// and no part of it has an encoding of its own.
template <class T_> consteval bool is_copied_bytewise() {
  if constexpr (!is_its_bytes<T_> || self_serializing<T_>) {
    return false;
  } else if constexpr (reflected<T_>) {
    return are_members_copied_bytewise(T_::stradsap_members_());
  } else if constexpr (std::is_array_v<T_>) {
    return is_copied_bytewise<std::remove_extent_t<T_>>();
  } else if constexpr (is_array<T_> || is_optional<T_>) {
    return is_copied_bytewise<typename T_::value_type>();
  } else {
    return true;
  }
}

template <class T_> void write(writer& out, const T_& value);
template <class T_> void read(reader& in, T_& value);

template <class T_> void write_each(writer& out, const T_& range) {
  const std::uint64_t n_ = range.size();
  out.bytes(&n_, sizeof n_);
  for (const auto& entry : range) {
    if (out.is_full()) return;
    write(out, entry);
  }
}

/// The shape, where it may change, and all coefficients in the order of their places.
template <matrix_like T_> void write_matrix(writer& out, const T_& value) {
  if constexpr (fixed_shape<T_>::size == 0) {
    const std::uint64_t rows = value.rows(), columns = columns_of(value);
    out.bytes(&rows, sizeof rows);
    out.bytes(&columns, sizeof columns);
  }
  const auto n_ = static_cast<std::size_t>(value.size());
  if constexpr (plain<typename T_::value_type>) {
    out.bytes(value.data(), n_ * sizeof(typename T_::value_type));
  } else {
    for (std::size_t i_ = 0; i_ < n_; ++i_) write(out, value.data()[i_]);
  }
}

template <class T_> void write(writer& out, const T_& value) {
  if constexpr (plain<T_> || std::is_same_v<T_, bool>) {
    out.bytes(&value, sizeof value);
  } else if constexpr (requires { value.stradsap_write_(out); }) {
    value.stradsap_write_(out);
  } else if constexpr (self_serializing<T_>) {
    own_encoding<T_>::write(out, value);
  } else if constexpr (reflected<T_> && std::is_empty_v<T_>) {
    write(out, false);  // so that no count of entries exceeds the number of bytes
  } else if constexpr (reflected<T_>) {
    for_each_member(T_::stradsap_members_(), [&](const auto& member) { write(out, member); }, value);
  } else if constexpr (is_array<T_>) {
    for (const auto& entry : value) write(out, entry);
  } else if constexpr (is_tuple<T_>) {
    std::apply([&](const auto&... part) { (write(out, part), ...); }, value);
  } else if constexpr (is_optional<T_>) {
    write(out, value.has_value());
    if (value) write(out, *value);
  } else if constexpr (std::is_same_v<T_, std::string>) {
    const std::uint64_t n_ = value.size();
    out.bytes(&n_, sizeof n_);
    out.bytes(value.data(), value.size());
  } else if constexpr (is_vector<T_>) {
    if constexpr (plain<typename T_::value_type>) {
      const std::uint64_t n_ = value.size();
      out.bytes(&n_, sizeof n_);
      out.bytes(value.data(), value.size() * sizeof(typename T_::value_type));
    } else {
      write_each(out, value);
    }
  } else if constexpr (matrix_like<T_>) {
    write_matrix(out, value);
  } else if constexpr (map_like<T_> || set_like<T_>) {
    if constexpr (hashed<T_>) {
      const std::uint64_t buckets = value.bucket_count();
      out.bytes(&buckets, sizeof buckets);
    }
    write_each(out, value);
  } else {
    static_assert(
        std::is_trivially_copyable_v<T_> && !std::is_pointer_v<T_>,
        "this type cannot travel between processes: include <stradsap/cereal.hpp> and cereal's header "
        "for the type, or give the class a member template serialize(Archive& archive) { archive(a, b); }");
    out.bytes(&value, sizeof value);
  }
}

constexpr std::size_t much_memory = std::size_t{4} << 20;
/// The whole of this new memory will be written: huge pages, if the system has some, save page faults.
void expect_fill(void* first_, std::size_t size_);

template <class T_> void read_vector(reader& in, T_& value) {
  using element = typename T_::value_type;
  if constexpr (plain<element>) {
    const std::size_t n_ = in.count(sizeof(element));
    if constexpr (std::is_same_v<element, std::byte>) {
      const std::byte* first = in.take(n_);
      value.assign(first, first + n_);
    } else {
      if (n_ * sizeof(element) >= much_memory) {
        value.reserve(n_);
        expect_fill(value.data(), n_ * sizeof(element));
      }
      value.resize(n_);
      in.bytes(value.data(), n_ * sizeof(element));
    }
  } else {
    const std::size_t n_ = in.count(0);
    value.clear();
    if (n_ <= 16 * in.remaining() / sizeof(element)) value.reserve(n_);  // a wrong count reserves no more
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      element entry{};
      read(in, entry);
      value.push_back(std::move(entry));
    }
  }
}

template <matrix_like T_> void read_matrix(reader& in, T_& value) {
  if constexpr (fixed_shape<T_>::size == 0) {
    std::uint64_t rows = 0, columns = 0;
    in.bytes(&rows, sizeof rows);
    in.bytes(&columns, sizeof columns);
    constexpr std::uint64_t most = std::uint64_t{1} << 40;  // also of rows without columns
    using shape = fixed_shape<T_>;
    const bool has_shape =
        (shape::rows == 0 || rows == shape::rows) && (shape::columns == 0 || columns == shape::columns);
    // each coefficient takes a byte at least
    const bool fits = rows < most && columns < most && (columns == 0 || rows <= in.remaining() / columns);
    if (!has_shape || !fits) throw_too_many(rows, "rows of a matrix in", in.remaining(), "bytes");
    using index = decltype(value.rows());
    value.resize(static_cast<index>(rows), static_cast<index>(columns));
  }
  const auto n_ = static_cast<std::size_t>(value.size());
  if constexpr (plain<typename T_::value_type>) {
    in.bytes(value.data(), n_ * sizeof(typename T_::value_type));
  } else {
    for (std::size_t i_ = 0; i_ < n_; ++i_) read(in, value.data()[i_]);
  }
}

template <class T_> struct entry_of {
  using type = typename T_::key_type;
};
template <map_like T_> struct entry_of<T_> {
  using type = std::pair<typename T_::key_type, typename T_::mapped_type>;
};

template <class T_> void read_ordered(reader& in, T_& value) {
  value.clear();
  for (std::size_t n_ = in.count(0); n_ > 0; --n_) {
    typename entry_of<T_>::type entry{};
    read(in, entry);
    value.insert(value.end(), std::move(entry));
  }
}

/// Decodes a hash table with its order, because bodies may iterate over it. libstdc++ puts an entry before
/// the others of its bucket, and a new bucket before all others. So with the same number of buckets,
/// insertion from last to first restores the order.
template <class T_, class ReadEntry_> void read_hashed(reader& in, T_& value, const ReadEntry_& read_entry) {
  std::uint64_t buckets = 0;
  in.bytes(&buckets, sizeof buckets);
  std::vector<typename entry_of<T_>::type> entries(in.count(0));
  for (auto& entry : entries) read_entry(entry);
  if (buckets > (std::uint64_t{1} << 24) + 4096 * entries.size()) {
    throw_too_many(buckets, "buckets for", entries.size(), "entries");
  }
  T_ made;
  if (buckets != made.bucket_count()) made.rehash(buckets);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) made.insert(std::move(*entry));
  value = std::move(made);
}

template <class T_> void read(reader& in, T_& value) {
  if constexpr (plain<T_>) {
    in.bytes(&value, sizeof value);
  } else if constexpr (std::is_same_v<T_, bool>) {
    value = in.flag();
  } else if constexpr (requires { value.stradsap_read_(in); }) {
    value.stradsap_read_(in);
  } else if constexpr (self_serializing<T_>) {
    own_encoding<T_>::read(in, value);
  } else if constexpr (reflected<T_> && std::is_empty_v<T_>) {
    (void)in.flag();
  } else if constexpr (reflected<T_>) {
    for_each_member(T_::stradsap_members_(), [&](auto& member) { read(in, member); }, value);
  } else if constexpr (is_array<T_>) {
    for (auto& entry : value) read(in, entry);
  } else if constexpr (is_tuple<T_>) {
    std::apply([&](auto&... part) { (read(in, part), ...); }, value);
  } else if constexpr (is_optional<T_>) {
    bool present = false;
    read(in, present);
    present ? read(in, value.emplace()) : value.reset();
  } else if constexpr (std::is_same_v<T_, std::string>) {
    value.resize(in.count(1));
    in.bytes(value.data(), value.size());
  } else if constexpr (is_vector<T_>) {
    read_vector(in, value);
  } else if constexpr (matrix_like<T_>) {
    read_matrix(in, value);
  } else if constexpr (hashed<T_>) {
    read_hashed(in, value, [&in](auto& entry) { read(in, entry); });
  } else if constexpr (map_like<T_> || set_like<T_>) {
    read_ordered(in, value);
  } else {
    in.bytes(&value, sizeof value);
  }
}

/// The encoding of a value.
template <class T_> std::vector<std::byte> encoded(const T_& value) {
  std::vector<std::byte> bytes;
  writer out(bytes);
  write(out, value);
  return bytes;
}

template <class... T_> void writer::operator()(const T_&... values) { (write(*this, values), ...); }

template <class... T_> void reader::operator()(T_&... values) { (read(*this, values), ...); }

}  // namespace stradsap::abi

namespace stradsap {

// Names that stradsap-cc inserts into classes, perhaps before any other header of StradsAP is included; see
// inserted.hpp.
using abi::stradsap_members;
template <class... Base_> using stradsap_bases = abi::bases<Base_...>;

}  // namespace stradsap
