// Loops of the library over the pieces of an input or output. The launch is that of
//
//   parallel_for(label, made.size(), [&work, &from, &made, &into](int64_t p) {
//     const piece_range w = work.window(0, p);
//     made[p] = work(p, std::as_const(from)[p], into.span(w.first, w.size));
//   }, consistency::async);
//
// for any number of containers `into`; windows of pieces do not overlap. Work is serialisable, as a captured
// value is. In a plain build the calling thread runs the pieces. Thread rule: the driver's thread; a piece
// runs on an executor of any rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <stradsap/dvector.hpp>
#include <stradsap/parallel_for.hpp>

namespace stradsap::abi {

/// The elements of one container that a piece fills.
struct piece_range {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

inline namespace STRADSAP_BUILD {

/// The elements that piece p fills in container number C.
template <std::size_t C_, class Work_, class T_>
std::span<T_> window_of_piece(const Work_& work, std::int64_t p_, dvector<T_>& into) {
  const piece_range all = work.window(C_, p_);
  return all.size == 0 ? std::span<T_>() : std::span<T_>(into.span(all.first, all.size));
}

/// Makes the body. The type is the loop's name in the registry, so the work's type must be unique.
template <class Each_, class Work_, class From_, class Made_, class... Into_> struct piece_body;
template <std::size_t... C_, class Work_, class From_, class Made_, class... Into_>
struct piece_body<std::index_sequence<C_...>, Work_, From_, Made_, Into_...> {
  auto operator()(const Work_& work, dvector<From_>& from, dvector<Made_>& made,
                  dvector<Into_>&... into) const {
    return [&](std::int64_t p_) {
      made[p_] = work(p_, std::as_const(from)[p_], window_of_piece<C_>(work, p_, into)...);
    };
  }
};

/// Makes the inspector, which names the windows.
template <class Each_> struct piece_slice;
template <std::size_t... C_> struct piece_slice<std::index_sequence<C_...>> {
  template <class Work_, class From_, class Made_, class... Into_>
  auto operator()(const Work_& work, From_&, Made_&, Into_&... into) const {
    return [&]([[__maybe_unused__]] std::int64_t p_) { ((void)window_of_piece<C_>(work, p_, into), ...); };
  }
};

/// Runs all pieces, on all ranks and executors. Piece p reads from[p], and writes made[p] and its windows of
/// `into`, which belong afterwards to the rank that ran it.
template <class Work_, class From_, class Made_, class... Into_>
void run_pieces(const char* label, const Work_& work, dvector<From_>& from, dvector<Made_>& made,
                dvector<Into_>&... into) {
  using each = std::index_sequence_for<Into_...>;
  using body = piece_body<each, Work_, From_, Made_, Into_...>;
  const auto n_ = static_cast<std::int64_t>(made.size());
  if constexpr (this_build == build::seq) {
    run_plainly(label, n_, body{}(work, from, made, into...), n_);
  } else {
    constexpr std::uint64_t id = 0x70696563657331;
    constexpr unsigned fills = writes | listed | ranges | replaces;
    const auto pieces = stradsap_loop<id, of_library>(
        label, stradsap_sliced(body{}, piece_slice<each>{}), stradsap_value<steers, "work">(work),
        stradsap_container < reads | aligned, "from" > (from), stradsap_container < writes | aligned,
        "made" > (made), stradsap_container<fills, "into">(into)...);
    pieces.launch(label, n_, consistency::async);
  }
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
