// Addresses of this host, and of others by name. Thread rule: thread-safe.
#pragma once

#include <string>

namespace stradsap::rt {

/// The address of a host, IPv4 if it has one; empty if its name is not known now.
[[nodiscard]] std::string address_of_name(const std::string& host);
[[nodiscard]] bool is_own_address(const std::string& address);
[[nodiscard]] bool is_loopback(const std::string& address);
/// The address of this host from which another one is reached; empty if there is no way.
[[nodiscard]] std::string address_towards(const std::string& address);
/// The address of an interface by its name, the own address in a network such as 10.1.0.0/16, or an own
/// address. Throws error(errc::cluster) if there is none.
[[nodiscard]] std::string address_of_interface(const std::string& text);
/// The first address of an interface that is not the loopback; empty if there is none.
[[nodiscard]] std::string first_outside_address();

}  // namespace stradsap::rt
