// The two layouts of a container's elements, and the recall to the canonical one.
#define STRADSAP_INSTRUMENTED
#include <string>

#include <stradsap/abi/operations.hpp>

#include "runtime/dds/replica.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;
using stradsap::abi::access;

namespace {

/// A container of three elements in a plan's layout; a recall leaves `found` in each.
template <class T> struct container_in_plan_layout {
  explicit container_in_plan_layout(const T& found) {
    local.attach(&handle);
    for (std::uint64_t i = 0; i < 3; ++i) *static_cast<T*>(local.element(i, access::write)) = T{};
    bring = [this, found](replica& s) {
      ++calls;
      s.restore_canonical_layout();
      for (std::uint64_t i = 0; i < 3; ++i) *element(i) = found;
    };
    local.close_window();
    local.adopt_plan_layout({plan_id{1}, 0});
    local.open_window();
  }
  T* element(std::uint64_t i) { return static_cast<T*>(static_cast<void*>(local.at(i))); }

  int calls = 0;
  replica::caller bring;
  stradsap::abi::window handle;
  replica local{container_id{0},
                stradsap::abi::operations<T>::table,
                3,
                nullptr,
                driver_rank,
                [](replica&, const auto&) {},
                [this](replica& s) { bring(s); }};
};

}  // namespace

TEST_CASE("a read of elements in a plan's layout recalls them once", "[dds]") {
  container_in_plan_layout<std::string> c("found");
  CHECK(c.handle.readable == 0);
  CHECK(c.calls == 0);
  CHECK(*static_cast<std::string*>(c.local.element(1, access::read)) == "found");
  CHECK(c.handle.readable == 3);
  CHECK(*static_cast<std::string*>(c.local.element(2, access::write)) == "found");
  CHECK(c.calls == 1);
}

TEST_CASE("a container is recalled before it is taken whole or changes its size", "[dds]") {
  container_in_plan_layout<long> all(7);
  CHECK(static_cast<long*>(all.local.all(access::read))[2] == 7);
  container_in_plan_layout<long> larger(7);
  larger.local.resize(5);
  CHECK(*larger.element(2) == 7);
  CHECK(*larger.element(4) == 0);
  container_in_plan_layout<long> smaller(7);
  smaller.local.resize(2);
  CHECK(*smaller.element(1) == 7);
  container_in_plan_layout<long> range(7);
  CHECK(static_cast<long*>(range.local.range(1, 2, access::read))[1] == 7);
}

TEST_CASE("a container in a plan's layout can be destroyed", "[dds]") {
  const container_in_plan_layout<std::string> c("found");
  CHECK(c.local.plan_layout() == stream_place{plan_id{1}, 0});
}
