// Steps of seven elements each, of which some iterations take none. They wait for each other, so blocks would
// be tiny.
//
//   idle never|most|first|later     the calls in which three of four iterations return at once; `later`: the
//                                   first call changes one element in each iteration, the others seven
#include <string>

#include "tests/support/program.hpp"

static void run(const std::string& kind) {
  constexpr std::int64_t n = 40000;
  constexpr std::uint64_t size = 4000;
  stradsap::dvector<float> x(size, 1.0f);
  for (int pass = 0; pass < 4; ++pass) {
    const std::int64_t every = kind == "most" || (kind == "first" && pass == 0) ? 4 : 1;
    const int others = kind == "later" && pass == 0 ? 0 : 6;
    stradsap::parallel_for(
        n,
        test::loop<1, 0>(
            "idle.cpp:1",
            [](decltype(x)& x, const std::int64_t& every, const int& others) {
              return [&x, every, others](std::int64_t j) {
                if (j % every != 0) return;
                float& one = x[test::draw(0, static_cast<std::uint64_t>(j), size)];
                for (int k = 1; k <= others; ++k)
                  one += 0.01f *
                         x[test::draw(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(j), size)];
                one *= 0.9f;
              };
            },
            test::container < test::reads | test::writes > (x), test::value<test::steers>(every),
            test::value<test::steers>(others)),
        stradsap::consistency::async);
  }
  double sum = 0;
  std::uint64_t hash = 0;
  for (const float v : std::as_const(x)) {
    sum += v;
    hash = stradsap::abi::hash_bytes(&v, sizeof v) + 31 * hash;
  }
  std::printf("sum=%g bits=%016llx\n", sum, static_cast<unsigned long long>(hash));
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  run(argc > 1 ? argv[1] : "most");
}
