// Folds of copies of a container: groups of four leave the bits of the tree that all ranks follow.
#define STRADSAP_INSTRUMENTED
#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include <stradsap/dvector.hpp>

#include "runtime/loop/accumulate/fold_steps.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// Of whole numbers, at compile time, where no signed number may overflow.
template <class Op, class T> constexpr T combined(T into, T part) {
  Op::combine(into, part);
  return into;
}
using stradsap::abi::fold::addition;
using stradsap::abi::fold::product;
static_assert(combined<addition>(INT_MAX, 1) == INT_MIN);
static_assert(combined<addition>(std::uint8_t{200}, std::uint8_t{100}) == 44);
static_assert(combined<product>(INT_MIN, -1) == INT_MIN);
static_assert(combined<product>(INT64_MAX, INT64_MAX) == 1);
static_assert(combined<product>(std::uint16_t{40000}, std::uint16_t{60000}) == 6144);  // not as an int
static_assert(combined<product>(0, 1 << 30) == 0);

constexpr std::size_t size = 37;
using copies = std::vector<std::vector<float>>;

copies make_copies(std::size_t leaves) {
  copies made(leaves, std::vector<float>(size));
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::size_t i = 0; i + 1 < size; ++i)
      made[leaf][i] = 1.0f / static_cast<float>(1 + (leaf * 7 + i * 3) % 11);
  }
  return made;  // no additions into the last element
}

/// The sum of the used leaves [first, first + width), level by level.
float sum_of(const copies& from, const std::vector<bool>& used, std::size_t first, std::size_t width,
             std::size_t i) {
  if (width == 1) return used[first] ? from[first][i] : 0;
  return sum_of(from, used, first, width / 2, i) + sum_of(from, used, first + width / 2, width / 2, i);
}

/// Whether the fold has the bits of the tree, and leaves the used copies neutral.
bool folds_as_a_tree(const std::vector<bool>& used, bool by_fours) {
  const stradsap::abi::accumulation& how =
      stradsap::abi::accumulation_of<stradsap::abi::fold::addition, float>::table;
  copies parts = make_copies(used.size());
  std::vector<float> into(size, -0.0f);
  std::vector<float> expected = into;
  for (std::size_t i = 0; i < size; ++i) {
    const float sum = sum_of(parts, used, 0, used.size(), i);
    if (sum != 0) expected[i] += sum;
  }
  const auto place = [&](std::uint32_t leaf) { return parts[leaf].data(); };
  fold_steps(used, by_fours).run(how, reinterpret_cast<std::byte*>(into.data()), place, size);
  bool is_right = std::memcmp(into.data(), expected.data(), size * sizeof(float)) == 0;
  for (std::size_t leaf = 0; leaf < used.size(); ++leaf) {
    if (used[leaf]) is_right = is_right && parts[leaf] == std::vector<float>(size);
  }
  return is_right;
}

/// Sums of two kinds, with padding behind them.
struct counted {
  double sum = 7;  // a copy begins with zeros all the same
  int times = 1;
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<counted>(stradsap::abi::bases<>(), &counted::sum, &counted::times);
  }
};

/// Whether copies of such a class have the bits of the tree, one member after the other.
bool folds_members_as_a_tree(std::size_t leaves) {
  const stradsap::abi::accumulation& how =
      stradsap::abi::accumulation_of<stradsap::abi::fold::addition, counted>::table;
  if (how.drain == nullptr || how.drain_four == nullptr) return false;
  std::vector<std::vector<counted>> parts(leaves, std::vector<counted>(size));
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_last = i + 1 == size;  // no additions into it
      parts[leaf][i].sum = is_last ? 0 : 1.0 / static_cast<double>(1 + (leaf * 7 + i * 3) % 11);
      parts[leaf][i].times = is_last ? 0 : static_cast<int>(leaf + i);
    }
  }
  std::vector<counted> into(size), expected;
  for (counted& one : into) one = {-0.0, 3};
  expected = into;
  std::vector<std::vector<counted>> sums = parts;
  for (std::size_t half = 1; half < leaves; half *= 2) {
    for (std::size_t leaf = 0; leaf < leaves; leaf += 2 * half)
      how.combine(sums[leaf].data(), sums[leaf + half].data(), size);
  }
  how.combine(expected.data(), sums[0].data(), size);
  const auto place = [&](std::uint32_t leaf) { return parts[leaf].data(); };
  fold_steps(std::vector<bool>(leaves, true), /*by_fours=*/true)
      .run(how, reinterpret_cast<std::byte*>(into.data()), place, size);
  bool is_right = true;
  for (std::size_t i = 0; i < size; ++i) {
    is_right = is_right && std::memcmp(&into[i].sum, &expected[i].sum, sizeof(double)) == 0;
    is_right = is_right && into[i].times == expected[i].times;
    for (const auto& part : parts) is_right = is_right && part[i].sum == 0 && part[i].times == 0;
  }
  return is_right;
}

}  // namespace

TEST_CASE("copies of a class are folded by fours too, and left neutral", "[accumulate]") {
  for (std::size_t leaves = 1; leaves <= 64; leaves *= 2) CHECK(folds_members_as_a_tree(leaves));
}

TEST_CASE("a fold by fours has the bits of the tree, whichever copies were used", "[accumulate]") {
  for (std::size_t leaves = 1; leaves <= 8; leaves *= 2) {
    for (std::size_t which = 0; which < std::size_t{1} << leaves; ++which) {
      std::vector<bool> used(leaves);
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) used[leaf] = (which >> leaf & 1) != 0;
      INFO(leaves << " leaves, " << which);
      CHECK(folds_as_a_tree(used, true));
      CHECK(folds_as_a_tree(used, false));
    }
  }
  for (const std::size_t leaves : {16, 32, 64}) CHECK(folds_as_a_tree(std::vector<bool>(leaves, true), true));
}
