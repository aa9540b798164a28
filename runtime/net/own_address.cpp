#include "runtime/net/own_address.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {

using found_addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

static found_addresses look_up(const std::string& host, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  wanted.ai_flags = flags;
  addrinfo* all = nullptr;
  if (::getaddrinfo(host.c_str(), "9", &wanted, &all) != 0) all = nullptr;
  return {all, &::freeaddrinfo};
}

static std::string text_of(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST] = "";
  if (::getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return text;
}

std::string address_of_name(const std::string& host) {
  const found_addresses all = look_up(host, 0);
  const addrinfo* best = all.get();
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    if (one->ai_family == AF_INET && best->ai_family != AF_INET) best = one;
  }
  return best == nullptr ? std::string() : text_of(best->ai_addr, best->ai_addrlen);
}

/// The result of `ask` for a new socket of the address's family; false for a text that is no address.
static bool with_socket(const std::string& address, const std::function<bool(int, const addrinfo&)>& ask) {
  const found_addresses at = look_up(address, AI_NUMERICHOST);
  if (at == nullptr) return false;
  const int probe = ::socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool result = probe >= 0 && ask(probe, *at);
  if (probe >= 0) ::close(probe);
  return result;
}

bool is_own_address(const std::string& address) {
  return with_socket(address, [](int probe, const addrinfo& at) {
    if (at.ai_family == AF_INET) reinterpret_cast<sockaddr_in*>(at.ai_addr)->sin_port = 0;
    if (at.ai_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(at.ai_addr)->sin6_port = 0;
    return ::bind(probe, at.ai_addr, at.ai_addrlen) == 0;
  });
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

std::string address_towards(const std::string& address) {
  std::string own;
  (void)with_socket(address, [&](int probe, const addrinfo& at) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* const name = reinterpret_cast<sockaddr*>(&from);
    if (::connect(probe, at.ai_addr, at.ai_addrlen) != 0 || ::getsockname(probe, name, &size) != 0)
      return false;
    own = text_of(name, size);
    return true;
  });
  return own;
}

/// The first IPv4 address of an interface that `fits`.
static std::string first_address(const std::function<bool(const ifaddrs&, std::uint32_t)>& fits) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> kept(all, &::freeifaddrs);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const auto* const at = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (fits(*one, ntohl(at->sin_addr.s_addr))) return text_of(one->ifa_addr, sizeof *at);
  }
  return {};
}

std::string first_outside_address() {
  return first_address([](const ifaddrs& one, std::uint32_t) {
    return (one.ifa_flags & IFF_UP) != 0 && (one.ifa_flags & IFF_LOOPBACK) == 0;
  });
}

/// The own address in a network such as 10.1.0.0/16; empty if there is none.
static std::string address_in_network(const std::string& text, std::size_t slash) {
  in_addr network{};
  int bits = -1;
  const char* const end = text.data() + text.size();
  const auto [after, failure] = std::from_chars(text.data() + slash + 1, end, bits);
  if (::inet_pton(AF_INET, text.substr(0, slash).c_str(), &network) != 1 || failure != std::errc() ||
      after != end || bits < 1 || bits > 32) {
    return {};
  }
  const std::uint32_t mask = ~std::uint32_t{0} << (32 - bits);
  const std::uint32_t wanted = ntohl(network.s_addr) & mask;
  return first_address([&](const ifaddrs&, std::uint32_t address) { return (address & mask) == wanted; });
}

std::string address_of_interface(const std::string& text) {
  const std::size_t slash = text.find('/');
  std::string found;
  if (slash != text.npos) {
    found = address_in_network(text, slash);
  } else if (look_up(text, AI_NUMERICHOST) != nullptr) {
    if (is_own_address(text) && text != "0.0.0.0" && text != "::") found = text;
  } else {
    found = first_address([&](const ifaddrs& one, std::uint32_t) { return text == one.ifa_name; });
  }
  if (found.empty())
    throw error(errc::cluster, fmt::format("STRADSAP_INTERFACE={}: this host has no such address", text));
  return found;
}

}  // namespace stradsap::rt
