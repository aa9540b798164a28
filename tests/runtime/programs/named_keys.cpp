// A loop over maps with an inspector that only names their entries: also keys that some iterations repeat,
// and a list of values into which it inserts. The first iterations have no keys. Numbers of values are
// compared with those of a plain program. The copies of entries that the second
// pass makes go to stderr.
#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

static std::atomic<long> copies = 0;

/// Its additions depend on their order.
struct sketch {
  std::vector<double> values;
  sketch() = default;
  sketch(const sketch& other) : values(other.values) { ++copies; }
  sketch& operator=(const sketch&) = default;
  void add(double x) {
    if (values.size() < 8) values.push_back(x);
    values[0] = values[0] / 3 + x;
  }
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<sketch>(stradsap::abi::bases<>(), &sketch::values);
  }
};

constexpr std::int64_t n = 30000;
constexpr unsigned named = test::reads | test::writes | stradsap::abi::listed;

static std::int64_t user(std::int64_t j, std::int64_t k) { return (j * 7919 + k * j % 5) % 4000 * 3; }

int main() {
  stradsap::abi::enter_main();
  stradsap::dmap<std::int64_t, sketch> sketches;
  stradsap::dmultimap<std::int64_t, std::int64_t> visits;
  std::map<std::int64_t, long> expected_visits;
  for (int pass = 0; pass < 2; ++pass) {
    copies = 0;
    stradsap::parallel_for(n,
                           test::loop<1, stradsap::abi::has_slice>(
                               "named_keys.cpp:1",
                               stradsap::abi::stradsap_sliced(
                                   [](decltype(sketches)& sketches, decltype(visits)& visits, int pass) {
                                     return [&sketches, &visits, pass](std::int64_t j) {
                                       if (j < n / 3) return;
                                       sketches[user(j, 0)].add(static_cast<double>(j));
                                       sketches[user(j, 1)].add(1);
                                       sketches[user(j, 0)].add(static_cast<double>(pass));
                                       if (j % 8 == 0) visits.insert({user(j, 0), j});
                                     };
                                   },
                                   [](decltype(sketches)& sketches, decltype(visits)& visits, int) {
                                     return [&sketches, &visits](std::int64_t j) {
                                       if (j < n / 3) return;
                                       (void)sketches[user(j, 0)];
                                       (void)sketches[user(j, 1)];
                                       (void)sketches[user(j, 0)];
                                       if (j % 8 == 0) visits.insert({user(j, 0), 0});
                                     };
                                   }),
                               test::container<named>(sketches), test::container<named>(visits),
                               test::value<test::steers>(pass)),
                           stradsap::consistency::async);
    for (std::int64_t j = n / 3; j < n; ++j) expected_visits[user(j, 0)] += j % 8 == 0 ? 1 : 0;
  }
  std::uint64_t bits = 0;
  for (const auto& [key, one] : sketches) {
    bits = bits * 1099511628211u + stradsap::abi::hash_bytes(one.values.data(), one.values.size() * 8);
    bits += static_cast<std::uint64_t>(key);
  }
  long wrong = 0;
  for (const auto& [key, count] : expected_visits)
    wrong += static_cast<long>(std::as_const(visits).count(key)) == count ? 0 : 1;
  std::fprintf(stderr, "copies=%ld\n", copies.load());
  std::printf("wrong=%ld keys=%zu bits=%016llx\n", wrong, sketches.size(),
              static_cast<unsigned long long>(bits));
}
