// Functions that generated code around a body calls. They are compiled once here, not again for each loop.
// Thread rule: executors, each with its own block.
#include <exception>
#include <string>

#include <stradsap/abi/abi.hpp>

#include "runtime/base/upper_halves.hpp"
#include "runtime/loop/launch/recorded_failures.hpp"

namespace stradsap::rt {

static thread_local std::uint64_t num_failures = 0;
std::uint64_t num_recorded_failures() { return num_failures; }

}  // namespace stradsap::rt

namespace stradsap::abi {

void report_failure(block_source& blocks, std::int64_t iteration) {
  try {
    throw;
  } catch (const error& e) {
    blocks.failed(iteration, e.code(), e.what());
  } catch (const std::exception& e) {
    blocks.failed(iteration, errc::body, e.what());
  } catch (...) {
    blocks.failed(iteration, errc::body, "an exception that is no std::exception");
  }
}

void run_all(bool (*run)(const void* const* values, block_source& blocks), const void* const* values,
             block_source& blocks) {
  const auto running_iteration = [&] {
    const block& b = *blocks.running;
    return b.iterations != nullptr ? std::int64_t{b.iterations[blocks.running_at]}
                                   : b.begin + static_cast<std::int64_t>(blocks.running_at);
  };
  bool has_ended = false;
  while (!has_ended) {
    try {
      has_ended = run(values, blocks);
    } catch (...) {
      if (blocks.running == nullptr) throw;  // of the source
      report_failure(blocks, running_iteration());
      blocks.running = nullptr;
    }
  }
  rt::clear_upper_halves();
}

// The address of elements that do not exist. Aligned as any element.
alignas(4096) static std::byte no_elements[1];

void* assume_noalias(void* base) noexcept { return base != nullptr ? base : no_elements; }
void end_noalias(const void*) noexcept {}
bool are_written(const void*) noexcept { return true; }

static bool are_apart(const element_column& touched, std::uint64_t k, std::uint64_t other) {
  const auto differ = [&](const std::uint32_t* a, const std::uint32_t* b) { return a[k] != b[other]; };
  const std::uint32_t* const second = touched.second;
  return differ(touched.first, touched.first) &&
         (second == nullptr ||
          (differ(touched.first, second) && differ(second, touched.first) && differ(second, second)));
}

std::uint64_t first_apart(element_column touched, std::uint64_t k, std::uint64_t n) {
  std::uint64_t apart = 1;
  const auto is_apart = [&] {
    for (std::uint64_t i = 0; i < apart; ++i) {
      if (!are_apart(touched, k + i, k + apart)) return false;
    }
    return true;
  };
  while (apart < n && is_apart()) ++apart;
  return apart;
}

void end_recorded_iteration() {
  ++rt::num_failures;
  try {
    throw;
  } catch (const error& e) {
    if (e.code() == errc::cluster) throw;
  } catch (...) {
  }
}

static std::string before_loop(const char* site) {
  return site == nullptr || *site == '\0' ? std::string() : std::string(site) + ": ";
}

void refuse_index(const char* site, std::int64_t n, std::size_t bits) {
  throw error(errc::out_of_range, before_loop(site) + "a loop of " + std::to_string(n) +
                                      " iterations whose body takes their number, or a copy of it, in " +
                                      std::to_string(bits) + " bits: make it int64_t");
}

void refuse_count(const char* site, std::uint64_t n) {
  throw error(errc::out_of_range, before_loop(site) + "a loop of " + std::to_string(n) +
                                      " iterations: an unsigned number below 0?");
}

}  // namespace stradsap::abi
