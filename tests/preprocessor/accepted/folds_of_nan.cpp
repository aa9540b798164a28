// Minima and maxima of values with NaN: each form treats NaN as it does in the sequential program.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../compared.hpp"

using namespace stradsap;

constexpr int64_t n = 3000;
constexpr int64_t places = 3;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

struct extent {
  double low = nan_value, high = nan_value;
  float most = -1;
};

template <class T> static T largest_of(const std::vector<T>& v) {
  T most = std::numeric_limits<T>::lowest();
  async_for(n, [&](int64_t j) { most = std::fmax(most, v[j]); });
  return most;
}

int main() {
  std::vector<double> all(n), gaps(n), none(n, nan_value);
  std::vector<int> whole(n);
  for (int64_t j = 0; j < n; ++j) {
    all[j] = static_cast<double>(j % 1000) - 200;
    gaps[j] = j % 7 == 2 ? nan_value : all[j];
    whole[j] = static_cast<int>(j % 1000);
  }

  double begun = nan_value, left = nan_value, skipped = 5, reached = 5000, first = nan_value, last = nan_value;
  double of_none = nan_value, kept = nan_value, chosen = 0, least = nan_value, untouched = nan_value;
  double counted = nan_value, bounded = nan_value;
  extent e;
  async_for(n, [&](int64_t j) {
    begun = std::fmax(begun, all[j]);
    left = std::fmin(all[j], left);
    skipped = std::fmax(gaps[j], skipped);
    reached = fmax(reached, gaps[j]);
    of_none = std::fmax(of_none, none[j]);
    kept = std::max(kept, all[j]);             // NaN < e is false
    if (gaps[j] > chosen) chosen = gaps[j];    // and so is NaN > e
    least = gaps[j] < least ? gaps[j] : least;
    if (all[j] > 5000) untouched = std::fmin(untouched, all[j]);
    counted = std::max(static_cast<double>(whole[j]), counted);
    bounded = std::max(0.5, bounded);
    first = std::max({first, gaps[j], all[j]});
    last = last < whole[j] ? last : whole[j];
    e.low = std::fmin(e.low, gaps[j]);
    e.high = std::fmax(e.high, gaps[j]);
    e.most = std::fmaxf(e.most, static_cast<float>(gaps[j]));
  });
  compared::check("begun by NaN", begun == 799 && left == -200 && std::isnan(of_none) && std::isnan(untouched));
  compared::check("fmax", skipped == 799 && reached == 5000);
  compared::check("the variable first", std::isnan(kept) && chosen == 799 && std::isnan(least) && std::isnan(first));
  compared::check("the variable last, no NaN", counted == 999 && bounded == 0.5 && last == 0);
  compared::check("members", e.low == -200 && e.high == 799 && e.most == 799);
  compared::check("a template", largest_of(gaps) == 799 && largest_of(whole) == 999);

  // in elements: accumulated, or in the order of a plan if a NaN replaces numbers
  dvector<double> most(places, nan_value), numbers(places, nan_value), stay(places, nan_value), replaced(places, 2000);
  parallel_for(n, [&](int64_t j) {
    most[j % places] = std::fmax(most[j % places], gaps[j]);
    numbers[j % places] = std::max<double>(whole[j], numbers[j % places]);
    stay[j % places] = std::max(stay[j % places], gaps[j]);
    replaced[j % places] = std::max(gaps[j], replaced[j % places]);
  }, consistency::ordered);
  std::vector<double> wanted(places, 2000);
  for (int64_t j = 0; j < n; ++j) wanted[j % places] = std::max(gaps[j], wanted[j % places]);
  bool right = true;
  for (int64_t k = 0; k < places; ++k) {
    right = right && most[k] == 799 && numbers[k] == 999 && std::isnan(stay[k]);
    right = right && (std::isnan(wanted[k]) ? std::isnan(replaced[k]) : replaced[k] == wanted[k]);
  }
  compared::check("elements", right);
  return compared::failures;
}
