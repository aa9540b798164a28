// Functions with loops that contain accesses: the inspector calls slices of them, without the parameters and
// the work that find no element. Functions with other effects on places are called whole.
#include <cmath>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

constexpr int n = 600;
constexpr int width = 4;

namespace outer {
static const int reach = 3;
namespace {
/// Changes its parameter and a local variable; the rate finds nothing.
double spread(dvector<double>& w, int at, double rate) {
  double sum = 0;
  int step = 1;
  for (int k = 0; k < reach; ++k) {
    sum += w[at] * rate;
    w[at] = w[at] * 0.5 + std::sqrt(k + 1.0);
    at = (at + step) % n;
    step += k;
  }
  return sum;
}
}  // namespace
/// Leaves early by whole numbers.
int first_far(dvector<double>& w, int from, int limit) {
  for (int k = 0; k < 8; ++k) {
    if ((from + k) % limit == 0) return k;
    w[(from * 2 + k) % n] += 0.25;
  }
  w[from] *= 0.5;
  return -1;
}
}  // namespace outer

/// Its result is a place, and so is `next`.
static int walk(dvector<double>& w, int from, int& next) {
  next = from;
  for (int k = 0; k < 3; ++k) {
    w[next] = w[next] * 0.75 + k;
    next = (next * 2 + 1) % n;
  }
  return next;
}

static void inner(dvector<double>& w, int at, int times) {
  for (int k = 0; k < times; ++k) w[(at + k * 5) % n] = w[(at + k * 5) % n] * 0.9 + 1;
}
static void both(dvector<double>& w, int at, double by) {
  for (int k = 0; k < 2; ++k) {
    w[(at + 7) % n] += by;
    inner(w, at + k, 2);
  }
}

/// A fraction decides.
static void rounded(dvector<double>& w, int at, double by) {
  for (int k = 0; k < 3; ++k) {
    if (k * by > 0.7) w[(at + k) % n] = w[(at + k) % n] * 0.5 + 1;
  }
}

/// A plain parameter with an access in its argument.
static void add_scaled(dvector<double>& w, int at, double x) {
  for (int k = 0; k < 2; ++k) w[(at + k) % n] = w[(at + k) % n] * 0.5 + x;
}

/// The last element is reached from the first.
static double row_sum(dvector<double>& rows, int row, double by) {
  double* of = &rows[row * width];
  double sum = 0;
  for (int k = 0; k < width; ++k) {
    sum += of[k];
    of[k] = of[k] * 0.5 + by;
  }
  return sum;
}

/// Jumps back.
static void hop(dvector<double>& w, int at) {
  int k = 0;
again:;
  for (int d = 0; d < 2; ++d) w[(at + d) % n] = w[(at + d) % n] * 0.5 + 1;
  at = (at + 97) % n;
  if (++k < 3) goto again;
}

static int depth(dvector<double>& w, int at) {
  for (int k = 0; k < 2; ++k) w[(at + k) % n] = w[(at + k) % n] * 0.5 + 1;
  return at < 2 ? 0 : 1 + depth(w, at / 2);
}

struct stencil {
  int left = 1, right = 2;
  double smooth(dvector<double>& w, int at, double by) const {
    double sum = 0;
    for (int k = -left; k <= right; ++k) {
      if (at + k < 0 || at + k >= n) continue;
      sum += w[at + k];
    }
    w[at] = sum * by;
    return sum;
  }
  static void clear(dvector<double>& w, int at) {
    for (int k = 0; k < 2; ++k) w[(at + k * 30) % n] *= 0.125;
  }
};

class sampler {
 public:
  sampler() : state_(n, 1.0), votes_(n), last_(n) {}
  double sweep(bool keep) {
    double sum = 0;
    async_for(n, [&](int i) {
      auto draw = stradsap::random(i);
      sum += resample(i, keep, draw);
    });
    async_for(n, [this](int i) {
      mark(i);
      state_[last_[i]] = state_[last_[i]] * 0.5 + 1;
    });
    return sum;
  }
  double total() const {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += state_[i] * i + votes_[i];
    return sum;
  }

 private:
  double resample(int i, bool keep, stradsap::random_stream& draw) {
    std::vector<double> p(choices_);
    double sum = 0;
    for (int k = 0; k < choices_; ++k) {
      double same = 0;
      if (i > 0) same += state_[i - 1];
      if (i + 1 < n) same += state_[i + 1];
      p[k] = std::exp(-same * k);
      sum += p[k];
    }
    double u = draw.uniform(0, sum);
    int k = 0;
    while (k + 1 < choices_ && u >= p[k]) u -= p[k++];
    state_[i] = k * 0.25;
    if (keep) votes_[i]++;
    return state_[i];
  }
  /// The loop then reads `last_`.
  void mark(int i) {
    for (int k = 0; k < 3; ++k) {
      state_[(i + k) % n] *= 0.5;
      last_[i] = (i * 3 + k) % n;
    }
  }

  int choices_ = 4;
  dvector<double> state_;
  dvector<int> votes_;
  dvector<int> last_;
};

static double sum_of(const dvector<double>& w) {
  double sum = 0;
  for (int i = 0; i < static_cast<int>(w.size()); ++i) sum += w[i] * i;
  return sum;
}

int main() {
  dvector<double> w(n, 1.0), rows(n * width, 1.0);
  dvector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = i * 7 % n;
  const stencil around;
  double sums = 0;
  long far = 0;
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int i) { sums += outer::spread(w, order[i], 0.5); });
    async_for(n, [&](int i) { far += outer::first_far(w, i, 9); });
    async_for(n, [&](int i) {
      int next = 0;
      const int at = walk(w, i, next);
      w[next] += 1;
      w[(at + 1) % n] = w[(at + 1) % n] * 0.5 + i;
    });
    async_for(n, [&](int i) { both(w, i, 0.125 * i); });
    async_for(n, [&](int i) { rounded(w, i, 0.4); });
    async_for(n, [&](int i) { add_scaled(w, i, w[(i * 11 + 5) % n]); });
    async_for(n, [&](int i) { sums += row_sum(rows, order[i], 0.5); });
    async_for(n, [&](int i) { far += depth(w, i); });
    async_for(n, [&](int i) { hop(w, i); });
    async_for(n, [&](int i) {
      sums += around.smooth(w, order[i], 0.25);
      stencil::clear(w, i);
    });
  }
  std::printf("%.17g %.17g %.17g %ld\n", sum_of(w), sum_of(rows), sums, far);
  sampler one;
  double swept = 0;
  for (int pass = 0; pass < 3; ++pass) swept += one.sweep(pass > 0);
  std::printf("%.17g %.17g\n", swept, one.total());
}
