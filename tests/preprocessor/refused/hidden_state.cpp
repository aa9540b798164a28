// Library functions that keep something between calls.
#include <cstdint>
#include <cstring>
#include <ctime>
#include <clocale>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [&x](int64_t j) {
    char text[] = "a b c";
    for (char* word = std::strtok(text, " "); word != nullptr; word = std::strtok(nullptr, " ")) x[j] += *word;  // expected-error: `strtok` has hidden state that all iterations share [SAP042] // expected-error: `strtok` has hidden state that all iterations share [SAP042]
  });
  stradsap::async_for(10, [&x](int64_t j) { const time_t t = j; x[j] = std::localtime(&t)->tm_year; });  // expected-error: `localtime` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [&x](int64_t j) { const time_t t = j; x[j] = std::gmtime(&t)->tm_mday; });  // expected-error: `gmtime` has hidden state that all iterations share [SAP042]
  stradsap::async_for(10, [](int64_t) { std::setlocale(LC_ALL, "C"); });  // expected-error: `setlocale` has hidden state that all iterations share [SAP042]
}
