// Stands in for the agent of one or several hosts: serves the socket in the folder of a run at which ranks
// report their endpoints. Thread rule: the constructor starts a thread, the destructor joins it.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/net/rank_table.hpp"

class rank_tables {
 public:
  using table = std::vector<stradsap::rt::rank_entry>;
  /// Changes the table that one rank gets; none of them, for an honest agent.
  using forgery = std::function<void(stradsap::rt::rank_id to, table&)>;

  /// `hosts`: the host of each rank. Returns once ranks can connect.
  rank_tables(const std::string& folder, std::vector<int> hosts, forgery forge = {})
      : hosts_(std::move(hosts)), forge_(std::move(forge)), listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, (folder + "/agent").c_str(), sizeof at.sun_path - 1);
    [[maybe_unused]] const int bound = ::bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    [[maybe_unused]] const int listens = ::listen(listener_, static_cast<int>(hosts_.size()));
    thread_ = std::thread([this] { serve(); });
  }
  /// All ranks must have reported, or shutdown() ends the wait for them.
  ~rank_tables() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  rank_tables(const rank_tables&) = delete;
  rank_tables& operator=(const rank_tables&) = delete;

 private:
  void serve() {
    table all(hosts_.size());
    std::vector<std::pair<std::size_t, int>> ranks;
    while (ranks.size() < all.size()) {
      const int one = ::accept(listener_, nullptr, nullptr);
      if (one < 0) break;
      std::istringstream fields(line_of(one));
      std::size_t number = 0;
      stradsap::rt::rank_entry e;
      fields >> number >> e.endpoint >> e.public_key;
      e.host = hosts_.at(number);
      e.host_name = "host" + std::to_string(e.host);
      all.at(number) = e;
      ranks.emplace_back(number, one);
    }
    std::sort(ranks.rbegin(), ranks.rend());  // higher ranks connect to lower ones
    for (const auto& [number, one] : ranks) {
      if (ranks.size() == all.size()) answer(one, all, static_cast<stradsap::rt::rank_id>(number));
      ::close(one);
    }
  }

  static std::string line_of(int one) {
    std::string line;
    char c = 0;
    while (::read(one, &c, 1) == 1 && c != '\n') line += c;
    return line;
  }

  void answer(int one, table all, stradsap::rt::rank_id to) const {
    if (forge_) forge_(to, all);
    std::ostringstream text;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const auto& e = all[r];
      text << r << ' ' << e.host << ' ' << e.host_name << ' ' << e.endpoint << ' ' << e.public_key << '\n';
    }
    text << "end\n";
    [[maybe_unused]] const auto sent = ::send(one, text.str().data(), text.str().size(), MSG_NOSIGNAL);
  }

  const std::vector<int> hosts_;
  const forgery forge_;
  const int listener_;
  std::thread thread_;
};
