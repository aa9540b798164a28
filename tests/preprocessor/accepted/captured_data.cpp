// Structs of vectors that loops only read: they change between the calls, are nested, are captured by copy,
// end before the next pass, take several MB, or are global.
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct rows {
  std::vector<int64_t> begin{0};
  std::vector<int32_t> index;
  std::vector<float> value;

  void add(int32_t length, int32_t columns, int32_t seed) {
    for (int32_t k = 0; k < length; ++k) {
      index.push_back((seed * 31 + k * 7) % columns);
      value.push_back(static_cast<float>((seed + k) % 8));
    }
    begin.push_back(static_cast<int64_t>(index.size()));
  }
};

class data_set {
 public:
  data_set() = default;
  explicit data_set(int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      features_.add(static_cast<int32_t>(i % 6), columns, static_cast<int32_t>(i));
      names_[i % 10].push_back("row " + std::to_string(i));
    }
  }
  const rows& features() const { return features_; }
  std::size_t length_of(int64_t key, std::size_t k) const { return names_.at(key).at(k).size(); }
  void double_values() {
    for (float& v : features_.value) v *= 2;
  }
  static constexpr int32_t columns = 50;

 private:
  rows features_;
  std::map<int64_t, std::vector<std::string>> names_;
};

static std::vector<double> decay(300, 1.0);

static void add_rows(const data_set& data, dvector<double>& sums, int64_t n) {
  async_for(n, [&](int64_t i) {
    const rows& X = data.features();
    for (int64_t k = X.begin[i]; k < X.begin[i + 1]; ++k) sums[X.index[k]] += X.value[k];
  });
}

/// The struct decides the places, so the loop is planned.
static void relax(const rows& X, dvector<int64_t>& state, int64_t n) {
  async_for(n, [&](int64_t i) {
    for (int64_t k = X.begin[i]; k < X.begin[i + 1]; ++k) state[X.index[k]] += static_cast<int64_t>(X.value[k]) + i % 3;
  });
}

int main() {
  const int64_t n = 3000;
  dvector<double> sums(data_set::columns);
  dvector<int64_t> state(data_set::columns);
  dvector<double> own(n);

  auto data = std::make_unique<data_set>(n);
  add_rows(*data, sums, n);
  add_rows(*data, sums, n);
  data->double_values();
  add_rows(*data, sums, n);

  for (int pass = 0; pass < 3; ++pass) {
    rows local;
    for (int64_t i = 0; i < n; ++i) local.add(static_cast<int32_t>((i + pass) % 4), data_set::columns, static_cast<int32_t>(i));
    relax(local, state, n);
    relax(local, state, n);
  }

  const data_set& kept = *data;
  async_for(n, [&own, &kept](int64_t i) { own[i] += static_cast<double>(kept.length_of(i % 10, static_cast<std::size_t>(i / 10))); });
  rows copied = data->features();
  const auto body = [&own, copied](int64_t i) { own[i] += static_cast<double>(copied.begin[i + 1]); };
  copied.begin.assign(copied.begin.size(), -1);
  async_for(n, body);
  data.reset();

  std::vector<int32_t> large(std::size_t{1} << 20);
  for (int pass = 0; pass < 3; ++pass) {
    async_for(n, [&](int64_t i) { own[i] += large[static_cast<std::size_t>(i) * 300 % large.size()]; });
    if (pass == 1) large.assign(large.size(), 4);
  }
  for (int pass = 0; pass < 3; ++pass) {
    async_for(n, [&](int64_t i) { own[i] *= decay[static_cast<std::size_t>(i) % decay.size()]; });
    decay[7] = 0.5 + pass;
  }

  double total = 0;
  for (int64_t i = 0; i < n; ++i) total += own[i];
  for (int64_t c = 0; c < data_set::columns; ++c) std::printf("%g %ld\n", sums[c], static_cast<long>(state[c]));
  std::printf("%.17g\n", total);
}
