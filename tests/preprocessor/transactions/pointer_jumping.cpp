// List ranking by pointer jumping: a place is read from a container that the loop writes.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Link {
  int next = 0;
  int rank = 1;
};

int main() {
  stradsap::dvector<Link> links(64);
  for (int round = 0; round < 6; ++round) {
    stradsap::async_for(links.size(), [&links](int64_t j) {
      Link& link = links[j];
      const Link& after = links[link.next];  // expected-remark: which element is used here depends on data in `links`, which this loop writes
      link.rank += after.rank;
      link.next = after.next;
    });
  }
}
