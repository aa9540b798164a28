// Matrix factorization by stochastic gradient descent: sequential.cpp, distributed.
//
// The two loops became parallel_for, their containers became dvector, reading became read_text, and each pass
// reports its loss; nothing else differs (compare with diff).
//
//   stradsap-cc -O3 -march=native sgd_mf.cpp -o sgd_mf
//   stradsap-run -n 2 ./sgd_mf --ratings train.txt --test test.txt --rank 64 --epochs 20

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

#include <stradsap/stradsap.hpp>

struct Rating {
  int user;
  int item;
  float value;
};

struct Options {
  std::string ratings;
  std::string test;  // empty: no test error is printed
  int rank = 64;
  int epochs = 20;
  float rate = 0.02f;  // of pass 0; pass e uses rate / (1 + 0.05 e)
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

/// Values in [0, 1 / sqrt(K)) that depend on (seed, matrix, row, k) alone.
static void initialize_row(auto& factor, uint64_t seed, uint64_t matrix, uint64_t row) {
  const float scale = 0x1p-24f / std::sqrt(static_cast<float>(factor.size()));
  const uint64_t key = mix(mix(mix(seed) + matrix) + row);
  for (size_t k = 0; k < factor.size(); ++k) factor[k] = scale * static_cast<float>(mix(key + k) >> 40);
}

static void initialize(auto& factors, uint64_t seed, uint64_t matrix) {
  uint64_t row = 0;
  for (auto& factor : factors) initialize_row(factor, seed, matrix, row++);
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

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void print_pass(int epoch, double seconds, double mean_loss, double test_loss, int64_t num_tests) {
  std::printf("iter=%d seconds=%.6f rmse=%.4f", epoch, seconds, std::sqrt(mean_loss));
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

template <int K> void train(const Options& options) {
  using Factor = std::array<float, K>;
  auto ratings = stradsap::read_text<Rating>(options.ratings, parse_rating);
  int64_t users = num_rows(options.ratings, ratings, &Rating::user);
  int64_t items = num_rows(options.ratings, ratings, &Rating::item);
  stradsap::dvector<Rating> test;
  if (!options.test.empty()) {
    test = stradsap::read_text<Rating>(options.test, parse_rating);
    users = std::max(users, num_rows(options.test, test, &Rating::user));
    items = std::max(items, num_rows(options.test, test, &Rating::item));
  }
  stradsap::dvector<Factor> P(users), Q(items);
  initialize(P, options.seed, 0);
  initialize(Q, options.seed, 1);
  const int64_t n = ratings.size(), num_tests = test.size();
  const float reg = options.reg;

  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const float rate = options.rate / (1 + 0.05f * epoch);
    double loss = 0;
    const double start = seconds_now();
    stradsap::parallel_for(n, [rate, reg, &ratings, &P, &Q, &loss](int64_t j) {
      const Rating& r = ratings[j];
      Factor& p = P[r.user];
      Factor& q = Q[r.item];
      const float e = r.value - dot(p, q);
      loss += e * e;
      for (int k = 0; k < K; ++k) {
        const float old = p[k];
        p[k] += rate * (e * q[k] - reg * old);
        q[k] += rate * (e * old - reg * q[k]);
      }
    }, stradsap::consistency::async);
    const double seconds = seconds_now() - start;

    double test_loss = 0;
    stradsap::parallel_for(num_tests, [&test, &P, &Q, &test_loss](int64_t j) {
      const Rating& r = test[j];
      const Factor& p = P[r.user];
      const Factor& q = Q[r.item];
      const float e = r.value - dot(p, q);
      test_loss += e * e;
    }, stradsap::consistency::async);
    stradsap::report("loss", loss / n);
    print_pass(epoch, seconds, loss / n, test_loss, num_tests);
  }
  if (options.hash) print_hash(P, Q);
}

// ---- command line -------------------------------------------------------------------------------

static constexpr char usage[] =
    "usage: %s --ratings FILE [--test FILE] [--rank K] [--epochs E] [--rate R] [--reg L] [--seed S]\n"
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
    else if (name == "--epochs")
      options.epochs = to_id(name, value());
    else if (name == "--rate")
      options.rate = to_finite(name, value());
    else if (name == "--reg")
      options.reg = to_finite(name, value());
    else if (name == "--seed")
      options.seed = to_number<uint64_t>(name, value());
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.ratings.empty()) throw std::runtime_error("option --ratings is missing");
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
