#include "runtime/loop/launch/captured_values.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/loop/launch/launch_request.hpp"

namespace stradsap::rt {

namespace {

/// Hashes an encoding in pieces. A short one is hashed at the end, without a state.
class hash_sink final : public abi::byte_sink {
 public:
  void take(const std::byte* first, std::size_t size) override {
    if (state_ == nullptr) begin();
    XXH3_64bits_update(state_.get(), first, size);
  }
  /// `last`: the bytes that were not passed on.
  [[nodiscard]] std::uint64_t end(const bytes& last) {
    if (state_ == nullptr) return XXH3_64bits(last.data(), last.size());
    take(last.data(), last.size());
    return XXH3_64bits_digest(state_.get());
  }

 private:
  struct free_state {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  void begin() {
    state_.reset(XXH3_createState());
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }

  std::unique_ptr<XXH3_state_t, free_state> state_;
};

/// Counts the bytes of an encoding, up to a limit.
class count_sink final : public abi::byte_sink {
 public:
  explicit count_sink(std::uint64_t most) : most_(most) {}
  void take(const std::byte*, std::size_t size) override { counted_ += size; }
  [[nodiscard]] bool is_full() const override { return counted_ > most_; }
  [[nodiscard]] std::uint64_t counted() const { return counted_; }

 private:
  const std::uint64_t most_;
  std::uint64_t counted_ = 0;
};

constexpr const char* file_kind = "stradsap-values";
constexpr int file_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
constexpr std::size_t most_in_frame = std::size_t{1} << 20;  // bytes

/// Keeps an encoding in a buffer, or in a file once it is large.
class value_sink final : public abi::byte_sink {
 public:
  value_sink(bytes& small, std::optional<memory_file>& large, bool may_share)
      : small_(small), large_(large), may_share_(may_share) {}

  void take(const std::byte* first, std::size_t size) override {
    const bool fits = small_.size() + size <= most_in_frame;
    if (!large_ && !fits && may_share_) {
      large_ = memory_file::make(file_kind);
      if (large_) append(std::exchange(small_, {}));
    }
    if (large_) return append({first, size});
    small_.insert(small_.end(), first, first + size);
  }

 private:
  void append(std::span<const std::byte> more) {
    if (!large_->append(more))
      throw error(errc::cluster,
                  fmt::format("no memory to send {} bytes of captured values", large_->size() + more.size()));
  }

  bytes& small_;
  std::optional<memory_file>& large_;
  const bool may_share_;
};

/// The bytes of large values on a rank that receives them.
mapping opened(const large_values& from) {
  auto file = memory_file::open(from.process, from.descriptor, file_kind, memory_file::access::read);
  std::optional<mapping> found;
  if (file && file->is(from.size, file_seals)) found = mapping::to_read(file->descriptor(), from.size);
  if (!found)
    throw error(errc::cluster, fmt::format("{} bytes of captured values cannot be opened", from.size));
  return std::move(*found);
}

}  // namespace

template <class Write> static std::uint64_t hash_written_by(const Write& write) {
  bytes last;
  hash_sink sink;
  abi::writer out(last, sink);
  write(out);
  return sink.end(last);
}

std::uint64_t hash_of_value(const abi::capture_info& capture, const void* value) {
  return hash_written_by([&](abi::writer& out) { capture.write(value, out); });
}

std::uint64_t hash_of_value(const abi::global_info& global) { return hash_written_by(global.write); }

std::shared_ptr<void> copy_of_value(const abi::capture_info& capture, const void* value) {
  bytes encoded;
  abi::writer out(encoded);
  capture.write(value, out);
  abi::reader in(encoded);
  return capture.read(in);
}

static value_key key_of(const abi::capture_info& capture, const captured_content& content) {
  return {reinterpret_cast<const void*>(capture.read), content.hash};
}

// ---- on the driver ----

void sent_values::drop(const value_key& key) {
  const auto found = uses_.find(key);
  if (--found->second == 0) uses_.erase(found);
}

/// Whether the ranks have the value.
bool sent_values::note_capture(const capture_place& place, const sent& now) {
  const bool had = ++uses_[now.key] > 1;
  const auto [last, is_first] = last_.try_emplace(place, now);
  if (!is_first) drop(std::exchange(last->second, now).key);
  return had;
}

bool sent_values::note_global(const void* variable, std::uint64_t hash) {
  const auto [last, is_first] = globals_.try_emplace(variable, hash);
  return std::exchange(last->second, hash) == hash && !is_first;
}

void sent_values::encode(const launch_request& r, launch& l, bool may_share) {
  const abi::loop_entry& entry = *r.entry;
  file_.reset();
  bytes last;
  value_sink sink(l.values, file_, may_share);
  abi::writer out(last, sink);
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const abi::capture_info& capture = entry.captures[c];
    captured_content content;
    if (capture.stays) {
      content.hash = r.hash_of_capture(c);
      content.is_known = note_capture({&entry, c}, {key_of(capture, content), r.variables[c]});
    }
    if (capture.write != nullptr && !content.is_known) capture.write(r.variables[c], out);
    l.contents.push_back(content);
  }
  for (std::size_t g = 0; g < entry.num_globals; ++g) {
    const abi::global_info& global = entry.globals[g];
    captured_content content;
    if (global.stays) {
      content.hash = r.hash_of_global(g);
      content.is_known = note_global(global.variable, content.hash);
    }
    if (!content.is_known) global.write(out);
    l.contents.push_back(content);
  }
  sink.take(last.data(), last.size());
  if (!file_) return;
  if (!file_->seal(file_seals))
    throw error(errc::cluster, fmt::format("captured values cannot be sealed: {}", std::strerror(errno)));
  l.large = {::getpid(), file_->descriptor(), file_->size()};
}

bool sent_values::was_sent_from(const void* variable) const {
  return std::any_of(last_.begin(), last_.end(),
                     [&](const auto& one) { return one.second.variable == variable; });
}

std::uint64_t sent_values::count_lacking(const launch_request& r, std::uint64_t most) const {
  const abi::loop_entry& entry = *r.entry;
  bytes last;
  count_sink sink(most);
  abi::writer out(last, sink);
  for (std::size_t c = 0; c < entry.num_captures && !sink.is_full(); ++c) {
    if (entry.captures[c].stays && !was_sent_from(r.variables[c]))
      entry.captures[c].write(r.variables[c], out);
  }
  for (std::size_t g = 0; g < entry.num_globals && !sink.is_full(); ++g) {
    if (entry.globals[g].stays && !globals_.contains(entry.globals[g].variable)) entry.globals[g].write(out);
  }
  return sink.counted() + last.size();
}

void sent_values::forget() {
  last_.clear();
  uses_.clear();
  globals_.clear();
}

// ---- on the other ranks ----

std::shared_ptr<void> kept_values::find(const value_key& key) const {
  const auto found = by_key_.find(key);
  std::shared_ptr<void> value = found == by_key_.end() ? nullptr : found->second.lock();
  if (value == nullptr) throw error(errc::decode, "a captured value that is not here");
  return value;
}

void kept_values::keep(const capture_place& place, const value_key& key, const std::shared_ptr<void>& value) {
  by_key_[key] = value;
  const auto [last, is_first] = last_.try_emplace(place, key, value);
  if (is_first) return;
  const value_key old = std::exchange(last->second, {key, value}).first;
  const auto unused = by_key_.find(old);
  if (unused != by_key_.end() && unused->second.expired()) by_key_.erase(unused);
}

captured_values kept_values::receive(const abi::loop_entry& entry, const launch& l) {
  if (l.contents.size() != entry.num_captures + entry.num_globals)
    throw error(errc::decode, "a launch that describes other captures than the loop has");
  const mapping large = l.large.size == 0 ? mapping() : opened(l.large);
  abi::reader in = l.large.size == 0 ? abi::reader(l.values) : abi::reader(large.data(), l.large.size);
  captured_values values;
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const abi::capture_info& capture = entry.captures[c];
    const captured_content& content = l.contents[c];
    if (capture.read == nullptr) {
      values.add_none();
      continue;
    }
    const value_key key = key_of(capture, content);
    std::shared_ptr<void> value = content.is_known ? find(key) : capture.read(in);
    if (capture.stays) keep({&entry, c}, key, value);
    values.add(std::move(value));
  }
  for (std::size_t g = 0; g < entry.num_globals; ++g) {
    if (!l.contents[entry.num_captures + g].is_known) entry.globals[g].read(in);
  }
  return values;
}

}  // namespace stradsap::rt
