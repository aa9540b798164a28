// Ranges of addresses: where they lie and which of their pages may be huge.
#include "runtime/dds/address_range.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"

using namespace stradsap::rt;

static constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Whether the kernel was asked for huge pages at an address, as /proc/self/smaps says.
static bool is_advised(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    if (words >> std::hex >> first >> dash >> last && dash == '-')
      inside = first <= address && address < last;
    if (inside && line.starts_with("VmFlags:")) return (line + " ").find(" hg ") != std::string::npos;
  }
  return false;
}

/// Whether this kernel has huge pages: without them, all advice is refused.
static bool has_huge_pages() { return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good(); }

TEST_CASE("a large range may have huge pages everywhere, a small one nowhere", "[dds]") {
  const address_range small(1000), large(5 * huge_page);
  CHECK(small.size() == huge_page);
  CHECK(reinterpret_cast<std::uintptr_t>(large.base()) % huge_page == 0);
  CHECK_FALSE(is_advised(small.base()));
  CHECK(is_advised(large.base()) == has_huge_pages());
  CHECK(is_advised(large.base() + 4 * huge_page) == has_huge_pages());
}

TEST_CASE("a range to grow in begins on small pages, so that a small dmap is small", "[dds]") {
  const address_range growing = address_range::ample();
  CHECK_FALSE(is_advised(growing.base()));
  CHECK_FALSE(is_advised(growing.base() + huge_page - 1));
  CHECK(is_advised(growing.base() + huge_page) == has_huge_pages());
  growing.base()[0] = growing.base()[growing.size() - 1] = std::byte{1};
}
