// One epoch with loops of each kind: checkpoints.cpp FOLDER EPOCHS EVERY MODE [EPOCH]. It prints a hash of
// all containers and variables at the end. EVERY: a number of save points, or a time as 200ms or 1min.
// MODE: run; "wait" waits for each checkpoint; "fast" too, and does
// little work; "kill EPOCH" waits too, and ends the process at this epoch by SIGKILL; "term EPOCH" sends
// SIGTERM to itself; "other" registers other
// variables; "more" makes a further container; "tail" has its save point at the end of the epoch;
// "talk" tells each epoch, and ends the loop when the file that STORM_OVER names exists.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct Rating {
  int user = 0, item = 0;
  float value = 0;
};
using Factor = std::array<float, 4>;

static std::uint64_t mix(std::uint64_t hash, const void* data, std::size_t size) {
  const auto* const bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  return hash;
}
template <class T> static std::uint64_t mix_value(std::uint64_t hash, const T& value) {
  return mix(hash, &value, sizeof value);
}

static constexpr int users = 400, items = 300, ratings = 20000, words = 64, small = 200;

struct Model {
  dvector<Rating> R;
  dvector<Factor> P, Q;
  dvector<float> bias, gradient, chain, drawn, relaxed, late;
  dvector<std::vector<float>> rows;
  dvector<std::string> texts;
  dvector<std::int64_t> parents, grown;
  dmap<std::int64_t, double> sums;
  dmap<std::string, std::int64_t> counts;
  dmultimap<int, int> members;

  Model()
      : R(static_cast<std::size_t>(ratings)),
        P(static_cast<std::size_t>(users)),
        Q(static_cast<std::size_t>(items)),
        bias(static_cast<std::size_t>(items)),
        gradient(8),
        chain(static_cast<std::size_t>(small)),
        drawn(static_cast<std::size_t>(users)),
        relaxed(static_cast<std::size_t>(words), 0.5f, consistency::stale({.merge = merge::adaptive})),
        late(32),
        rows(100),
        texts(40),
        parents(static_cast<std::size_t>(small)),
        grown(16) {
    for (int i = 0; i < ratings; ++i)
      R[i] = {static_cast<int>(i * 7919LL % users), static_cast<int>(i * 104729LL % items),
              0.01f * (i % 500)};
    for (int i = 0; i < users; ++i) P[i] = {0.1f, 0.2f, 0.01f * (i % 9), 0.3f};
    for (int i = 0; i < items; ++i) Q[i] = {0.3f, 0.02f * (i % 7), 0.1f, 0.2f};
    for (int i = 0; i < 100; ++i) rows[i].assign(static_cast<std::size_t>(i % 5), 1.0f);
    for (int i = 0; i < small; ++i) parents[i] = i, chain[i] = static_cast<float>(1 + i % 7);
  }
};

struct Steered {
  dvector<int> hubs, moving;
  dvector<float> spread, cut, left, right;
  Steered()
      : hubs(static_cast<std::size_t>(ratings)),
        moving(static_cast<std::size_t>(ratings)),
        spread(5000),
        cut(4096),
        left(1000),
        right(1000) {}
};

static double factorize(Model& m, float rate) {
  dvector<Rating>& R = m.R;
  dvector<Factor>&P = m.P, &Q = m.Q;
  dvector<float>& bias = m.bias;
  double loss = 0;
  async_for(R.size(), [&R, &P, &Q, &bias, &loss, rate](int64_t j) {
    const Rating r = R[j];
    float error = r.value - bias[r.item];
    for (int k = 0; k < 4; ++k) error -= P[r.user][k] * Q[r.item][k];
    for (int k = 0; k < 4; ++k) {
      const float old = P[r.user][k];
      P[r.user][k] += rate * error * Q[r.item][k];
      Q[r.item][k] += rate * error * old;
    }
    bias[r.item] += 0.1f * rate * error;
    loss += static_cast<double>(error) * error;
  });
  return loss;
}

static void add(Model& m) {
  dvector<Rating>& R = m.R;
  dvector<float>& gradient = m.gradient;
  dmap<std::int64_t, double>& sums = m.sums;
  async_for(R.size(), [&R, &gradient](int64_t j) { gradient[R[j].item % 8] += R[j].value * 0.001f; });
  async_for(R.size(), [&R, &sums](int64_t j) { sums[R[j].user % 50] += 0.1 * R[j].value; });
  dvector<std::string>& texts = m.texts;
  dmap<std::string, std::int64_t>& counts = m.counts;
  async_for(texts.size(), [&texts, &counts](int64_t j) { counts[texts[j]] += 1; });
}

static void step(Model& m, int epoch) {
  dvector<float>& chain = m.chain;
  const int64_t n = small - 1;
  parallel_for(
      n, [&chain](int64_t j) { chain[j + 1] += 0.01f * (chain[j] - chain[j + 1]); }, consistency::ordered);
  async_for(n, [&chain](int64_t j) { chain[j] += 0.001f * (chain[(j * 37) % 199] - chain[j]); });
  dvector<float>& drawn = m.drawn;
  async_for(drawn.size(), [&drawn](int64_t j) {
    auto draw = stradsap::random(j);
    drawn[j] += 0.1f * static_cast<float>(draw.normal());
  });
  dvector<std::vector<float>>& rows = m.rows;
  async_for(rows.size(), [&rows, epoch](int64_t j) { rows[j].push_back(0.5f * epoch + j); });
  dvector<std::string>& texts = m.texts;
  async_for(texts.size(), [&texts, epoch](int64_t j) { texts[j] = std::to_string(j % 7 + epoch % 3); });
  dvector<std::int64_t>& parents = m.parents;
  async_for(n, [&parents, epoch](int64_t j) {
    const std::int64_t to = (parents[(j * 13 + epoch) % 200] % 200 + 200) % 200;  // a merge adds changes
    parents[to] = (parents[j] + 1) % 200;
  });
}

/// Loops that later epochs would plan in another way than the first ones did, had these not decided it.
static void steer(Steered& s, int epoch) {
  dvector<int>&hubs = s.hubs, &moving = s.moving;
  dvector<float>&spread = s.spread, &cut = s.cut, &left = s.left, &right = s.right;
  if (epoch == 1) {  // the first call was in program order
    for (int j = 0; j < ratings; ++j) hubs[j] = j * 31 % 5000;
  }
  async_for(ratings, [&hubs, &spread](int64_t j) {
    const int to = hubs[j];
    spread[to] = 0.9f * spread[to] + 0.001f * (j % 100) + 0.05f * spread[(to + 1) % 5000];
  });
  if (epoch == 0) {  // few elements are used, and decide the cuts
    async_for(ratings, [&cut](int64_t j) {
      cut[j * j % 193] = 0.9f * cut[j * j % 193] + 0.1f * cut[j * 7 % 193] + 0.001f * (j % 7);
    });
  } else {
    async_for(ratings, [&cut](int64_t j) {
      cut[j * 7919 % 4096] = 0.9f * cut[j * 7919 % 4096] + 0.1f * cut[j * 13 % 4096] + 0.001f * (j % 7);
    });
  }
  if (epoch == 0 || epoch == 2 || epoch == 3) {  // the plan moves twice in a row
    for (int j = 0; j < ratings; ++j) moving[j] = j * (7919 + 2 * epoch) % 1000;
  }
  async_for(ratings, [&moving, &left, &right](int64_t j) {
    const int to = moving[j];
    const float old = left[to];
    left[to] = 0.9f * old + 0.05f * right[j * 13 % 1000] + 0.001f * (j % 9);
    right[j * 13 % 1000] = 0.9f * right[j * 13 % 1000] + 0.05f * old;
  });
}

static void relax(Model& m, float rate) {
  dvector<Rating>& R = m.R;
  dvector<float>&relaxed = m.relaxed, &late = m.late, &gradient = m.gradient;
  async_for(R.size(), [&R, &relaxed, rate](int64_t j) {
    relaxed[R[j].item % 64] -= rate * (relaxed[R[j].item % 64] - R[j].value);
  });
  parallel_for(
      R.size(),
      [&R, &gradient, rate](int64_t j) {
        gradient[R[j].user % 8] -= rate * (gradient[R[j].user % 8] - R[j].value);
      },
      consistency::sync({.batch = 4096, .shards = 16, .merge = merge::adaptive}));
  for (int call = 0; call < 3; ++call) {
    parallel_for(
        R.size(),
        [&R, &late, rate](int64_t j) {
          late[R[j].item % 32] -= 0.01f * rate * (late[R[j].item % 32] - R[j].value);
        },
        consistency::stale(2));
  }
}

static void solve(Model& m) {
  dvector<float>& chain = m.chain;
  dvector<float> f(static_cast<std::size_t>(small));  // lives for this epoch
  parallel_for(
      small,
      [&chain, &f](int64_t i) {
        const float left = i == 0 ? 0 : f[i - 1], right = i == small - 1 ? 0 : f[i + 1];
        f[i] = (0.001f * chain[i] + left + right) / 3;
      },
      consistency::approximate, schedule::dynamic().passes(20).until(1e-3));
  async_for(small, [&chain, &f](int64_t i) { chain[i] += 0.01f * f[i]; });
}

static void grow(Model& m, int epoch) {
  dvector<std::int64_t>& grown = m.grown;
  grown.push_back(epoch);
  async_for(grown.size(), [&grown](int64_t j) { grown[j] += j; });
  dmultimap<int, int>& members = m.members;
  async_for(40, [&members, epoch](int64_t j) {
    members.insert({static_cast<int>(j) % (3 + epoch % 4), static_cast<int>(j) + epoch});
  });
}

/// The best epoch so far: a class that only resumable() names.
struct best_epoch {
  double loss = 0;
  int epoch = -1;
  std::string name;
  void note(double other, int at) {
    if (epoch < 0 || other < loss) *this = {other, at, "epoch " + std::to_string(at)};
  }
};
static std::uint64_t mix_best(std::uint64_t hash, const best_epoch& best) {
  return mix(mix_value(mix_value(hash, best.loss), best.epoch), best.name.data(), best.name.size());
}

static std::uint64_t hash_of(const Model& m, const Steered& s) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const Factor& one : m.P) hash = mix_value(hash, one);
  for (const Factor& one : m.Q) hash = mix_value(hash, one);
  for (const auto* one :
       {&m.bias, &m.gradient, &m.chain, &m.drawn, &m.relaxed, &m.late, &s.spread, &s.cut, &s.left, &s.right})
    for (const float x : *one) hash = mix_value(hash, x);
  for (const auto& row : m.rows) hash = mix(hash, row.data(), row.size() * sizeof(float));
  for (const auto& text : m.texts) hash = mix(hash, text.data(), text.size());
  for (const auto* one : {&m.parents, &m.grown})
    for (const std::int64_t x : *one) hash = mix_value(hash, x);
  for (const auto& [key, value] : m.sums) hash = mix_value(mix_value(hash, key), value);
  for (const auto& [key, value] : m.counts) hash = mix_value(mix(hash, key.data(), key.size()), value);
  for (const auto& [key, value] : m.members) hash = mix_value(mix_value(hash, key), value);
  return hash;
}

/// Until the process that writes has ended; it stays a zombie.
static void await_checkpoint() {
  siginfo_t ended;
  (void)::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
}

static bool is_first_start() {
  const char* const restarts = std::getenv("STRADSAP_RESTART_COUNT");
  return restarts == nullptr || std::string(restarts) == "0";
}

static bool is_over() {
  const char* const file = std::getenv("STORM_OVER");
  return file != nullptr && ::access(file, F_OK) == 0;
}

static void say(int epoch) {
  std::printf("epoch %d\n", epoch);
  std::fflush(stdout);
}

static checkpoint_period period_of(const std::string& text) {
  const int number = std::atoi(text.c_str());
  if (text.ends_with("ms")) return std::chrono::milliseconds(number);
  if (text.ends_with("min")) return std::chrono::minutes(number);
  return number;
}

static void run(int argc, char** argv) {
  const std::string folder = argv[1], mode = argv[4];
  const int epochs = std::atoi(argv[2]), every = std::atoi(argv[3]);
  const int at = argc > 5 ? std::atoi(argv[5]) : -1;
  Model model;
  Steered steered;
  std::optional<dvector<int>> further;
  if (mode == "more") further.emplace(std::size_t{1});
  std::optional<dvector<int>> now, next;
  if (mode == "swap" || mode == "swap_twice" || mode == "reset") {
    now.emplace(std::size_t{3});
    next.emplace(std::size_t{3});
  }
  int epoch = 0;
  float rate = 0.05f;
  double loss = 0, other = 0;
  std::mt19937 engine(7);
  std::vector<double> losses;
  best_epoch best;
  if (folder != "-") checkpoint({.dir = folder, .every = period_of(argv[3]), .on_term = true});
  const auto advance = [&](const resumable_run& run) {
    for (; epoch < epochs; ++epoch) {
      if (mode != "tail") run.save_point();
      const bool waits = mode == "kill" || mode == "once" || mode == "wait" || mode == "fast";
      if (waits && epoch > 0 && epoch % every == 0) await_checkpoint();
      if (epoch == at && (mode == "kill" || (mode == "once" && is_first_start()))) std::raise(SIGKILL);
      if (mode == "talk" && is_over()) break;
      if (mode == "talk") say(epoch);
      loss = factorize(model, rate);
      if (mode != "fast") {
        add(model);
        step(model, epoch);
        steer(steered, epoch);
        relax(model, rate);
        solve(model);
        grow(model, epoch);
        if (epoch % 3 == 2) model.P[epoch % users] = {1, 2, 3, static_cast<float>(engine() % 10)};
      }
      losses.push_back(loss);
      best.note(loss, epoch);
      rate *= 0.95f;
      if (mode == "swap" || mode == "swap_twice") std::swap(*now, *next);
      if (mode == "swap_twice") now->swap(*next);
      if (mode == "reset") *now = dvector<int>(std::size_t{3});
      if (epoch == at && mode == "term") std::raise(SIGTERM);
      if (mode == "tail") run.save_point();
    }
  };
  if (mode == "other") {
    advance(resumable(epoch, rate, other));
  } else {
    advance(resumable(epoch, rate, engine, losses, best));
  }
  std::uint64_t hash = hash_of(model, steered);
  for (const double one : losses) hash = mix_value(hash, one);
  hash = mix_best(hash, best);
  std::printf("epochs=%d losses=%zu hash=%016lx\n", epoch, losses.size(), static_cast<unsigned long>(hash));
}

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
