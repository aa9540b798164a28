// The request on make-data's command line, as one value.
#pragma once

#include <cstdint>
#include <string>

namespace stradsap::data {

/// A set of ratings. count includes the test ratings; out is a folder, or one file if it ends in .txt.
struct ratings_request {
  std::uint32_t num_users = 0;
  std::uint32_t num_items = 0;
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  double test_fraction = 0.1;
  unsigned rank = 8;
  double noise = 0.5;
  std::string out;
};

/// How many of the ratings go to the test file.
inline std::uint64_t num_test_ratings(const ratings_request& request) {
  return static_cast<std::uint64_t>(static_cast<double>(request.count) * request.test_fraction);
}

}  // namespace stradsap::data
