// Loops of a known time, and reports after them.
//
//   watched PASSES MILLISECONDS [nan | rising | late | named | in_body | threads | one]
#include <poll.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <stradsap/stradsap.hpp>

constexpr int n = 64;

static double loss_of(const std::string& kind, int pass) {
  if (kind == "nan" && pass >= 2) return -std::nan("");
  return kind == "rising" ? 1 + pass : 1.0 / (1 + pass);
}

int main(int argc, char** argv) {
  const int passes = std::atoi(argv[1]), milliseconds = std::atoi(argv[2]);
  const std::string kind = argc > 3 ? argv[3] : "";
  stradsap::dvector<double> x(n);
  for (int pass = 0; pass < passes; ++pass) {
    double sum = 0;
    try {
      const auto wait = [&x, &sum, milliseconds](int64_t j) {
        if (milliseconds > 0) poll(nullptr, 0, milliseconds);
        x[j] += 1;
        sum += x[j];
      };
      stradsap::parallel_for("wait", kind == "one" ? 1 : n, wait, stradsap::consistency::async,
                             stradsap::access(stradsap::pure(poll)));
      stradsap::report("loss", loss_of(kind, pass), "sum", sum);
      if (kind == "late" && pass >= 1) stradsap::report("a \"late\", one", pass);
      if (kind == "named") stradsap::report("seconds", 1);
    } catch (const stradsap::error& e) {
      std::printf("%s\n", e.what());
      return 1;
    }
    std::printf("pass %d\n", pass);
    std::fflush(stdout);
  }
  std::ifstream status("/proc/self/status");
  for (std::string line; kind == "threads" && std::getline(status, line);) {
    if (line.rfind("Threads:", 0) == 0) std::printf("%s\n", line.c_str());
  }
}
