#include <eigen3/Eigen/Dense>

#include <cmath>
#include <limits>

#include <stradsap/abi/accumulation.hpp>
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

TEST_CASE("a matrix of numbers is accumulated by coefficients, which begin as zeros", "[matrix]") {
  const accumulation& how = accumulation_of<fold::addition, Eigen::Matrix2f>::table;
  CHECK(how.begin == nullptr);
  CHECK(how.is_sum);
  CHECK_FALSE(how.is_exact);
  CHECK(accumulation_of<fold::addition, Eigen::Vector3i>::table.is_exact);
  Eigen::Matrix2f element, part;
  element << -0.0F, 1, 2, 3;
  part << 0, 10, -20, 0;
  how.combine(&element, &part, 1);
  CHECK(std::signbit(element(0, 0)));
  CHECK(element(0, 1) == 11);
  CHECK(element(1, 0) == -18);
  how.drain(&element, &part, 1);
  CHECK(element(0, 1) == 21);
  CHECK(part == Eigen::Matrix2f::Zero());
  const accumulation& least = accumulation_of<fold::minimum, Eigen::Array3d>::table;
  Eigen::Array3d start(1, 2, 3);
  least.begin(&start, 1);
  CHECK((start == std::numeric_limits<double>::infinity()).all());
  CHECK_FALSE(element_fold<fold::addition, Eigen::Array<bool, 3, 1>>::is_possible());
  CHECK_FALSE(element_fold<fold::addition, Eigen::Vector2cf>::is_possible());
}

TEST_CASE("an accumulator of a matrix takes its shape from the element", "[matrix]") {
  using rows = accumulation_of_rows<fold::addition, MatrixXd>;
  REQUIRE(is_row<MatrixXd>::value);
  REQUIRE(is_row<VectorXf>::value);
  REQUIRE_FALSE(is_row<Eigen::Vector3f>::value);
  REQUIRE_FALSE(is_row<Eigen::VectorXcd>::value);
  MatrixXd element = MatrixXd::Constant(2, 3, 1), part, empty;
  rows::table.shape(&part, &element, 1);
  CHECK(part == MatrixXd::Zero(2, 3));
  part(1, 2) += 5;
  rows::table.combine(&element, &part, 1);
  CHECK(element(1, 2) == 6);
  CHECK(element.sum() == 11);
  CHECK(rows::table.size_bytes(&element, 1) == 6 * sizeof(double));
  element.setConstant(3, 2, 2);  // as many coefficients
  rows::table.shape(&part, &element, 1);
  CHECK(part == MatrixXd::Zero(3, 2));
  part.setConstant(1);
  rows::table.drain(&element, &part, 1);
  CHECK(element == MatrixXd::Constant(3, 2, 3));
  CHECK(part == MatrixXd::Zero(3, 2));
  rows::table.shape(&part, &empty, 1);
  CHECK(part.size() == 0);
}

}  // namespace stradsap::abi
