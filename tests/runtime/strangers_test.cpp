// Processes that are no rank of the run connect to the port of a rank: they are not admitted, and the run
// goes on. A seed decides their bytes.
#include <poll.h>
#include <unistd.h>

#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/host_mesh.hpp"

using namespace stradsap::rt;

namespace {

/// Passes bytes between a rank and the listener of another one, and keeps those of the rank.
class wiretap {
 public:
  wiretap() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    const bool listens = ::bind(listener_, reinterpret_cast<const sockaddr*>(&at), size) == 0 &&
                         ::listen(listener_, 1) == 0 &&
                         ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) == 0;
    if (listens) endpoint_ = "tcp://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
  }
  ~wiretap() {
    ::shutdown(listener_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    ::close(listener_);
  }
  wiretap(const wiretap&) = delete;
  wiretap& operator=(const wiretap&) = delete;

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  void pass_on_to(const std::string& endpoint) {
    thread_ = std::thread([this, endpoint] { serve(endpoint); });
  }
  /// The bytes of the rank, once its connection has closed.
  [[nodiscard]] const std::string& heard() {
    thread_.join();
    return heard_;
  }

 private:
  void serve(const std::string& endpoint) {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const int server = knock(endpoint, "");
    pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    while (::poll(ends, 2, /*milliseconds=*/10'000) > 0) {
      if ((ends[0].revents != 0 && !pass(client, server, &heard_)) ||
          (ends[1].revents != 0 && !pass(server, client, nullptr)))
        break;
    }
    ::close(client);
    ::close(server);
  }
  static bool pass(int from, int to, std::string* kept) {
    char some[4096];
    const ssize_t got = ::recv(from, some, sizeof some, 0);
    if (got <= 0) return false;
    if (kept != nullptr) kept->append(some, static_cast<std::size_t>(got));
    return ::send(to, some, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
  }

  const int listener_;
  std::string endpoint_;
  std::thread thread_;
  std::string heard_;
};

/// All that a rank of another run has sent to its peer: greeting, handshake and encrypted frames.
std::string recorded_session() {
  wiretap tap;
  {
    host_mesh m({0, 1}, /*encrypt=*/true, std::chrono::seconds(10), [&](rank_id to, rank_tables::table& all) {
      if (to != 1) return;
      tap.pass_on_to(all[0].endpoint);
      all[0].endpoint = tap.endpoint();
    });
    REQUIRE(m.ranks[1].failure.empty());
    m.ranks[1].net->send(0, cancel{launch_id{1}, 5});
    REQUIRE(m.ears[0].wait(1).size() == 1);
  }
  return tap.heard();
}

/// A piece of `whole`, some bytes of it changed, or random bytes after the greeting.
std::string distorted(const std::string& whole, std::mt19937& draw) {
  constexpr std::size_t greeting = 64;
  std::string text = whole.substr(0, greeting + draw() % (whole.size() - greeting + 1));
  const std::uint32_t changes = draw() % 4;
  for (std::uint32_t i = 0; i < changes; ++i) text[draw() % text.size()] = static_cast<char>(draw());
  if (draw() % 4 == 0) {
    text.resize(greeting);
    for (int i = 0; i < 300; ++i) text += static_cast<char>(draw());
  }
  return text;
}

}  // namespace

TEST_CASE("a connection that never says who it is is closed long before the start time-out", "[net]") {
  std::string endpoint;
  host_mesh m({0, 1}, /*encrypt=*/true, std::chrono::seconds(60),
              [&](rank_id to, rank_tables::table& all) { endpoint = to == 0 ? all[0].endpoint : endpoint; });
  REQUIRE(m.ranks[0].failure.empty());
  const int one = knock(endpoint, "");
  REQUIRE(one >= 0);
  char some[256];
  ssize_t got = 1;
  pollfd from{one, POLLIN, 0};
  while (got > 0 && ::poll(&from, 1, /*milliseconds=*/20'000) > 0) got = ::recv(one, some, sizeof some, 0);
  CHECK(got == 0);
  ::close(one);
  CHECK(m.ears[0].lost_now().empty());
}

TEST_CASE("each refused connection counts, and that of a rank does not", "[net]") {
  const std::string session = recorded_session();
  std::string endpoint;
  host_mesh m({0, 1}, /*encrypt=*/true, std::chrono::seconds(10),
              [&](rank_id to, rank_tables::table& all) { endpoint = to == 0 ? all[0].endpoint : endpoint; });
  REQUIRE(m.ranks[0].failure.empty());
  CHECK(m.ranks[0].net->refused() == 0);
  std::vector<int> open;  // the rank closes these
  for (int i = 0; i < 2; ++i) {
    open.push_back(knock(endpoint, session));
    open.push_back(knock(endpoint, "GET / HTTP/1.0\r\n\r\n"));
    ::close(knock(endpoint, ""));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (m.ranks[0].net->refused() < 6 && std::chrono::steady_clock::now() < end)
    (void)::poll(nullptr, 0, /*milliseconds=*/10);
  CHECK(m.ranks[0].net->refused() == 6);
  CHECK(m.ranks[1].net->refused() == 0);
  for (const int one : open) ::close(one);
  CHECK(m.ears[0].lost_now().empty());
}

TEST_CASE("a rank that is admitted late connects again", "[net]") {
  bool is_late = true;
  host_mesh m({0, 1}, /*encrypt=*/true, std::chrono::seconds(60), [&](rank_id to, rank_tables::table&) {
    if (to == 0 && std::exchange(is_late, false)) (void)::poll(nullptr, 0, /*milliseconds=*/6'000);
  });
  REQUIRE(m.ranks[0].failure.empty());
  REQUIRE(m.ranks[1].failure.empty());
  m.ranks[1].net->send(0, numbered(0, 100));
  CHECK(m.ears[0].wait(1).size() == 1);
  CHECK(m.ranks[0].net->refused() == 0);
}

TEST_CASE("a flood of strangers, replayed and distorted sessions do not disturb ranks", "[net]") {
  const std::string session = recorded_session();
  REQUIRE(session.size() > 500);
  std::string endpoint;
  host_mesh m({0, 1}, /*encrypt=*/true, std::chrono::seconds(10),
              [&](rank_id to, rank_tables::table& all) { endpoint = to == 0 ? all[0].endpoint : endpoint; });
  REQUIRE(m.ranks[0].failure.empty());
  std::mt19937 draw(1);
  std::vector<int> open;  // half-open connections, which never read either
  std::uint32_t sent = 0;
  for (int i = 0; i < 300; ++i) {
    const int one = knock(endpoint, i % 10 == 0 ? session : distorted(session, draw));
    REQUIRE(one >= 0);
    if (i % 3 == 0) {
      ::close(one);
    } else {
      open.push_back(one);
    }
    m.ranks[1].net->send(0, numbered(sent, 100));
    m.ranks[0].net->send(1, numbered(sent, 100));
    ++sent;
  }
  for (rank_id r = 0; r < 2; ++r) {
    ear& one = m.ears[static_cast<std::size_t>(r)];
    CHECK(one.wait(sent).size() == sent);
    CHECK(are_numbered(one.wait(0), [](std::uint32_t) -> std::size_t { return 100; }));
    CHECK(one.lost_now().empty());
  }
  for (const int one : open) ::close(one);
}
