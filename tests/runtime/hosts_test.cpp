// Ranks of several hosts: the rank table, and sockets over tcp with their admission.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/net/rank_table.hpp"
#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/host_mesh.hpp"
#include "tests/support/job_folder.hpp"
#include "tests/support/mesh.hpp"
#include "tests/support/rank_tables.hpp"

using namespace stradsap::rt;

namespace {

const std::string some_key(40, 'k');

}  // namespace

TEST_CASE("a rank table is complete and in order, or refused", "[net]") {
  const std::string row0 = "0 0 a tcp://10.0.0.1:1 " + some_key + "\n";
  const std::string row1 = "1 1 b tcp://10.0.0.2:2 " + some_key + "\n";
  const auto table = parse_rank_table(row0 + row1, 2, /*has_keys=*/true);
  REQUIRE(table.size() == 2);
  CHECK(table[1].host == 1);
  CHECK(table[1].host_name == "b");
  CHECK(table[1].endpoint == "tcp://10.0.0.2:2");
  CHECK(table[1].public_key == some_key);
  CHECK(parse_rank_table("0 0 a tcp://10.0.0.1:1 -\n", 1, /*has_keys=*/false)[0].public_key.empty());
  CHECK_THROWS_WITH(parse_rank_table(row0, 2, true), "the table of ranks has 1 rows, expected 2");
  for (const std::string& wrong :
       {row1 + row0, "0 0 a tcp://10.0.0.1:1\n" + row1, "0 0 a udp://10.0.0.1:1 " + some_key + "\n",
        std::string("0 0 a tcp://10.0.0.1:1 -\n"), "x 0 a tcp://10.0.0.1:1 " + some_key + "\n",
        "0 0 a tcp://10.0.0.1:1 " + some_key + " more\n"}) {
    CHECK_THROWS_WITH(parse_rank_table(wrong, 2, true),
                      Catch::StartsWith("the table of ranks has a wrong row: "));
  }
  CHECK_THROWS_AS(parse_rank_table(row0 + row1, 2, /*has_keys=*/false), stradsap::error);
}

TEST_CASE("a rank without an agent, or without the endpoints of others, says so", "[net]") {
  const job_folder folder;
  options o = of_hosts(folder, 0, 2, true);
  CHECK_THROWS_WITH(exchange_rank_table(o, "tcp://127.0.0.1:1", some_key),
                    Catch::Contains("cannot reach the agent at "));
  o.start_timeout = std::chrono::seconds(0);
  const rank_tables waits_for_two(folder.path(), {0, 1});
  CHECK_THROWS_WITH(
      exchange_rank_table(o, "tcp://127.0.0.1:1", some_key),
      Catch::Contains(
          "the endpoints of all ranks are not known within 0 s; this rank listens at tcp://127.0.0.1:1"));
}

TEST_CASE("ranks of several hosts exchange messages of any length in order", "[net]") {
  const bool encrypt = GENERATE(true, false);
  host_mesh m({0, 1, 1}, encrypt);
  for (const joined& one : m.ranks) REQUIRE(one.failure.empty());
  const auto size = [](std::uint32_t n) -> std::size_t { return n % 50 == 0 ? 300'000 : n; };
  for (std::uint32_t n = 0; n < 500; ++n) {
    m.ranks[0].net->send(1, numbered(n, size(n)));
    m.ranks[2].net->send(0, numbered(n, size(n)));
    m.ranks[1].net->send(2, numbered(n, size(n)));
  }
  for (ear& one : m.ears) {
    CHECK(one.wait(500).size() == 500);
    CHECK(are_numbered(one.wait(0), size));
  }
}

TEST_CASE("a rank of another host that goes is lost, on both sides", "[net]") {
  host_mesh m({0, 1}, /*encrypt=*/true);
  const rank_id gone = GENERATE(0, 1);
  const rank_id other = 1 - gone;
  m.ranks[static_cast<std::size_t>(gone)].net->send(other, cancel{launch_id{1}, 5});
  m.ranks[static_cast<std::size_t>(gone)].net->expect_departures();
  m.ranks[static_cast<std::size_t>(gone)].net.reset();
  CHECK(m.ears[static_cast<std::size_t>(other)].wait_for_loss() == std::vector<rank_id>{gone});
  CHECK(m.ears[static_cast<std::size_t>(other)].wait(1).size() == 1);
}

TEST_CASE("a rank with another key than the table names is not met", "[net]") {
  const rank_id deceived = GENERATE(0, 1);  // as the server of the connection, and as its client
  const std::string key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";  // of ZeroMQ's own examples
  const host_mesh m({0, 1}, /*encrypt=*/true, std::chrono::seconds(1),
                    [&](rank_id to, rank_tables::table& all) {
                      if (to == deceived) all[static_cast<std::size_t>(1 - deceived)].public_key = key;
                    });
  CHECK_THAT(m.ranks[0].failure, Catch::Contains("no hello from rank 1 at host1 (tcp://127.0.0.1:"));
  CHECK_THAT(m.ranks[1].failure, Catch::Contains("no hello from rank 0 at host0 (tcp://127.0.0.1:"));
}

TEST_CASE("a rank cannot speak in the name of another one", "[net]") {
  const host_mesh m({0, 1, 1}, /*encrypt=*/true, std::chrono::seconds(1),
                    [](rank_id to, rank_tables::table& all) {
                      if (to == 0) std::swap(all[1].public_key, all[2].public_key);
                    });
  CHECK_THAT(m.ranks[0].failure, Catch::Contains("no hello from rank 1 at host1"));
  CHECK_THAT(m.ranks[0].failure, Catch::Contains(", 2 at host1"));
}

TEST_CASE("strangers do not disturb ranks of several hosts", "[net]") {
  std::string endpoint;
  host_mesh m({0, 1}, /*encrypt=*/true, std::chrono::seconds(10),
              [&](rank_id to, rank_tables::table& all) { endpoint = to == 0 ? all[0].endpoint : endpoint; });
  const std::string greeting = std::string("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16) + std::string(48, '\0');
  std::vector<int> open;
  for (const std::string& text :
       {greeting, greeting + std::string("\4\x05READY", 7), std::string(100'000, 'x'), std::string()})
    open.push_back(knock(endpoint, text));
  for (const int one : open) CHECK(one >= 0);
  m.ranks[1].net->send(0, cancel{launch_id{1}, 5});
  CHECK(m.ears[0].wait(1).size() == 1);
  for (const int one : open) ::close(one);
}

TEST_CASE("ranks listen at ports of the range that they are given", "[net]") {
  std::string endpoint;
  const job_folder folder;
  const rank_tables alone(folder.path(), {0},
                          [&](rank_id, rank_tables::table& all) { endpoint = all[0].endpoint; });
  options o = of_hosts(folder, 0, 1, true);
  o.ports = {31'000, 31'400};
  ear nobody;
  const auto net = connect_zmq(o, nobody);
  net->expect_departures();
  CHECK_THAT(endpoint, Catch::Matches("tcp://127\\.0\\.0\\.1:31[0-4][0-9][0-9]"));
  const job_folder other;
  const rank_tables second(other.path(), {0});
  const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(taken, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(::listen(taken, 1) == 0);
  socklen_t length = sizeof at;
  REQUIRE(::getsockname(taken, reinterpret_cast<sockaddr*>(&at), &length) == 0);
  options full = of_hosts(other, 0, 1, true);
  full.ports = {ntohs(at.sin_port), ntohs(at.sin_port)};
  CHECK_THROWS_WITH(connect_zmq(full, nobody), Catch::Contains("cannot listen at 127.0.0.1 with ports "));
  ::close(taken);
}
