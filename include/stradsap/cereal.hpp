// With this header, classes with functions for cereal travel: `serialize`, `save` and `load`, their minimal
// forms, as members or not, with versions, names and base classes. Types of the standard library travel with
// cereal's own headers, as <cereal/types/variant.hpp>. The archives work on the bytes of the codec
// (serialize.hpp) and check every count against the remaining bytes.
//
// Include it before cereal's headers: ranks encode on several threads, and cereal locks its table of versions
// only if CEREAL_THREAD_SAFE is 1. An archive serves one value, so that shared pointers and versions within
// this value are written once. Thread rule: values.
#pragma once

#if !defined(CEREAL_THREAD_SAFE)
#define CEREAL_THREAD_SAFE 1
#elif !CEREAL_THREAD_SAFE
#error "include <stradsap/cereal.hpp> before cereal's headers, or compile with -DCEREAL_THREAD_SAFE=1"
#endif

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <stradsap/serialize.hpp>

namespace stradsap::abi {

/// Writes through a writer, which it borrows.
class output_archive : public cereal::OutputArchive<output_archive> {
 public:
  explicit output_archive(writer& out) : OutputArchive(this), out_(out) {}
  [[nodiscard]] writer& bytes() { return out_; }

 private:
  writer& out_;
};

/// Reads through a reader, which it borrows. Throws error(errc::decode) before it reads past the end.
class input_archive : public cereal::InputArchive<input_archive> {
 public:
  explicit input_archive(reader& in) : InputArchive(this), in_(in) {}
  [[nodiscard]] reader& bytes() { return in_; }

 private:
  reader& in_;
};

// ---- the parts of values that cereal leaves to its archives
// -------------------------------------------------

template <class T_>
  requires std::is_arithmetic_v<T_>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const T_& value) {
  archive.bytes().bytes(&value, sizeof value);
}
template <class T_>
  requires std::is_arithmetic_v<T_>
void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, T_& value) {
  if constexpr (std::is_same_v<T_, bool>) {
    value = archive.bytes().flag();
  } else {
    archive.bytes().bytes(&value, sizeof value);
  }
}

template <class T_>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const cereal::NameValuePair<T_>& named) {
  archive(named.value);
}
template <class T_> void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, cereal::NameValuePair<T_>& named) {
  archive(named.value);
}

template <class T_> void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const cereal::SizeTag<T_>& tag) {
  const std::uint64_t n_ = tag.size;
  archive.bytes().bytes(&n_, sizeof n_);
}
/// Each entry takes a byte at least, so a count above the remaining bytes is false.
template <class T_> void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, cereal::SizeTag<T_>& tag) {
  tag.size = archive.bytes().count(1);
}

template <class T_>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const cereal::BinaryData<T_>& data) {
  archive.bytes().bytes(data.data, data.size);
}
template <class T_> void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, cereal::BinaryData<T_>& data) {
  archive.bytes().bytes(data.data, data.size);
}

// ---- values that the codec encodes itself
// ---------------------------------------------------------------------

/// A class with a member list, inside a class with functions of its own.
template <reflected T_> void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const T_& value) {
  write(archive.bytes(), value);
}
template <reflected T_> void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, T_& value) {
  read(archive.bytes(), value);
}

/// A run of bytes; cereal would write entry by entry unless T is a number. Resized no further than the bytes.
template <plain T_, class A_>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const std::vector<T_, A_>& value) {
  write(archive.bytes(), value);
}
template <plain T_, class A_>
void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, std::vector<T_, A_>& value) {
  read(archive.bytes(), value);
}

template <class T_> void save_hashed(output_archive& archive, const T_& value) {
  archive(static_cast<std::uint64_t>(value.bucket_count()),
          cereal::make_size_tag(static_cast<cereal::size_type>(value.size())));
  for (const auto& entry : value) archive(entry);
}
template <class T_> void load_hashed(input_archive& archive, T_& value) {
  read_hashed(archive.bytes(), value, [&archive](auto& entry) { archive(entry); });
}

/// Hash tables keep their order, which cereal loses: bodies may iterate over them.
template <class K_, class V_, class H_, class E_, class A_>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const std::unordered_map<K_, V_, H_, E_, A_>& value) {
  save_hashed(archive, value);
}
template <class K_, class V_, class H_, class E_, class A_>
void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, std::unordered_map<K_, V_, H_, E_, A_>& value) {
  load_hashed(archive, value);
}
template <class K_, class H_, class E_, class A_>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const std::unordered_set<K_, H_, E_, A_>& value) {
  save_hashed(archive, value);
}
template <class K_, class H_, class E_, class A_>
void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, std::unordered_set<K_, H_, E_, A_>& value) {
  load_hashed(archive, value);
}

// ---- the classes that travel by cereal's functions
// ----------------------------------------------------------

/// The types of the standard library that the codec encodes itself.
template <class T_>
inline constexpr bool is_codecs_own = is_vector<T_> || is_tuple<T_> || is_optional<T_> || is_array<T_>;
template <class T_, class C_, class A_>
inline constexpr bool is_codecs_own<std::basic_string<T_, C_, A_>> = true;
template <class K_, class V_, class C_, class A_>
inline constexpr bool is_codecs_own<std::map<K_, V_, C_, A_>> = true;
template <class K_, class C_, class A_> inline constexpr bool is_codecs_own<std::set<K_, C_, A_>> = true;
template <class K_, class V_, class H_, class E_, class A_>
inline constexpr bool is_codecs_own<std::unordered_map<K_, V_, H_, E_, A_>> = true;
template <class K_, class H_, class E_, class A_>
inline constexpr bool is_codecs_own<std::unordered_set<K_, H_, E_, A_>> = true;

/// A class with functions for cereal. If there are several kinds, cereal's message says so.
template <class T_>
concept cereal_class = std::is_class_v<T_> && !is_codecs_own<T_> &&
                       (cereal::traits::detail::count_output_serializers<T_, output_archive>::value != 0);

template <class T_>
  requires cereal_class<T_>
struct own_encoding<T_> {
  static constexpr bool exists = true;
  static void write(writer& out, const T_& value) { output_archive{out}(value); }
  static void read(reader& in, T_& value) {
    try {
      input_archive{in}(value);
    } catch (const cereal::Exception& e) {
      throw error(errc::decode, e.what());
    }
  }
  static const char* name() { return typeid(T_).name(); }
};

}  // namespace stradsap::abi

namespace cereal {

/// A class with a member list may inherit functions for cereal, which encode a part of it only.
template <stradsap::abi::reflected T_>
struct specialize<stradsap::abi::output_archive, T_, specialization::non_member_load_save> {};
template <stradsap::abi::reflected T_>
struct specialize<stradsap::abi::input_archive, T_, specialization::non_member_load_save> {};

}  // namespace cereal

CEREAL_REGISTER_ARCHIVE(stradsap::abi::output_archive)
CEREAL_REGISTER_ARCHIVE(stradsap::abi::input_archive)
CEREAL_SETUP_ARCHIVE_TRAITS(stradsap::abi::input_archive, stradsap::abi::output_archive)
