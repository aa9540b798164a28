// Epochs of one loop, for benchmarks/run hosts: epochs FOLDER EPOCHS EVERY ELEMENTS STEPS.
//
// Each loop adds to ELEMENTS floats, STEPS times each. A checkpoint is written into FOLDER at each EVERY-th
// epoch. Lines: "epoch 3 seconds 0.1234 at 5678.9", with the time of the loop, and of its begin by
// CLOCK_MONOTONIC.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <stradsap/stradsap.hpp>

static double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

static void train(stradsap::dvector<float>& model, int steps) {
  stradsap::parallel_for(
      model.size(),
      [&model, steps](int64_t j) {
        float x = model[j];
        for (int step = 0; step < steps; ++step) x = x * 0.999f + 0.001f;
        model[j] = x;
      },
      stradsap::consistency::async);
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const int epochs = std::atoi(argv[2]), steps = std::atoi(argv[5]);
  stradsap::dvector<float> model(static_cast<std::size_t>(std::atoll(argv[4])));
  stradsap::checkpoint({.dir = argv[1], .every = std::atoi(argv[3])});
  int epoch = 0;
  const auto run = stradsap::resumable(epoch);
  for (; epoch < epochs; ++epoch) {
    const double saved = seconds_now();
    run.save_point();
    const double start = seconds_now();
    train(model, steps);
    std::printf("epoch %d seconds %.4f at %.4f\n", epoch, seconds_now() - start, saved);
    std::fflush(stdout);
  }
}
