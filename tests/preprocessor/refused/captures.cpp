// Captures that mean nothing in another process.
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

struct options {
  std::ifstream file_;  // expected-note: give the class a member template
};
struct model {
  options opt;
  int size;
};
struct node {
  node* next;
};

struct trainer {
  dvector<float> D;
  float rate = 0;
  void run() {
    parallel_for(D.size(), [*this](int64_t j) { (void)(D[j] + rate); }, consistency::async);  // expected-error: cannot capture `this` [SAP002] // expected-note: `&D = D, rate = rate`
    parallel_for(D.size(), [this](int64_t j) { D[j] += rate; }, consistency::async);
    parallel_for(D.size(), [&D = this->D](int64_t j) { D[j] += 1; }, consistency::async);  // expected-error: cannot name `this` [SAP007]
    parallel_for(D.size(), [&D = D, rate = rate](int64_t j) { D[j] += rate; }, consistency::async);
  }
};

template <class... Part>
void pack(dvector<float>& D, Part... part) {
  parallel_for(D.size(), [&D, part...](int64_t j) { D[j] = (0 + ... + part); }, consistency::async);  // expected-error: the parameter pack `part` [SAP006]
}

int main() {
  const int n = 10;
  dvector<float> D(n);
  float* raw = nullptr;
  float (*function)(float) = nullptr;
  model m;
  std::vector<node> nodes;
  std::function<float(float)> erased;
  std::mutex mutex;
  std::mt19937 engine;
  float local = 1;
  auto helper = [count = 0](float x) mutable { return x + static_cast<float>(++count); };
  auto& row = D[0];
  const auto taps = {0.5f, 0.25f};

  parallel_for(n, [&taps, &D](int64_t j) { for (const float tap : taps) D[j] += tap; }, consistency::async);  // expected-error: `taps` of type std::initializer_list<float> refers to memory of one process [SAP047]
  parallel_for(n, [raw, &D](int64_t j) { D[j] = raw[j]; }, consistency::async);  // expected-error: `raw` is a raw pointer // expected-note: capture the object itself
  parallel_for(n, [&raw, &D](int64_t j) { D[j] = raw[j]; }, consistency::async);  // expected-error: `raw` is a raw pointer
  parallel_for(n, [function, &D](int64_t j) { D[j] = function(1); }, consistency::async);  // expected-error: `function` is a pointer to a function [SAP004]
  parallel_for(n, [D](int64_t j) { (void)D[j]; }, consistency::async);  // expected-error: `D` is captured by value [SAP003] // expected-note: `&D`
  parallel_for(n, [=](int64_t j) { (void)D[j]; }, consistency::async);  // expected-error: `D` is captured by value [SAP003]
  parallel_for(n, [&m](int64_t) { (void)m.size; }, consistency::async);  // expected-error: `m.opt.file_` is a std::ifstream [SAP004]
  parallel_for(n, [&nodes](int64_t) { (void)nodes.size(); }, consistency::async);  // expected-error: `nodes.next` is a raw pointer [SAP004]
  parallel_for(n, [erased](int64_t) { (void)erased(1); }, consistency::async);  // expected-error: `erased` is a std::function<float (float)>
  parallel_for(n, [&mutex, &D](int64_t j) { std::lock_guard lock(mutex); D[j] += 1; }, consistency::async);  // expected-error: `mutex` of type std::mutex holds back threads of one process only [SAP046]
  parallel_for(n, [&engine, &D](int64_t j) { D[j] = static_cast<float>(engine()); }, consistency::async);  // expected-error: random engine `engine` is shared [SAP008] // expected-note: make an engine in the body
  parallel_for(n, [&helper, &D](int64_t j) { D[j] = helper(1); }, consistency::async);  // expected-error: `helper` is a `mutable` lambda [SAP004] // expected-error: the body changes `helper`, or may change it
  parallel_for(n, [&row](int64_t) { (void)row; }, consistency::async);  // expected-error: `row` refers to an element of a container [SAP005]
  parallel_for(n, [&D, p = &local](int64_t j) { D[j] = *p; }, consistency::async);  // expected-error: `p` is a raw pointer
  parallel_for(n, [&D, s = std::make_shared<int>(0)](int64_t j) { D[j] = ++*s; }, consistency::async);  // expected-error: `s` is a std::shared_ptr<int>
  parallel_for(n, [&D, k = D.size()](int64_t j) { D[j] = k; }, consistency::async);  // expected-error: the initialiser of a capture uses the container `D` [SAP009] // expected-note: compute the value in a local variable before the loop
  parallel_for(n, [&D, &first = D[0]](int64_t j) { D[j] = first; }, consistency::async);  // expected-error: the initialiser of a capture uses the container `D`
  std::pair<float, float> both(1, 2);
  const auto older = [&, k = both.first * 2](int64_t j) { D[j] = k * both.second; };  // expected-error: `both` is captured by value, as it is now, and by reference [SAP004] // expected-note: compute the value in a variable before the lambda
  parallel_for(n, older, consistency::async);
  trainer().run();
  pack(D, 1, 2);
}
