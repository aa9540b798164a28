// A loop that inserts into a map of strings: the count of each word and of each pair that follows another,
// checked against a std::map, and printed in the map's own order.
#include <map>
#include <string>

#include "tests/support/program.hpp"

struct tally {
  long count = 0;
  std::string longest_neighbour;
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<tally>(stradsap::abi::bases<>(), &tally::count,
                                                  &tally::longest_neighbour);
  }
};

static std::string word(std::uint64_t j) {
  return "w" + std::to_string(test::draw(1, j, 40) * test::draw(2, j, 40));
}

int main() {
  stradsap::abi::enter_main();
  const std::int64_t n = 5000;
  stradsap::dvector<std::string> words(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) words[j] = word(static_cast<std::uint64_t>(j));
  stradsap::dmap<std::string, tally> counts;
  counts["w0"].count = 1000;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(n,
                           test::loop<1, 0>(
                               "word_count.cpp:1",
                               [](decltype(words)& words, decltype(counts)& counts) {
                                 return [&words, &counts](int j) {
                                   const std::string& w = words[j];
                                   ++counts[w].count;
                                   if (w.size() > 4 && !counts.contains(w + "!"))
                                     counts[w + "!"].longest_neighbour = w;
                                 };
                               },
                               test::container < test::reads | test::aligned | test::steers > (words),
                               test::container < test::reads | test::writes > (counts)),
                           stradsap::consistency::async);
  }
  counts.erase("w1");
  std::map<std::string, long> expected{{"w0", 1000}};
  for (std::int64_t j = 0; j < n; ++j) expected[word(static_cast<std::uint64_t>(j))] += 2;
  long wrong = 0;
  for (const auto& [w, count] : expected) {
    if (w != "w1" && (!counts.contains(w) || counts.at(w).count != count)) ++wrong;
  }
  std::printf("wrong=%ld size=%zu\n", wrong, counts.size());
  for (const auto& [w, t] : std::as_const(counts)) {
    std::printf("%s %ld %s\n", w.c_str(), t.count, t.longest_neighbour.c_str());
  }
}
