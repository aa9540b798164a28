// A target of libFuzzer for hello and all frames after it, as other ranks may send them. Without input files
// in its corpus it begins with messages of all kinds. See tools/fuzz-files.
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/support/fuzzed_frames.hpp"

/// The first input that libFuzzer makes is a record of a message.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  static const std::string all = stradsap::test::fuzzed_records();
  if (size <= 2 || seed % 100 == 0) {
    const std::size_t from = seed % all.size();
    size = std::min(most, all.size() - from);
    std::memcpy(data, all.data() + from, size);
    if (from != 0) return LLVMFuzzerMutate(data, size, most);
    return size;
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)stradsap::test::receive_fuzzed({data, size});
  return 0;
}
