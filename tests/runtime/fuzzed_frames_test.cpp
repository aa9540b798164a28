#include "tests/support/fuzzed_frames.hpp"

#include <random>
#include <string>

#include "tests/support/catch.hpp"

using namespace stradsap;

static std::size_t receive(const std::string& input) {
  return test::receive_fuzzed({reinterpret_cast<const std::uint8_t*>(input.data()), input.size()});
}

TEST_CASE("frames of any bytes are messages or a failure of their sender", "[sessions]") {
  const std::string all = test::fuzzed_records();
  CHECK(receive(all) > 1);
  std::mt19937 draw(1);
  std::size_t frames = 0;
  for (int trial = 0; trial < 10'000; ++trial) {
    std::string input = all.substr(trial % 2 == 0 ? 0 : draw() % all.size());
    const std::uint32_t changes = 1 + draw() % 5;
    for (std::uint32_t i = 0; i < changes; ++i) {
      const std::size_t at = draw() % input.size();
      switch (draw() % 4) {
        case 0:
          input[at] = static_cast<char>(draw());
          break;
        case 1:
          input.insert(at, 1, static_cast<char>(draw()));
          break;
        case 2:
          input.erase(at, 1 + draw() % 8);
          break;
        default:
          input[at] = static_cast<char>(255 - draw() % 2);
      }
      if (input.empty()) input = "x";
    }
    frames += receive(input);
  }
  CHECK(frames > 10'000);
}
