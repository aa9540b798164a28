#include "runtime/net/rendezvous.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <xxhash.h>
#include <stradsap/error.hpp>
#include <zmq.hpp>

#include "runtime/base/log.hpp"
#include "runtime/base/worker_signals.hpp"
#include "runtime/net/meeting_point.hpp"

namespace stradsap::rt {
namespace {

using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view this_version = "stradsap-rendezvous-1";
constexpr std::string_view table_follows = "table\n";
constexpr std::string_view reason_follows = "refused\n";
constexpr std::string_view end_follows = "ended\n";
constexpr std::string_view thanks = "received";
constexpr std::string_view without_key = "-";
constexpr milliseconds glance{100};  // between looks at a file or a deadline

/// Waits for a message, for a time at most. A signal may end the wait before.
void wait_for(std::span<zmq::pollitem_t> all, milliseconds most) {
  try {
    zmq::poll(all.data(), all.size(), most);
  } catch (const zmq::error_t& e) {
    if (e.num() != EINTR) throw;
  }
}

/// The key pair that all ranks make of the key of the meeting point.
struct shared_pair {
  static constexpr std::size_t raw_size = 32;
  static constexpr std::size_t text_size = 41;  // Z85 and a zero
  std::array<char, text_size> public_key{};
  std::array<char, text_size> secret_key{};

  explicit shared_pair(const std::string& digits) {
    std::array<std::uint8_t, raw_size> raw{};
    for (std::size_t i = 0; i < raw_size; ++i)
      raw[i] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
    zmq_z85_encode(secret_key.data(), raw.data(), raw_size);
    explicit_bzero(raw.data(), raw_size);
    if (zmq_curve_public(public_key.data(), secret_key.data()) != 0) {
      throw error(errc::cluster, "this libzmq has no CURVE, so the ranks cannot meet in private");
    }
  }
  ~shared_pair() { explicit_bzero(secret_key.data(), secret_key.size()); }
  shared_pair(const shared_pair&) = delete;
  shared_pair& operator=(const shared_pair&) = delete;

  [[nodiscard]] bool is_key(std::string_view raw) const {
    std::array<std::uint8_t, raw_size> own{};
    (void)zmq_z85_decode(own.data(), public_key.data());
    return raw.size() == raw_size && std::memcmp(raw.data(), own.data(), raw_size) == 0;
  }
};

std::string new_key() {
  std::array<unsigned char, 32> raw{};
  if (::getentropy(raw.data(), raw.size()) != 0)
    throw error(errc::cluster, "the system has no random numbers");
  std::string digits;
  for (const unsigned char one : raw) digits += fmt::format("{:02x}", one);
  return digits;
}

/// The same for processes that can use the folder of the run together.
std::string host_identity(const options& o, const std::string& name) {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat mounts{};
  (void)::stat("/proc/self/ns/mnt", &mounts);
  const std::string text =
      fmt::format("{} {} {} {} {}", o.started_by->host, name, boot, mounts.st_ino, o.run_dir);
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

/// The row of a rank as it sends it: `VERSION JOB SIZE RANK HOST NAME ENDPOINT KEY`, and the reason if the
/// rank cannot run.
struct registration {
  std::string form;
  std::string job;
  int size = 0;
  rank_id rank = 0;
  std::string host;
  std::string name;
  std::string endpoint;
  std::string key;
  std::string refusal;
};

std::string job_of(const options& o) {
  return fmt::format("{:016x}", XXH64(o.started_by->job.data(), o.started_by->job.size(), 0));
}

registration own_registration(const options& o, const std::string& endpoint, const std::string& public_key) {
  char name[256] = "";
  (void)::gethostname(name, sizeof name - 1);
  const std::string shown = !o.started_by->host.empty() ? o.started_by->host
                            : *name != '\0'             ? name
                                                        : "unnamed";
  const std::string key = public_key.empty() ? std::string(without_key) : public_key;
  return {std::string(this_version),
          job_of(o),
          o.world_size,
          o.rank,
          host_identity(o, name),
          shown,
          endpoint,
          key,
          o.refusal};
}

std::string encoded(const registration& r) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", r.form, r.job, r.size, r.rank, r.host, r.name, r.endpoint,
                     r.key, r.refusal);
}

std::optional<registration> decoded(const std::string& text) {
  std::istringstream fields(text);
  registration r;
  if (!(fields >> r.form >> r.job >> r.size >> r.rank >> r.host >> r.name >> r.endpoint >> r.key))
    return std::nullopt;
  std::getline(fields >> std::ws, r.refusal);
  return r;
}

void set_common(zmq::socket_t& socket, const std::string& address) {
  constexpr milliseconds linger{2000};  // for the last message of each side
  socket.set(zmq::sockopt::linger, static_cast<int>(linger.count()));
  socket.set(zmq::sockopt::ipv6, address.find(':') != address.npos);
  socket.set(zmq::sockopt::maxmsgsize, std::int64_t{1} << 26);
}

/// Notes the handshakes of a socket that have failed for a difference between both sides.
class handshake_watch {
 public:
  /// The socket must not be connected or bound yet.
  handshake_watch(zmq::context_t& context, zmq::socket_t& watched, const std::string& name)
      : reports_(context, zmq::socket_type::pair) {
    const std::string place = "inproc://handshakes." + name;
    zmq_socket_monitor(watched.handle(), place.c_str(), ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    reports_.set(zmq::sockopt::linger, 0);
    reports_.connect(place);
  }

  [[nodiscard]] zmq::pollitem_t item() { return {reports_.handle(), 0, ZMQ_POLLIN, 0}; }

  /// Takes what has been reported. A report is two frames: the event and its value, and an endpoint.
  void look() {
    for (zmq::message_t frame; reports_.recv(frame, zmq::recv_flags::dontwait);) {
      std::uint32_t value = 0;
      constexpr std::size_t before = sizeof(std::uint16_t);
      if (!frame.more() || frame.size() < before + sizeof value) continue;
      std::memcpy(&value, static_cast<const std::byte*>(frame.data()) + before, sizeof value);
      other_mechanism |= value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;
      other_key |= value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC;
    }
  }

  bool other_mechanism = false;  // one side encrypts, the other does not
  bool other_key = false;

 private:
  zmq::socket_t reports_;
};

std::string endpoint_of(const std::string& host, const std::string& port) {
  return host.find(':') != host.npos ? fmt::format("tcp://[{}]:{}", host, port)
                                     : fmt::format("tcp://{}:{}", host, port);
}

/// Rank 0: collects the rows of all ranks.
class collector {
 public:
  collector(const options& o, registration own)
      : options_(o),
        admission_(context_, zmq::socket_type::rep),
        router_(context_, zmq::socket_type::router),
        watch_(context_, router_, "router") {
    rows_[driver_rank] = {"", std::move(own)};
    admission_.set(zmq::sockopt::linger, 0);
    admission_.bind("inproc://zeromq.zap.01");
    set_common(router_, o.address);
  }

  std::string run(const meeting_finder& place) {
    meeting_point at = place.find().value_or(meeting_point{});
    if (place.is_by_file()) at = {o().address, 0, o().encrypt ? new_key() : ""};
    if (!at.key.empty()) secure(at.key);
    at.port = listen(at.port);
    place.publish(at);
    try {
      collect();
    } catch (...) {
      place.withdraw();
      throw;
    }
    place.withdraw();
    end_if_one_refuses();
    std::string table = text_of_table();
    hand_over(std::string(table_follows) + table);
    return table;
  }

 private:
  [[nodiscard]] const options& o() const { return options_; }

  void secure(const std::string& key) {
    pair_.emplace(key);
    router_.set(zmq::sockopt::curve_server, true);
    router_.set(zmq::sockopt::curve_secretkey, pair_->secret_key.data());
    router_.set(zmq::sockopt::zap_domain, "stradsap");
  }

  int listen(int port) {
    const bool in_range = port == 0 && o().ports.first != 0;
    const int count = in_range ? o().ports.last - o().ports.first + 1 : 1;
    for (int i = 0; i < count; ++i) {
      const int wanted = in_range ? o().ports.first + i : port;
      try {
        router_.bind(endpoint_of(o().address, wanted == 0 ? "*" : std::to_string(wanted)));
        break;
      } catch (const zmq::error_t& e) {
        if (e.num() == EADDRINUSE && i + 1 < count) continue;
        throw error(errc::cluster, fmt::format("rank 0 cannot listen at {} for the other ranks: {}",
                                               endpoint_of(o().address, std::to_string(wanted)), e.what()));
      }
    }
    const std::string bound = router_.get(zmq::sockopt::last_endpoint);
    return std::stoi(bound.substr(bound.rfind(':') + 1));
  }

  void collect() {
    const auto deadline = steady::now() + o().start_timeout;
    while (rows_.size() < static_cast<std::size_t>(o().world_size)) {
      if (steady::now() >= deadline) {
        throw error(errc::cluster,
                    fmt::format("no word from rank {} within {} s (rendezvous at {}){}", missing(),
                                o().start_timeout.count(), router_.get(zmq::sockopt::last_endpoint),
                                stranger_.empty() ? "" : "; " + stranger_));
      }
      receive_all([this](const std::string& from, const std::string& text) {
        if (const auto row = checked(from, text)) rows_[row->rank] = {from, *row};
      });
      if (!other_size_.empty()) fail_with_all();
    }
  }

  /// Gives ranks of another size the time to read why they are refused.
  [[noreturn]] void fail_with_all() {
    bool is_read = false;
    const auto deadline = steady::now() + std::chrono::seconds(1);
    while (!is_read && steady::now() < deadline)
      receive_all([&](const std::string&, const std::string& text) { is_read |= text == thanks; });
    throw error(errc::cluster, other_size_);
  }

  /// If a rank has come only to tell why it cannot run, all end with that reason.
  void end_if_one_refuses() {
    for (const auto& [r, row] : rows_) {
      if (row.second.refusal.empty()) continue;
      const std::string why = fmt::format("rank {} cannot run: {}", r, row.second.refusal);
      hand_over(std::string(end_follows) + why);
      if (o().refusal.empty()) throw error(errc::cluster, why);
      throw error(errc::unsupported, o().refusal);
    }
  }

  /// Sends the table to all, and waits until they have it: they would lose it if the connection closed
  /// before.
  void hand_over(const std::string& table) {
    constexpr std::chrono::seconds most{5};  // a rank that has died here is missed by its sessions
    std::set<std::string> still;
    for (const auto& [r, row] : rows_) {
      if (r != driver_rank) still.insert(row.first);
    }
    for (const std::string& one : still) reply(one, table);
    const auto deadline = steady::now() + most;
    while (!still.empty() && steady::now() < deadline) {
      receive_all([&](const std::string& from, const std::string& text) {
        if (text == thanks) return (void)still.erase(from);
        const auto row = checked(from, text);  // once more, over a new connection
        if (!row) return;
        still.erase(std::exchange(rows_[row->rank].first, from));
        still.insert(from);
        reply(from, table);
      });
    }
  }

  /// Waits a moment for messages, and takes those that have come.
  void receive_all(const std::function<void(const std::string& from, const std::string& text)>& take) {
    std::array<zmq::pollitem_t, 3> all{
        {{admission_.handle(), 0, ZMQ_POLLIN, 0}, {router_.handle(), 0, ZMQ_POLLIN, 0}, watch_.item()}};
    wait_for(all, glance);
    answer_questions();
    note_strangers();
    zmq::message_t from;
    zmq::message_t text;
    while (router_.recv(from, zmq::recv_flags::dontwait)) {
      if (!router_.recv(text, zmq::recv_flags::dontwait)) return;
      if (!text.more()) take(from.to_string(), text.to_string());
    }
  }

  /// A rank with another setting, or a stranger: so nothing that it sends ends the run.
  void note_strangers() {
    watch_.look();
    if (!stranger_.empty() || (!watch_.other_mechanism && !watch_.other_key)) return;
    stranger_ = fmt::format("a process that {} has tried to join: give all ranks the same {}",
                            watch_.other_key ? "has another key"
                            : o().encrypt    ? "does not encrypt its connection"
                                             : "encrypts its connection",
                            watch_.other_key ? "STRADSAP_KEY_FILE" : "STRADSAP_ENCRYPT");
    warn(stranger_);
  }

  /// Admits those with the key of the meeting point. The questions are those of ZAP, ZeroMQ's RFC 27.
  void answer_questions() {
    while (true) {
      std::vector<zmq::message_t> question;
      do {
        zmq::message_t part;
        if (!admission_.recv(part, zmq::recv_flags::dontwait)) return;
        question.push_back(std::move(part));
      } while (question.back().more());
      const bool is_admitted = question.size() == 7 && pair_ && pair_->is_key(question[6].to_string_view());
      const std::string_view number = question.size() > 1 ? question[1].to_string_view() : "";
      for (const std::string_view part :
           {std::string_view("1.0"), number, std::string_view(is_admitted ? "200" : "400"),
            std::string_view(), std::string_view()})
        admission_.send(zmq::buffer(part), zmq::send_flags::sndmore);
      admission_.send(zmq::message_t(), zmq::send_flags::none);
    }
  }

  /// The row in a message; none, and a refusal for the sender, if it is not of this run.
  std::optional<registration> checked(const std::string& from, const std::string& text) {
    auto row = decoded(text);
    std::string why;
    if (!row || row->form != this_version) {
      why = "another version of StradsAP";
    } else if (row->job != job_of(o())) {
      why = "rank 0 is of another job";
    } else if (row->size != o().world_size) {
      why = fmt::format("rank {} expects {} ranks, rank 0 expects {}", row->rank, row->size, o().world_size);
      other_size_ = why;
    } else if (row->rank <= driver_rank || row->rank >= o().world_size) {
      why = fmt::format("there is no place for another rank {}", row->rank);
    }
    if (why.empty()) {
      if (row->refusal.empty() && o().refusal.empty()) row->refusal = difference(*row);
      return row;
    }
    reply(from, std::string(reason_follows) + why);
    return std::nullopt;
  }

  /// Why a rank cannot run with rank 0; empty if it can.
  [[nodiscard]] std::string difference(const registration& row) const {
    const bool encrypts = row.key != without_key;
    if (encrypts == o().encrypt) return {};
    return fmt::format("it {} connections, and rank 0 does{}: give STRADSAP_ENCRYPT to all ranks",
                       encrypts ? "encrypts" : "does not encrypt", encrypts ? " not" : "");
  }

  void reply(const std::string& to, const std::string& text) {
    router_.send(zmq::buffer(to), zmq::send_flags::sndmore);
    router_.send(zmq::buffer(text), zmq::send_flags::none);
  }

  [[nodiscard]] std::string missing() const {
    std::string names;
    for (rank_id r = 0; r < o().world_size; ++r) {
      if (!rows_.contains(r)) names += fmt::format("{}{}", names.empty() ? "" : ", ", r);
    }
    return names;
  }

  /// As agents write it for parse_rank_table().
  [[nodiscard]] std::string text_of_table() const {
    std::map<std::string, std::size_t> hosts;
    std::string text;
    for (const auto& [r, row] : rows_) {
      const registration& one = row.second;
      const std::size_t host = hosts.emplace(one.host, hosts.size()).first->second;
      text += fmt::format("{} {} {} {} {}\n", r, host, one.name, one.endpoint, one.key);
    }
    return text;
  }

  const options& options_;
  zmq::context_t context_{1};
  zmq::socket_t admission_;
  zmq::socket_t router_;
  handshake_watch watch_;
  std::string stranger_;                                          // a warning
  std::string other_size_;                                        // of a rank of another size, the difference
  std::optional<shared_pair> pair_;                               // if connections are encrypted
  std::map<rank_id, std::pair<std::string, registration>> rows_;  // with the routing id of each
};

/// Another rank: sends its row to rank 0 until that answers.
class registrant {
 public:
  registrant(const options& o, const registration& own) : options_(o), text_(encoded(own)) {}

  std::string run(const meeting_finder& place) {
    const auto deadline = steady::now() + options_.start_timeout;
    while (steady::now() < deadline) {
      end_if_told();
      const auto at = place.find();
      if (at && at != at_) {
        at_ = at;
        objects_ = false;
        connect(*at);
      }
      if (const auto answer = at_ ? ask() : std::nullopt) return *answer;
      if (at_ && watch_->other_mechanism) object(place);
      if (!at_) ::poll(nullptr, 0, static_cast<int>(glance.count()));
    }
    throw error(
        errc::cluster,
        fmt::format("rank {} has no answer from rank 0 within {} s (rendezvous at {}): rank 0 has not "
                    "started, is not reached from here, or has another key",
                    options_.rank, options_.start_timeout.count(), place.description()));
  }

 private:
  void connect(const meeting_point& at) {
    last_sent_.reset();
    dealer_ = zmq::socket_t(context_, zmq::socket_type::dealer);
    watch_.emplace(context_, dealer_, std::to_string(++connections_));
    set_common(dealer_, at.host);
    dealer_.set(zmq::sockopt::immediate, true);  // no rows pile up for a rank 0 that comes late
    dealer_.set(zmq::sockopt::reconnect_ivl, 100);
    dealer_.set(zmq::sockopt::connect_timeout, 3000);
    if (!at.key.empty()) {
      const shared_pair pair(at.key);
      dealer_.set(zmq::sockopt::curve_serverkey, pair.public_key.data());
      dealer_.set(zmq::sockopt::curve_publickey, pair.public_key.data());
      dealer_.set(zmq::sockopt::curve_secretkey, pair.secret_key.data());
    }
    dealer_.connect(endpoint_of(at.host, std::to_string(at.port)));
  }

  /// Rank 0 encrypts and this rank does not, or the reverse. Tells it in its own way, if there is a key for
  /// that, so that all ranks end with the reason. Else lets it notice the difference, and ends.
  void object(const meeting_finder& place) {
    if (const auto other = place.with_other_encryption()) {
      objects_ = true;
      return connect(*other);
    }
    show_greeting();
    const bool encrypts = !at_->key.empty();
    throw error(errc::cluster, fmt::format("rank 0 at {} {} connections, and rank {} does{}: give "
                                           "STRADSAP_ENCRYPT to all ranks",
                                           place.description(), encrypts ? "does not encrypt" : "encrypts",
                                           options_.rank, encrypts ? "" : " not"));
  }

  /// Sends rank 0 the whole greeting of a process that does not encrypt, and waits until rank 0 has read it
  /// and closes the connection. A connection of ZeroMQ closes itself as soon as it has read rank 0's
  /// greeting, mostly before it has sent its own. The greeting is that of ZMTP 3, ZeroMQ's RFC 23.
  void show_greeting() {
    constexpr std::size_t greeting_size = 64;
    constexpr milliseconds most{5000};
    const std::string signature = '\xFF' + std::string(8, '\0') + '\x7F';
    std::string greeting = signature + '\3' + '\0' + "NULL";  // the version, and the mechanism
    greeting.resize(greeting_size);
    zmq::socket_t raw(context_, zmq::socket_type::stream);
    set_common(raw, at_->host);
    raw.set(zmq::sockopt::reconnect_ivl, -1);
    raw.connect(endpoint_of(at_->host, std::to_string(at_->port)));
    zmq::pollitem_t item{raw.handle(), 0, ZMQ_POLLIN, 0};
    int news = 0;  // empty messages: of the connection, and of its end
    for (const auto deadline = steady::now() + most; news < 2 && steady::now() < deadline;) {
      wait_for({&item, 1}, glance);
      zmq::message_t peer;
      zmq::message_t bytes;
      while (raw.recv(peer, zmq::recv_flags::dontwait) && raw.recv(bytes)) {
        if (!bytes.empty() || ++news != 1) continue;
        raw.send(peer, zmq::send_flags::sndmore);
        raw.send(zmq::buffer(greeting), zmq::send_flags::none);
      }
    }
  }

  /// Sends the row if it is time to, and waits a moment for the answer.
  std::optional<std::string> ask() {
    constexpr milliseconds until_again{1000};  // a connection that was closed may have lost the row
    if (!last_sent_ || steady::now() - *last_sent_ > until_again) {
      if (dealer_.send(zmq::buffer(text_), zmq::send_flags::dontwait)) last_sent_ = steady::now();
    }
    std::array<zmq::pollitem_t, 2> both{{{dealer_.handle(), 0, ZMQ_POLLIN, 0}, watch_->item()}};
    wait_for(both, last_sent_ ? glance : milliseconds(20));
    watch_->look();
    zmq::message_t answer;
    if (!dealer_.recv(answer, zmq::recv_flags::dontwait)) return std::nullopt;
    const std::string text = answer.to_string();
    (void)dealer_.send(zmq::buffer(thanks), zmq::send_flags::dontwait);
    if (text.starts_with(table_follows) && !objects_) return text.substr(table_follows.size());
    if (text.starts_with(end_follows)) {
      if (!options_.refusal.empty()) throw error(errc::unsupported, options_.refusal);
      throw error(errc::cluster, text.substr(end_follows.size()));
    }
    if (text.starts_with(reason_follows)) {
      throw error(errc::cluster, fmt::format("rank 0 refuses rank {}: {}", options_.rank,
                                             text.substr(reason_follows.size())));
    }
    return std::nullopt;
  }

  const options& options_;
  const std::string text_;
  zmq::context_t context_{1};
  zmq::socket_t dealer_;
  std::optional<handshake_watch> watch_;  // of the dealer
  int connections_ = 0;
  bool objects_ = false;  // in the way of rank 0
  std::optional<meeting_point> at_;
  std::optional<steady::time_point> last_sent_;
};

}  // namespace

std::vector<rank_entry> meet_at_rendezvous(const options& o, const std::string& endpoint,
                                           const std::string& public_key) {
  const meeting_finder place(o);
  const registration own = own_registration(o, endpoint, public_key);
  if (!o.encrypt && o.rank == driver_rank && o.refusal.empty())
    warn("connections between hosts are neither encrypted nor authenticated (STRADSAP_ENCRYPT=0)");
  std::vector<rank_entry> table;
  try {
    const std::string text =
        o.rank == driver_rank ? collector(o, own).run(place) : registrant(o, own).run(place);
    table = parse_rank_table(text, o.world_size, o.encrypt);
  } catch (const zmq::error_t& e) {
    throw error(errc::cluster, fmt::format("the rendezvous at {} failed: {}", place.description(), e.what()));
  }
  if (table[static_cast<std::size_t>(o.rank)].endpoint == endpoint) return table;
  throw error(errc::cluster, fmt::format("another process has registered as rank {}", o.rank));
}

}  // namespace stradsap::rt
