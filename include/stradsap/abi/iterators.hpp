// The iterators that members of containers take. Thread rule: constants.
#pragma once

#include <iterator>

namespace stradsap::abi {

/// An iterator of C++20 or of earlier standards.
template <class T_>
concept passes_range =
    std::input_iterator<T_> || requires { typename std::iterator_traits<T_>::iterator_category; };

}  // namespace stradsap::abi
