// Loops that write by their own index, and a program that works on the containers in between as it would on
// std::vectors: every step is done to a vector too.
#include <string>
#include <vector>

#include "tests/support/program.hpp"

struct sample {
  double x = 1;
  std::string note;
  std::vector<int> marks;
  bool operator==(const sample&) const = default;
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<sample>(stradsap::abi::bases<>(), &sample::x, &sample::note,
                                                   &sample::marks);
  }
};

template <class D, class V> static void compare(const char* step, const D& mine, const V& expected) {
  bool same = mine.size() == expected.size();
  for (std::size_t i = 0; i < expected.size() && same; ++i) same = mine[i] == expected[i];
  std::printf("%s: %s\n", step, same ? "same" : "DIFFERENT");
}

int main() {
  stradsap::abi::enter_main();
  stradsap::dvector<sample> samples(3000);
  std::vector<sample> samples_twin(3000);
  stradsap::dvector<double> scale(3000, 0.5);
  std::vector<double> scale_twin(3000, 0.5);
  long touched = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const int mark = pass * 10;
    stradsap::parallel_for(
        samples.size(),
        test::loop<1, 0>(
            "ranges.cpp:1",
            [](decltype(samples)& samples, decltype(scale)& scale, const int& mark, long& touched) {
              return [&samples, &scale, mark, &touched](std::size_t j) {
                sample& s = samples[j];
                s.x *= scale[j] + static_cast<double>(j);
                s.note += "+";
                s.marks.push_back(mark);
                ++touched;
              };
            },
            test::container < test::reads | test::writes | test::aligned > (samples),
            test::container < test::reads | test::aligned > (scale), test::value<0>(mark),
            test::sum(touched)),
        stradsap::consistency::async);
    for (std::size_t j = 0; j < samples_twin.size(); ++j) {
      samples_twin[j].x *= scale_twin[j] + static_cast<double>(j);
      samples_twin[j].note += "+";
      samples_twin[j].marks.push_back(mark);
    }
    compare("after a loop", std::as_const(samples), samples_twin);
    samples[17].note = "seventeen";
    samples_twin[17].note = "seventeen";
    samples[990].x = 3;
    samples_twin[990].x = 3;
    const std::size_t n = pass == 0 ? 3500 : 1000;
    samples.resize(n);
    samples_twin.resize(n);
    scale.resize(n);
    scale_twin.resize(n);
    samples.push_back({4, "new", {1}});
    samples_twin.push_back({4, "new", {1}});
    scale.push_back(2);
    scale_twin.push_back(2);
    compare("after changes", std::as_const(samples), samples_twin);
  }
  const auto copy = samples;
  auto moved = std::move(samples);
  compare("a copy", copy, samples_twin);
  compare("moved", std::as_const(moved), samples_twin);
  std::printf("touched=%ld\n", touched);
}
