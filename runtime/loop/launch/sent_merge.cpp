#include "runtime/loop/launch/sent_merge.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {
namespace {

/// An executable or shared library of this process.
struct image {
  std::string name;  // without folders, which differ between hosts; empty: the executable
  std::uint64_t base;
  std::uint64_t end;
};

std::string file_of(const char* path) {
  const std::string_view all = path == nullptr ? "" : path;
  return std::string(all.substr(all.rfind('/') + 1));
}

image image_of(const dl_phdr_info& info) {
  image one{file_of(info.dlpi_name), info.dlpi_addr, info.dlpi_addr};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type == PT_LOAD) one.end = std::max(one.end, info.dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  return one;
}

template <class Test> bool find_image(image& found, Test test) {
  auto search = std::pair(&found, &test);
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& [to, passes] = *static_cast<decltype(search)*>(data);
    image one = image_of(*info);
    if (!(*passes)(one)) return 0;
    *to = std::move(one);
    return 1;
  };
  return dl_iterate_phdr(visit, &search) != 0;
}

image_address sent_address(const void* here) {
  const auto address = reinterpret_cast<std::uint64_t>(here);
  image found;
  if (!find_image(found, [&](const image& one) { return one.base <= address && address < one.end; })) {
    throw error(errc::unsupported, fmt::format("no part of the program is at {}", here));
  }
  return {found.name, address - found.base};
}

std::uint64_t address_here(const image_address& of) {
  image found;
  const auto is_it = [&](const image& one) { return one.name == of.image && of.offset < one.end - one.base; };
  if (!find_image(found, is_it)) {
    throw error(errc::decode, fmt::format("no part of the program is at {}+{:x}", of.image, of.offset));
  }
  return found.base + of.offset;
}

}  // namespace

sent_merge as_sent(const merge::rule& how) {
  sent_merge sent{static_cast<std::uint8_t>(how.which()), {}, {}, how.uses()};
  if (how.which() != merge::rule::kind::function) return sent;
  sent.signature = sent_address(how.function().signature);
  sent.code = sent_address(reinterpret_cast<const void*>(how.function().code));
  return sent;
}

merge::rule as_rule(const sent_merge& sent) {
  using rules = merge::rule::kind;
  const auto kind = static_cast<rules>(sent.kind);
  if (kind > rules::function) throw error(errc::decode, fmt::format("no merge {}", sent.kind));
  if (kind == rules::adaptive && sent.uses != 0) return merge::by_uses(sent.uses);
  if (kind != rules::function) return kind;
  return merge::rule(
      abi::merge_function{reinterpret_cast<const abi::merge_signature*>(address_here(sent.signature)),
                          reinterpret_cast<void (*)()>(address_here(sent.code))});
}

}  // namespace stradsap::rt
