// Members called serialize, save or load that take no archive do not encode the class: its members travel,
// and `sync` adds up the changes of all shards.
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include <stradsap/stradsap.hpp>

struct tally {
  int count = 0;
  double sum = 0;
  std::string serialize() const { return std::to_string(count); }
};

struct record {
  std::string name = "a";
  long uses = 0;
  void serialize(int columns) { uses = columns; }
  void save(std::ofstream& file) const { file << name; }
  template <class Format> void load(Format format) { uses = format; }
};

int main() {
  stradsap::dvector<tally> tallies(4);
  stradsap::dvector<record> records(4);
  stradsap::sync_for(8, 8, [&](int64_t j) {
    tallies[j % 4].count += 1;
    tallies[j % 4].sum += 0.5;
    records[j % 4].uses += j;
  });
  for (int i = 0; i < 4; ++i) {
    if (std::as_const(tallies)[i].count != 2 || std::as_const(tallies)[i].sum != 1) return 1;
    if (std::as_const(records)[i].uses != 2 * i + 4) return 2;
  }
}
