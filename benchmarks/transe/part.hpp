// The part of a worker: some columns of all vectors. It has its part of each distance, and takes its part of
// each step.
//
// Workers add up the distances of a batch of triples before the batch's steps. So a triple may miss the steps
// of the triples just before it, but only in whether it takes a step. All else is as in the sequential
// original.

#pragma once

#define main sequential_main
#include "../../examples/transe/sequential.cpp"
#undef main

constexpr int batch = 256;

class Part {
 public:
  /// Part `part` of `parts`.
  Part(const std::vector<Triple>& triples, const Options& options, int part, int parts)
      : triples_(triples),
        options_(options),
        begin_(options.dim * part / parts),
        width_(options.dim * (part + 1) / parts - begin_),
        stride_((width_ + lanes - 1) / lanes * lanes),
        cases_(batch),
        entities_(size_t{1} * options.entities * stride_),
        relations_(size_t{1} * options.relations * stride_) {
    std::mt19937 random(2);  // as the original draws
    std::uniform_real_distribution<float> uniform(-6 / std::sqrt(options.dim), 6 / std::sqrt(options.dim));
    for (auto* model : {&entities_, &relations_}) {
      for (size_t row = 0; row < model->size() / stride_; ++row) {
        for (int d = 0; d < options.dim; ++d) {
          const float x = uniform(random);
          if (d >= begin_ && d < begin_ + width_) (*model)[row * stride_ + d - begin_] = x;
        }
      }
    }
  }

  /// The part's sums of squares, of each entity.
  void squared_norms(float* norms) const {
    for (int i = 0; i < options_.entities; ++i)
      norms[i] = squared_sum([e = entity(i)](int d) { return e[d]; });
  }
  void normalise(const float* norms) {
    for (int i = 0; i < options_.entities; ++i) {
      const float inverse = 1 / std::sqrt(norms[i]);
      float* e = entity(i);
      for (int d = 0; d < stride_; ++d) e[d] *= inverse;
    }
  }

  /// The part's distances of `n` triples from `first` on: the true one and the false one of each.
  void distances(int pass, int first, int n, float* near_and_far) {
    for (int i = 0; i < n; ++i) {
      const Triple& t = triples_[first + i];
      const uint64_t draw = hash(pass / options_.hold_negatives, first + i);
      float *wrong = entity((draw >> 1) % options_.entities), *head = entity(t.head), *tail = entity(t.tail);
      const Case c{head, tail, draw % 2 == 0 ? wrong : head, draw % 2 == 0 ? tail : wrong,
                   relations_.data() + int64_t{t.relation} * stride_};
      near_and_far[2 * i] = distance(c.head, c.relation, c.tail);
      near_and_far[2 * i + 1] = distance(c.false_head, c.relation, c.false_tail);
      cases_[i] = c;
    }
  }
  /// The steps of the triples of the last call of `distances`, by the sums over all parts.
  void steps(int n, const float* near_and_far) {
    for (int i = 0; i < n; ++i) {
      if (options_.margin + near_and_far[2 * i] - near_and_far[2 * i + 1] <= 0) continue;
      const Case& c = cases_[i];
      step(c.head, c.relation, c.tail, options_.rate);
      step(c.false_head, c.relation, c.false_tail, -options_.rate);
    }
  }

  /// Writes the part's columns into whole vectors: those of the entities, then those of the relations.
  void collect(std::vector<std::vector<float>>& all) const {
    for (int i = 0; i < options_.entities + options_.relations; ++i) {
      const float* row =
          i < options_.entities ? entity(i) : &relations_[int64_t{i - options_.entities} * stride_];
      std::copy(row, row + width_, all[i].begin() + begin_);
    }
  }

 private:
  static constexpr int lanes = 16;

  struct Case {
    float *head, *tail, *false_head, *false_tail, *relation;
  };

  float* entity(int64_t i) { return entities_.data() + i * stride_; }
  const float* entity(int64_t i) const { return entities_.data() + i * stride_; }

  /// Sixteen sums, so that the compiler adds whole registers without -ffast-math.
  float squared_sum(const auto& term) const {
    float sums[lanes] = {};
    for (int d = 0; d < stride_; d += lanes) {
      for (int l = 0; l < lanes; ++l) sums[l] += term(d + l) * term(d + l);
    }
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
    }
    return sums[0];
  }
  float distance(const float* head, const float* relation, const float* tail) const {
    return squared_sum([=](int d) { return head[d] + relation[d] - tail[d]; });
  }

  void step(float* head, float* relation, float* tail, float rate) const {
    for (int d = 0; d < stride_; ++d) {
      const float change = rate * 2 * (head[d] + relation[d] - tail[d]);
      head[d] -= change;
      relation[d] -= change;
      tail[d] += change;
    }
  }

  const std::vector<Triple>& triples_;
  const Options& options_;
  int begin_, width_, stride_;  // columns beyond the width are 0
  std::vector<Case> cases_;
  std::vector<float> entities_, relations_;
};

/// The original's quality, of the vectors of all entities and then of all relations.
static double accuracy_of(const std::vector<std::vector<float>>& all, const std::vector<Triple>& triples,
                          int entities) {
  const auto middle = all.begin() + entities;
  return accuracy(triples, std::vector(all.begin(), middle), std::vector(middle, all.end()));
}

/// The original's ranks, of the same vectors.
static void evaluate_all(const std::vector<std::vector<float>>& all, const std::vector<Triple>& triples,
                         const Options& options) {
  const auto middle = all.begin() + options.entities;
  evaluate(options, triples, std::vector(all.begin(), middle), std::vector(middle, all.end()));
}
