// The part of a worker: a range of nodes with about as many neighbours as any other, and a pass over it.
//
// Votes are counted by label, not sorted: the same winner at a fraction of the cost.

#pragma once

#include <atomic>

#define main sequential_main
#include "../../examples/label_propagation/sequential.cpp"
#undef main

/// The first node of each part, and after the last part the number of nodes.
static std::vector<int> cut(const Graph& graph, int parts) {
  const int n = static_cast<int>(graph.first.size()) - 1;
  std::vector<int> begin{0};
  for (int part = 1; part <= parts; ++part) {
    const int64_t passed = static_cast<int64_t>(graph.neighbour.size()) * part / parts;
    const auto place = std::lower_bound(graph.first.begin(), graph.first.end(), passed);
    begin.push_back(part == parts ? n
                                  : std::max(begin.back(), static_cast<int>(place - graph.first.begin())));
  }
  return begin;
}

/// Labels may change as they are read: another thread has some of the neighbours.
static int load(int& label) { return std::atomic_ref<int>(label).load(std::memory_order_relaxed); }

class Part {
 public:
  std::vector<int64_t> histogram, volume;

  Part(const Graph& graph, int64_t max_degree)
      : histogram(max_degree + 1),
        volume(graph.first.size() - 1),
        graph_(graph),
        votes_(graph.first.size()) {}

  /// Gives the nodes [begin, end) the labels of most of their neighbours.
  void propagate(int* label, int begin, int end) {
    for (int v = begin; v < end; ++v) {
      const int mine = load(label[v]);
      candidates_.clear();
      for (int64_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e) {
        const int vote = load(label[graph_.neighbour[e]]);
        if (votes_[vote]++ == 0) candidates_.push_back(vote);
      }
      int best = mine, most = votes_[mine];
      for (int candidate : candidates_) {
        const int count = votes_[candidate];
        if (count > most || (count == most && best != mine && candidate < best)) {
          most = count;
          best = candidate;
        }
        votes_[candidate] = 0;
      }
      if (best != mine) std::atomic_ref<int>(label[v]).store(best, std::memory_order_relaxed);
    }
  }

  /// The degrees of the nodes [begin, end) inside their communities, and the communities' sums of degrees.
  void count(const int* label, int begin, int end) {
    std::fill(histogram.begin(), histogram.end(), 0);
    std::fill(volume.begin(), volume.end(), 0);
    for (int v = begin; v < end; ++v) {
      const int mine = label[v];
      int degree = 0;
      for (int64_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e)
        degree += label[graph_.neighbour[e]] == mine;
      ++histogram[degree];
      volume[mine] += graph_.first[v + 1] - graph_.first[v];
    }
  }

 private:
  const Graph& graph_;
  std::vector<int> votes_;  // by label; all 0 between nodes
  std::vector<int> candidates_;
};

static int64_t max_degree_of(const Graph& graph) {
  int64_t most = 0;
  for (size_t v = 0; v + 1 < graph.first.size(); ++v)
    most = std::max(most, graph.first[v + 1] - graph.first[v]);
  return most;
}
