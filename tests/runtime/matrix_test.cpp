#include <eigen3/Eigen/Dense>

#include <limits>

#include <stradsap/abi/distance.hpp>
#include <stradsap/abi/merge.hpp>
#include <stradsap/serialize.hpp>

#include "tests/support/catch.hpp"

namespace stradsap::abi {

using Eigen::MatrixXd;
using Eigen::VectorXf;

template <class T> static T returned(const T& value) {
  const std::vector<std::byte> bytes = encoded(value);
  reader in(bytes);
  T made;
  read(in, made);
  CHECK(in.remaining() == 0);
  return made;
}

TEST_CASE("matrices come back with their shapes", "[matrix]") {
  const MatrixXd wide = MatrixXd::NullaryExpr(2, 5, [](auto i, auto j) { return double(10 * i + j); });
  CHECK(returned(wide) == wide);
  CHECK(returned(MatrixXd(0, 7)).cols() == 7);
  CHECK(returned(VectorXf()).size() == 0);
  const Eigen::Matrix3f fixed = Eigen::Matrix3f::Constant(2);
  CHECK(returned(fixed) == fixed);
  CHECK(encoded(fixed).size() == sizeof fixed);
  const Eigen::Array<bool, 1, 3> flags(true, false, true);
  CHECK((returned(flags) == flags).all());
}

TEST_CASE("a matrix of another shape than the bytes is refused before it takes memory", "[matrix]") {
  std::vector<std::byte> bytes;
  writer out(bytes);
  SECTION("more coefficients than bytes") { out(std::uint64_t{1} << 30, std::uint64_t{1} << 30, 1.0); }
  SECTION("rows without columns") { out(std::uint64_t{1} << 63, std::uint64_t{0}); }
  SECTION("two columns in a vector") { out(std::uint64_t{1}, std::uint64_t{2}, 1.0F, 2.0F); }
  reader in(bytes);
  VectorXf vector;
  CHECK_THROWS_AS(read(in, vector), error);
}

TEST_CASE("changes of two copies of a matrix add up, and another size replaces it", "[matrix]") {
  const VectorXf start = VectorXf::Constant(3, 1.0F);
  VectorXf into = start;
  into[0] = 4;
  VectorXf end = start;
  end[0] = 3;
  end[2] = -1;
  merge(into, start, end);
  CHECK(into == VectorXf(Eigen::Vector3f(6, 1, -1)));
  CHECK(distance2(into, start) == 29);
  CHECK_FALSE(has_become_infinite(into, start));
  into[1] = std::numeric_limits<float>::infinity();
  CHECK(has_become_infinite(into, start));
  const VectorXf longer = VectorXf::Zero(4);
  merge(into, start, longer);
  CHECK(into.size() == 4);
}

}  // namespace stradsap::abi
