// The loops of one reader over the pieces of its files. Thread rule: the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/abi/pieces.hpp>
#include <stradsap/abi/program.hpp>
#include <stradsap/abi/text_files.hpp>

namespace stradsap::abi {

/// The range of piece p in a table.
[[nodiscard]] inline piece_range range_in(const std::vector<std::uint64_t>& table, std::int64_t p_) {
  const auto at = static_cast<std::size_t>(p_);
  return {table[at], table[at + 1] - table[at]};
}

/// Work on the pieces from number `first` on.
template <class Work_> struct work_from {
  Work_ work;
  std::int64_t first = 0;

  [[nodiscard]] piece_range window(std::size_t c_, std::int64_t p_) const {
    return work.window(c_, first + p_);
  }
  template <class... T_>
  auto operator()(std::int64_t p_, const text_piece& piece, std::span<T_>... into) const {
    return work(first + p_, piece, into...);
  }
  void stradsap_write_(writer& out) const { out(work, first); }
  void stradsap_read_(reader& in) { in(work, first); }
};

inline namespace STRADSAP_BUILD {

/// The pieces of opened files, for the loops of one reader.
class text_pieces {
 public:
  text_pieces(const char* label, opened_text&& from) : label_(label), from_(std::move(from)) {}

  [[nodiscard]] const std::vector<text_file>& files() const { return from_.files(); }
  /// The results of work, on all pieces.
  template <class Made_, class Work_, class... T_>
  std::vector<Made_> collect(const Work_& work, dvector<T_>&... into) {
    constexpr bool counts = sizeof...(T_) == 0 && std::is_same_v<Made_, piece_report>;
    std::vector<Made_> all;
    work_from<Work_> now{work};
    shown_operation shown(name_of_pass(sizeof...(T_) == 0), "bytes", bytes_);
    std::uint64_t bytes = 0;
    each_batch([&](std::vector<text_piece>&& batch) {
      const std::uint64_t size = size_of(batch);
      if (counts && batch.front().path.empty()) {  // sooner counted than sent
        if constexpr (counts) {
          for (const text_piece& one : batch) all.push_back(work(std::ssize(all), one));
        }
      } else {
        shown.weigh_iterations(size / batch.size());
        now.first = std::ssize(all);
        auto pieces = dvector<text_piece>(batch.size());
        auto made = dvector<Made_>(batch.size());
        for (std::size_t k_ = 0; k_ < batch.size(); ++k_) pieces[k_] = std::move(batch[k_]);
        run_pieces(label_, now, pieces, made, into...);
        all.insert(all.end(), std::as_const(made).begin(), std::as_const(made).end());
      }
      shown.advance(size);
      bytes += size;
    });
    bytes_ = bytes;
    return all;
  }
  /// Runs work on all pieces; throws as sum_of_pieces. Without room for an element there is nothing to find.
  template <class Work_, class... T_> piece_table run(const Work_& work, dvector<T_>&... into) {
    if (sizeof...(T_) != 0 && (into.empty() && ...)) return {};
    return sum_of_pieces(files(), collect<piece_report>(work, into...));
  }
  /// The same on this thread; work need not be serialisable.
  template <class Work_, class... T_> piece_table run_here(const Work_& work, std::span<T_>... into) {
    std::vector<piece_report> reports;
    shown_operation shown(name_of_pass(false), "bytes", bytes_);
    each_batch([&](const std::vector<text_piece>& batch) {
      for (const text_piece& piece : batch) {
        const auto number = static_cast<std::int64_t>(reports.size());
        const piece_range all = work.window(0, number);
        reports.push_back(work(number, piece, into.subspan(all.first, all.size)...));
        if (!reports.back().message.empty()) (void)sum_of_pieces(files(), reports);
      }
      shown.advance(size_of(batch));
    });
    return sum_of_pieces(files(), reports);
  }

 private:
  [[nodiscard]] std::string name_of_pass(bool counts) const {
    const std::string first = files().empty() ? std::string() : files().front().name;
    return (counts ? "counting in " : "reading ") + first.substr(first.rfind('/') + 1) +
           (files().size() > 1 ? ", ..." : "");
  }
  static std::uint64_t size_of(const std::vector<text_piece>& batch) {
    std::uint64_t bytes = 0;
    for (const text_piece& one : batch) bytes += one.path.empty() ? one.text.size() : one.end - one.begin;
    return bytes;
  }
  template <class F_> void each_batch(const F_& use) {
    for (std::vector<text_piece> batch = from_.next(); !batch.empty(); batch = from_.next())
      use(std::move(batch));
  }

  const char* label_;
  opened_text from_;
  std::uint64_t bytes_ = 0;  // of a pass; 0: the first is not at its end
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
