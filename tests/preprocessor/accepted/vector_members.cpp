// A dvector on the driver has the members of a std::vector, between loops that use it.
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static int wrong = 0;

static void expect(bool holds, const char* what) {
  if (!holds) std::printf("%s\n", what);
  wrong += holds ? 0 : 1;
}

template <class T> static void expect_elements(const dvector<T>& X, const std::vector<T>& elements, const char* what) {
  expect(X == dvector<T>(elements.begin(), elements.end()), what);
}

/// Ranks other than the driver own elements after such a loop.
template <class T> static void move_elements(dvector<T>& X) {
  async_for(X.size(), [&X](int64_t j) { X[j] = X[j] + X[j]; });
}

static void ends() {
  dvector<int64_t> X{1, 2, 3};
  move_elements(X);
  expect(std::as_const(X).front() == 2 && std::as_const(X).back() == 6, "front and back");
  X.front() += 10;
  X.back() += 10;
  X.push_back(X.front());
  expect(X.emplace_back(5) == 5, "emplace_back returns the element");
  X.emplace_back();
  expect_elements(X, {12, 4, 16, 12, 5, 0}, "appended elements");
  X.pop_back();
  X.pop_back();
  move_elements(X);
  expect_elements(X, {24, 8, 32, 24}, "elements after pop_back");
}

static void strings() {
  dvector<std::string> X(2, "a");
  X.emplace_back(3, 'b');
  X.push_back(X.back());
  X.assign(3, X[2]);
  move_elements(X);
  X.resize(4, X[0]);
  X.insert(X.begin() + 1, X[3] + "c");
  expect_elements(X, {"bbbbbb", "bbbbbbc", "bbbbbb", "bbbbbb", "bbbbbb"}, "strings");
  X.erase(X.begin());
  X.insert(X.end(), X.begin(), X.begin() + 2);
  expect_elements(X, {"bbbbbbc", "bbbbbb", "bbbbbb", "bbbbbb", "bbbbbbc", "bbbbbb"}, "strings of itself");
}

static void middle() {
  dvector<int> X;
  expect(X.empty() && X.insert(X.end(), 5) == X.begin(), "insertion into an empty one");
  const std::vector<int> more{1, 2, 3};
  expect(*X.insert(X.begin(), more.begin(), more.end()) == 1, "the first inserted element");
  move_elements(X);
  expect(*X.insert(X.begin() + 1, 7) == 7, "the inserted element");
  expect_elements(X, {2, 7, 4, 6, 10}, "insertions");
  expect(*X.erase(X.begin() + 1, X.begin() + 3) == 6, "the element behind those erased");
  X.erase(X.begin(), X.begin());
  X.insert(X.begin(), more.end(), more.end());
  expect_elements(X, {2, 6, 10}, "erasures");
  expect(X.erase(X.cend() - 1) == X.end(), "the last element");
  move_elements(X);
  expect_elements(X, {4, 12}, "two are left");
  X = {4, 5};
  expect(X != dvector<int>{4} && X != dvector<int>{4, 6} && X == dvector<int>{4, 5}, "comparison");
}

static void room() {
  dvector<double> X(10);
  X.reserve(1000);
  expect(X.capacity() >= 1000 && X.size() == 10, "capacity");
  const double* first = X.data();
  while (X.size() < 1000) X.push_back(1);
  expect(first == X.data(), "no element moved");
  move_elements(X);
  expect(X.capacity() >= X.size() && X[999] == 2, "capacity after a loop");
}

static void from_vectors() {
  const std::vector<int> table{3, 1, 4};
  dvector<int> X = table;
  expect_elements(X, {3, 1, 4}, "copied from a std::vector");
  X = std::vector<int>{9, 2, 6};
  expect_elements(X, {9, 2, 6}, "assigned from a std::vector");
  X = {5};
  expect_elements(X, {5}, "assigned from a list");
  const dvector<bool> flags(std::vector<bool>{true, false});
  expect(flags.size() == 2 && flags[0] && !flags[1], "bits");
  const dvector<std::vector<int>> rows = std::vector<std::vector<int>>(2, table);
  expect(rows.size() == 2 && rows[1] == table, "rows");
}

static double sum_of(const std::vector<double>& all) {
  double sum = 0;
  for (const double one : all) sum += one;
  return sum;
}

static void to_vectors() {
  dvector<double> X(100, 1);
  move_elements(X);
  const std::vector<double> all = X;
  std::vector<double> again(X);
  again.clear();
  again = X;
  expect(all == std::vector<double>(100, 2) && again == all, "a std::vector from a dvector");
  expect(sum_of(X) == 200 && X == all, "arguments and comparison");
  const std::vector<bool> flags = dvector<bool>(std::vector<bool>{true, false});
  expect(flags.size() == 2 && flags[0] && !flags[1], "bits");
}

static void from_vectors_with_a_model() {
  const std::vector<long> table(3, 5);
  dvector<long> X(table, consistency::stale(0));
  dvector<long> Y(table, consistency::async);
  async_for(1000, [&X, &Y](int64_t j) {
    X[j % 3] += j;
    Y[j % 3] = Y[j % 3] > j ? Y[j % 3] : j;
  });
  expect_elements(X, {166838, 166172, 166505}, "stale from a std::vector");
  expect_elements(Y, {999, 997, 998}, "with the model of its loops");
  try {
    const dvector<long> none(table, consistency::sync);
    expect(false, "no container is sync");
  } catch (const error& failure) {
    expect(failure.code() == errc::unsupported, failure.what());
  }
}

static void single_pass() {
  std::istringstream words("3 1 4 1 5");
  const dvector<int> X{std::istream_iterator<int>(words), std::istream_iterator<int>()};
  expect_elements(X, {3, 1, 4, 1, 5}, "a range that can be passed once");
  dvector<int> Y;
  std::istringstream more("9 2 6"), last("8 7");
  Y.assign(std::istream_iterator<int>(more), std::istream_iterator<int>());
  Y.insert(Y.begin() + 1, std::istream_iterator<int>(last), std::istream_iterator<int>());
  expect_elements(Y, {9, 8, 7, 2, 6}, "assigned and inserted");
}

static void empty_ones() {
  dvector<int> none;
  for (const auto touch : {0, 1, 2}) {
    try {
      if (touch == 0) none.pop_back();
      if (touch == 1) none.front() = 1;
      if (touch == 2) none.back() = 1;
      expect(false, "an empty container has no element");
    } catch (const error& failure) {
      expect(failure.code() == errc::out_of_range, failure.what());
    }
  }
}

int main() {
  ends();
  strings();
  middle();
  room();
  from_vectors();
  to_vectors();
  from_vectors_with_a_model();
  single_pass();
  empty_ones();
  return wrong == 0 ? 0 : 1;
}
