// Locks and atomics: they protect data of one process's threads only. Also views of a process's memory.
#include <pthread.h>

#include <cstdint>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <vector>

#include <stradsap/stradsap.hpp>

std::mutex global_mutex;
std::atomic<int> global_counter{0};

int main() {
  stradsap::dvector<double> x(10);
  std::mutex mutex;
  std::atomic<long> counter{0};
  long plain = 0;
  stradsap::async_for(10, [&x, &mutex](int64_t j) {  // expected-error: `mutex` of type std::mutex holds back threads of one process only [SAP046] // expected-note: leave it out
    const std::lock_guard<std::mutex> lock(mutex);
    x[0] += static_cast<double>(j);
  });
  stradsap::async_for(10, [&counter](int64_t) { ++counter; });  // expected-error: the body changes `counter`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [](int64_t) { global_counter.fetch_add(1); });  // expected-error: the body changes `global_counter`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [&plain](int64_t) { std::atomic_ref<long>(plain).fetch_add(1); });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&x](int64_t j) {
    global_mutex.lock();  // expected-error: `global_mutex` of type std::mutex holds back threads of one process only [SAP046]
    x[0] += static_cast<double>(j);
    global_mutex.unlock();  // expected-error: `global_mutex` of type std::mutex holds back threads of one process only [SAP046]
  });
  std::vector<std::mutex> stripes(8);
  std::shared_mutex shared;
  pthread_mutex_t old = PTHREAD_MUTEX_INITIALIZER;
  std::unique_lock<std::mutex> held(mutex);
  stradsap::async_for(10, [&x, &stripes](int64_t j) { const std::lock_guard lock(stripes[j % 8]); x[j % 8] += 1; });  // expected-error: `stripes` of type std::vector<std::mutex> holds back threads of one process only [SAP046]
  stradsap::async_for(10, [&x, &shared](int64_t j) { const std::shared_lock lock(shared); x[j] += 1; });  // expected-error: `shared` of type std::shared_mutex holds back threads of one process only [SAP046]
  stradsap::async_for(10, [&x, &old](int64_t j) { pthread_mutex_lock(&old); x[j] += 1; });  // expected-error: `old` of type pthread_mutex_t holds back threads of one process only [SAP046]
  stradsap::async_for(10, [&x, &held](int64_t j) { held.lock(); x[j] += 1; });  // expected-error: `held` of type std::unique_lock<std::mutex> holds back threads of one process only [SAP046]
  // views of memory that other processes do not have
  std::vector<float> table(10);
  std::span<float> view(table);
  const std::string_view word("abc");
  const auto first = table.begin();
  stradsap::async_for(10, [&x, view](int64_t j) { x[j] += view[j]; });  // expected-error: `view` of type std::span<float> refers to memory of one process [SAP047] // expected-note: capture the std::vector or std::string by reference
  stradsap::async_for(10, [&x, &view](int64_t j) { view[j] = x[j]; });  // expected-error: `view` of type std::span<float> refers to memory of one process [SAP047]
  stradsap::async_for(10, [&x, half = std::span<const float>(std::as_const(table)).first(5)](int64_t j) { x[j] += half[j % 5]; });  // expected-error: `half` of type std::span<const float> refers to memory of one process [SAP047]
  stradsap::async_for(10, [&x, word](int64_t j) { x[j] += word[j % 3]; });  // expected-error: `word` of type std::string_view refers to memory of one process [SAP047]
  stradsap::async_for(10, [&x, first](int64_t j) { x[j] += first[j]; });  // expected-error: `first` of type iterator refers to memory of one process [SAP047]
}
