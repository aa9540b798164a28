// Computes and writes the ratings. A rating is a function of seed and pair alone, so the order of lines is
// free. Arithmetic is IEEE double without library functions and without contraction (see
// tools/CMakeLists.txt): the same seed gives the same bytes on every machine.
#include "ratings.hpp"

#include "decimals.hpp"
#include "pairs.hpp"
#include "random.hpp"
#include "whole_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace stradsap::data {

namespace fs = std::filesystem;

namespace {

/// The planted model: 3.5 + bias of user + bias of item + dot of their factors + noise, cut to 1 .. 5.
class planted_model {
 public:
  explicit planted_model(const ratings_request& request)
      : rank_(request.rank),
        num_items_(request.num_items),
        noise_(request.noise),
        noise_words_(request.seed, stream_id::noise) {
    const random_stream words(request.seed, stream_id::model);
    const std::uint64_t num_rows = std::uint64_t{request.num_users} + request.num_items;
    // The dot product has a standard deviation of 0.6 at every rank: each factor that of its fourth root.
    const double factor_scale = std::sqrt(0.6 / std::sqrt(static_cast<double>(rank_)));
    constexpr double bias_scale = 0.35;
    values_.resize(num_rows * (rank_ + 1));
    for (std::uint64_t i = 0; i < values_.size(); ++i)
      values_[i] = (i % (rank_ + 1) == 0 ? bias_scale : factor_scale) * bell_shaped(words.at(i));
  }

  /// The rating in units of 1/10000, the precision of the file.
  std::uint64_t rating(pair_seen pair, std::uint64_t num_users) const {
    const double* p = &values_[pair.user * (rank_ + 1ULL)];
    const double* q = &values_[(num_users + pair.item) * (rank_ + 1ULL)];
    double value = 3.5 + p[0] + q[0];
    for (unsigned k = 1; k <= rank_; ++k) value += p[k] * q[k];
    value += noise_ * bell_shaped(noise_words_.at(std::uint64_t{pair.user} * num_items_ + pair.item));
    return static_cast<std::uint64_t>(std::clamp(value, 1.0, 5.0) * 10000.0 + 0.5);
  }

 private:
  unsigned rank_;
  std::uint64_t num_items_;
  double noise_;
  random_stream noise_words_;
  std::vector<double> values_;  // users, then items; a row is the bias and the factors
};

}  // namespace

static void write_ratings(const fs::path& path, const std::vector<pair_seen>& pairs,
                          const planted_model& model, std::uint64_t num_users) {
  whole_file file(path);
  char line[96];
  for (const pair_seen pair : pairs) {
    char* p = write_whole(line, pair.user);
    *p++ = ' ';
    p = write_whole(p, pair.item);
    *p++ = ' ';
    p = write_decimal(p, model.rating(pair, num_users));
    *p++ = '\n';
    file.append(line, static_cast<std::size_t>(p - line));
  }
  file.commit();
}

static bool names_file(const std::string& out) { return fs::path(out).extension() == ".txt"; }

/// Throws std::invalid_argument for an impossible request, before any file is written.
static void check(const ratings_request& request) {
  const std::uint64_t num_cells = std::uint64_t{request.num_users} * request.num_items;
  const std::uint64_t num_covering = std::max(request.num_users, request.num_items);
  const auto num_test = num_test_ratings(request);
  if (request.count > num_cells)
    throw std::invalid_argument("--count: " + std::to_string(request.count) + " ratings do not fit into " +
                                std::to_string(num_cells) + " pairs of user and item");
  if (request.count - num_test < num_covering)
    throw std::invalid_argument("--count: " + std::to_string(request.count - num_test) +
                                " training ratings cannot show each of " + std::to_string(num_covering) +
                                " users or items once");
  if (names_file(request.out) && num_test > 0)
    throw std::invalid_argument("--out: " + request.out + " is one file, but there are " +
                                std::to_string(num_test) +
                                " test ratings; name a folder or give --test-fraction 0");
}

void make_ratings(const ratings_request& request) {
  check(request);
  const planted_model model(request);
  const split_pairs pairs = draw_pairs(request);
  if (names_file(request.out)) {
    write_ratings(request.out, pairs.train, model, request.num_users);
  } else {
    fs::create_directories(request.out);
    write_ratings(fs::path(request.out) / "train.txt", pairs.train, model, request.num_users);
    write_ratings(fs::path(request.out) / "test.txt", pairs.test, model, request.num_users);
  }
  std::fprintf(
      stderr,
      "make-data: %s: %u users, %u items, %zu training and %zu test ratings, rank %u, noise %g, seed %llu\n",
      request.out.c_str(), request.num_users, request.num_items, pairs.train.size(), pairs.test.size(),
      request.rank, request.noise, static_cast<unsigned long long>(request.seed));
}

}  // namespace stradsap::data
