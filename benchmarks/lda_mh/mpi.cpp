// WarpLDA by hand with MPI: a rank has a range of documents and a range of words. Between the phases, draws
// travel from the ranks of their documents to those of their words, and back.
//
// Options and output are those of the sequential original.

#include "part.hpp"

#include "../mpi.hpp"

/// Where each range of about as many tokens begins, and after the last one. `begin`: of the tokens.
static std::vector<int> cut(const std::vector<int64_t>& begin, int ranks) {
  std::vector<int> first;
  for (int r = 0; r <= ranks; ++r)
    first.push_back(std::lower_bound(begin.begin(), begin.end(), begin.back() * r / ranks) - begin.begin());
  return first;
}

/// The draws of this rank in the order of documents or of words, and the way to the other order. Draws of
/// two ranks travel in the order of token numbers.
struct Side {
  std::vector<Draws> draws;
  std::vector<int> place, count, first;  // by place in the message: of which draw; by rank: numbers and ends

  /// `rank_of(i)`: the rank of draw i in the other order. `number(i)`: of its token.
  Side(int64_t size, int ranks, const auto& rank_of, const auto& number) : draws(size), count(ranks) {
    std::vector<std::vector<int>> by_rank(ranks);
    for (int i = 0; i < size; ++i) by_rank[rank_of(i)].push_back(i);
    for (int r = 0; r < ranks; ++r) {
      std::sort(by_rank[r].begin(), by_rank[r].end(), [&](int a, int b) { return number(a) < number(b); });
      first.push_back(static_cast<int>(place.size()) * words_a_draw);
      count[r] = static_cast<int>(by_rank[r].size()) * words_a_draw;
      place.insert(place.end(), by_rank[r].begin(), by_rank[r].end());
    }
  }

  void send_to(Side& other, std::vector<Draws>& out, std::vector<Draws>& in) const {
    out.resize(draws.size());
    in.resize(other.draws.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = draws[place[i]];
    MPI_Alltoallv(out.data(), count.data(), first.data(), MPI_INT, in.data(), other.count.data(),
                  other.first.data(), MPI_INT, MPI_COMM_WORLD);
    for (size_t i = 0; i < in.size(); ++i) other.draws[other.place[i]] = in[i];
  }

  static constexpr int words_a_draw = sizeof(Draws) / sizeof(int);
};

static void train(Options options) {
  const int rank = mpi_rank(), ranks = mpi_size();
  Corpus corpus(options);
  const std::vector<int64_t>&begin = corpus.begin, &word_begin = corpus.word_begin;
  const std::vector<int> documents = cut(begin, ranks), words = cut(word_begin, ranks);
  const auto part_of = [](const std::vector<int>& ranges, int64_t one) {
    return static_cast<int>(std::upper_bound(ranges.begin(), ranges.end() - 1, one) - ranges.begin()) - 1;
  };
  const auto document_of = [&](int token) {
    return std::upper_bound(begin.begin(), begin.end(), token) - begin.begin() - 1;
  };
  const int64_t first = begin[documents[rank]], first_word = word_begin[words[rank]];
  Side by_document(
      begin[documents[rank + 1]] - first, ranks,
      [&](int i) { return part_of(words, corpus.tokens[first + i].word); }, [](int i) { return i; });
  Side by_word(
      word_begin[words[rank + 1]] - first_word, ranks,
      [&](int i) { return part_of(documents, document_of(corpus.token[first_word + i])); },
      [&](int i) { return corpus.token[first_word + i]; });
  std::vector<Draws> all = corpus.draws(), out, in;
  std::copy_n(all.begin() + first, by_document.draws.size(), by_document.draws.begin());
  std::vector<int> totals = corpus.totals(options.topics), counts, ends;
  for (int r = 0; r < ranks; ++r) {
    ends.push_back(static_cast<int>(begin[documents[r]]) * Side::words_a_draw);
    counts.push_back(static_cast<int>(begin[documents[r + 1]]) * Side::words_a_draw - ends.back());
  }
  Sampler mine(options.topics, options.words, rank);
  const auto add_up = [&] {
    totals = mine.next();
    MPI_Allreduce(MPI_IN_PLACE, totals.data(), options.topics, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  };
  const auto visit_all = [&](Side& side, const std::vector<int64_t>& ranges, int from, int to, float prior) {
    mine.begin(totals);
    for (int one = from; one < to; ++one) {
      Draws* const draws = side.draws.data() + (ranges[one] - ranges[from]);
      mine.visit(ranges[one + 1] - ranges[one], prior, [draws](int64_t i) -> Draws& { return draws[i]; });
    }
    add_up();
  };

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    visit_all(by_document, begin, documents[rank], documents[rank + 1], alpha);
    by_document.send_to(by_word, out, in);
    visit_all(by_word, word_begin, words[rank], words[rank + 1], beta);
    by_word.send_to(by_document, out, in);
    const double seconds = seconds_now() - start;
    MPI_Gatherv(by_document.draws.data(), counts[rank], MPI_INT, all.data(), counts.data(), ends.data(),
                MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds,
                  corpus.log_likelihood_of(all, totals));
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  train(parse_options(argc, argv));
  MPI_Finalize();
  return 0;
}
