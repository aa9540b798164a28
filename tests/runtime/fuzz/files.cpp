// A target of libFuzzer for .npy files, JSON lines and manifests; FAMILY names one. See tools/fuzz-files.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>
#include <nlohmann/json.hpp>
#include <stradsap/abi/files.hpp>
#include <stradsap/abi/program.hpp>
#include <stradsap/error.hpp>

#include "runtime/files/manifest.hpp"
#include "runtime/net/build_id.hpp"

namespace sap = stradsap;
namespace abi = stradsap::abi;

int sap::abi::rank() { return 0; }
std::uint64_t sap::abi::seed() { return 1; }
std::string sap::rt::build_id() { return "fuzz"; }

static void require(bool holds) {
  if (!holds) std::abort();
}

static const std::string& folder() {
  static const std::string one = "/dev/shm/stradsap-fuzz-files-" + std::to_string(getpid());
  return one;
}

static std::string written(std::string_view text, const char* name) {
  std::filesystem::create_directories(folder());
  std::string path = folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// The input is a file: an array that opens can be read whole.
static void npy(std::string_view text) {
  const std::string path = written(text, "input.npy");
  for (const abi::npy_type& type : {abi::npy_type{"<f4", 4, {}}, abi::npy_type{"<f8", 8, {2}}}) {
    try {
      const abi::npy_file file = abi::open_npy(path, type);
      const std::uint64_t size = file.elements.end - file.elements.begin;
      require(size <= text.size() && (type.dimensions.empty() || size == 16 * file.count));
      std::string all(size, '\0');
      file.elements.read(all.data(), 0, size);
      if (file.elements.reversed_bytes == 1) require(text.substr(file.elements.begin, size) == all);
    } catch (const sap::error&) {
    }
  }
}

/// The input is the bytes of an array and its last dimension: it reads back as it was saved.
static void saved(std::string_view text) {
  if (text.size() < 2) return;
  const auto columns = static_cast<std::uint64_t>(text[0] & 31);
  const std::uint64_t count = (text.size() - 1) / 4;
  const abi::npy_type type{"<i4", 4, {}};
  try {
    abi::new_npy file(folder(), "x", type, count, {columns == 0 ? 0 : count / columns, columns});
    file.elements().write(text.data() + 1, 0, 4 * count);
    file.complete();
    require(count == count / std::max<std::uint64_t>(columns, 1) * columns);
  } catch (const sap::error&) {
    require(columns == 0 ? count != 0 : count % columns != 0);
    return;
  }
  const abi::npy_file back = abi::open_npy(abi::npy_path(folder(), "x"), type);
  require(back.count == count && back.shape.at(1) == columns);
  std::string all(4 * count, '\0');
  back.elements.read(all.data(), 0, all.size());
  require(text.substr(1, 4 * count) == all);
}

static bool is_utf8(std::string_view text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

/// The input is a string and a number: its line is JSON that says the same.
static void lines(std::string_view text) {
  double number = 0;
  std::memcpy(&number, text.data(), std::min(text.size(), sizeof number));
  std::string line = "[";
  abi::append_json(line, text);
  const bool is_finite = number - number == 0;
  if (is_finite) abi::append_json(line += ",", number);
  const nlohmann::json back = nlohmann::json::parse(line + "]");
  if (is_utf8(text)) require(back[0].get<std::string>() == text);
  if (is_finite) require(back[1].get<double>() == number);
}

/// The input is a manifest: an array is found or refused, and the manifest can be written again.
static void manifest(std::string_view text) {
  written(text, "manifest.json");
  try {
    (void)abi::npy_path(folder(), "x");
    sap::rt::manifest_entry(folder(), "arrays", "x", {{"file", "x.npy"}}).complete();
    require(abi::npy_path(folder(), "x") == folder() + "/x.npy");
  } catch (const sap::error&) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FAMILY({reinterpret_cast<const char*>(data), size});
  std::filesystem::remove_all(folder());
  return 0;
}
