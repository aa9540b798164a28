// Matrix factorization by cyclic coordinate descent (CCD++), one thread, standard containers.
//
// The model of a rating (user, item, value) is value ~ P[user] . Q[item], with K numbers a row. A pass goes
// through the factors k = 0 ... K - 1. With all other factors fixed, term k is the matrix of rank one that
// fits the residual best: users are solved from items and items from users in turn, --inner times.
// The objective is the sum over the ratings of (value - p.q)^2 + reg (|p|^2 + |q|^2).
//
// Yu, Hsieh, Si, Dhillon: Scalable coordinate descent approaches to parallel matrix factorization, ICDM 2012.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --ratings train.txt --test test.txt --rank 64 --iterations 10

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct Rating {
  int user;
  int item;
  float value;
};

struct Options {
  std::string ratings;
  std::string test;  // empty: no test error is printed
  int rank = 64;
  int iterations = 10;
  int inner = 1;
  float reg = 0.05f;
  uint64_t seed = 1;
  bool hash = false;
};

// ---- reading ------------------------------------------------------------------------------------

static std::string_view next_field(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
  const std::string_view field = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return field;
}

template <class Number> Number to_number(const std::string& name, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    throw std::runtime_error(name + " " + std::string(text) + " does not fit");
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error(name + " is not a number: '" + std::string(text) + "'");
  return number;
}

static float to_finite(const std::string& name, std::string_view text) {
  const float value = static_cast<float>(to_number<double>(name, text));
  // Tests the bits, since std::isfinite is always true under -ffast-math.
  if ((std::bit_cast<uint32_t>(value) & 0x7f800000u) == 0x7f800000u)
    throw std::runtime_error(name + " is not a finite number: '" + std::string(text) + "'");
  return value;
}

static int to_id(const std::string& name, std::string_view text) {
  const int id = to_number<int>(name, text);
  if (id < 0) throw std::runtime_error(name + " " + std::string(text) + " is negative");
  return id;
}

static Rating parse_rating(std::string_view line) {
  const std::string_view user = next_field(line), item = next_field(line), value = next_field(line);
  if (value.empty() || !next_field(line).empty())
    throw std::runtime_error("expected three fields: user item value");
  return {to_id("user id", user), to_id("item id", item), to_finite("value", value)};
}

template <class T> std::vector<T> read_text(const std::string& path, T parse(std::string_view)) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot open: " + std::strerror(errno));
  std::vector<T> elements;
  std::string line;
  for (int64_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      elements.push_back(parse(line));
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (file.bad()) throw std::runtime_error(path + ": cannot read: " + std::strerror(errno));
  return elements;
}

// ---- the model ----------------------------------------------------------------------------------

/// One more than the largest id. Ids must be dense: an id far beyond the number of ratings is a mistake in
/// the file, and no reason to allocate terabytes.
static int64_t num_rows(const std::string& path, const auto& ratings, int Rating::* id) {
  const int64_t num_ratings = static_cast<int64_t>(ratings.size());
  if (num_ratings == 0) throw std::runtime_error(path + ": no ratings in this file");
  int64_t rows = 0;
  for (const Rating& r : ratings) rows = std::max<int64_t>(rows, int64_t{1} + r.*id);
  if (rows > 1'000'000 + 100 * num_ratings)
    throw std::runtime_error(path + ": id " + std::to_string(rows - 1) + " does not fit " +
                             std::to_string(num_ratings) + " ratings: ids must be dense, from 0");
  return rows;
}

static uint64_t mix(uint64_t x) {  // the finalizer of splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Values in [0, 1 / sqrt(K)) that depend on (seed, row, k) alone.
static void initialize_row(auto& factor, uint64_t seed, uint64_t row) {
  const float scale = 0x1p-24f / std::sqrt(static_cast<float>(factor.size()));
  const uint64_t key = mix(mix(seed) + row);
  for (size_t k = 0; k < factor.size(); ++k) factor[k] = scale * static_cast<float>(mix(key + k) >> 40);
}

static void initialize(auto& factors, uint64_t seed) {
  uint64_t row = 0;
  for (auto& factor : factors) initialize_row(factor, seed, row++);
}

template <size_t K> float dot(const std::array<float, K>& p, const std::array<float, K>& q) {
  float sum = 0;
  for (size_t k = 0; k < K; ++k) sum += p[k] * q[k];
  return sum;
}

/// XXH64 with seed 0, for whole stripes of 32 bytes only: rows have 8, 16, ... floats.
class Hash {
 public:
  void add(const auto& factors) {
    for (const auto& factor : factors) {
      for (size_t k = 0; k < factor.size(); k += 8) add_stripe(&factor[k]);
      num_bytes += factor.size() * sizeof(float);
    }
  }

  uint64_t value() const {
    uint64_t h =
        std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (const uint64_t lane : lanes) h = (h ^ round(0, lane)) * prime1 + prime4;
    h += num_bytes;
    h = (h ^ (h >> 33)) * prime2;
    h = (h ^ (h >> 29)) * prime3;
    return h ^ (h >> 32);
  }

 private:
  static constexpr uint64_t prime1 = 0x9e3779b185ebca87u, prime2 = 0xc2b2ae3d27d4eb4fu;
  static constexpr uint64_t prime3 = 0x165667b19e3779f9u, prime4 = 0x85ebca77c2b2ae63u;

  static uint64_t round(uint64_t lane, uint64_t input) {
    return std::rotl(lane + input * prime2, 31) * prime1;
  }

  void add_stripe(const float* stripe) {
    uint64_t words[4];
    std::memcpy(words, stripe, sizeof words);
    for (int i = 0; i < 4; ++i) lanes[i] = round(lanes[i], words[i]);
  }

  std::array<uint64_t, 4> lanes{prime1 + prime2, prime2, 0, 0 - prime1};
  uint64_t num_bytes = 0;
};

// ---- training -----------------------------------------------------------------------------------

/// A rating in the row of its user, or in the column of its item. After the first visit in a factor, the
/// residual is the value minus the terms of all other factors.
struct Entry {
  int id;  // of the item, or of the user
  float residual;
};

/// The terms of a user or an item: in the previous factor, and in the current one before its turn and now.
struct Term {
  float last;
  float old;
  float now;
};

/// Moves on to the next factor, where the term begins with `value`.
static void advance(Term& term, float value) { term = {term.now, value, value}; }

/// The equation below * x = above. Its solution is the best term of one user or item while the terms of the
/// other side are fixed.
struct Equation {
  float above = 0;
  float below = 0;

  /// On the first visit in a factor, the residual loses the term of the previous factor and regains that of
  /// this one.
  void add(Entry& e, const Term& own, const Term& other, bool first) {
    if (first) e.residual += own.old * other.old - own.last * other.last;
    above += e.residual * other.now;
    below += other.now * other.now;
  }
};

/// Sums even and odd entries apart, so that an addition need not wait for the one before it.
static float solve(auto& entries, const auto& others, Term own, bool first, float reg) {
  Equation even, odd;
  const size_t n = entries.size();
  for (size_t i = 0; i + 1 < n; i += 2) {
    even.add(entries[i], own, others[entries[i].id], first);
    odd.add(entries[i + 1], own, others[entries[i + 1].id], first);
  }
  if (n % 2 == 1) even.add(entries[n - 1], own, others[entries[n - 1].id], first);
  const float below = even.below + odd.below + reg * static_cast<float>(n);
  return below > 0 ? (even.above + odd.above) / below : 0;
}

/// Reserves memory for the ratings of each row, so that rows are contiguous for any order of the file.
static void reserve_rows(auto& rows, const auto& ratings, int Rating::* id) {
  const size_t n = rows.size();
  std::vector<int> sizes(n);
  for (const Rating& r : ratings) ++sizes[r.*id];
  for (size_t i = 0; i < n; ++i) rows[i].reserve(sizes[i]);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void print_pass(int iteration, double seconds, double mean_loss, double test_loss, int64_t num_tests) {
  std::printf("iter=%d seconds=%.6f rmse=%.4f", iteration, seconds, std::sqrt(mean_loss));
  if (num_tests > 0) std::printf(" test_rmse=%.4f", std::sqrt(test_loss / num_tests));
  std::printf("\n");
  std::fflush(stdout);
}

static void print_hash(const auto& P, const auto& Q) {
  Hash hash;
  hash.add(P);
  hash.add(Q);
  std::printf("model_hash=%016llx\n", static_cast<unsigned long long>(hash.value()));
}

static double training_loss(const auto& rows, const auto& u, const auto& v) {
  double loss = 0;
  const int64_t users = rows.size();
  for (int64_t i = 0; i < users; ++i) {
    for (const Entry& e : rows[i]) {
      const float error = e.residual - u[i].now * v[e.id].last;  // the items are one factor ahead
      loss += error * error;
    }
  }
  return loss;
}

static double testing_loss(const auto& test, const auto& P, const auto& Q) {
  double loss = 0;
  const int64_t n = test.size();
  for (int64_t j = 0; j < n; ++j) {
    const Rating& r = test[j];
    const float error = r.value - dot(P[r.user], Q[r.item]);
    loss += error * error;
  }
  return loss;
}

template <int K> void train(const Options& options) {
  using Factor = std::array<float, K>;
  using Entries = std::vector<Entry>;
  auto ratings = read_text<Rating>(options.ratings, parse_rating);
  int64_t users = num_rows(options.ratings, ratings, &Rating::user);
  int64_t items = num_rows(options.ratings, ratings, &Rating::item);
  std::vector<Rating> test;
  if (!options.test.empty()) {
    test = read_text<Rating>(options.test, parse_rating);
    users = std::max(users, num_rows(options.test, test, &Rating::user));
    items = std::max(items, num_rows(options.test, test, &Rating::item));
  }
  std::vector<Entries> rows(users), columns(items);
  reserve_rows(rows, ratings, &Rating::user);
  reserve_rows(columns, ratings, &Rating::item);
  for (const Rating& r : ratings) {
    rows[r.user].push_back({r.item, r.value});
    columns[r.item].push_back({r.user, r.value});
  }
  std::vector<Factor> P(users), Q(items);  // P begins at 0, so the first residuals are the values
  initialize(Q, options.seed);
  std::vector<Term> u(users), v(items);
  for (int64_t j = 0; j < items; ++j) advance(v[j], Q[j][0]);
  const float reg = options.reg;

  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    const double start = seconds_now();
    for (int k = 0; k < K; ++k) {
      for (int t = 0; t < options.inner; ++t) {
        const bool first = t == 0, last = t + 1 == options.inner;
        for (int64_t i = 0; i < users; ++i) {
          if (first) advance(u[i], P[i][k]);
          P[i][k] = u[i].now = solve(rows[i], v, u[i], first, reg);
        }
        for (int64_t j = 0; j < items; ++j) {
          Q[j][k] = v[j].now = solve(columns[j], u, v[j], first, reg);
          if (last) advance(v[j], Q[j][(k + 1) % K]);
        }
      }
    }
    const double seconds = seconds_now() - start;
    const double loss = training_loss(rows, u, v) / ratings.size();
    print_pass(iteration, seconds, loss, testing_loss(test, P, Q), test.size());
  }
  if (options.hash) print_hash(P, Q);
}

// ---- command line -------------------------------------------------------------------------------

static constexpr char usage[] =
    "usage: %s --ratings FILE [--test FILE] [--rank K] [--iterations N] [--inner T] [--reg L] [--seed S]\n"
    "          [--hash]\n"
    "  a line of a file is: user item value (ids dense, from 0); the rank K is one of 8, 16, 32, 64, 128\n";

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--hash") {
      options.hash = true;
      continue;
    }
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::runtime_error("option " + name + " needs a value");
      return argv[++i];
    };
    if (name == "--ratings")
      options.ratings = value();
    else if (name == "--test")
      options.test = value();
    else if (name == "--rank")
      options.rank = to_number<int>(name, value());
    else if (name == "--iterations")
      options.iterations = to_id(name, value());
    else if (name == "--inner")
      options.inner = to_id(name, value());
    else if (name == "--reg")
      options.reg = to_finite(name, value());
    else if (name == "--seed")
      options.seed = to_number<uint64_t>(name, value());
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.ratings.empty()) throw std::runtime_error("option --ratings is missing");
  if (options.inner == 0) throw std::runtime_error("--inner is 0");
  return options;
}

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::printf(usage, argv[0]);
    return 0;
  }
  try {
    const Options options = parse_options(argc, argv);
    switch (options.rank) {
      case 8:
        train<8>(options);
        break;
      case 16:
        train<16>(options);
        break;
      case 32:
        train<32>(options);
        break;
      case 64:
        train<64>(options);
        break;
      case 128:
        train<128>(options);
        break;
      default:
        throw std::runtime_error("--rank " + std::to_string(options.rank) +
                                 " is not one of 8, 16, 32, 64, 128");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
