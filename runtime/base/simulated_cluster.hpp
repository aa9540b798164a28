// The cluster of a simulated run: `RxT[,BANDWIDTH[,LATENCY[,PROCESSOR]]]`. Thread rule: values.
#pragma once

#include <string_view>

namespace stradsap::rt {

struct simulated_cluster {
  int ranks = 1;
  int threads = 1;                   // of each rank
  double bytes_per_second = 1.25e9;  // of a rank's link, in each direction; may be infinite
  double latency_seconds = 50e-6;    // of a message, from one rank to another
  // Processor time of a message on each side, for itself and for each byte. A rank has as many cores as
  // threads, so it takes this time from busy threads.
  double message_seconds = 0;
  double byte_seconds = 0;

  [[nodiscard]] double processor_seconds(double size_bytes) const {
    return message_seconds + size_bytes * byte_seconds;
  }
};

/// Reads `4x2`, `4x2,10Gbit`, `4x2,10Gbit,50us` or `4x2,10Gbit,50us,20us+1.5ns`. Throws
/// error(errc::unsupported) that shows the right form.
[[nodiscard]] simulated_cluster parse_simulated_cluster(std::string_view text);

}  // namespace stradsap::rt
