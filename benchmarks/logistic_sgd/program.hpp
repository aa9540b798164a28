// The original's options and samples, and the same samples in compressed rows.

#pragma once

#define main sequential_main
#include "../../examples/logistic_sgd/sequential.cpp"
#undef main

/// Row i has the features [begin[i], begin[i + 1]).
struct Rows {
  std::vector<int64_t> begin{0};
  std::vector<int> index;
  std::vector<float> value, label;
};

inline Rows make_rows(const Options& options) {
  std::vector<Sample> samples(options.samples);
  make_samples(samples, options.features);
  Rows rows;
  for (const Sample& sample : samples) {
    for (const Feature& f : sample.features) {
      rows.index.push_back(f.index);
      rows.value.push_back(f.value);
    }
    rows.begin.push_back(rows.index.size());
    rows.label.push_back(sample.label);
  }
  return rows;
}
