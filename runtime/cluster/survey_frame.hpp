// A look of the driver at some iterations of a loop, before it runs. Thread rule: main thread.
#pragma once

#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/launch/launch_request.hpp"

namespace stradsap::rt {

/// The frame of such a look, as if the loop had these models. It gets the elements that its inspector reads,
/// and no others.
[[nodiscard]] loop_frame frame_of_survey(const launch_request& r, const abi::launch_key& key,
                                         ConsistencyModel::kind model, const relaxations& relaxed);
/// Makes the elements at the index of iteration j current here.
void bring_aligned(const loop_frame& f, const launch_request& r, std::int64_t j);

}  // namespace stradsap::rt
