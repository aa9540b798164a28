#include "runtime/net/rank_table.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/base/worker_signals.hpp"
#include "runtime/net/rendezvous.hpp"

namespace stradsap::rt {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::string_view no_key = "-";
constexpr std::string_view last_line = "end\n";

/// The connection to the agent of this host.
class agent_connection {
 public:
  explicit agent_connection(const std::string& path)
      : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    const bool fits = path.size() < sizeof to.sun_path;
    if (fits) std::memcpy(to.sun_path, path.c_str(), path.size() + 1);
    if (!fits || ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      const std::string why = fits ? std::strerror(errno) : "the path is too long";
      close();
      throw error(errc::cluster, fmt::format("cannot reach the agent at {}: {}", path, why));
    }
  }
  ~agent_connection() { close(); }
  agent_connection(const agent_connection&) = delete;
  agent_connection& operator=(const agent_connection&) = delete;

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw error(errc::cluster, "the agent has closed its socket");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// All lines before the last one. Empty at the deadline.
  [[nodiscard]] std::string read_until(clock::time_point deadline) const {
    std::string text;
    while (!text.ends_with(last_line)) {
      end_if_told();
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now());
      pollfd one{descriptor_, POLLIN, 0};
      const int ready = left.count() <= 0 ? 0 : ::poll(&one, 1, static_cast<int>(left.count()));
      if (ready == 0) return {};
      if (ready < 0) continue;
      char some[4096];
      const ssize_t got = ::recv(descriptor_, some, sizeof some, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        throw error(errc::cluster, "the agent has gone before it sent the endpoints of all ranks");
      text.append(some, static_cast<std::size_t>(got));
    }
    text.resize(text.size() - last_line.size());
    return text;
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  int descriptor_;
};

}  // namespace

std::vector<rank_entry> parse_rank_table(const std::string& text, int ranks, bool has_keys) {
  constexpr std::size_t key_size = 40;
  std::vector<rank_entry> table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    rank_entry e;
    std::size_t number = 0;
    std::string more;
    const bool is_whole =
        static_cast<bool>(fields >> number >> e.host >> e.host_name >> e.endpoint >> e.public_key) &&
        !(fields >> more);
    const bool is_right = is_whole && number == table.size() && e.endpoint.starts_with("tcp://") &&
                          (has_keys ? e.public_key.size() == key_size : e.public_key == no_key);
    if (!is_right) throw error(errc::cluster, fmt::format("the table of ranks has a wrong row: {}", line));
    if (!has_keys) e.public_key.clear();
    table.push_back(std::move(e));
  }
  if (table.size() == static_cast<std::size_t>(ranks)) return table;
  throw error(errc::cluster, fmt::format("the table of ranks has {} rows, expected {}", table.size(), ranks));
}

std::vector<rank_entry> exchange_rank_table(const options& o, const std::string& endpoint,
                                            const std::string& public_key) {
  if (o.started_by) return meet_at_rendezvous(o, endpoint, public_key);
  constexpr std::chrono::seconds until_the_launcher_has_spoken{2};  // it names the missing ranks
  const auto deadline = clock::now() + o.start_timeout + until_the_launcher_has_spoken;
  const agent_connection agent(o.run_dir + "/agent");
  agent.write(fmt::format("{} {} {}\n", o.rank, endpoint,
                          public_key.empty() ? no_key : std::string_view(public_key)));
  const std::string text = agent.read_until(deadline);
  if (!text.empty()) return parse_rank_table(text, o.world_size, o.encrypt);
  throw error(errc::cluster,
              fmt::format("the endpoints of all ranks are not known within {} s; this rank listens at {}",
                          o.start_timeout.count(), endpoint));
}

}  // namespace stradsap::rt
