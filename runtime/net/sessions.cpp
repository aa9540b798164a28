#include "runtime/net/sessions.hpp"

#include <utility>

#include <stradsap/error.hpp>

namespace stradsap::rt {

sessions::sessions(const options& o, std::unique_ptr<sockets> over, traffic& counted,
                   session_listener& listener)
    : options_(o),
      sockets_(std::move(over)),
      traffic_(counted),
      listener_(listener),
      sessions_(static_cast<std::size_t>(o.world_size)) {}

void sessions::begin() {
  for (rank_id r = 0; r < options_.rank; ++r) send(r, to_frame(meeting_.greeting()));
}

void sessions::send(rank_id to, bytes frame) {
  session& s = of(to);
  const lock_guard hold(s.sending);
  s.out.number(frame);
  traffic_.sent(frame.size());
  if (!sockets_->send(to, std::move(frame))) listener_.disconnected(to);
}

void sessions::frame_received(rank_id from, std::span<const std::byte> frame) {
  session& s = of(from);
  if (s.at == phase::failed) return;
  traffic_.received(frame.size());
  try {
    accept(from, s, s.in.open(frame));
  } catch (const error& e) {
    s.at = phase::failed;
    meeting_.fail(from, e.what());
    listener_.failed(from, e.what());
  }
}

void sessions::accept(rank_id from, session& s, message m) {
  if (const auto* greeting = std::get_if<hello>(&m)) return greet(from, s, *greeting);
  if (s.at == phase::awaited) throw error(errc::decode, "it spoke before it said hello");
  listener_.received(from, std::move(m));
}

void sessions::greet(rank_id from, session& s, const hello& h) {
  if (s.at != phase::awaited) return;
  // The answer is first: the other side may send as soon as the meeting is over.
  if (from > options_.rank) send(from, to_frame(meeting_.greeting()));
  if (!meeting_.greeted(from, h)) return;
  s.at = phase::open;
  listener_.met(from);
}

}  // namespace stradsap::rt
