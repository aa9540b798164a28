// Draws and writes the samples of a regression, one after the other, in memory for the coefficients only. A
// group of features occurs in the same samples; there, its values have a part in common. Each value is a
// function of seed, sample and feature alone. As in ratings.cpp, no libm: the same bytes on every machine.
#include "regression.hpp"

#include "decimals.hpp"
#include "random.hpp"
#include "whole_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace stradsap::data {

namespace {

constexpr double units_of_one = 10000;  // the precision of the file

std::int64_t to_units(double value) {
  return static_cast<std::int64_t>(value * units_of_one + (value < 0 ? -0.5 : 0.5));
}

/// One of each of `count` equal parts of [0, n), in order. `words` gives a random word for each part.
template <class Words, class See>
void draw_one_of_each_part(std::uint64_t n, std::uint64_t count, const Words& words, const See& see) {
  for (std::uint64_t part = 0; part < count; ++part) {
    const std::uint64_t first = n * part / count, end = n * (part + 1) / count;
    see(first +
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(words(part)) * (end - first)) >> 64));
  }
}

class planted_regression {
 public:
  explicit planted_regression(const regression_request& request)
      : r_(request),
        num_groups_((r_.num_features + r_.group - 1) / r_.group),
        common_part_(std::sqrt(r_.correlation)),
        own_part_(std::sqrt(1 - r_.correlation)),
        coefficients_(r_.num_features),
        places_(r_.seed, stream_id::places),
        common_(r_.seed, stream_id::common),
        own_(r_.seed, stream_id::own),
        noise_(r_.seed, stream_id::noise) {
    const random_stream places(r_.seed, stream_id::model);
    const random_stream values(r_.seed, stream_id::coefficients);
    draw_one_of_each_part(
        r_.num_features, r_.num_nonzero, [&](std::uint64_t part) { return places.at(part); },
        [&](std::uint64_t feature) { coefficients_[feature] = bell_shaped(values.at(feature)); });
  }

  void write(whole_file& to, std::uint64_t sample) {
    line_.clear();
    double target = r_.noise * bell_shaped(noise_.at(sample));
    draw_one_of_each_part(
        num_groups_, groups_in(sample),
        [&](std::uint64_t part) { return places_.at(sample * num_groups_ + part); },
        [&](std::uint64_t group) { target += write_group(sample, group); });
    char text[32];
    to.append(text, static_cast<std::size_t>(write_decimal(text, to_units(target)) - text));
    to.append(line_.data(), line_.size());
    to.append("\n", 1);
  }
  [[nodiscard]] std::uint64_t num_values() const { return num_values_; }

 private:
  /// The groups in a sample: their mean is the density times the number of groups.
  [[nodiscard]] std::uint64_t groups_in(std::uint64_t sample) const {
    const double mean = r_.density * static_cast<double>(num_groups_);
    const auto whole = static_cast<std::uint64_t>(mean);
    const double rest = static_cast<double>(noise_.at(~sample) >> 11) * 0x1p-53;
    return whole + (rest < mean - static_cast<double>(whole) ? 1 : 0);
  }

  /// Appends a group's values to the line. Returns their part of the target.
  double write_group(std::uint64_t sample, std::uint64_t group) {
    const double common = common_part_ * bell_shaped(common_.at(sample * num_groups_ + group));
    const std::uint64_t end = std::min(r_.num_features, (group + 1) * r_.group);
    double target = 0;
    for (std::uint64_t feature = group * r_.group; feature < end; ++feature) {
      const double own = own_part_ * bell_shaped(own_.at(sample * r_.num_features + feature));
      const std::int64_t units = to_units(common + own);
      if (units == 0) continue;
      target += coefficients_[feature] * (static_cast<double>(units) / units_of_one);
      append(feature, units);
    }
    return target;
  }

  void append(std::uint64_t feature, std::int64_t units) {
    char text[64];
    char* end = text;
    *end++ = ' ';
    end = write_whole(end, feature + 1);
    *end++ = ':';
    line_.append(text, write_decimal(end, units));
    ++num_values_;
  }

  const regression_request& r_;
  const std::uint64_t num_groups_;
  const double common_part_;
  const double own_part_;
  std::vector<double> coefficients_;
  const random_stream places_, common_, own_, noise_;
  std::string line_;  // without its target
  std::uint64_t num_values_ = 0;
};

}  // namespace

static void check(const regression_request& request) {
  if (request.num_nonzero > request.num_features)
    throw std::invalid_argument("--nonzero: " + std::to_string(request.num_nonzero) + " of " +
                                std::to_string(request.num_features) + " features");
  if (request.num_samples > ~std::uint64_t{0} / request.num_features)
    throw std::invalid_argument("--samples: " + std::to_string(request.num_samples) + " of " +
                                std::to_string(request.num_features) + " features are too many");
}

void make_regression(const regression_request& request) {
  check(request);
  planted_regression model(request);
  whole_file file(request.out);
  for (std::uint64_t sample = 0; sample < request.num_samples; ++sample) model.write(file, sample);
  file.commit();
  std::fprintf(stderr,
               "make-data: %s: %llu samples, %llu features, %llu of them in the model, %llu values, "
               "correlation %g, noise %g, seed %llu\n",
               request.out.c_str(), static_cast<unsigned long long>(request.num_samples),
               static_cast<unsigned long long>(request.num_features),
               static_cast<unsigned long long>(request.num_nonzero),
               static_cast<unsigned long long>(model.num_values()), request.correlation, request.noise,
               static_cast<unsigned long long>(request.seed));
}

}  // namespace stradsap::data
