// Files of memory: bytes that one process writes and another one opens.
#include "runtime/net/memory_file.hpp"

#include <cstring>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

using namespace stradsap::rt;

TEST_CASE("a file of memory has all appended bytes, for who opens it by process and descriptor", "[memory]") {
  auto file = memory_file::make("stradsap-test");
  REQUIRE(file);
  std::vector<std::byte> bytes(3 << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 251);
  REQUIRE(file->append({bytes.data(), 1000}));
  REQUIRE(file->append({bytes.data() + 1000, bytes.size() - 1000}));
  REQUIRE(file->seal(F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE));
  const auto opened =
      memory_file::open(::getpid(), file->descriptor(), "stradsap-test", memory_file::access::read);
  REQUIRE(opened);
  REQUIRE(opened->is(bytes.size(), F_SEAL_WRITE));
  const auto there = mapping::to_read(opened->descriptor(), bytes.size());
  REQUIRE(there);
  CHECK(std::memcmp(there->data(), bytes.data(), bytes.size()) == 0);
}

TEST_CASE("only a file of memory of the expected kind, size and seals is opened", "[memory]") {
  const auto file = memory_file::make("stradsap-test");
  REQUIRE(file);
  const auto open = [&](int descriptor, const char* kind) {
    return memory_file::open(::getpid(), descriptor, kind, memory_file::access::read);
  };
  CHECK_FALSE(open(file->descriptor(), "stradsap-other"));
  CHECK_FALSE(open(-1, "stradsap-test"));
  CHECK_FALSE(open(STDERR_FILENO, "stradsap-test"));
  const auto opened = open(file->descriptor(), "stradsap-test");
  REQUIRE(opened);
  CHECK(opened->is(0, 0));
  CHECK_FALSE(opened->is(1, 0));
  CHECK_FALSE(opened->is(0, F_SEAL_WRITE));
}
