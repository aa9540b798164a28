// Short loops that are called again and again, with changes between the calls. One thread keeps all that a
// call needs; other executors make it anew. Their bits are the same. argv[1]: batches, throws, resized,
// replaced, subscripts, values, draws, allocations, turns.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

static long allocations = 0;
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const made = std::malloc(size)) return made;
  throw std::bad_alloc();
}
void operator delete(void* old) noexcept { std::free(old); }
void operator delete(void* old, std::size_t) noexcept { std::free(old); }

static constexpr int size = 300, samples = 700, calls = 24;

static double sum_of(const auto& values) {
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) sum += static_cast<double>(k + 1) * values[k];
  return sum;
}

/// Mini-batches and their steps. Each fifth batch is shorter. Element 7 has no additions and stays -0.
static void run_batches() {
  stradsap::dvector<float> x(samples), w(size, 0.5f), g(size), m(size);
  stradsap::dvector<int> count(size);
  for (int i = 0; i < samples; ++i) x[i] = 0.1f + static_cast<float>(i % 13) / 7;
  double loss = 0;
  float most = 0;
  for (int call = 0; call < calls; ++call) {
    const int n = call % 5 == 4 ? 37 : 128, first = call * 23 % (samples - n);
    for (float& one : g) one = 0;
    g[7] = -0.0f;
    stradsap::async_for(n, [&](int64_t j) {
      const float value = x[first + j];
      for (int k = 0; k < size; ++k) {
        if (k == 7) continue;
        g[k] += value * w[k] / static_cast<float>(1 + (j * k) % 9);
      }
      ++count[(j * 31) % size];
      loss += value * w[j];
      most = std::max(most, value * w[(j + 1) % size]);
    });
    const float rate = 0.01f / static_cast<float>(call + 1);
    stradsap::async_for(size, [&](int64_t k) {
      m[k] = 0.9f * m[k] + 0.1f * g[k];
      w[k] -= rate * m[k];
    });
    std::printf("%d %.17g %.9g %.17g %.17g\n", std::signbit(std::as_const(g)[7]), loss, most, sum_of(w),
                sum_of(count));
  }
}

/// The body of one call throws. The loop goes on with the next call.
static void run_throws() {
  stradsap::dvector<double> g(size);
  for (int call = 0; call < calls; ++call) {
    g.assign(size, 0);
    double sum = 0;
    try {
      stradsap::async_for(128, [&](int64_t j) {
        if (call % 7 == 5 && j == 50) throw std::runtime_error("fifty");
        g[(j * 17) % size] += 1.0 / static_cast<double>(j + call + 1);
        sum += 0.1 * static_cast<double>(j);
      });
      std::printf("%.17g %.17g\n", sum, sum_of(g));
    } catch (const stradsap::loop_error& e) {
      std::printf("iteration %lld, sum %g\n", static_cast<long long>(e.iteration()), sum);
    }
  }
}

/// The container that a loop adds into, and one that it writes by its index, grow and shrink.
static void run_resized() {
  stradsap::dvector<double> g(size), x(128);
  for (int call = 0; call < calls; ++call) {
    if (call % 8 == 4) g.resize(3 * size);
    if (call % 8 == 6) x.resize(64 * static_cast<std::size_t>(call));
    if (call % 8 == 0) g.resize(size);
    const int n = static_cast<int>(g.size());
    stradsap::async_for(128, [&, n](int64_t j) {
      x[j] += 1.0 / static_cast<double>(j + 3);
      g[(j * 19) % n] += x[j];
    });
    std::printf("%zu %.17g %.17g\n", g.size(), sum_of(g), sum_of(x));
  }
}

/// Other containers take the places of those that the loop has used.
static void run_replaced() {
  std::vector<stradsap::dvector<double>> all;
  for (int call = 0; call < calls; ++call) {
    if (call % 6 == 0) {
      all.clear();
      all.emplace_back(size, 1.0 + call);
      all.emplace_back(size);
    }
    if (call % 6 == 3) all[1] = stradsap::dvector<double>(size, 0.5);
    stradsap::dvector<double>&from = all[0], &into = all[1];
    stradsap::async_for(128, [&from, &into](int64_t j) { into[(j * 29) % size] += from[j] / 3; });
    std::printf("%.17g\n", sum_of(into));
  }
}

/// Subscripts change between calls, at last beyond the end.
static void run_subscripts() {
  stradsap::dvector<int> place(1024);
  stradsap::dvector<double> x(size, 0.25), g(size);
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < 1024; ++i) place[i] = (i * (call + 3)) % (call == calls - 1 ? size + 1 : size);
    try {
      stradsap::async_for(128, [&](int64_t j) {
        double sum = 0;
        for (int k = 0; k < 8; ++k) sum += x[place[8 * j + k]];
        g[place[j]] += sum / static_cast<double>(j + 1);
      });
      std::printf("%.17g\n", sum_of(g));
    } catch (const stradsap::error& e) {
      std::printf("beyond the end\n");
    }
    for (int k = 0; k < size; ++k) x[k] += 0.001 * k;
  }
}

struct Options {
  double scale;
  std::vector<double> weights;
};

/// Captured objects change between calls.
static void run_values() {
  Options options{1.5, {1, 2, 3}};
  stradsap::dvector<double> g(size);
  for (int call = 0; call < calls; ++call) {
    options.scale /= 1.25;
    options.weights.push_back(1.0 / (call + 1));
    stradsap::async_for(128, [&g, &options](int64_t j) {
      g[(j * 7) % size] += options.scale * options.weights[j % options.weights.size()];
    });
    std::printf("%.17g\n", sum_of(g));
  }
}

/// Each call draws other numbers.
static void run_draws() {
  stradsap::dvector<double> g(size);
  for (int call = 0; call < calls; ++call) {
    stradsap::async_for(128, [&g](int64_t j) {
      auto random = stradsap::random(j);
      g[random.below(size)] += random.uniform();
    });
    std::printf("%.17g\n", sum_of(g));
  }
}

/// Tells the allocations of two calls on standard error: the least, since other work of the machine may make
/// a call so long that the next one is no repeat.
static void run_allocations() {
  stradsap::dvector<float> g(size), w(size, 0.5f);
  long least = 1000;
  for (int call = 0; call < 100; ++call) {
    const long before = allocations;
    double loss = 0;
    stradsap::async_for(128, [&](int64_t j) {
      for (int k = 0; k < size; ++k) g[k] += w[k] / static_cast<float>(j + 1);
      loss += w[j];
    });
    stradsap::async_for(size, [&](int64_t k) { w[k] -= 0.001f * g[k]; });
    least = std::min(least, allocations - before);
  }
  std::printf("%.17g\n", sum_of(w));
  std::fprintf(stderr, "allocations=%ld\n", least);
}

/// The same for a hundred loops in turn, which have different lengths.
static void run_turns() {
  stradsap::dvector<float> g(size), w(size, 0.5f);
  long least = 100000;
  for (int turn = 0; turn < 12; ++turn) {
    const long before = allocations;
    for (int n = 1; n <= 100; ++n)
      stradsap::async_for(n, [&](int64_t j) { g[(j * 7) % size] += w[j] / static_cast<float>(n); });
    least = std::min(least, allocations - before);
  }
  std::printf("%.17g\n", sum_of(g));
  std::fprintf(stderr, "allocations=%ld\n", least);
}

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "batches") run_batches();
  if (kind == "throws") run_throws();
  if (kind == "resized") run_resized();
  if (kind == "replaced") run_replaced();
  if (kind == "subscripts") run_subscripts();
  if (kind == "values") run_values();
  if (kind == "draws") run_draws();
  if (kind == "allocations") run_allocations();
  if (kind == "turns") run_turns();
}
