"""--consistency runs a program's loops under another model: as if the program named it."""

import os
import subprocess
import unittest

from example_case import BIN, ExampleTest, quick_compiler

PROGRAM = """#include <cstdint>
#include <cstdio>
#include <utility>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

int main() {
  constexpr std::int64_t n = 4000, size = 97;
  dvector<float> x(size), own(n);
  for (std::int64_t i = 0; i < size; ++i) x[i] = static_cast<float>(i % 7);
  double moved = 0;
  for (int pass = 0; pass < 3; ++pass) {
    parallel_for(n, [&](std::int64_t j) {
      const float step = 0.25f * (x[j * 31 % size] - x[(j * j + 3) % size]);
      x[j * 31 % size] -= step;
      x[(j * j + 3) % size] += 0.5f * step;
      own[j] += step;
      moved += step > 0 ? 1 : 0;
    }, MODEL);
  }
  for (const float v : std::as_const(x)) std::printf("%a ", v);
  std::printf("%g %a\\n", moved, std::as_const(own)[n - 1]);
}
"""
MODELS = {"async": "consistency::async", "ordered": "consistency::ordered", "sync=64": "consistency::sync(64)",
          "stale=2": "consistency::stale(2)"}


class ModelOfRun(ExampleTest):
    def build(self, model):
        """The program's path; its loop names this model."""
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        name = os.path.join(self.folder, model)
        subprocess.run([*quick_compiler("-O0"), f"-DMODEL={MODELS[model]}", "program.cpp", "-o", name], cwd=self.folder,
                       check=True, timeout=240)
        return name

    def test_it_replaces_the_model_in_the_source(self):
        built = {model: self.build(model) for model in MODELS}
        named = {model: self.run_program(program).output for model, program in built.items()}
        self.assertEqual(len(set(named.values())), len(MODELS))
        for wanted in MODELS:
            for program in built.values():
                for ranks, threads in [(1, 1), (1, 2), (2, 1)]:
                    done = self.run_program(program, ranks=ranks, threads=threads, options=("--consistency", wanted))
                    self.assertEqual((done.status, done.output), (0, named[wanted]), done.errors)

    def test_other_words_are_refused(self):
        for text in ("sync=0", "stale", "stale=65", "stale=-1", "SYNC", "sync=", "sync=1e3", "async,ordered"):
            done = self.run_program("none", options=("--consistency", text))
            self.assertEqual(done.status, 2)
            self.assertIn(f"'{text}' is none of async, ordered, sync, sync=ITERATIONS and stale=BOUND, from 0 to 64", done.errors)
            alone = subprocess.run([os.path.join(BIN, "program_models")], capture_output=True, text=True, timeout=60,
                                   env={**os.environ, "STRADSAP_CONSISTENCY": text}, check=False)
            self.assertIn(f"STRADSAP_CONSISTENCY={text}: expected async, ordered, sync, sync=ITERATIONS or stale=BOUND (0 to 64)", alone.stderr)


if __name__ == "__main__":
    unittest.main()
