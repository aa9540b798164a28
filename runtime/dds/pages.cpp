#include "runtime/dds/pages.hpp"

#include <utility>

#include <xxhash.h>

#include <fmt/format.h>

#include "runtime/dds/poison.hpp"
#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

static constexpr std::uint64_t compared_page_bytes = 4096;
static constexpr std::uint64_t most_pages = 64;  // of a request
static_assert(fetched_piece_bytes / compared_page_bytes * 2 <= most_pages,
              "a page is more than half of compared_page_bytes");

static std::uint64_t elements_in_page(const replica& local) {
  return std::max<std::uint64_t>(1, compared_page_bytes / local.ops().size);
}

/// Of the bytes in memory, or of the encoding if the elements travel by one.
static std::uint64_t hash_of(const replica& local, element_range page) {
  if (local.ops().own.write != nullptr) {
    const bytes encoded = local.pack(page.begin, page.end);
    return XXH3_64bits(encoded.data(), encoded.size());
  }
  const std::size_t size_bytes = (page.end - page.begin) * local.ops().size;
  const poison::opened now(local.at(page.begin), size_bytes);
  return XXH3_64bits(local.at(page.begin), size_bytes);
}

/// Calls use(number, page) for each page of the elements.
template <class Use> static void for_each_page(const replica& local, element_range of, const Use& use) {
  const std::uint64_t each = elements_in_page(local);
  std::uint64_t number = 0;
  for (std::uint64_t at = of.begin; at < of.end; at += each)
    use(number++, element_range{at, std::min(of.end, at + each)});
}

std::vector<std::uint64_t> hash_pages(const replica& local, element_range of) {
  std::vector<std::uint64_t> hashes;
  for_each_page(local, of,
                [&](std::uint64_t, element_range page) { hashes.push_back(hash_of(local, page)); });
  return hashes;
}

fetch_reply reply_to(const fetch_request& request, const replica& local) {
  const element_range of{request.begin, request.end};
  fetch_reply reply{request.container, request.begin, request.end, 0, {}};
  if (request.hashes.empty()) {
    reply.elements = local.pack(of.begin, of.end);
    return reply;
  }
  const std::uint64_t each = elements_in_page(local);
  const std::uint64_t pages = (of.end - of.begin + each - 1) / each;
  if (pages != request.hashes.size() || pages > most_pages)
    throw error(errc::decode, fmt::format("{} hashes for the pages of elements {} to {}",
                                          request.hashes.size(), request.begin, request.end));
  for_each_page(local, of, [&](std::uint64_t number, element_range page) {
    if (hash_of(local, page) == request.hashes[number]) {
      reply.unchanged |= std::uint64_t{1} << number;
      return;
    }
    const bytes changed = local.pack(page.begin, page.end);
    reply.elements.insert(reply.elements.end(), changed.begin(), changed.end());
  });
  return reply;
}

std::uint64_t take_reply(const fetch_reply& reply, replica& local) {
  if (reply.unchanged == 0) {
    local.unpack(reply.begin, reply.end, reply.elements);
    return 0;
  }
  if (reply.begin > reply.end || reply.end > local.size())
    throw error(errc::decode,
                fmt::format("elements {} to {} of a container of {}", reply.begin, reply.end, local.size()));
  abi::reader in(reply.elements);
  std::uint64_t unchanged = 0;
  for_each_page(local, {reply.begin, reply.end}, [&](std::uint64_t number, element_range page) {
    if (number < most_pages && (reply.unchanged >> number & 1) != 0) {
      unchanged += (page.end - page.begin) * local.ops().size;
    } else {
      local.unpack_next(page.begin, page.end, in);
    }
  });
  if (in.remaining() != 0)
    throw error(errc::decode, fmt::format("changed pages with {} bytes too many", in.remaining()));
  return unchanged;
}

}  // namespace stradsap::rt
