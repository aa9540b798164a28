// Functions among a loop's options only read: priority(f), depends(f) and merge functions.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <random>
#include <span>
#include <valarray>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using schedule::dynamic;

struct model {
  dvector<double>& x;
  std::vector<double> weights;
  double* raw = nullptr;
  std::span<double> view = {};
  mutable long asked = 0;
  double score(int64_t j) const;
  double update(int64_t j);
  double read(int64_t j) { return x[j] * weights[j]; }
  double step(int64_t j) { return weights[j] += 1; }
};

struct writing_functor {
  dvector<double>& x;
  std::vector<double>& log;
  double operator()(int64_t j) const {
    log.push_back(x[j]);  // expected-error: the function of `priority` changes `log`, or may change it [SAP080]
    return x[j] *= 2;  // expected-error: the function of `priority` changes `x`, or may change it [SAP080]
  }
};

struct counting_functor {
  mutable long calls = 0;
  double operator()(int64_t a, int64_t b) const {
    ++calls;  // expected-error: the function of `depends` changes `calls`, or may change it [SAP080]
    return a == b ? 1 : 0;
  }
};

static int calls_of_all = 0;
static double counted(int64_t j) {
  ++calls_of_all;  // expected-error: the function of `priority` changes `calls_of_all`, or may change it [SAP080]
  return static_cast<double>(j);
}
static void grow(dvector<double>& v) { v.push_back(1); }
void out_of_sight(dvector<double>& v);
double unknown_priority(int64_t j);
[[gnu::pure]] double stated_pure(int64_t j);
static void halve(dvector<double>& v) {
  parallel_for(v.size(), [&v](int64_t j) { v[j] *= 0.5; }, consistency::async);  // expected-error: a loop operator inside the function of `priority` [SAP032]
}
static float rate = 0.5f;
static constexpr float fixed_rate = 0.5f;
static float scaled(float folded, float start, float end) { return folded + rate * (end - start); }  // expected-error: the merge function uses the variable `rate`, and every process has one of its own [SAP082]

static void containers(dvector<double>& X, dmap<int, double>& M, dmultimap<int, int>& L) {
  (void)dynamic().priority([&X](int64_t j) { X[j] = 0; return 1; });  // expected-error: the function of `priority` changes `X`, or may change it [SAP080]
  (void)dynamic().priority([&X](int64_t j) { return X[j] += 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t) { X.push_back(1); return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t) { X.resize(7); return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t) { grow(X); return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t) { out_of_sight(X); return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t j) { auto& x = X.at(j); x = 2; return x; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t) { for (double& x : X) x = 0; return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t j) { X.span(j, 1)[0] = 2; return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t j) { const_cast<double&>(std::as_const(X)[j]) = 2; return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
  (void)dynamic().priority([&](int64_t j) { return M[static_cast<int>(j)]; });  // expected-error: the function of `priority` changes `M` [SAP080]
  (void)dynamic().priority([&](int64_t j) { return M.erase(static_cast<int>(j)); });  // expected-error: the function of `priority` changes `M` [SAP080]
  (void)dynamic().priority([&](int64_t) { L.insert({1, 2}); return 1; });  // expected-error: the function of `priority` changes `L` [SAP080]
  (void)dynamic().depends([&](int64_t a, int64_t b) { X[a] = X[b]; return 1; });  // expected-error: the function of `depends` changes `X`, or may change it [SAP080]
  (void)dynamic().depends([&](int64_t a, int64_t) { X[a] = 1; return 1; }, 0.5);  // expected-error: the function of `depends` changes `X` [SAP080]
  const auto kept = [&X](auto j) { X[j] = 0; return 1.0; };  // expected-error: the function of `priority` changes `X` [SAP080]
  const auto how = dynamic().priority(kept);
  (void)dynamic().priority([&kept](int64_t j) { return kept(j); });
  (void)dynamic().priority([&](int64_t) { halve(X); return 1; });  // expected-error: the function of `priority` changes `X` [SAP080]
}

static void valarrays(std::valarray<double>& v, std::vector<int>& a, std::vector<int>& b) {
  (void)dynamic().priority([&](int64_t) { v[std::slice(0, 2, 1)] = v[3]; return 1; });  // expected-error: the function of `priority` changes `v`, or may change it [SAP080]
  (void)dynamic().priority([&](int64_t) { v[1] = 2; return 1; });  // expected-error: the function of `priority` changes `v` [SAP080]
  (void)dynamic().priority([&](int64_t j) { return v[j % 3] + v.sum(); });
  (void)dynamic().priority([&](int64_t) { std::vector<int> both; std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both)); return both.size(); });
  (void)dynamic().priority([&](int64_t) { return std::set_union(a.begin(), a.end(), a.begin(), a.end(), b.begin()) - b.begin(); });  // expected-error: the function of `priority` changes `b`, or may change it [SAP080]
}

static void variables(model& m, double* raw) {
  long asked = 0;
  std::vector<double> log;
  std::mt19937 engine(1);
  (void)dynamic().priority([&asked](int64_t) { return ++asked; });  // expected-error: the function of `priority` changes `asked` [SAP080]
  (void)dynamic().priority([&n = asked](int64_t) { return n += 1; });  // expected-error: the function of `priority` changes `n` [SAP080]
  (void)dynamic().priority([&](int64_t) { log.push_back(1); return 1; });  // expected-error: the function of `priority` changes `log` [SAP080]
  (void)dynamic().priority([&](int64_t) { return engine() % 7; });  // expected-error: the function of `priority` changes `engine` [SAP080]
  (void)dynamic().priority([](int64_t) { static long calls = 0; return ++calls; });  // expected-error: the function of `priority` changes `calls` [SAP080]
  (void)dynamic().priority([raw](int64_t j) { return raw[j] = 1; });  // expected-error: the function of `priority` changes `raw` [SAP080]
  (void)dynamic().priority([p = raw](int64_t j) { return p[j] = 1; });  // expected-error: the function of `priority` changes `p` [SAP080]
  (void)dynamic().priority([&m](int64_t j) { return m.weights[j] = 1; });  // expected-error: the function of `priority` changes `m` [SAP080]
  (void)dynamic().priority([m](int64_t j) { return m.x[j] = 1; });  // expected-error: the function of `priority` changes `x` [SAP080] // expected-error: the function of `priority` changes `m`, or may change it [SAP080]
  (void)dynamic().priority([m](int64_t j) { return m.raw[j] = 1; });  // expected-error: the function of `priority` changes `raw` [SAP080]
  (void)dynamic().priority([m](int64_t j) { return m.view[j] = 1; });  // expected-error: the function of `priority` changes `view` [SAP080]
  (void)dynamic().priority([&m](int64_t j) { return m.update(j); });  // expected-error: the function of `priority` changes `m` [SAP080]
  (void)dynamic().priority([&m](int64_t j) { return m.step(j); });  // expected-error: the function of `priority` changes `m` [SAP080]
  (void)dynamic().priority(&counted).priority(writing_functor{m.x, log}).depends(counting_functor());
  (void)dynamic().priority([](int64_t j) { return std::rand() % (j + 1); });  // expected-error: `rand` has hidden state that all iterations share [SAP042]
  (void)dynamic().priority([](int64_t j) { if (j < 0) std::exit(1); return 1; });  // expected-error: `exit` in the function of `priority` would act on one process of many [SAP043]
  (void)dynamic().priority([](int64_t j) { report("j", j); return 1; });  // expected-error: `report` in the function of `priority` [SAP077]
}

struct trainer {
  dvector<double> x;
  double total = 0;
  double change(int64_t j);
  double mean(int64_t j) { return x[j] / total; }
  double added(int64_t j) { return total += x[j]; }  // expected-error: the function of `priority` changes `total` [SAP080]
  void run() {
    (void)dynamic().priority([this](int64_t j) { return x[j] = 1; });  // expected-error: the function of `priority` changes `x` [SAP080]
    (void)dynamic().priority([this](int64_t j) { return change(j); });  // expected-error: the function of `priority` changes `*this` [SAP080]
    (void)dynamic().priority([this](int64_t j) { return added(j); });
    (void)dynamic().priority([this](int64_t j) { return mean(j); });
  }
};

static void out_of_sight_or_merging(dvector<float>& X, double (*pointer)(int64_t)) {
  const std::function<double(int64_t)> erased = [](int64_t j) { return static_cast<double>(j); };
  (void)dynamic().priority(erased);  // expected-error: the function of `priority` is a `std::function<double (long)>`, and the text of its code is not in sight [SAP081]
  (void)dynamic().priority(pointer);  // expected-error: the function of `priority` is a `double (*)(long)`, and the text of its code is not in sight [SAP081]
  (void)dynamic().priority(unknown_priority);  // expected-error: the function of `priority` is `unknown_priority`, and the text of its code is not in sight [SAP081]
  (void)dynamic().priority(stated_pure);
  const auto counting = [](float folded, float start, float end) { static int calls = 0; ++calls; return folded + end - start; };  // expected-error: the merge function changes `calls` [SAP080] // expected-error: the merge function uses the variable `calls` [SAP082]
  const auto printing = [](float folded, float start, float end) { std::printf("."); return folded + end - start; };  // expected-warning: output in the merge function comes from all processes in no fixed order
  const auto fine = [](float folded, float start, float end) { return folded + fixed_rate * (end - start); };
  for (const merge::rule& rule : {merge::rule(counting), merge::rule(printing), merge::rule(fine), merge::rule(scaled)})
    parallel_for(X.size(), [&X](int64_t j) { X[j % 8] += 1; }, consistency::sync({.merge = rule}));
  const auto casting = [](float folded, const float& start, float end) { const_cast<float&>(start) = end; return folded; };  // expected-error: the merge function changes `start`, or may change it [SAP080]
  parallel_for(X.size(), [&X](int64_t j) { X[j % 8] += 1; }, consistency::sync({.merge = casting}));
  const auto by_rate = [](float folded, float start, float end) { return folded + rate * (end - start); };  // expected-error: the merge function uses the variable `rate` [SAP082]
  parallel_for(X.size(), [&X](int64_t j) { X[j % 8] += 1; }, consistency::sync({.merge = by_rate}));
}

int main() {
  dvector<double> X(10);
  dvector<float> Y(10);
  dmap<int, double> M;
  dmultimap<int, int> L;
  containers(X, M, L);
  model m{X, std::vector<double>(10)};
  variables(m, m.weights.data());
  std::valarray<double> v(8);
  std::vector<int> a(3), b(6);
  valarrays(v, a, b);
  trainer{dvector<double>(10)}.run();
  out_of_sight_or_merging(Y, nullptr);
  // functions that only read are accepted
  (void)dynamic().priority([&](int64_t j) { std::cerr << j; std::printf("."); return std::abs(X[j]) + m.read(j) + m.score(j); });
  (void)dynamic().priority([&](int64_t j) { const auto at = M.find(static_cast<int>(j)); return at == M.end() ? 0.0 : at->second; });
  (void)dynamic().priority([&](int64_t j) { double sum = 0; for (double x : X) sum += x; sum += *X.begin() + *std::max_element(X.begin(), X.end()); return sum + static_cast<double>(j + calls_of_all); });
  (void)dynamic().depends([&X](int64_t a, int64_t b) { std::vector<double> both(X.begin() + a, X.end()); both.push_back(X[b]); both[0] += 1; return both[0]; });
}
