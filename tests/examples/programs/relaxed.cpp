// Loops over containers that are consistency::stale. Prints hashes, and the number of rounds and accumulators
// that the loop itself has observed.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

namespace {

using namespace stradsap;

constexpr int64_t n = 20000;
constexpr int64_t rows = 600;
int64_t bound = 0;

struct item {
  int row = 0;
  int topic = 0;
  long seen = 0;
};

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t bits_of(const item& one) {
  return mixed(static_cast<uint64_t>(one.topic)) ^ static_cast<uint64_t>(one.seen);
}
uint64_t bits_of(const std::vector<float>& row) {
  uint64_t all = 0;
  for (const float value : row) {
    uint32_t one = 0;
    std::memcpy(&one, &value, sizeof one);
    all = mixed(all ^ one);
  }
  return all;
}
uint64_t bits_of(const std::array<float, 3>& row) { return bits_of(std::vector(row.begin(), row.end())); }
uint64_t bits_of(float value) { return bits_of(std::vector{value}); }
uint64_t bits_of(long value) { return static_cast<uint64_t>(value); }

using long_row = std::array<long, 128>;
uint64_t bits_of(const long_row& row) { return bits_of(row[0]) ^ mixed(bits_of(row[127])); }

uint64_t hash_of(const auto& all) {
  uint64_t hash = 1;
  for (const auto& one : all) hash = mixed(hash + bits_of(one));
  return hash;
}

void fill(dvector<item>& items, int topics) {
  for (int64_t j = 0; j < n; ++j) {
    const uint64_t draw = mixed(static_cast<uint64_t>(j) + 99);
    items[j] = {static_cast<int>(draw % rows), static_cast<int>(draw >> 32) % topics, 0};
    if (items[j].topic < 0) items[j].topic += topics;
  }
}

/// Each iteration has noted the number of iterations that it saw in a counter. Reads begin anew where a round
/// does, in as many iterations as it has accumulators.
void print_rounds(const dvector<item>& items) {
  std::vector<long> count(n + 1);
  for (const item& one : items) ++count[static_cast<size_t>(one.seen)];
  int rounds = 0;
  for (size_t v = 0; v < count.size(); ++v) rounds += count[v] > (v == 0 ? 0 : count[v - 1]) ? 1 : 0;
  std::printf("rounds=%d accumulators=%ld", rounds, count[0]);
}

/// The topic of an item, which the loop changes, decides the places in `counts`. `weights` is cut.
void places(bool relaxed, int64_t accumulators = 16) {
  constexpr int topics = 8;
  dvector<item> items(n);
  fill(items, topics);
  dvector<float> weights(rows, 1);
  dvector<long> counts(topics, relaxed ? consistency::stale(bound) : consistency::async);
  dvector<long> ran(1, consistency::stale({.bound = bound, .accumulators = accumulators}));
  for (const item& one : items) ++counts[one.topic];
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int64_t j) {
      item& one = items[j];
      one.seen = ran[0]++ - (relaxed ? pass * n : 0);
      --counts[one.topic];
      weights[one.row] = 0.5f * weights[one.row] + static_cast<float>(counts[one.topic] % 7);
      one.topic = (one.topic + static_cast<int>(weights[one.row])) % topics;
      ++counts[one.topic];
    });
  }
  long sum = 0;
  for (const long count : counts) sum += count;
  if (relaxed) print_rounds(items);
  std::printf(" sum=%ld ran=%ld %016lx %016lx %016lx\n", sum, ran[0], hash_of(items), hash_of(weights),
              hash_of(counts));
}

/// Nothing must be current: the loop agrees with shards of rounds, one after the other.
void shards(int64_t accumulators = 16) {
  constexpr int64_t round = 3000;
  constexpr size_t size = 5;
  const auto step = [](const auto& w, int64_t j) {
    return 0.01f * (static_cast<float>(mixed(static_cast<uint64_t>(j)) % 100) / 100 -
                    w[static_cast<size_t>(j) % size]);
  };
  const ConsistencyModel model = consistency::stale({.bound = bound, .round = round, .merge = merge::mean});
  dvector<float> w(size, model);
  dvector<long> ran(1, consistency::stale({.bound = bound, .round = round, .accumulators = accumulators}));
  async_for(n, [&](int64_t j) {
    ++ran[0];
    w[j % size] += 0.01f * (static_cast<float>(mixed(static_cast<uint64_t>(j)) % 100) / 100 - w[j % size]);
  });
  std::vector<float> twin(size);
  for (int64_t begin = 0; begin < n; begin += round) {
    const int64_t count = std::min(round, n - begin);
    const std::vector<float> start = twin;
    std::vector<float> sums(size);
    std::vector<int> changed(size);
    for (int64_t s = 0; s < accumulators; ++s) {
      std::vector<float> own = start;
      for (int64_t j = begin + count * s / accumulators; j < begin + count * (s + 1) / accumulators; ++j)
        own[static_cast<size_t>(j) % size] += step(own, j);
      for (size_t k = 0; k < size; ++k) {
        sums[k] += own[k] - start[k];
        changed[k] += own[k] != start[k] ? 1 : 0;
      }
    }
    for (size_t k = 0; k < size; ++k)
      twin[k] = changed[k] == 0 ? start[k] : start[k] + sums[k] / static_cast<float>(changed[k]);
  }
  float most = 0;
  for (size_t k = 0; k < size; ++k) most = std::max(most, std::abs(twin[k] - w[k]));
  std::printf("ran=%ld apart=%d %016lx\n", ran[0], most > 1e-6f ? 1 : 0, hash_of(w));
}

/// Rows and arrays of fractions, beside a container that is cut.
void matrices() {
  dvector<item> items(n);
  fill(items, 4);
  dvector<float> weights(rows, 1);
  dvector<std::vector<float>> table(4, std::vector<float>(3, 1), consistency::stale(bound));
  dvector<std::array<float, 3>> means(4, {1, 2, 3},
                                      consistency::stale({.bound = bound, .merge = merge::mean}));
  dvector<float> columns(500, 1);
  dvector<float> flat(4096, consistency::stale({.bound = bound, .round = 1024}));
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int64_t j) {
      const item& one = items[j];
      float& w = weights[one.row];
      float& c = columns[(one.row + j) % 500];
      c = 0.5f * (c + w);
      for (size_t k = 0; k < 3; ++k) {
        table[one.topic][k] += 1e-4f * (w - table[one.topic][k]);
        means[one.topic][k] += 1e-2f * (w - means[one.topic][k]);
      }
      flat[one.row] += 1e-3f * (table[one.topic][1] - flat[one.row]);
      w = 0.5f * w + 0.1f * (c + means[one.topic][0] + flat[one.row]);
    });
  }
  std::printf("%016lx %016lx %016lx %016lx %016lx\n", hash_of(weights), hash_of(columns), hash_of(table),
              hash_of(means), hash_of(flat));
}

struct step_row {
  std::array<float, 3> w = {};
  long uses = 0;
};

/// Steps of half the way to noisy targets: a sum of 16 of them overshoots. `cut` is planned, or left out.
void adaptive(bool cuts) {
  dvector<item> items(n);
  fill(items, 3);
  dvector<float> cut(rows, 1);
  dvector<step_row> sums(3, consistency::stale({.bound = bound, .round = 1000}));
  dvector<step_row> adapted(3, consistency::stale({.bound = bound, .round = 1000, .merge = merge::adaptive}));
  dvector<step_row> known(3, consistency::stale({.bound = bound, .round = 1000, .merge = merge::by_uses(2)}));
  dvector<std::vector<double>> table(3, std::vector<double>(2),
                                     consistency::stale({.bound = bound, .merge = merge::adaptive}));
  const auto near = [](const step_row& row) {
    return std::abs(row.w[0] - 5) < 0.5f && std::abs(row.w[2] - 5) < 0.5f ? 1 : 0;
  };
  const auto pass = [&](auto& to, auto& beside) {
    if (cuts) {
      async_for(n, [&](int64_t j) {
        auto& row = to[items[j].topic];
        float& c = cut[items[j].row];
        const float target = 5 + 0.1f * (static_cast<float>(mixed(static_cast<uint64_t>(j)) % 201) / 100 - 1);
        for (float& w : row.w) w += 0.5f * (target - w);
        for (double& w : beside[items[j].topic]) w += 0.5 * (target - w);
        ++row.uses;
        c = 0.5f * c + row.w[0];
      });
    } else {
      async_for(n, [&](int64_t j) {
        auto& row = to[items[j].topic];
        const float target = 5 + 0.1f * (static_cast<float>(mixed(static_cast<uint64_t>(j)) % 201) / 100 - 1);
        for (float& w : row.w) w += 0.5f * (target - w);
        for (double& w : beside[items[j].topic]) w += 0.5 * (target - w);
        ++row.uses;
      });
    }
  };
  for (int k = 0; k < 3; ++k) pass(adapted, table);
  dvector<std::vector<double>> unused(3, std::vector<double>(2), consistency::stale(bound));
  pass(sums, unused);  // more passes become infinite, which ends the loop
  for (int k = 0; k < 3; ++k) pass(known, unused);
  int good = 0;
  int bad = 0;
  long uses = 0;
  uint64_t hash = 0;
  for (const step_row& row : adapted) {
    good += near(row);
    uses += row.uses;
    hash = mixed(hash + bits_of(row.w));
  }
  for (const step_row& row : sums) bad += 1 - near(row);
  for (const step_row& row : known) {
    good += near(row);
    hash = mixed(hash + bits_of(row.w));
  }
  for (const std::vector<double>& row : table) hash = mixed(hash + bits_of(static_cast<float>(row[1])));
  std::printf("good=%d bad=%d uses=%ld %016lx %016lx\n", good, bad, uses, hash, hash_of(cut));
}

template <class Row> struct counted_row {
  Row w = {};
  long count = 0;
};

/// Half of the iterations touch one of four elements, which lie apart, and another one. The rest touch two
/// others.
template <class Row> void hottest(consistency::hottest some) {
  constexpr int64_t many = 4000;
  dvector<item> items(n);
  fill(items, 4);
  dvector<counted_row<Row>> x(many, {Row{1, 2, 3}},
                              consistency::stale({.bound = bound, .merge = merge::adaptive}, some));
  int first = 0;  // iterations that found a hot element as it was at the start
  for (int pass = 0; pass < 3; ++pass) {
    async_for(n, [&](int64_t j) {
      const auto draw = static_cast<int64_t>(mixed(static_cast<uint64_t>(j) + 7) % 8000);
      const int64_t place = draw < many ? 1000 * items[j].topic + 7 : draw - many;
      const auto other = static_cast<int64_t>(mixed(static_cast<uint64_t>(j) + 9) % many);
      items[j].seen = x[place].count++;
      ++x[other].count;
      for (float& w : x[place].w) w += 0.2f * (5 - w);
      x[other].w[1] = 0.5f * (x[other].w[1] + x[place].w[2]);
    });
    for (int64_t j = 0; j < n && pass == 0; ++j) {
      const bool is_hot = mixed(static_cast<uint64_t>(j) + 7) % 8000 < many;
      first += is_hot && items[j].topic == 2 && items[j].seen == 0 ? 1 : 0;
    }
  }
  long hot = 0;
  long sum = 0;
  uint64_t hash = 0;
  float most = 0;
  for (int64_t k = 0; k < many; ++k) {
    sum += x[k].count;
    hash = mixed(hash + bits_of(x[k].w) + bits_of(x[k].count));
    if (k % 1000 != 7) continue;
    hot += x[k].count;
    most = std::max(most, std::abs(x[k].w[0] - 5));
  }
  std::printf("sum=%ld hot=%d near=%d first=%d %016lx %016lx\n", sum, hot > n ? 1 : 0, most < 1 ? 1 : 0,
              first, hash_of(items), hash);
}

/// Counts of a few elements, which start as zeros on all ranks.
void hot_counts() {
  dvector<item> items(n);
  fill(items, 4);
  dvector<long> counts(4000, consistency::stale(bound, consistency::hottest(4)));
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int64_t j) {
      items[j].seen = counts[1000 * items[j].topic + 7]++;
      counts[static_cast<int64_t>(mixed(static_cast<uint64_t>(j)) % 4000)] += items[j].seen % 2;
    });
  }
  std::printf("%016lx %016lx\n", hash_of(items), hash_of(counts));
}

/// Most iterations touch one element, of 4000 or of few.
template <class Number> void hub(int64_t size) {
  dvector<item> items(n);
  fill(items, 4);
  dvector<Number> x(size, 1);
  dvector<float> weights(rows, 1);
  async_for(n, [&](int64_t j) {
    float& w = weights[items[j].row];
    Number& hot = x[j % 4 == 0 ? j % size : 7];
    hot = static_cast<Number>(0.5f * (static_cast<float>(hot) + w));
    w = 0.5f * (w + static_cast<float>(hot));
  });
  std::printf("%016lx\n", hash_of(x));
}

/// Rows of a flat matrix, some of which are hot.
void hot_rows() {
  constexpr int64_t length = 8;
  dvector<item> items(n);
  fill(items, 4);
  dvector<float> flat(length * rows, 1, consistency::stale(bound, consistency::hottest(2)));
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int64_t j) {
      const int64_t place = j % 3 == 0 ? 300 + items[j].topic % 2 : items[j].row;
      float* const row = &flat[length * place];
      for (int64_t k = 0; k < length; ++k) row[k] = 0.999f * row[k] + 0.001f * row[(k + 1) % length];
      row[0] += 0.01f;
    });
  }
  std::printf("%d %016lx\n", flat[length * 300] > 1.5f && flat[length * 301] > 1.5f ? 1 : 0, hash_of(flat));
}

struct bin {
  int place = 0;
  long first = 0;
  long second = 0;
};

/// A field of the relaxed elements, which the loop does not write, decides the places in `weights`.
void read_by_the_plan() {
  dvector<item> items(n);
  fill(items, 50);
  dvector<long> weights(rows, 1);
  dvector<bin> bins(50, consistency::stale(bound));
  for (int k = 0; k < 50; ++k) bins[k].place = 7 * k % 50;
  for (int pass = 0; pass < 3; ++pass) {
    async_for(n, [&](int64_t j) {
      bin& own = bins[items[j].topic];
      long& w = weights[(12 * own.place + j % 12) % rows];
      w = (w + own.first) % 1000003;
      own.first += 1;
      own.second += own.first % 5;
    });
    for (int k = 0; k < 50; ++k) bins[k].place = (bins[k].place + 1) % 50;
  }
  long sum = 0;
  for (const bin& one : bins) sum += one.first;
  dvector<long> seconds(50);
  for (int k = 0; k < 50; ++k) seconds[k] = bins[k].second;
  std::printf("sum=%ld %016lx %016lx\n", sum, hash_of(weights), hash_of(seconds));
}

long& first_of(long& number) { return number; }
long& first_of(long_row& row) { return row[0]; }

/// Iterations with many elements run by waves, or in program order if they are short.
template <class Element> void waves(ConsistencyModel model) {
  constexpr int size = sizeof(Element) == sizeof(long) ? 40000 : 4000;
  dvector<Element> chain(size);
  dvector<long> total(1, model);
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int64_t j) {
      for (int k = 0; k < 6; ++k) {
        const uint64_t place = mixed(static_cast<uint64_t>(6 * j + k)) % size;
        first_of(chain[place]) += 1 + (total[0] + first_of(chain[(place + 1) % size])) % 3;
      }
      ++total[0];
    });
  }
  std::printf("total=%ld %016lx\n", total[0], hash_of(chain));
}

struct feature {
  float weight = 0;
  std::array<float, 8> factors = {};
};
uint64_t bits_of(const feature& one) {
  return mixed(bits_of(one.weight)) ^ bits_of(std::vector(one.factors.begin(), one.factors.end()));
}

/// A factorization machine. All samples change the bias, and the number of samples.
void machine() {
  constexpr int64_t samples = 20000;
  constexpr int fields = 10;
  const std::array<float, 8> start = {0.1f, -0.1f, 0.05f, -0.05f, 0.02f, 0.1f, 0.03f, -0.02f};
  dvector<feature> features(2000, feature{0, start});
  dvector<float> bias(1, 0.0f, consistency::stale({.merge = merge::adaptive}));
  dvector<long> seen(1);
  const auto step = [&features, &bias, &seen](int64_t j) {
    std::array<float, 8> sums = {};
    std::array<int64_t, fields> used;
    float score = bias[0] - 1e-6f * static_cast<float>(seen[0]++);
    for (int f = 0; f < fields; ++f) {
      const uint64_t draw = mixed(static_cast<uint64_t>(fields * j + f));
      used[f] = 200 * f + static_cast<int64_t>(draw % 200 * (draw >> 32 & 0xff) / 256);
      score += features[used[f]].weight;
      for (int k = 0; k < 8; ++k) sums[k] += features[used[f]].factors[k];
    }
    const float error = score - static_cast<float>(used[0] % 2);
    for (const int64_t f : used) {
      features[f].weight -= 0.01f * error;
      for (int k = 0; k < 8; ++k)
        features[f].factors[k] -= 0.01f * error * (sums[k] - features[f].factors[k]);
    }
    bias[0] -= 0.01f * error;
  };
  for (int pass = 0; pass < 2; ++pass) async_for(samples, step, access(adds_late(seen)));
  std::printf("finite=%d seen=%ld %016lx %016lx\n", std::isfinite(bias[0]) ? 1 : 0, seen[0],
              hash_of(features), hash_of(bias));
}

/// The loop draws topics in chains of items, and counts them in a container that it does not read.
template <class Count> void drawn(int64_t size) {
  constexpr int64_t chains = 2000, links = n / chains;
  dvector<item> items(n);
  fill(items, 4);
  dvector<int64_t> order(n);
  for (int64_t j = 0; j < n; ++j) order[j] = j + 1 - 2 * (j % 2);
  dvector<Count> counts(size);
  for (int pass = 0; pass < 3; ++pass) {
    async_for(chains, [&items, &order, &counts](int64_t chain) {
      for (int64_t link = chain * links; link < (chain + 1) * links; ++link) {
        item& one = items[order[link]];
        one.topic = static_cast<int>(mixed(static_cast<uint64_t>(3 * one.topic + link)) % 4);
        ++counts[one.topic];
      }
    });
  }
  double sum = 0;
  for (int64_t topic = 0; topic < 4; ++topic) sum += static_cast<double>(counts[topic]);
  std::printf("sum=%g %016lx\n", sum, hash_of(items));
}

void throwing() {
  dvector<item> items(n);
  fill(items, 4);
  dvector<float> weights(rows, 1);
  dvector<long> counts(4, consistency::stale(bound));
  bool throws = true;
  const auto pass = [&] {
    async_for(n, [&items, &weights, &counts, throws](int64_t j) {
      ++counts[items[j].topic];
      weights[items[j].row] = 0.5f * weights[items[j].row] + static_cast<float>(counts[0] % 2);
      if (throws && j == 12345) throw std::runtime_error("too far");
    });
  };
  try {
    pass();
  } catch (const loop_error& failure) {
    std::printf("iteration %ld: %s\n", static_cast<long>(failure.iteration()),
                std::strstr(failure.what(), "too far") != nullptr ? "too far" : failure.what());
  }
  for (long& count : counts) count = 0;
  throws = false;
  pass();
  long sum = 0;
  for (const long count : counts) sum += count;
  std::printf("sum=%ld\n", sum);
}

void try_to(const char* what, auto run) {
  try {
    run();
    std::printf("%s: nothing\n", what);
  } catch (const error& failure) {
    std::printf("%s: %s\n", what, failure.what());
  }
}

void errors_of_models() {
  try_to("negative", [] { dvector<long> x(3, consistency::stale(-1)); });
  try_to("hottest", [] { dvector<long> x(3, consistency::stale(0, consistency::hottest(0))); });
  try_to("too many", [] { dvector<long> x(3, consistency::stale(0, consistency::hottest(4))); });
  try_to("round", [] { dvector<long> x(3, consistency::stale({.round = -1})); });
  try_to("accumulators", [] { dvector<long> x(3, consistency::stale({.accumulators = 3})); });
  try_to("too few", [] { dvector<long> x(3, consistency::stale({.accumulators = 1})); });
  try_to("bound", [] { dvector<long> x(3, consistency::stale({.bound = int64_t{1} << 40})); });
  try_to("sync", [] { dvector<long> x(3, 1, consistency::sync); });
  try_to("uses", [] { dvector<float> x(3, consistency::stale({.merge = merge::by_uses(0)})); });
}

void errors_of_merges() {
  dvector<float> x(rows, 1);
  try_to("merge", [] {
    dvector<std::string> text(3, consistency::stale({.merge = merge::min}));
    async_for(n, [&text](int64_t j) { text[j % 3] += 'x'; });
  });
  try_to("fractions", [] {
    dvector<long> whole(3, consistency::stale({.merge = merge::adaptive}));
    async_for(n, [&whole](int64_t j) { whole[j % 3] += j; });
  });
  for (const bool cuts : {false, true}) {
    dvector<float> w(3, consistency::stale({.merge = merge::adaptive}));
    try_to(cuts ? "cut and infinite" : "infinite", [&] {
      if (!cuts) async_for(n, [&w](int64_t j) { w[j % 3] += j % 3 == 1 ? 1e38f : 1; });
      if (cuts) {
        async_for(n, [&w, &x](int64_t j) {
          w[j % 3] += j % 3 == 1 ? 1e38f : 1;
          x[(j + 1) % rows] = 0.5f * x[(j + 1) % rows];
        });
      }
    });
  }
  try_to("hot and infinite", [] {
    dvector<float> w(rows, 0, consistency::stale({.merge = merge::adaptive}, consistency::hottest(1)));
    async_for(n, [&w](int64_t j) {
      w[7] += 1e38f;
      w[mixed(static_cast<uint64_t>(j)) % rows] *= 0.5f;
    });
  });
  try_to("several rows", [&x] {
    dvector<float> w(rows * 8, 0, consistency::stale({.merge = merge::adaptive}, consistency::hottest(1)));
    async_for(n, [&w, &x](int64_t j) {
      const int64_t row = j % 2 == 0 ? 7 : static_cast<int64_t>(mixed(static_cast<uint64_t>(j)) % (rows - 1));
      for (float& one : w.span(row * 8, j % 3 == 0 ? 16 : 8)) one = 0.5f * one + x[j % rows];
    });
  });
  try_to("a loop's merge", [] {
    dvector<long> whole(3);
    parallel_for(n, [&whole](int64_t j) { whole[j % 3] = j; }, consistency::sync({.merge = merge::adaptive}));
  });
  try_to("a loop's infinity", [] {
    dvector<double> w(3);
    parallel_for(
        n, [&w](int64_t j) { w[j % 3] += j % 3 == 1 ? 1e308 : 1; },
        consistency::sync({.merge = merge::adaptive}));
  });
}

void errors_of_places() {
  dvector<float> x(rows, 1);
  dvector<long> next(1, consistency::stale(0));
  try_to("places", [&] {
    async_for(n, [&](int64_t j) {
      x[next[0] % rows] = 0.5f * x[next[0] % rows] + 1;
      next[0] += j;
    });
  });
  dvector<long> moved = std::move(next);
  dvector<long> copied = moved;
  try_to("moved", [&] {
    async_for(n, [&](int64_t j) {
      x[moved[0]++ % rows] *= 0.5f;
      x[moved[0] % rows] += static_cast<float>(j);
    });
  });
  // Private copies would take the additions to `added`, but not those to `large`.
  dvector<long> added(4);
  dvector<double> large(int64_t{1} << 20);
  try_to("added", [&] {
    async_for(n, [&](int64_t j) {
      x[moved[0]++ % rows] *= 0.5f + static_cast<float>(j % 2);
      ++added[static_cast<int64_t>(x[moved[0] % rows]) % 4];
    });
  });
  try_to("added among many", [&] {
    async_for(n, [&](int64_t j) {
      x[moved[0]++ % rows] *= 0.5f + static_cast<float>(j % 2);
      ++added[static_cast<int64_t>(x[moved[0] % rows]) % 4];
      ++large[static_cast<int64_t>(x[moved[0] % rows]) % 4];
    });
  });
  moved = std::move(copied);
  try_to("assigned", [&] {
    async_for(n, [&](int64_t j) {
      x[moved[0]++ % rows] *= 0.5f;
      x[moved[0] % rows] += static_cast<float>(j);
    });
  });
}

}  // namespace

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (argv[2] != nullptr) bound = std::stoll(argv[2]);
  if (kind == "places") places(true);
  if (kind == "current") places(false);
  if (kind == "two places" || kind == "many places") places(true, kind == "two places" ? 2 : 32);
  if (kind == "shards") shards();
  if (kind == "two shards" || kind == "four shards") shards(kind == "two shards" ? 2 : 4);
  if (kind == "matrices") matrices();
  if (kind == "hottest") hottest<std::array<float, 3>>(consistency::hottest(4));
  if (kind == "hottest by counts") hottest<std::array<float, 3>>(consistency::hottest());
  if (kind == "hottest vectors") hottest<std::vector<float>>(consistency::hottest(4));
  if (kind == "hot counts") hot_counts();
  if (kind == "hub") hub<float>(4000);
  if (kind == "small hub") hub<float>(40);
  if (kind == "hub of counts") hub<long>(4000);
  if (kind == "hot rows") hot_rows();
  if (kind == "adaptive") adaptive(true);
  if (kind == "adaptive alone") adaptive(false);
  if (kind == "read by the plan") read_by_the_plan();
  if (kind == "waves") waves<long_row>(consistency::stale(bound));
  if (kind == "short waves") waves<long>(consistency::stale(bound));
  if (kind == "machine") machine();
  if (kind == "drawn") drawn<long>(4);
  if (kind == "drawn among many") drawn<double>(int64_t{1} << 20);
  if (kind == "throwing") throwing();
  if (kind != "errors") return 0;
  errors_of_models();
  errors_of_merges();
  errors_of_places();
}
