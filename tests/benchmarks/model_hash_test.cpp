// The hash that sgd_mf prints is XXH64 with seed 0 of P's bytes followed by Q's, as libxxhash computes it.

#include <xxhash.h>

#include "../../benchmarks/sgd_mf/program.hpp"

/// Prints and counts a difference between our hash of P then Q and the library's of the same bytes.
template <int K> static int differs(int users, int items) {
  std::vector<Factor<K>> P(users), Q(items);
  initialize(P, 1, 0);
  initialize(Q, 1, 1);
  std::vector<Factor<K>> both = P;
  both.insert(both.end(), Q.begin(), Q.end());
  Hash hash;
  hash.add(P);
  hash.add(Q);
  const uint64_t wanted = XXH64(both.data(), both.size() * sizeof(Factor<K>), 0);
  if (hash.value() == wanted) return 0;
  std::fprintf(stderr, "rank %d, %d + %d rows: hash %016llx, libxxhash has %016llx\n", K, users, items,
               static_cast<unsigned long long>(hash.value()), static_cast<unsigned long long>(wanted));
  return 1;
}

int main() {
  int failures = 0;
  for (const auto& [users, items] : {std::pair(1, 1), std::pair(3, 2), std::pair(100, 37)})
    failures += differs<8>(users, items) + differs<16>(users, items) + differs<32>(users, items) +
                differs<64>(users, items) + differs<128>(users, items);
  return failures == 0 ? 0 : 1;
}
