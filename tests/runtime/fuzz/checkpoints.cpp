// A target of libFuzzer for checkpoints: their manifests and the records of their containers; FAMILY names
// one. See tools/fuzz-files.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>
#include <stradsap/abi/program.hpp>

#include "runtime/checkpoint/checkpoint_folder.hpp"
#include "runtime/checkpoint/records.hpp"

namespace sap = stradsap;

std::uint64_t sap::abi::seed() { return 1; }

static const std::string& folder() {
  static const std::string one = "/dev/shm/stradsap-fuzz-checkpoints-" + std::to_string(getpid());
  return one;
}

static std::string written(std::string_view text, const std::string& name) {
  std::string path = sap::rt::path_of_point(folder(), 1) + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// A manifest around the input, if that is JSON, so that its sum is right; else the input alone.
static std::string with_sum(std::string_view text) {
  const auto about = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (about.is_discarded()) return std::string(text);
  const std::string all = about.dump();
  sap::rt::running_hash hash;
  hash.add(all.data(), all.size());
  return fmt::format(R"({{"checkpoint":{},"xxh3":"{:016x}"}})", all, hash.value());
}

/// The input is the signed part of a manifest, or a manifest: it is used or refused.
[[maybe_unused]] static void checkpoint(std::string_view text) {
  written(with_sum(text), "manifest.json");
  written("state", "state");
  try {
    const auto found = sap::rt::newest_checkpoint(folder(), {"p", "b", "o"}, [](const std::string&) {});
    if (found.about.run != sap::rt::run_identity{"p", "b", "o"} || found.state.size() != 5) std::abort();
  } catch (const sap::error&) {
  }
  (void)sap::rt::has_checkpoint_of("j", folder());
}

/// The input is a file of records: they are read one after the other, up to the first that is torn.
[[maybe_unused]] static void records(std::string_view text) {
  try {
    sap::rt::record_reader file(written(text, "container"));
    sap::rt::bytes encoded;
    std::size_t total = 0;
    while (!file.at_end()) {
      (void)file.next(encoded);
      total += 2 * sizeof(std::uint64_t) + encoded.size();
    }
    if (total != text.size()) std::abort();
  } catch (const sap::error&) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::filesystem::create_directories(sap::rt::path_of_point(folder(), 1));
  FAMILY({reinterpret_cast<const char*>(data), size});
  std::filesystem::remove_all(folder());
  return 0;
}
