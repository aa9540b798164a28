// Random numbers from a state that every process would have for itself.
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <random>

#include <stradsap/stradsap.hpp>

static std::mt19937 generator(42);
static double uniform() {
  static std::default_random_engine engine;
  static std::uniform_real_distribution<double> distribution(0, 1);
  return distribution(engine);  // expected-error: the random engine `engine` is shared by all iterations, and their order is not fixed [SAP008] // expected-note: draw from `stradsap::random(j)`
}

int main() {
  stradsap::dvector<double> x(10);
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  std::random_device device;
  stradsap::async_for(10, [&x](int64_t j) { x[j] = rand(); });  // expected-error: `rand` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = std::rand() % 10; });  // expected-error: `rand` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = drand48(); });  // expected-error: `drand48` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = static_cast<double>(lrand48()); });  // expected-error: `lrand48` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [](int64_t j) { srand(static_cast<unsigned>(j)); });  // expected-error: `srand` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = generator() / 2.0; });  // expected-error: the random engine `generator` is shared by all iterations, and their order is not fixed [SAP008]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = uniform(); });
  stradsap::async_for(10, [&x, &engine](int64_t j) { x[j] = std::uniform_real_distribution<double>()(engine); });  // expected-error: the random engine `engine` is shared by all iterations, and their order is not fixed [SAP008]
  stradsap::async_for(10, [&x, &engine, &normal](int64_t j) { x[j] = normal(engine); });  // expected-error: the random engine `engine` is shared by all iterations, and their order is not fixed [SAP008]
  stradsap::async_for(10, [&x, &device](int64_t j) { x[j] = device(); });  // expected-error: the random engine `device` is shared by all iterations, and their order is not fixed [SAP008]
  stradsap::async_for(10, [&x, &normal](int64_t j) {
    std::mt19937 own(static_cast<unsigned>(j));
    x[j] = normal(own);  // expected-error: the distribution `normal` is shared by all iterations, and their order is not fixed [SAP018]
  });
}
