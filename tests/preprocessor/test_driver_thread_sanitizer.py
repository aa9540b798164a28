"""The thread sanitizer: silent about correct loops, and it names a race of the user's own. On workers too."""

import re

from driver_case import main
from tools_case import CALLED, CALLS, ToolsCase

# the first call of each thread waits for a second thread's; relaxed, so that the threads meet without synchronizing
MEET = """#include <atomic>
#include <chrono>
#include <thread>
inline void meet() {
  static std::atomic<int> threads = 0;
  thread_local bool came = false;
  if (came) return;
  came = true;
  threads.fetch_add(1, std::memory_order_relaxed);
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (threads.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < last) std::this_thread::yield();
}
"""

LOOPS = """#include <string>
#include <stradsap/stradsap.hpp>
struct Row {
  int key;
  double value;
};
int main() {
  namespace models = stradsap::consistency;
  stradsap::dvector<Row> rows(4000), cols(300);
  stradsap::dvector<int> next(500);
  stradsap::dmap<std::string, int> words;
  for (int i = 0; i < 4000; ++i) rows[i].key = i * 7919 % 300;
  double sum = 0;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(rows.size(), [&rows, &sum](std::int64_t j) { rows[j].value = j; sum += 1; }, models::async);
    stradsap::parallel_for(rows.size(), [&rows, &cols](std::int64_t j) {
      Row& col = cols[rows[j].key];
      col.value = 0.5 * col.value + rows[j].value;
    }, models::async);
    stradsap::parallel_for(rows.size(), [&rows, &cols](std::int64_t j) {
      cols[(rows[j].key + 1) % 300].value -= 0.1 * cols[rows[j].key].value;
    }, models::ordered);
    stradsap::parallel_for(rows.size(), [&rows, &cols](std::int64_t j) { cols[rows[j].key].value += 1; },
                           models::sync(1000));
    stradsap::parallel_for(rows.size(), [&rows, &words](std::int64_t j) { words[std::to_string(rows[j].key)] += 1; },
                           models::async);
    stradsap::parallel_for(next.size(), [&next](std::int64_t j) { next[(next[j] + 3 * j) % 500] += 1; }, models::async);
  }
  return sum == 8000 && words.size() == 300 ? 0 : 1;
}
"""


class ThreadSanitizer(ToolsCase):
    def needs_instrumented_library(self):
        if not (self.library().parent / "libstradsap_tsan.a").exists():
            self.skipTest("there is no libstradsap_tsan.a")

    def test_correct_loops_are_clean_under_the_thread_sanitizer(self):
        self.needs_instrumented_library()
        self.write("a.cpp", LOOPS)
        for native in self.natives():
            self.build("a", "-g", "-O1", "-fsanitize=thread", "a.cpp", native=native)
            done = self.on(2, 2, "./a")
            self.assertEqual((done.returncode, re.findall("(?m)^.*Sanitizer.*$", done.stderr)), (0, []), done.stderr[:4000])

    def test_a_race_of_the_users_own_is_named_on_workers_too(self):
        self.needs_instrumented_library()
        self.write("meet.hpp", MEET)
        self.write("a.cpp", CALLS)
        self.write("b.cpp", CALLED.replace("<cstdlib>", '"meet.hpp"').replace("++calls", "meet(), ++calls"))
        self.build("a", "-g", "-O1", "-fsanitize=thread", "-DRACES", "a.cpp", "b.cpp")
        done = self.on(2, 2, "./a")
        self.assertEqual(done.returncode, 66, done.stderr[:4000])
        for rank in range(2):
            self.assertRegex(done.stderr, rf"(?m)^\[{rank}\] .*ThreadSanitizer: data race")
            self.assertRegex(done.stderr, rf"(?m)^\[{rank}\] +#0 add\(double\) \S*b\.cpp:6")


if __name__ == "__main__":
    main()
