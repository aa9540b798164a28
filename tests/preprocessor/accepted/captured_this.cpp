// Members of the class around a loop: [this], [&] and [=], this->P, member functions, const objects, templates.
#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct factors {
  dvector<double> rows;
  double bias = 2;
};
class base {
 protected:
  explicit base(int n) : shared_(n, 1.0) {}
  dvector<double> shared_;
  std::map<int, int> table_{{0, 1}, {1, 5}, {7, 2}};
};

class trainer : base {
 public:
  explicit trainer(int n) : base(n), P(n, 1.0), weight_(10, 2.0) { parts_.rows = dvector<double>(n, 3.0); }

  void epoch(int64_t n) {
    loss_ = 0;
    async_for(n, [this](int64_t j) {
      P[j * 3 % 50] += rate_ * weight_[j % 10];
      loss_ += 1;
    });
    async_for(n, [&](int64_t j) { this->P[place(j)] -= rate_; });
    async_for(50, [=, this](int64_t j) {
      this->parts_.rows[j] += parts_.bias * 2;
      shared_[j] += table_.at(1) + static_cast<int>(table_.count(9));
    });
    const double by = 0.5;
    async_for(50, [this, by](int64_t j) { add(j, by); });
    weight_[3] += 1;
    table_[1] += 2;
  }
  double total() const {
    double sum = 0;
    async_for(50, [&](int64_t j) { sum += P[j] + at(j) + parts_.rows[j]; });
    return sum;
  }
  double loss() const { return loss_; }

 private:
  int64_t place(int64_t j) const { return (j + offset_) % 50; }
  double at(int64_t j) const { return shared_[j]; }
  void add(int64_t j, double by) { P[j] += by * rate_; }

  dvector<double> P;
  factors parts_;
  std::vector<double> weight_;
  double rate_ = 0.25;
  int64_t offset_ = 5;
  double loss_ = 0;
};

template <class T> class holder {
 public:
  explicit holder(int n) : all_(n) {}
  void fill(T by) {
    async_for(all_.size(), [this, by](int64_t j) { all_[j] += by * static_cast<T>(j); });
  }
  T last() const { return all_[all_.size() - 1]; }

 private:
  dvector<T> all_;
};

int main() {
  trainer t(50);
  for (int pass = 0; pass < 3; ++pass) {
    t.epoch(400);
    std::printf("%.17g %.17g\n", t.total(), t.loss());
  }
  holder<long> longs(7);
  holder<double> doubles(9);
  for (int pass = 0; pass < 2; ++pass) {
    longs.fill(3);
    doubles.fill(0.5);
  }
  std::printf("%ld %g\n", longs.last(), doubles.last());
}
