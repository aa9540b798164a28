// The kind `ratings`: a low-rank model plus noise, seen at the pairs of pairs.hpp.
#pragma once

#include "request.hpp"

namespace stradsap::data {

/// Writes the files that `request` asks for and says their shape on stderr. Throws std::invalid_argument
/// before anything is written if they cannot be, std::runtime_error or std::filesystem::filesystem_error if
/// writing fails.
void make_ratings(const ratings_request& request);

}  // namespace stradsap::data
