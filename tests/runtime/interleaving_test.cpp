// Finds iterations that share no element: they decide whether the loop is interleaved.
#define STRADSAP_INSTRUMENTED
#include <array>
#include <cstdint>

#include <catch2/catch.hpp>
#include <stradsap/abi/container_capture.hpp>

using namespace stradsap::abi;
using numbers = std::array<std::uint32_t, 8>;

TEST_CASE("four numbers differ, or two of them do not, wherever they stand", "[interleaving]") {
  const numbers apart{7, 0, 0xffffffff, 3};
  CHECK(all_differ(apart.data()));
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      numbers same = apart;
      same[a] = same[b];
      CHECK_FALSE(all_differ(same.data()));
    }
  }
}

TEST_CASE("iterations are counted up to the first that shares an element", "[interleaving]") {
  const numbers first{5, 1, 2, 3, 2, 9, 9, 0};
  const element_column touched{first.data(), nullptr, true};
  CHECK(first_apart(touched, 0, 4) == 4);
  CHECK(first_apart(touched, 1, 4) == 3);
  CHECK(first_apart(touched, 2, 4) == 2);
  CHECK(first_apart(touched, 5, 3) == 1);
  CHECK(first_apart(touched, 5, 1) == 1);
}

TEST_CASE("an element that two iterations touch in different places is shared", "[interleaving]") {
  const numbers first{0, 1, 2, 3, 4, 5, 6, 6};
  const numbers second{8, 9, 1, 8, 4, 12, 13, 14};
  const element_column touched{first.data(), second.data(), true};
  CHECK(first_apart(touched, 0, 4) == 2);  // the second element of 2 is the first of 1
  CHECK(first_apart(touched, 2, 4) == 4);
  CHECK(first_apart(touched, 3, 3) == 3);  // 4 touches one element twice, and no other iteration touches it
  CHECK(first_apart(touched, 5, 3) == 2);
}
