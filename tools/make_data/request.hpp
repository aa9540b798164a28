// The requests on make-data's command line, a value for each kind.
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

/// Samples of a regression. Features come in groups of `group`, which occur in a part `density` of the
/// samples, all of a group in the same ones; two of a group have this correlation.
struct regression_request {
  std::uint64_t num_samples = 0;
  std::uint64_t num_features = 0;
  std::uint64_t num_nonzero = 100;
  std::uint64_t group = 10;
  double density = 0.01;
  double correlation = 0.5;
  double noise = 0.1;
  std::uint64_t seed = 1;
  std::string out;
};

/// Text of `num_sentences` lines of `length` words. There are two planted words in each of `num_groups`
/// groups.
struct text_request {
  std::uint64_t num_sentences = 20000;
  std::uint64_t length = 12;
  std::uint64_t num_groups = 50;
  std::uint32_t num_common = 2000;
  std::uint64_t seed = 1;
  std::string out;
};

/// How many of the ratings go to the test file.
inline std::uint64_t num_test_ratings(const ratings_request& request) {
  return static_cast<std::uint64_t>(static_cast<double>(request.count) * request.test_fraction);
}

}  // namespace stradsap::data
