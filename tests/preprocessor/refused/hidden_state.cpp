// Library functions that keep something between calls.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <clocale>
#include <thread>

#include <stradsap/stradsap.hpp>

extern "C" int omp_get_thread_num();
struct robot {
  int getpid() const { return 3; }
};

int main() {
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [&x](int64_t j) {
    char text[] = "a b c";
    for (char* word = std::strtok(text, " "); word != nullptr; word = std::strtok(nullptr, " ")) x[j] += *word;  // expected-error: `strtok` has hidden state that all iterations share [SAP042] // expected-error: `strtok` has hidden state that all iterations share [SAP042]
  });
  stradsap::async_for(10, [&x](int64_t j) { const time_t t = j; x[j] = std::localtime(&t)->tm_year; });  // expected-error: `localtime` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { const time_t t = j; x[j] = std::gmtime(&t)->tm_mday; });  // expected-error: `gmtime` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [](int64_t) { std::setlocale(LC_ALL, "C"); });  // expected-error: `setlocale` has hidden state that all iterations share [SAP042]
  // which thread or process runs an iteration
  stradsap::async_for(10, [&x](int64_t j) { x[j] = std::this_thread::get_id() == std::thread::id(); });  // expected-error: `get_id` has hidden state, the thread or process that runs the iteration [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = ::getpid() + getppid(); });  // expected-error: `getpid` has hidden state, the thread or process that runs the iteration [SAP042] // expected-error: `getppid` has hidden state [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = gettid(); });  // expected-error: `gettid` has hidden state, the thread or process that runs the iteration [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = static_cast<int>(pthread_self()); });  // expected-error: `pthread_self` has hidden state [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = omp_get_thread_num(); });  // expected-error: `omp_get_thread_num` has hidden state [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = sched_getcpu(); });  // expected-error: `sched_getcpu` has hidden state [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = robot().getpid(); });  // the user's own
}
