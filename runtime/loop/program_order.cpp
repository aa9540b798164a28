#include "runtime/loop/program_order.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "runtime/dds/resident_elements.hpp"
#include "runtime/loop/iteration_check.hpp"

namespace stradsap::rt {

namespace {

/// The whole loop as one block.
class single_block final : public abi::block_source {
 public:
  single_block(const abi::block& b, iteration_check* check) : block_(b), check_(check) {}
  const abi::block* next() override { return std::exchange(given_, true) ? nullptr : &block_; }
  void begin(std::int64_t j) override { check_->begin(j, nullptr); }
  void end() override { check_->end(); }
  void failed(std::int64_t iteration, errc code, const char* what) override {
    failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
  }
  [[nodiscard]] const std::optional<failure>& failed_at() const { return failure_; }

 private:
  const abi::block& block_;
  iteration_check* check_;
  bool given_ = false;
  std::optional<failure> failure_;
};

}  // namespace

std::optional<failure> run_in_program_order(const loop_frame& f, const std::vector<std::byte*>& partials) {
  std::unique_ptr<iteration_check> check;
  if (is_checked(f)) check = std::make_unique<iteration_check>(f);
  std::vector<abi::window> windows(f.num_captures());
  std::vector<std::unique_ptr<resident_elements>> sources(f.num_captures());
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.stores[c] == nullptr) continue;
    sources[c] = std::make_unique<resident_elements>(*f.stores[c], f.name_of(c));
    windows[c] = f.stores[c]->window_through(*sources[c]);
    windows[c].count = windows[c].readable = f.stores[c]->size();
    windows[c].may_insert = true;
    if (check != nullptr) check->watch(c, windows[c]);
  }
  abi::block b;
  b.count = static_cast<std::uint64_t>(f.n);
  b.windows = windows.data();
  b.partials = partials.data();
  b.continues = true;  // program order holds for reductions too
  single_block source(b, check.get());
  const abi::launch_scope now(f.launch);
  f.entry->run(f.values.data(), source);
  return source.failed_at();
}

}  // namespace stradsap::rt
