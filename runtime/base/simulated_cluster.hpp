// The cluster of a simulated run: `RxT[,BANDWIDTH[,LATENCY]]`. Thread rule: values.
#pragma once

#include <string_view>

namespace stradsap::rt {

struct simulated_cluster {
  int ranks = 1;
  int threads = 1;                   // of each rank
  double bytes_per_second = 1.25e9;  // of a rank's link, in each direction; may be infinite
  double latency_seconds = 50e-6;    // of a message, from one rank to another
};

/// Reads `4x2`, `4x2,10Gbit` or `4x2,10Gbit,50us`. Throws error(errc::unsupported) that shows the right form.
[[nodiscard]] simulated_cluster parse_simulated_cluster(std::string_view text);

}  // namespace stradsap::rt
