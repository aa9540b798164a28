// Ranks of several hosts, which all are this process, over tcp; and strangers that connect to them. Thread
// rule: the test's thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/net/transport.hpp"
#include "tests/support/job_folder.hpp"
#include "tests/support/mesh.hpp"
#include "tests/support/rank_tables.hpp"

/// The run of a rank on several hosts, all of which are this machine.
inline stradsap::rt::options of_hosts(const job_folder& folder, stradsap::rt::rank_id r, int ranks,
                                      bool encrypt) {
  stradsap::rt::options o = folder.of(r, ranks);
  o.address = "127.0.0.1";
  o.encrypt = encrypt;
  o.shared_memory = false;
  return o;
}

/// All ranks of a run on several hosts: the transport of each, or the reason why it has none.
struct joined {
  std::unique_ptr<stradsap::rt::transport> net;
  std::string failure;
};

struct host_mesh {
  host_mesh(const std::vector<int>& hosts, bool encrypt,
            std::chrono::seconds start_timeout = std::chrono::seconds(10), rank_tables::forgery forge = {})
      : tables(folder.path(), hosts, std::move(forge)), ears(hosts.size()) {
    std::vector<std::future<joined>> meeting;
    for (std::size_t r = 0; r < hosts.size(); ++r) {
      stradsap::rt::options o =
          of_hosts(folder, static_cast<stradsap::rt::rank_id>(r), static_cast<int>(hosts.size()), encrypt);
      o.start_timeout = start_timeout;
      meeting.push_back(std::async(std::launch::async, [this, o, r]() -> joined {
        try {
          return {stradsap::rt::connect_zmq(o, ears[r]), ""};
        } catch (const stradsap::error& e) {
          return {nullptr, e.what()};
        }
      }));
    }
    for (auto& one : meeting) ranks.push_back(one.get());
    for (auto& one : ranks) {
      if (one.net != nullptr) one.net->listen();
    }
  }
  ~host_mesh() {
    for (auto& one : ranks) {
      if (one.net != nullptr) one.net->expect_departures();
    }
  }
  job_folder folder;
  rank_tables tables;
  std::vector<ear> ears;
  std::vector<joined> ranks;
};

/// Sends bytes that no rank sends to tcp://127.0.0.1:PORT, and leaves the connection open.
inline int knock(const std::string& endpoint, const std::string& text) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
  const int one = ::socket(AF_INET, SOCK_STREAM, 0);
  if (::connect(one, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return -1;
  [[maybe_unused]] const auto sent = ::send(one, text.data(), text.size(), MSG_NOSIGNAL);
  return one;
}
