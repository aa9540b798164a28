// Classes that hold containers of themselves: as locals of bodies, in functions, captured, and as elements.
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include <stradsap/stradsap.hpp>

struct tree {
  int value = 1;
  std::vector<tree> children;
};
struct trie {
  std::array<std::unique_ptr<trie>, 2> next;
  int count = 0;
};
struct directory {
  std::map<int, directory> folders;
};

static int sum_of(const tree& t) {
  int sum = t.value;
  for (const tree& child : t.children) sum += sum_of(child);
  return sum;
}

static int longest(int64_t j) {
  trie root;
  for (int word = 0; word < 5; ++word) {
    trie* at = &root;
    for (int64_t bits = j * 7 + word; bits != 0; bits /= 2) {
      auto& next = at->next[bits % 2];
      if (!next) next = std::make_unique<trie>();
      at = next.get();
      ++at->count;
    }
  }
  return root.next[0] ? root.next[0]->count : 0;
}

int main() {
  constexpr int n = 200;
  stradsap::dvector<int> sums(n), counts(n), depths(n);
  const tree captured{2, {tree{3, {tree{}, tree{}}}, tree{4, {}}}};
  stradsap::async_for(n, [&](int64_t j) {
    tree local;
    local.children.resize(j % 4);
    sums[j] = sum_of(local) + sum_of(captured);
  });
  stradsap::async_for(n, [&](int64_t j) { counts[j] = longest(j); });
  stradsap::async_for(n, [&](int64_t j) {
    directory root;
    directory* at = &root;
    for (int k = 0; k < j % 5; ++k) at = &at->folders[k];
    depths[j] = static_cast<int>(root.folders.size() + at->folders.size());
  });
  stradsap::dvector<tree> forest(n);
  stradsap::async_for(n, [&](int64_t j) {
    forest[j].children.resize(j % 3);
    forest[j].value = sum_of(forest[j]);
  });
  uint64_t total = 0;
  for (int j = 0; j < n; ++j) total = total * 31 + static_cast<uint64_t>(sums[j] + counts[j] + depths[j] + forest[j].value);
  std::printf("%llu\n", static_cast<unsigned long long>(total));
}
