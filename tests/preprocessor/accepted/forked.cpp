// A child of fork() ends without the job; the parent's loops go on.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<int64_t> x(1000);
  stradsap::async_for(1000, [&x](int64_t j) { x[j] = j; });
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    try {
      stradsap::async_for(1000, [&x](int64_t j) { x[j] = j; });
    } catch (const stradsap::error& e) {
      std::exit(e.code() == stradsap::errc::unsupported ? 3 : 4);
    }
    std::exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  int64_t sum = 0;
  stradsap::async_for(1000, [&x, &sum](int64_t j) { sum += x[j]; });
  return WIFEXITED(status) && WEXITSTATUS(status) == 3 && sum == 999 * 500 ? 0 : 1;
}
