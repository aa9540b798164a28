// Types of a library with functions for cereal travel unchanged, alone and inside a user's class.
#include <cstdint>
#include <string>
#include <utility>

#include <stradsap/cereal.hpp>
#include <stradsap/stradsap.hpp>

#include "vec.hpp"

using stradsap::dvector;

struct sample {
  vec::column<float, 2> values;
  vec::stamp when;
};

int main() {
  dvector<sample> samples(40);
  dvector<vec::column<int, 1>> columns(40);
  vec::column<int, 1> offsets;
  offsets.resize(3);
  offsets.at(2) = 7;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::async_for(40, [&samples, &columns, offsets](int64_t j) {
      sample& s = samples[j * 7 % 40];
      s.values.resize(s.values.size() + 1);
      s.values.at(s.values.size() - 1) = static_cast<float>(j);
      s.when.day = static_cast<int>(j);
      s.when.name = vec::stamp::name_of(s.when.day);
      columns[j * 3 % 40].resize(static_cast<std::size_t>(offsets.at(2)));
    });
  }
  for (int j = 0; j < 40; ++j) {
    const sample& s = std::as_const(samples)[j * 7 % 40];
    if (s.values.size() != 2 || s.values.at(1) != static_cast<float>(j) || s.when.day != j) return 1;
    if (std::string(s.when.name) != (j % 2 == 0 ? "even" : "odd")) return 2;
    if (std::as_const(columns)[j].size() != 7) return 3;
  }
}
