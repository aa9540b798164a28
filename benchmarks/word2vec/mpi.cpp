// Word vectors by hand with MPI: each rank has some columns of all vectors, and trains them on all sentences.
// Ranks add up their parts of some dot products at once, before the steps, so messages are short. Ordentlich
// et al.: Network-efficient distributed word2vec training system for large vocabularies, CIKM, 2016.
//
// Options and output are those of the sequential original.

#include "program.hpp"

#include "../mpi.hpp"

/// Dot products a message. With more of them, words that are in many pairs get steps that are too large.
constexpr size_t batch = 128;

/// One dot product.
struct Term {
  int center, context;
  float label;
};

class Trainer {
 public:
  Trainer(const Options& options, const std::vector<int>& noise)
      : options_(options),
        noise_(noise),
        model_(options.words, D * mpi_rank() / mpi_size(), D * (mpi_rank() + 1) / mpi_size()),
        random_(0) {}  // the same on all ranks

  /// Trains on a sentence.
  void train(const std::vector<int>& sentence) {
    if (options_.shared_negatives) {
      for (int i = 0; i < static_cast<int>(sentence.size()); ++i) add_window(sentence, i);
    } else {
      add_pairs(sentence);
    }
  }

  /// Sums the dot products that are left, and takes their steps.
  void finish() {
    const int n = static_cast<int>(terms_.size());
    dots_.resize(n);
    for (int i = 0; i < n; ++i)
      dots_[i] = dot(model_.in(terms_[i].center), model_.out(terms_[i].context), model_.width);
    MPI_Allreduce(MPI_IN_PLACE, dots_.data(), n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) step(terms_[i], options_.rate * (terms_[i].label - sigmoid(dots_[i])));
    terms_.clear();
  }

  /// All columns of the vectors.
  std::vector<Vector> vectors() {
    std::vector<Vector> all = model_.vectors();
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()) * D, MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    return all;
  }

 private:
  void add_pairs(const std::vector<int>& sentence) {
    for_each_pair(sentence, options_.window, [&](int center, int context) {
      terms_.push_back({center, context, 1});
      for (int k = 0; k < options_.negatives; ++k)
        terms_.push_back({center, noise_[random_.below(noise_.size())], 0});
      if (terms_.size() >= batch) finish();
    });
  }
  /// The pairs of the window around word `i`, with random words that they share.
  void add_window(const std::vector<int>& sentence, int i) {
    const int last = std::min(static_cast<int>(sentence.size()) - 1, i + options_.window);
    for (int k = 0; k <= options_.negatives; ++k) {
      const int word = k == 0 ? sentence[i] : noise_[random_.below(noise_.size())];
      for (int j = std::max(0, i - options_.window); j <= last; ++j) {
        if (j != i) terms_.push_back({sentence[j], word, k == 0 ? 1.0f : 0.0f});
      }
    }
    if (terms_.size() >= batch) finish();
  }
  void step(const Term& term, float g) {
    float *center = model_.in(term.center), *context = model_.out(term.context);
    for (int d = 0; d < model_.width; ++d) {
      const float old = context[d];
      context[d] = old + g * center[d];
      center[d] += g * old;
    }
  }

  const Options& options_;
  const std::vector<int>& noise_;
  Model model_;
  Random random_;
  std::vector<Term> terms_;
  std::vector<float> dots_;
};

static void train(Options options) {
  std::vector<std::vector<int>> sentences(options.data.empty() ? options.sentences : 0);
  options.data.empty() ? make_sentences(sentences, options) : read_sentences(sentences, options);
  const std::vector<int> noise = make_noise(sentences, options.words);
  Trainer trainer(options, noise);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (const auto& sentence : sentences) trainer.train(sentence);
    trainer.finish();
    const double seconds = seconds_now() - start;
    const double loss = loss_of(trainer.vectors(), sentences, noise, options);
    if (mpi_rank() == 0) std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds, loss);
  }
  const std::vector<Vector> vectors = trainer.vectors();  // of all ranks, so all ranks call it
  if (mpi_rank() == 0 && !options.questions.empty()) answer_questions(vectors, options);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  train(parse_options(argc, argv));
  MPI_Finalize();
  return 0;
}
