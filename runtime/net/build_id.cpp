#include "runtime/net/build_id.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include <elf.h>
#include <link.h>

#include <fmt/format.h>
#include <xxhash.h>

namespace stradsap::rt {

static std::string note_in(const std::byte* at, const std::byte* end) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::byte* name = at + sizeof note;
    const std::byte* value = name + ((note.n_namesz + 3u) & ~3u);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string id;
      for (std::uint32_t i = 0; i < note.n_descsz; ++i)
        id += fmt::format("{:02x}", std::to_integer<int>(value[i]));
      return id;
    }
    at = value + ((note.n_descsz + 3u) & ~3u);
  }
  return {};
}

/// dl_iterate_phdr calls it for the executable first.
static int visit_executable(dl_phdr_info* info, std::size_t, void* found) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const std::byte*>(info->dlpi_addr + header.p_vaddr);
    std::string id = note_in(at, at + header.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(found) = id;
  }
  return 1;
}

std::string build_id() {
  std::string id;
  dl_iterate_phdr(&visit_executable, &id);
  if (!id.empty()) return id;
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return fmt::format("xxh64-{:016x}", XXH64(content.data(), content.size(), 0));
}

}  // namespace stradsap::rt
