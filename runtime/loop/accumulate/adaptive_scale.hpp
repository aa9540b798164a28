// The scale of merge::adaptive for each element: between that of a sum and that of a mean, by the number of
// accumulators that changed the element, and by feedback from round to round. See docs/decisions/relaxed.md.
// Thread rule: one thread at a time for an element.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/abi/elements.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::rt {

/// The accumulators of one round.
struct round_shape {
  unsigned accumulators = 1;  // with iterations
  double iterations = 1;      // of an accumulator
  unsigned bound = 0;         // rounds that an accumulator may miss
  double uses_to_settle = 0;  // of an element, if known: merge::by_uses
};

/// Scales by the numbers that they depend on: most elements of a fold share them. Thread rule: one thread.
class known_scales {
 public:
  /// Of an element that `unseen` accumulators, at least 2, changed by `uses` each.
  [[nodiscard]] double of(float uses, float uses_to_settle, unsigned unseen);
  /// The same, computed.
  [[nodiscard]] static double computed(float uses, float uses_to_settle, unsigned unseen);

 private:
  struct known {
    float uses = 0;
    float uses_to_settle = 0;
    unsigned unseen = 0;
    double scale = 1;
  };
  std::array<known, 64> all_;
};

class adaptive_scale {
 public:
  explicit adaptive_scale(std::uint64_t elements) : elements_(elements) {}

  [[nodiscard]] std::uint64_t size() const { return elements_.size(); }
  /// The scale for the sum of the changes that `touching` accumulators made to the element's fractions in a
  /// round. Calls come once a round, in the order of rounds. Not a number if a change is not finite. `which`:
  /// these accumulators, as bits; for bounds above 0.
  [[nodiscard]] double of(std::uint64_t element, const std::vector<double>& change, unsigned touching,
                          const round_shape& round, std::uint32_t which = 0);
  /// The same for an element that is a row of fractions: `ops.num_fractions` is not 0.
  [[nodiscard]] double of(std::uint64_t element, const abi::element_ops& ops, const void* now,
                          const void* start, unsigned touching, const round_shape& round,
                          known_scales& known);

  /// For a checkpoint. resume() throws error(errc::decode).
  void save(abi::writer& out) const;
  void resume(abi::reader& in);

 private:
  struct history {
    float uses_to_settle = 0;  // 0: no round yet
    float along = 0;           // smoothed product of a round's change with that of bound + 1 rounds before
    float norms = 0;           // the same for the product of their norms
    float uses = 0;            // of an accumulator in a round
    std::uint32_t size = 0;    // fractions
    std::uint8_t kept = 0;     // rounds with a change: bound + 1
    std::uint8_t rounds = 0;   // of these, so far, up to twice `kept`
    std::unique_ptr<float[]> before;            // by kept round: the change, and its norm
    std::unique_ptr<std::uint32_t[]> touching;  // the same, with bounds above 0: the accumulators, as bits

    [[nodiscard]] float* before_at(std::size_t kept_round) const {
      return before.get() + kept_round * (std::size_t{size} + 1);
    }
  };

  /// Of a change: its squared norm, and its product with an earlier one.
  struct products {
    double norm2;
    double along;
  };
  template <class Take>
  double scale_of(std::uint64_t element, std::size_t size, unsigned touching, const round_shape& round,
                  std::uint32_t which, known_scales* known, const Take& take);
  static void open(history& of, std::size_t size, const round_shape& round);
  static void learn(history& of, double along, double norm, double norm_before);
  static void count_uses(history& of, unsigned touching, const round_shape& round);
  static unsigned count_unseen(const history& of, unsigned touching, std::uint32_t which);

  std::vector<history> elements_;
};

}  // namespace stradsap::rt
