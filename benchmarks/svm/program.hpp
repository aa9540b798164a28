// The original's options and samples, and the same samples in compressed rows.

#pragma once

#define main sequential_main
#include "../../examples/svm/sequential.cpp"
#undef main

/// The samples in flat vectors (CSR): sample i has the features [begin[i], begin[i + 1]).
inline void make_rows(const Options& options, auto& begin, auto& feature, auto& value, auto& label,
                      auto& norm) {
  std::vector<Sample> samples(options.samples);
  make_samples(samples, options.features);
  begin.push_back(0);
  for (const Sample& sample : samples) {
    for (const Feature& f : sample.features) {
      feature.push_back(f.index);
      value.push_back(f.value);
    }
    begin.push_back(feature.size());
    label.push_back(sample.label);
    norm.push_back(sample.norm);
  }
}
