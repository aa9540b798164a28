// A body that throws at iteration argv[1]. With `caught`, it prints the error's text, runs a loop over the
// same container and ends with status 5. Otherwise the error leaves main.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <stradsap/stradsap.hpp>

static void count_up(stradsap::dvector<long>& x, long bad) {
  stradsap::parallel_for(
      x.size(),
      [bad, &x](long j) {
        if (j == bad) throw std::runtime_error("element " + std::to_string(j) + " is bad");
        x[j] += j;
      },
      stradsap::consistency::async);
}

int main(int argc, char** argv) {
  const long bad = std::stol(argv[1]);
  stradsap::dvector<long> x(10000);
  if (argc == 2) {
    count_up(x, bad);
    return 0;
  }
  try {
    count_up(x, bad);
    std::printf("no error\n");
  } catch (const stradsap::loop_error& error) {
    std::printf("rank=%d iteration=%lld location=%s\n%s\n", error.rank(),
                static_cast<long long>(error.iteration()), error.location().c_str(), error.what());
    x.assign(x.size(), 1);
    count_up(x, -1);
    long sum = 0;
    for (const long value : x) sum += value;
    std::printf("sum=%ld\n", sum);
    return 5;
  }
}
