// The reads of containers that are consistency::stale with bounds: each iteration keeps its reads, and main
// compares it with the promise.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include <stradsap/cereal.hpp>
#include <stradsap/stradsap.hpp>

#include "shared_progress.hpp"

namespace {

using namespace stradsap;

constexpr int64_t accumulators = 16;

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr int64_t many = 8192;
constexpr int64_t words = many / 64;
constexpr int64_t rows = 600;

// ---- a loop that writes nothing else at computed places: accumulators are sixteenths ----

constexpr int64_t rounds = 8;
constexpr int64_t of_round = 64;  // iterations of an accumulator
constexpr int64_t n = accumulators * rounds * of_round;

struct counts_seen {
  std::array<int64_t, accumulators> of = {};
};

/// The iterations of accumulator `other` that iteration k of `own` sees, of the round that it is in.
int64_t promised(int64_t bound, int64_t own, int64_t other, int64_t k) {
  if (own == other) return k;
  return of_round * std::max<int64_t>(0, k / of_round - bound);
}

void ranges(int64_t bound) {
  dvector<counts_seen> seen(n);
  dvector<int64_t> counts(accumulators,
                          consistency::stale({.bound = bound, .round = accumulators * of_round}));
  int64_t wrong = 0;
  for (int pass = 0; pass < 2; ++pass) {
    async_for(n, [&](int64_t j) {
      for (int64_t a = 0; a < accumulators; ++a) seen[j].of[a] = counts[a];
      ++counts[j / (rounds * of_round)];
    });
    for (int64_t j = 0; j < n; ++j) {
      const int64_t own = j / (rounds * of_round);
      for (int64_t a = 0; a < accumulators; ++a) {
        const int64_t before = pass * rounds * of_round;
        const int64_t expected = before + promised(bound, own, a, j % (rounds * of_round));
        wrong += seen[j].of[a] == expected ? 0 : 1;
      }
    }
  }
  int64_t sum = 0;
  for (const int64_t count : counts) sum += count;
  std::printf("wrong=%ld sum=%ld\n", long(wrong), long(sum));
}

// ---- merges, beside a plain program that does as promised ----

constexpr std::size_t size = 5;

/// The change of one number by an accumulator.
struct number_change {
  float start = 0;
  float end = 0;
};

float merged(float into, number_change by) {
  if (by.start == by.end) return into;
  return into == by.start ? by.end : into + (by.end - by.start);
}

/// Folds by each merge in turn: of one accumulator, or of all.
float folded(std::size_t how, float into, const std::vector<number_change>& all) {
  float sum = 0;
  int changed = 0;
  const float before = into;
  for (const number_change& one : all) {
    if (one.start == one.end) continue;
    const bool is_first = into == one.start;
    if (how == 0) into = merged(into, one);
    if (how == 1) sum += merged(before, one) - before;
    if (how == 2) into = is_first ? one.end : std::min(into, one.end);
    if (how == 3) into = is_first ? one.end : std::max(into, one.end);
    if (how == 4) into = 0.5f * (into + one.end) + one.start;
    ++changed;
  }
  if (how == 1 && changed == 1)
    for (const number_change& one : all) into = merged(into, one);
  return how == 1 && changed > 1 ? before + sum / static_cast<float>(changed) : into;
}

float step(float w, int64_t j) {
  return w + 0.01f * (static_cast<float>(mixed(static_cast<uint64_t>(j)) % 100) / 50 - 1 - w);
}

std::vector<float> twin_of(std::size_t how, int64_t bound) {
  std::vector<std::vector<float>> folds(1, std::vector<float>(size, 0.5f));
  // by accumulator, round and element
  std::vector<std::vector<std::vector<number_change>>> changes(accumulators);
  for (int64_t r = 0; r < rounds; ++r) {
    for (int64_t a = 0; a < accumulators; ++a) {
      std::vector<float> own = folds[static_cast<std::size_t>(std::max<int64_t>(0, r - bound))];
      for (int64_t q = std::max<int64_t>(0, r - bound); q < r; ++q) {
        for (std::size_t k = 0; k < size; ++k)
          own[k] =
              folded(how, own[k], {changes[static_cast<std::size_t>(a)][static_cast<std::size_t>(q)][k]});
      }
      std::vector<number_change> change(size);
      for (std::size_t k = 0; k < size; ++k) change[k].start = own[k];
      const int64_t first = (a * rounds + r) * of_round;
      for (int64_t j = first; j < first + of_round; ++j) {
        float& w = own[static_cast<std::size_t>(mixed(static_cast<uint64_t>(j) + 5) % size)];
        if ((j / of_round) % 3 != 0) w = step(w, j);
      }
      for (std::size_t k = 0; k < size; ++k) change[k].end = own[k];
      changes[static_cast<std::size_t>(a)].push_back(change);
    }
    std::vector<float> now = folds.back();
    for (std::size_t k = 0; k < size; ++k) {
      std::vector<number_change> all;
      for (const auto& of : changes) all.push_back(of[static_cast<std::size_t>(r)][k]);
      now[k] = folded(how, now[k], all);
    }
    folds.push_back(now);
  }
  return folds.back();
}

void merges(int64_t bound) {
  const auto own = [](float folded_so_far, float start, float end) {
    return 0.5f * (folded_so_far + end) + start;
  };
  const merge::rule rules[] = {merge::sum, merge::mean, merge::min, merge::max, own};
  uint64_t hash = 0;
  for (std::size_t how = 0; how < std::size(rules); ++how) {
    dvector<float> w(
        size, 0.5f,
        consistency::stale({.bound = bound, .round = accumulators * of_round, .merge = rules[how]}));
    async_for(n, [&](int64_t j) {
      float& one = w[static_cast<int64_t>(mixed(static_cast<uint64_t>(j) + 5) % size)];
      if ((j / of_round) % 3 != 0)
        one = one + 0.01f * (static_cast<float>(mixed(static_cast<uint64_t>(j)) % 100) / 50 - 1 - one);
    });
    const std::vector<float> twin = twin_of(how, bound);
    double apart = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const double at = w[static_cast<int64_t>(k)];
      apart = std::max(apart, std::abs(at - double(twin[k])) / std::max(1.0, std::abs(at)));
      hash = mixed(hash + static_cast<uint64_t>(static_cast<int64_t>(1e9 * at)));
    }
    std::printf("%d", apart > 1e-5 ? 1 : 0);
  }
  std::printf(" %016lx\n", static_cast<unsigned long>(hash));
}

/// Text, flags and vectors, which have no differences, and elements that many iterations replace.
void other_types(int64_t bound) {
  dvector<std::string> text(3, consistency::stale({.bound = bound, .round = 1024}));
  dvector<std::vector<long>> lists(40, std::vector<long>(2),
                                   consistency::stale({.bound = bound, .round = 1024}));
  dvector<char> flags(300, consistency::stale({.bound = bound, .round = 1024}));
  dvector<float> weights(rows, 1);
  long seen = 0;
  async_for(many, [&](int64_t j) {
    const auto draw = mixed(static_cast<uint64_t>(j));
    float& weight = weights[static_cast<int64_t>(draw % rows)];
    if (text[j % 3].size() < 40) text[j % 3] += static_cast<char>('a' + draw % 26);
    lists[static_cast<int64_t>(draw / 64 % 40)][draw % 2] += j % 5;
    flags[static_cast<int64_t>(draw / 4096 % 300)] = static_cast<char>(draw % 3);
    weight = 0.5f * weight + static_cast<float>(lists[j % 40][0] % 7) + static_cast<float>(text[0].size());
    seen += flags[j % 300];
  });
  uint64_t hash = static_cast<uint64_t>(seen);
  long sum = 0;
  for (const std::vector<long>& one : lists) sum += one[0] + one[1];
  for (const std::string& one : text) {
    for (const char letter : one) hash = mixed(hash + static_cast<uint64_t>(letter));
  }
  for (const char flag : flags) hash = mixed(hash + static_cast<uint64_t>(flag));
  for (const float weight : weights) hash = mixed(hash + static_cast<uint64_t>(1e6 * double(weight)));
  std::printf("sum=%ld %016lx\n", sum, static_cast<unsigned long>(hash));
}

/// Has functions of its own for cereal, so its changes have no difference.
class tally {
 public:
  template <class Archive> void save(Archive& archive) const { archive(count_); }
  template <class Archive> void load(Archive& archive) { archive(count_); }
  void add() { ++count_; }
  [[nodiscard]] int64_t count() const { return count_; }

 private:
  int64_t count_ = 0;
};

/// Elements that one accumulator changes, or all.
void tallies(int64_t bound) {
  dvector<tally> own(200, consistency::stale({.bound = bound, .round = 1024}));
  dvector<tally> shared(200, consistency::stale({.bound = bound, .round = 1024}));
  dvector<float> weights(rows, 1);
  async_for(n, [&own](int64_t j) { own[j / (rounds * of_round)].add(); });
  int64_t sum = 0;
  for (int64_t k = 0; k < 200; ++k) sum += own[k].count();
  std::printf("sum=%ld\n", long(sum));
  try {
    async_for(n, [&](int64_t j) {
      shared[3].add();
      weights[7919 * j % rows] = 0.5f * weights[7919 * j % rows] + 1;
    });
  } catch (const error& failure) {
    std::printf("%s\n", failure.what());
  }
  async_for(n, [&](int64_t j) { weights[7919 * j % rows] += 1; });
}

// ---- a loop by blocks: its rounds and accumulators follow from the reads with the bound 0 ----

using marks = std::array<uint64_t, words>;
struct marks_seen {
  marks of = {};
};

bool has(const marks& all, int64_t j) { return (all[j / 64] >> (j % 64) & 1) != 0; }
bool is_subset(const marks& part, const marks& all) {
  for (int64_t w = 0; w < words; ++w) {
    if ((part[w] & ~all[w]) != 0) return false;
  }
  return true;
}
int64_t size_of(const marks& all) {
  int64_t size = 0;
  for (const uint64_t word : all) size += __builtin_popcountll(word);
  return size;
}

/// Each iteration marks itself, and keeps the marks that it sees.
std::vector<marks> reads_with(int64_t bound, uint64_t& hash) {
  dvector<marks_seen> seen(many);
  dvector<float> weights(rows, 1);
  dvector<uint64_t> marked(words, consistency::stale({.bound = bound, .round = 1024}));
  async_for(many, [&](int64_t j) {
    for (int64_t w = 0; w < words; ++w) seen[j].of[w] = marked[w];
    marked[j / 64] += uint64_t{1} << (j % 64);
    float& weight = weights[static_cast<int64_t>(mixed(static_cast<uint64_t>(j)) % rows)];
    weight = 0.5f * weight + static_cast<float>(j % 7);
  });
  std::vector<marks> all;
  for (const marks_seen& one : seen) all.push_back(one.of);
  for (const uint64_t word : marked) hash += word != ~uint64_t{0} ? 1 : 0;
  for (const float weight : weights) hash = mixed(hash + static_cast<uint64_t>(1e6 * double(weight)));
  for (const marks& one : all) {
    for (const uint64_t word : one) hash = mixed(hash + word);
  }
  return all;
}

/// The iterations of one accumulator in one round, in their order.
struct chain {
  int64_t round = 0;
  std::vector<int64_t> iterations;
  marks of = {};
};

/// With the bound 0, iterations of one round see each other if they share an accumulator.
std::vector<chain> chains_of(const std::vector<marks>& seen) {
  std::vector<int64_t> order(many);
  for (int64_t j = 0; j < many; ++j) order[j] = j;
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return size_of(seen[a]) < size_of(seen[b]); });
  std::vector<chain> chains;
  marks before = {};  // of earlier rounds
  marks all = {};
  std::size_t first = 0;  // chain of the round
  int64_t round = 0;
  for (const int64_t j : order) {
    if (is_subset(all, seen[j]) && size_of(all) > size_of(before)) {  // it sees all of the round
      before = all;
      first = chains.size();
      ++round;
    }
    const auto own = std::find_if(chains.begin() + static_cast<std::ptrdiff_t>(first), chains.end(),
                                  [&](const chain& one) { return has(seen[j], one.iterations.front()); });
    chain& to = own == chains.end() ? chains.emplace_back() : *own;
    to.round = round;
    to.iterations.push_back(j);
    to.of[j / 64] |= uint64_t{1} << (j % 64);
    all[j / 64] |= uint64_t{1} << (j % 64);
  }
  return chains;
}

/// The wrong reads with a bound: folds up to round r - bound - 1, whole chains of one accumulator in the
/// rounds between, and the accumulator's own in its round. `before`: the accumulator's chain one round ago.
int64_t wrong_reads(const std::vector<chain>& chains, const std::vector<std::ptrdiff_t>& before,
                    int64_t bound, const std::vector<marks>& seen) {
  int64_t wrong = 0;
  for (std::size_t k = 0; k < chains.size(); ++k) {
    marks expected = {};
    for (const chain& one : chains) {
      if (one.round > chains[k].round - bound - 1) continue;
      for (int64_t w = 0; w < words; ++w) expected[w] |= one.of[w];
    }
    std::ptrdiff_t own = before[k];
    for (int64_t back = 1; back <= bound && own >= 0; ++back, own = before[static_cast<std::size_t>(own)]) {
      for (int64_t w = 0; w < words; ++w) expected[w] |= chains[static_cast<std::size_t>(own)].of[w];
    }
    for (const int64_t j : chains[k].iterations) {
      wrong += seen[j] == expected ? 0 : 1;
      expected[j / 64] |= uint64_t{1} << (j % 64);
    }
  }
  return wrong;
}

/// The chain of the same accumulator one round ago: with the bound 1 it is the only one that is seen of that
/// round. -1: none.
std::vector<std::ptrdiff_t> chains_before(const std::vector<chain>& chains, const std::vector<marks>& seen) {
  std::vector<std::ptrdiff_t> before(chains.size(), -1);
  for (std::size_t k = 0; k < chains.size(); ++k) {
    for (std::size_t other = 0; other < chains.size(); ++other) {
      if (chains[other].round + 1 != chains[k].round) continue;
      if (is_subset(chains[other].of, seen[chains[k].iterations.front()]))
        before[k] = before[k] == -1 ? static_cast<std::ptrdiff_t>(other) : -2;
    }
  }
  return before;
}

void blocks() {
  uint64_t hash = 0;
  const std::vector<chain> chains = chains_of(reads_with(0, hash));
  const std::vector<marks> seen = reads_with(1, hash);
  const std::vector<std::ptrdiff_t> before = chains_before(chains, seen);
  const int64_t last = chains.empty() ? 0 : chains.back().round;
  std::printf("rounds=%ld chains=%zu linked=%ld", long(last + 1), chains.size(),
              long(std::count_if(before.begin(), before.end(), [](auto one) { return one >= 0; })));
  std::printf(" wrong=%ld", long(wrong_reads(chains, before, 1, seen)));
  for (const int64_t bound : {2, 3, 64})
    std::printf(" %ld", long(wrong_reads(chains, before, bound, reads_with(bound, hash))));
  std::printf(" %016lx\n", hash);
}

// ---- an accumulator that waits for others ----

/// Iteration 0, in the first round, waits until others are in round `awaited`.
void straggler(int64_t bound, int64_t awaited, double seconds, const std::string& path) {
  dvector<int64_t> met(n);
  dvector<int64_t> counts(accumulators,
                          consistency::stale({.bound = bound, .round = accumulators * of_round}));
  async_for(n, [&, bound, awaited, seconds, path](int64_t j) {
    const int64_t round = bound == 0 ? j / (accumulators * of_round) : j % (rounds * of_round) / of_round;
    if (j % of_round == 0) note_step(path, round);
    if (j == 0) met[j] = meets(path, awaited, seconds) ? 1 : 0;
    ++counts[j / (rounds * of_round)];
    met[j] += counts[0] % 2 == 2 ? 1 : 0;
  });
  std::printf("met=%ld\n", long(met[0]));
}

}  // namespace

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "ranges") ranges(std::stol(argv[2]));
  if (kind == "blocks") blocks();
  if (kind == "merges") merges(std::stol(argv[2]));
  if (kind == "tallies") tallies(std::stol(argv[2]));
  if (kind == "other types") other_types(std::stol(argv[2]));
  if (kind == "straggler") straggler(std::stol(argv[2]), std::stol(argv[3]), std::stod(argv[4]), argv[5]);
}
