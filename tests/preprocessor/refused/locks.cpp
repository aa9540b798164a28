// Threads' tools: what they protect is shared by threads of one process only.
#include <cstdint>
#include <atomic>
#include <mutex>
#include <vector>

#include <stradsap/stradsap.hpp>

std::mutex global_mutex;
std::atomic<int> global_counter{0};

int main() {
  stradsap::dvector<double> x(10);
  std::mutex mutex;
  std::atomic<long> counter{0};
  long plain = 0;
  stradsap::async_for(10, [&x, &mutex](int64_t j) {  // expected-error: `mutex` cannot be sent to other processes: `mutex` is a std::mutex [SAP004]
    const std::lock_guard<std::mutex> lock(mutex);  // expected-error: the body changes `mutex`, or may change it, and every process has a copy of its own [SAP016]
    x[0] += static_cast<double>(j);
  });
  stradsap::async_for(10, [&counter](int64_t) { ++counter; });  // expected-error: the body changes `counter`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [](int64_t) { global_counter.fetch_add(1); });  // expected-error: the body changes `global_counter`, of which every process has its own [SAP045]
  stradsap::async_for(10, [&plain](int64_t) { std::atomic_ref<long>(plain).fetch_add(1); });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&x](int64_t j) {
    global_mutex.lock();  // expected-error: the body changes `global_mutex`, of which every process has its own [SAP045]
    x[0] += static_cast<double>(j);
    global_mutex.unlock();
  });
}
