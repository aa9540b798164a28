// Loops of the library over all elements of a dvector, block by block: input and output of elements. Each
// rank handles a contiguous share. No plan is made. Thread rule: launched on the driver.
#pragma once

#include <cstdint>
#include <span>
#include <typeinfo>

#include <stradsap/abi/any_loop.hpp>
#include <stradsap/abi/build.hpp>
#include <stradsap/abi/container_capture.hpp>
#include <stradsap/abi/value_capture.hpp>

namespace stradsap::abi {

/// Elements that one executor handles: elements[k] is element first + k of the dvector. T is const if the
/// loop only reads.
template <class T_> struct element_block {
  std::uint64_t first;
  std::span<T_> elements;
};

#ifdef STRADSAP_INSTRUMENTED

/// The loop that calls work(block) for blocks of a dvector. Work is serialisable; every rank has a copy.
template <class Work_, class T_> class element_loop final : public any_loop {
  using element = std::remove_const_t<T_>;
  using container = dvector<element>;
  static constexpr unsigned mode = aligned | (std::is_const_v<T_> ? reads : writes);
  using work_capture = decltype(stradsap_value<0>(std::declval<const Work_&>()));
  using element_capture = container_capture<mode, "elements", all_fields, all_fields, container>;

 public:
  element_loop(const char* site, const Work_& work, const container& elements)
      : any_loop(site, [](std::int64_t, const char*) {}, 2, &resolve), work_(work), elements_(elements) {}

 private:
  static const loop_entry& resolve(const any_loop& one, const void** captured) {
    const auto& self = static_cast<const element_loop&>(one);
    captured[0] = &self.work_;
    captured[1] = internals::state(self.elements_);
    (void)&registered_;
    return entry_;
  }
  static bool run(const void* const* values, block_source& blocks) {
    const Work_& work = *static_cast<const Work_*>(values[0]);
    while (const block* next = blocks.next()) {
      try {
        run_block(work, *next);
      } catch (...) {
        report_failure(blocks, next->begin);
      }
    }
    return true;
  }
  static void run_block(const Work_& work, const block& b_) {
    const auto first = static_cast<std::uint64_t>(b_.begin);
    T_* const all = static_cast<T_*>(b_.windows[1].base);
    work(element_block<T_>{first, {all + first, b_.count}});
  }

  static constexpr capture_info infos_[] = {work_capture::info, element_capture::info};
  static constexpr loop_entry entry_{.id = 0x656c656d656e7473,  // the type tells loops apart
                                     .flags = of_library,
                                     .type = typeid(element_loop),
                                     .captures = infos_,
                                     .num_captures = 2,
                                     .globals = nullptr,
                                     .num_globals = 0,
                                     .run = &run,
                                     .record = nullptr};
  static inline const registration registered_{entry_};

  const Work_& work_;
  const container& elements_;
};

/// Calls work(block) for blocks that together are all elements, on all ranks and threads. `site` names the
/// loop in statistics. If a call throws, throws error() with the same code and text as the first of them in
/// the order of elements.
template <class T_, class Work_, class Container_>
void for_each_block(const char* site, const Work_& work, Container_& elements) {
  try {
    element_loop<Work_, T_>(site, work, elements)
        .launch(nullptr, static_cast<std::int64_t>(elements.size()), consistency::async);
  } catch (const loop_error& failure) {
    rethrow_plainly(failure);
  }
}

#else

template <class T_, class Work_, class Container_>
void for_each_block(const char*, const Work_& work, Container_& elements) {
  const launch_scope now(plain_loop());
  work(element_block<T_>{0, {elements.data(), elements.size()}});
}

#endif

}  // namespace stradsap::abi
