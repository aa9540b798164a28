// The loops of one reader over the pieces of its files. Thread rule: the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/abi/pieces.hpp>
#include <stradsap/abi/text_files.hpp>

namespace stradsap::abi {

/// The range of piece p in a table.
[[nodiscard]] inline piece_range range_in(const std::vector<std::uint64_t>& table, std::int64_t p_) {
  const auto at = static_cast<std::size_t>(p_);
  return {table[at], table[at + 1] - table[at]};
}

inline namespace STRADSAP_BUILD {

/// The pieces of opened files, on the driver, for the loops of one reader.
class text_pieces {
 public:
  text_pieces(const char* label, opened_text&& from)
      : files(std::move(from.files)), label_(label), held_(from.held.size()), reports_(from.held.size()) {
    for (std::size_t p_ = 0; p_ < from.held.size(); ++p_) {
      if (!from.held[p_].empty()) held_[p_] = std::move(from.held[p_]);
    }
  }

  /// Runs work on all pieces; throws as sum_of_pieces. Without room for an element there is nothing to find.
  template <class Work_, class... T_> piece_table run(const Work_& work, dvector<T_>&... into) {
    if (sizeof...(T_) != 0 && (into.empty() && ...)) return {};
    run_pieces(label_, work, held_, reports_, into...);
    return sum_of_pieces(files, {std::as_const(reports_).begin(), std::as_const(reports_).end()});
  }
  /// The same on this thread; work need not be serialisable.
  template <class Work_, class... T_> piece_table run_here(const Work_& work, std::span<T_>... into) {
    std::vector<piece_report> reports;
    for (std::size_t p_ = 0; p_ < held_.size(); ++p_) {
      const auto piece = static_cast<std::int64_t>(p_);
      const piece_range all = work.window(0, piece);
      reports.push_back(work(piece, std::as_const(held_)[p_], into.subspan(all.first, all.size)...));
      if (!reports.back().message.empty()) break;
    }
    return sum_of_pieces(files, reports);
  }

  [[nodiscard]] dvector<std::string>& held() { return held_; }

  const text_files files;

 private:
  const char* label_;
  dvector<std::string> held_;
  dvector<piece_report> reports_;
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
