// Stands for the library's header, as stradsap.hpp beside it does: what names the members of a class.
#pragma once

namespace stradsap::abi {

struct listed {};

template <class... Base> constexpr listed bases() { return {}; }
template <class T, class... Member> constexpr listed members(listed, Member...) { return {}; }

}  // namespace stradsap::abi
