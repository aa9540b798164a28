// Loops in member functions of a class template: members through init-captures, constants of the class.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

template <class Value, int Classes>
class NaiveBayes {
 public:
  struct Sample {
    int label;
    std::vector<int> features;
  };

  explicit NaiveBayes(int features) : counts_(Classes * features), features_(features) {}

  void fit(const stradsap::dvector<Sample>& samples) {
    stradsap::async_for(samples.size(), [&samples, &counts = counts_, &labels = labels_, features = features_](int64_t j) {
      const auto& [label, present] = samples[j];
      labels[label] += 1;
      for (const int f : present) counts[label * features + f] += 1;
    });
  }
  Value count(int label, int feature) const { return counts_[label * features_ + feature]; }
  Value label_count(int label) const { return labels_[label]; }

 private:
  stradsap::dvector<Value> counts_;
  stradsap::dvector<Value> labels_ = stradsap::dvector<Value>(Classes);
  int features_;
};

int main() {
  using Model = NaiveBayes<long, 3>;
  const int n = 900, features = 10;
  std::vector<Model::Sample> data(n);
  for (int j = 0; j < n; ++j) data[j] = {j % 3, {j % features, j * 7 % features}};
  Model model(features);
  model.fit(stradsap::dvector<Model::Sample>(data.begin(), data.end()));

  std::vector<long> counts(3 * features), labels(3);
  for (const auto& [label, present] : data) {
    ++labels[label];
    for (const int f : present) ++counts[label * features + f];
  }
  for (int c = 0; c < 3; ++c) {
    if (model.label_count(c) != labels[c]) return 1;
    for (int f = 0; f < features; ++f) {
      if (model.count(c, f) != counts[c * features + f]) return 2;
    }
  }
  return 0;
}
