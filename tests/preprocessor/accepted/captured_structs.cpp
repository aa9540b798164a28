// Structs with containers in them, used through their members: sparse matrices, models, nested, const, in helpers.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dmap;
using stradsap::dvector;

struct csr {
  dvector<int64_t> indptr;
  dvector<int> index;
  dvector<double> value;
  int columns = 0;
};
struct model {
  dvector<double> P, Q;
  std::vector<double> scale;
  std::array<double, 3> prior{1, 2, 3};
  std::string name = "a name that does not fit into the object itself";
  double rate = 0.5;
};
struct dataset {
  csr train, test;
};
struct counted {
  dmap<int, long> counts;
  long seen = 0;
};
struct labelled : csr {
  dvector<double> y;
};

static csr made(int64_t n, int columns) {
  csr X;
  X.columns = columns;
  X.indptr.resize(n + 1);
  for (int64_t i = 0; i <= n; ++i) X.indptr[i] = 3 * i;
  X.index.resize(3 * n);
  X.value.resize(3 * n);
  for (int64_t p = 0; p < 3 * n; ++p) {
    X.index[p] = static_cast<int>(p * 7 % columns);
    X.value[p] = static_cast<double>(1 + p % 3);
  }
  return X;
}

static double dot(const csr& X, const dvector<double>& w, int64_t i) {
  double sum = 0;
  for (auto p = X.indptr[i]; p < X.indptr[i + 1]; ++p) sum += X.value[p] * w[X.index[p]];
  return sum;
}

static double score(const csr& X, const model& m, int64_t i) {
  return dot(X, m.P, i) * m.rate + static_cast<double>(m.name.size());
}

static double total_of(const dataset& data, const model& m, bool tested) {
  double total = 0;
  if (tested) {
    async_for(data.test.indptr.size() - 1, [&](int64_t i) { total += score(data.test, m, i); });
  } else {
    const csr& X = data.train;
    async_for(X.indptr.size() - 1, [&](int64_t i) { total += score(X, m, i); });
  }
  return total;
}

static void step(const csr& X, model& m, int64_t n) {
  async_for(n, [&X, &m](int64_t i) {
    for (auto p = X.indptr[i]; p < X.indptr[i + 1]; ++p) m.Q[X.index[p]] += m.prior[i % 3] * X.value[p];
  });
  async_for(m.P.size(), [&](int64_t j) {
    auto& p = m.P[j];
    p = p * 2 + m.Q[j] * m.scale[j % 4];
  });
  async_for(n, [&](int64_t i) {
    const csr& same = X;
    m.P[same.index[same.indptr[i]]] += static_cast<double>(i % 2);
  });
}

template <class Model> static void shrink(Model& any) {
  async_for(any.P.size(), [&any](auto j) { any.P[j] -= any.rate; });
}

int main() {
  dataset data{made(400, 50), made(30, 50)};
  model m;
  m.P = dvector<double>(50, 1.0);
  m.Q = dvector<double>(50, 0.0);
  m.scale.assign(4, 2.0);
  for (int pass = 0; pass < 3; ++pass) {
    step(data.train, m, 400);
    shrink(m);
    m.scale[pass] += 1;
    m.rate /= 2;
    std::printf("%.17g %.17g\n", total_of(data, m, false), total_of(data, m, true));
  }

  counted words;
  async_for(1000, [&](int64_t i) {
    words.counts[static_cast<int>(i * i % 17)] += 1;
    ++words.seen;
  });
  labelled l;
  static_cast<csr&>(l) = made(20, 10);
  l.y = dvector<double>(20, 0.0);
  async_for(20, [&](int64_t i) { l.y[i] = l.value[l.indptr[i]] + l.columns; });
  auto& again = words.counts;
  std::printf("%ld %ld %g %g\n", words.seen, again[4], std::as_const(l.y)[3], std::as_const(l.y)[19]);

  const dataset moved = std::move(data);
  model other;
  other.P = dvector<double>(50, 0.0);
  parallel_for(400, [&](int64_t i) { other.P[moved.train.index[3 * i]] += moved.train.value[3 * i]; },
               stradsap::consistency::async, stradsap::access(stradsap::adds(other.P), stradsap::reads(moved.train.index)));
  double sum = 0;
  for (int j = 0; j < 50; ++j) sum += std::as_const(other.P)[j];
  std::printf("%g\n", sum);
}
