#include "runtime/wire/messages.hpp"

#include <string>
#include <utility>

#include <stradsap/serialize.hpp>

namespace stradsap::rt {

bytes encode(const message& m) {
  bytes frame;
  abi::writer out(frame);
  out(static_cast<std::uint8_t>(m.index()));
  std::visit([&](const auto& body) { out(body); }, m);
  return frame;
}

template <std::size_t I = 0> static message decode_as(std::size_t kind, abi::reader& in) {
  if constexpr (I == std::variant_size_v<message>) {
    throw error(errc::decode, "message of unknown kind " + std::to_string(kind));
  } else {
    if (kind != I) return decode_as<I + 1>(kind, in);
    std::variant_alternative_t<I, message> body;
    in(body);
    return body;
  }
}

message decode(const bytes& frame) {
  abi::reader in(frame);
  std::uint8_t kind = 0;
  in(kind);
  message m = decode_as(kind, in);
  if (in.remaining() != 0) {
    throw error(errc::decode, "message of kind " + std::to_string(kind) + " has " +
                                  std::to_string(in.remaining()) + " bytes too many");
  }
  return m;
}

}  // namespace stradsap::rt
