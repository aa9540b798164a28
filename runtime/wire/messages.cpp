#include "runtime/wire/messages.hpp"

#include <string>
#include <utility>

#include <stradsap/cereal.hpp>

namespace stradsap::rt {

/// The size of the elements or captured values in a message.
static std::size_t size_of_bulk(const message& m) {
  if (const auto* p = std::get_if<part>(&m)) return p->payload.size();
  if (const auto* t = std::get_if<token>(&m)) return t->elements.size();
  if (const auto* reply = std::get_if<fetch_reply>(&m)) return reply->elements.size();
  if (const auto* moved = std::get_if<moved_elements>(&m)) return moved->elements.size();
  if (const auto* l = std::get_if<launch>(&m)) return l->values.size();
  return 0;
}

bytes encode(const message& m, std::size_t room) {
  constexpr std::size_t other_fields = 128;
  bytes frame;
  frame.reserve(room + other_fields + size_of_bulk(m));
  frame.resize(room);
  abi::writer out(frame);
  abi::output_archive archive(out);
  archive(static_cast<std::uint8_t>(m.index()));
  std::visit([&](const auto& body) { archive(body); }, m);
  return frame;
}

template <std::size_t I = 0> static message decode_as(std::size_t kind, abi::input_archive& archive) {
  if constexpr (I == std::variant_size_v<message>) {
    throw error(errc::decode, "message of unknown kind " + std::to_string(kind));
  } else {
    if (kind != I) return decode_as<I + 1>(kind, archive);
    std::variant_alternative_t<I, message> body;
    archive(body);
    return body;
  }
}

message decode(std::span<const std::byte> frame) {
  abi::reader in(frame.data(), frame.size());
  abi::input_archive archive(in);
  std::uint8_t kind = 0;
  archive(kind);
  message m = decode_as(kind, archive);
  if (in.remaining() != 0) {
    throw error(errc::decode, "message of kind " + std::to_string(kind) + " has " +
                                  std::to_string(in.remaining()) + " bytes too many");
  }
  return m;
}

}  // namespace stradsap::rt
