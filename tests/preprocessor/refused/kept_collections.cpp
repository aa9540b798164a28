// Places in arrays, containers, pairs and init-captures that are kept across loops.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct view {
  double* p;
  int n;
};

// its constructor sets the members
struct net {
  dvector<double> weights;
  std::vector<double*> rows;
  double* ends[2];
  explicit net(int n) : weights(n), ends{&weights[0], &weights[n - 1]} {
    for (int i = 0; i < n / 2; ++i) rows.push_back(&weights[i * 2]);
  }
  void train() {
    async_for(weights.size(), [this](int64_t j) { weights[j] += 1; });
  }
  double first() const { return rows[0][0]; }  // expected-warning: `rows` was made in line 28, before a loop on `m.weights`, which may have moved the elements since [SAP086]
  double last() const { return *ends[1]; }     // expected-warning: `ends` was made in line 27, before a loop on `m.weights`, which may have moved the elements since [SAP086]
};

static void pass(dvector<double>& x) {
  async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
}

static std::vector<double*> rows_of(dvector<double>& x) {
  std::vector<double*> rows;
  for (int i = 0; i < 2; ++i) rows.push_back(&x[i * 4]);
  return rows;
}
static void find_rows(dvector<double>& x, std::vector<double*>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = &x[static_cast<int64_t>(i) * 4];
}
static double sum(const std::vector<double*>& rows) {
  double all = 0;
  for (const double* row : rows) all += row[0];  // expected-warning: `rows` was made in line 47, before a loop on `x`, which may have moved the elements since [SAP086]
  return all;
}

static void arrays(dvector<double>& x) {
  std::vector<double*> rows(2);
  for (int i = 0; i < 2; ++i) rows[static_cast<std::size_t>(i)] = &x[i * 4];
  std::vector<double*> more;
  more.push_back(x.data() + 3);
  double* ends[2] = {&x[0], &x[7]};
  std::array<double*, 2> both{x.data(), nullptr};
  double** raw = new double*[2];
  raw[0] = x.data();
  std::vector<view> views;
  views.push_back({x.data(), 2});
  std::map<int, double*> by_key;
  by_key[3] = &x[3];
  pass(x);
  rows[1][0] = 1;           // expected-warning: `rows` was made in line 57, before a loop on `x`, which may have moved the elements since [SAP086] // expected-note: make it again after the loop, by `&x[i * 4]`; or name `x` itself
  *more.back() = 1;         // expected-warning: `more` was made in line 59, before a loop on `x`, which may have moved the elements since [SAP086]
  *ends[1] = 1;             // expected-warning: `ends` was made in line 60, before a loop on `x`, which may have moved the elements since [SAP086]
  both[0][1] = 1;           // expected-warning: `both` was made in line 61, before a loop on `x`, which may have moved the elements since [SAP086]
  raw[0][1] = 1;            // expected-warning: `raw` was made in line 63, before a loop on `x`, which may have moved the elements since [SAP086]
  views[0].p[0] = 1;        // expected-warning: `views` was made in line 65, before a loop on `x`, which may have moved the elements since [SAP086]
  by_key.at(3)[0] = 1;      // expected-warning: `by_key` was made in line 67, before a loop on `x`, which may have moved the elements since [SAP086]
  delete[] raw;
}

static void in_epochs(dvector<double>& x) {
  std::vector<double*> rows{&x[0], &x[4]};
  std::vector<double*> again(2);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (double* row : rows) *row *= 2;  // expected-warning: `rows` was made in line 80, before a loop on `x`, which may have moved the elements since [SAP086]
    for (auto& row : again) row = &x[epoch];
    for (double* row : again) *row *= 2;
    pass(x);
  }
}

static void pairs(dvector<double>& x) {
  std::pair<double*, int> one(x.data(), 1);
  auto made = std::make_pair(2, &x[2]);
  std::tuple<int, double*> three{3, &x[3]};
  std::optional<double*> maybe;
  maybe = &x[1];
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  const auto ends = std::minmax_element(x.begin(), x.end());
  const std::reference_wrapper<double> wrapped(x[5]);
  pass(x);
  one.first[0] = 1;          // expected-warning: `one` was made in line 91, before a loop on `x`, which may have moved the elements since [SAP086]
  *made.second = 1;          // expected-warning: `made` was made in line 92, before a loop on `x`, which may have moved the elements since [SAP086]
  *std::get<1>(three) = 1;   // expected-warning: `three` was made in line 93, before a loop on `x`, which may have moved the elements since [SAP086]
  if (maybe) **maybe = 1;    // expected-warning: `maybe` was made in line 95, before a loop on `x`, which may have moved the elements since [SAP086]
  *least = *most;            // expected-warning: `least` was made in line 96, before a loop on `x`, which may have moved the elements since [SAP086]
  *ends.first = 1;           // expected-warning: `ends` was made in line 97, before a loop on `x`, which may have moved the elements since [SAP086]
  wrapped.get() = 1;         // expected-warning: `wrapped` was made in line 98, before a loop on `x`, which may have moved the elements since [SAP086]
}

static void functions(dvector<double>& x) {
  auto rows = rows_of(x);
  pass(x);
  *rows[0] = 1;  // expected-warning: `rows` was made in line 110, before a loop on `x`, which may have moved the elements since [SAP086]
  std::vector<double*> filled(2);
  find_rows(x, filled);
  pass(x);
  std::printf("%g\n", sum(filled));
}

static void lambdas(dvector<double>& x) {
  const auto first = [p = x.data()] { return p[0]; };  // expected-warning: `p` was made in line 120, before a loop on `x`, which may have moved the elements since [SAP086]
  pass(x);
  std::printf("%g\n", first());
}

static void swaps(dvector<double>& x, dvector<double>& y) {
  double* now = x.data();
  double* next = y.data();
  for (int epoch = 0; epoch < 3; ++epoch) {
    pass(x);
    pass(y);
    std::swap(now, next);  // expected-warning: `now` was made in line 126, before a loop on `x`, which may have moved the elements since [SAP086] // expected-warning: `next` was made in line 127, before a loop on `y`, which may have moved the elements since [SAP086]
    now[0] = 1;
  }
}

static void swaps_once(dvector<double>& x, dvector<double>& y) {
  double* now = x.data();
  double* next = y.data();
  std::swap(now, next);
  pass(x);
  now[0] = 1;
  next[0] = 1;  // expected-warning: `next` was made in line 139, before a loop on `x`, which may have moved the elements since [SAP086]
}

static void keys(dmultimap<int, double>& m) {
  auto [first, last] = m.equal_range(3);
  async_for(9, [&m](int64_t j) { m.insert({static_cast<int>(j), 1.0}); });
  if (first != last && first->second > 1) throw 1;  // expected-warning: `first` was made in line 146, before a loop on `m`, which may have moved the elements since [SAP086]
}

// collections without places in the container, or refreshed, or looked at in their shape alone
static void right_forms(dvector<double>& x, std::vector<double>& v, dvector<char>& text) {
  std::vector<double*> plain{v.data(), &v[2]};
  std::vector<double> copies{x[0], x[1]};
  std::pair<double, double*> value(x[0], v.data());
  std::vector<double*> rows(2), sorted(2), filled(2), cleared;
  std::optional<double*> maybe = x.data();
  double* ends[2] = {x.data(), x.data() + 2};
  cleared.push_back(x.data());
  ends[0][0] = 1;
  for (int epoch = 0; epoch < 3; ++epoch) {
    find_rows(x, filled);
    std::generate(sorted.begin(), sorted.end(), [&] { return &x[epoch]; });
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = &x[static_cast<int64_t>(i)];
    cleared.clear();
    cleared.push_back(&x[1]);
    rows[0][0] = *sorted[0] + *filled[1] + *cleared[0];
    pass(x);
  }
  const std::string_view word(text.data(), 2);
  std::printf("%c%zu%zu\n", word[0], rows.size(), cleared.size());
  async_for(text.size(), [&text](int64_t j) { text[j] = 'a'; });
  rows = {v.data(), &v[1]};
  maybe.reset();
  maybe = v.data();
  ends[0] = ends[1] = x.data();
  std::printf("%g %g %g %g %g %g\n", *plain[1], copies[0], *value.second, *rows[0], **maybe, *ends[0]);
}

// members set by their defaults
struct plain_net {
  dvector<double> weights = dvector<double>(8);
  double* row = weights.data();
  void train() {
    async_for(weights.size(), [this](int64_t j) { weights[j] += 1; });
  }
  double first() const { return row[0]; }  // expected-warning: `row` was made in line 183, before a loop on `m.weights`, which may have moved the elements since [SAP086]
};

static std::pair<double*, int> pair_of(dvector<double>& x) { return {x.data(), 3}; }

static void returned_objects(dvector<double>& x) {
  const auto [p, n] = pair_of(x);
  pass(x);
  p[0] = n;  // expected-warning: `p` was made in line 193, before a loop on `x`, which may have moved the elements since [SAP086]
  plain_net m;
  m.train();
  std::printf("%g\n", m.first());
}

int main() {
  dvector<double> x(8), y(8);
  dvector<char> text(8);
  std::vector<double> v(8);
  arrays(x);
  in_epochs(x);
  pairs(x);
  functions(x);
  lambdas(x);
  swaps(x, y);
  swaps_once(x, y);
  returned_objects(x);
  right_forms(x, v, text);
  dmultimap<int, double> by_key;
  keys(by_key);
  net m(8);
  m.train();
  std::printf("%g %g\n", m.first(), m.last());
}
