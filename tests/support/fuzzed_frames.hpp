// Input of any bytes, as frames that two ranks send to a third: for libFuzzer
// (tests/runtime/fuzz/sessions.cpp) and for a unit test. Thread rule: one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "runtime/net/build_id.hpp"
#include "runtime/net/machine_kind.hpp"
#include "runtime/net/sessions.hpp"
#include "tests/support/local_network.hpp"

namespace stradsap::test {

/// Ends the process if a rank is heard before it has been met, or after it has failed.
class order_of_events final : public rt::session_listener {
 public:
  void met(rt::rank_id peer) override { go_on(peer, state::awaited, state::met); }
  void received(rt::rank_id from, rt::message) override { go_on(from, state::met, state::met); }
  void failed(rt::rank_id peer, const std::string& why) override {
    if (why.empty() || of(peer) == state::failed) std::abort();
    of(peer) = state::failed;
  }
  void disconnected(rt::rank_id) override {}
  [[nodiscard]] bool has_failed(rt::rank_id r) { return of(r) == state::failed; }

 private:
  enum class state { awaited, met, failed };
  state& of(rt::rank_id r) { return states_.at(static_cast<std::size_t>(r)); }
  void go_on(rt::rank_id r, state from, state to) {
    if (of(r) != from) std::abort();
    of(r) = to;
  }
  std::array<state, 3> states_{};
};

inline rt::hello hello_of_fuzz() { return {5, rt::build_id(), 3, rt::machine_kind(), 0, ""}; }

/// The input: records of a first byte, a length of one byte, and as many bytes. The first byte: bit 0 the
/// sender; bit 1 whether the bytes are behind the right sequence number; bit 2 whether a hello is first; bit
/// 3 whether the connection closes afterwards; bit 4 whether the frame comes twice. Returns the number of
/// frames.
inline std::size_t receive_fuzzed(std::span<const std::uint8_t> input) {
  local_network net;
  rt::options o;
  o.world_size = 3;
  rt::traffic counted;
  order_of_events seen;
  rt::sessions own(o, net.open(0), counted, seen);
  std::array<rt::frame_sequence, 3> numbers;
  std::size_t frames = 0;
  while (input.size() >= 2) {
    const std::uint8_t how = input[0];
    const std::size_t size = std::min<std::size_t>(input[1], input.size() - 2);
    const auto bytes = std::as_bytes(input.subspan(2, size));
    input = input.subspan(2 + size);
    const rt::rank_id from = 1 + (how & 1);
    rt::frame_sequence& sequence = numbers.at(static_cast<std::size_t>(from));
    if ((how & 4) != 0) {
      rt::bytes greeting = rt::to_frame(hello_of_fuzz());
      sequence.number(greeting);
      net.write(from, 0, std::move(greeting));
    }
    rt::bytes frame((how & 2) != 0 ? sizeof(std::uint64_t) : 0);
    if (!frame.empty()) sequence.number(frame);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    if ((how & 16) != 0) net.write(from, 0, frame);
    net.write(from, 0, std::move(frame));
    if ((how & 8) != 0) net.close(from);
    own.receive();
    ++frames;
    if (seen.has_failed(1) && seen.has_failed(2)) break;
  }
  return frames;
}

/// A record with this message, of rank 1, behind the right number and a hello.
inline std::string fuzzed_record(const rt::message& m) {
  const rt::bytes body = rt::encode(m);
  if (body.size() > 255) return {};
  std::string record{6, static_cast<char>(body.size())};
  record.append(reinterpret_cast<const char*>(body.data()), body.size());
  return record;
}

template <std::size_t... Kind> void append_records(std::string& to, std::index_sequence<Kind...>) {
  ((to += fuzzed_record(std::variant_alternative_t<Kind, rt::message>())), ...);
}

/// Records of all kinds of messages.
inline std::string fuzzed_records() {
  std::string all;
  append_records(all, std::make_index_sequence<std::variant_size_v<rt::message>>());
  rt::launch l;
  l.id = rt::launch_id{1};
  l.type = "loop";
  l.site = "a.cpp:1";
  l.updates.resize(1);
  l.updates[0].bounds = {3, 4};
  l.updates[0].owners = {0, 1};
  all += fuzzed_record(l);
  rt::done d;
  d.failures.push_back({1, "failed", 1, 2, 3});
  all += fuzzed_record(d);
  rt::rank_state s;
  s.awaits = {{1, "block 3"}};
  s.stacks = {"main"};
  return all + fuzzed_record(s);
}

}  // namespace stradsap::test
