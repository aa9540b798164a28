// Replaces the library's header, as stradsap.hpp beside it does: the functions that name members of a class.
#pragma once

namespace stradsap {

struct listed {};

template <class... Base> constexpr listed stradsap_bases() { return {}; }
template <class T, class... Member> constexpr listed stradsap_members(listed, Member...) { return {}; }

}  // namespace stradsap
