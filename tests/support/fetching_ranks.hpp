// A rank that owns a container, another one that fetches it, and their messages, without a network.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include <stradsap/abi/operations.hpp>

#include "runtime/dds/copies.hpp"

namespace stradsap::test {

class fetching_ranks {
 public:
  fetching_ranks(std::uint64_t size, const abi::element_ops& ops) : ops_(ops) {
    to_owner_.on_request = [this](const rt::fetch_request& m) {
      hashes += m.hashes.size();
      owner_.received(1, m);
    };
    to_reader_.on_reply = [this](const rt::fetch_reply& m) {
      sent += m.elements.size();
      reader_.received(m);
    };
    owner_.connect(&to_reader_, {});
    reader_.connect(&to_owner_, {});
    owner_.add(std::make_unique<rt::replica>(rt::container_id{7}, ops_, size, nullptr, rt::driver_rank,
                                             [](rt::replica&, const auto&) {}));
    reader_.add(std::make_unique<rt::replica>(
        rt::container_id{7}, ops_, size, nullptr, 1,
        [this](rt::replica& local, const auto& ranges) { reader_.fetch(local, ranges); }));
  }

  /// The container of rank 0, and that of rank 1.
  rt::replica& original() { return *owner_.find(rt::container_id{7}); }
  rt::replica& copy() { return *reader_.find(rt::container_id{7}); }
  rt::copy_service& reader() { return reader_; }

  std::atomic<std::uint64_t> sent{0};    // bytes of elements
  std::atomic<std::uint64_t> hashes{0};  // of pages, in requests

 private:
  class line final : public rt::transport {
   public:
    void send(rt::rank_id, rt::message m) override {
      if (const auto* request = std::get_if<rt::fetch_request>(&m)) on_request(*request);
      if (const auto* reply = std::get_if<rt::fetch_reply>(&m)) on_reply(*reply);
    }
    void listen() override {}
    void expect_departures() override {}
    [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }
    [[nodiscard]] std::uint64_t bytes_received() const override { return 0; }
    std::function<void(const rt::fetch_request&)> on_request;
    std::function<void(const rt::fetch_reply&)> on_reply;
  };

  const abi::element_ops ops_;
  line to_owner_;
  line to_reader_;
  rt::copy_service owner_{rt::wait_policy{}};
  rt::copy_service reader_{rt::wait_policy{}};
};

}  // namespace stradsap::test
