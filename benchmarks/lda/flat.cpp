// LDA with the counts in flat arrays, on StradsAP.
//
// Options, data and output are those of examples/lda/sequential.cpp.

#define main sequential_main
#include "../../examples/lda/sequential.cpp"
#undef main

#include <vector>

#include <stradsap/stradsap.hpp>

/// The mean log likelihood of a token.
static double flat_log_likelihood(const auto& tokens, const auto& nw, const auto& nd, const auto& totals,
                                  int words) {
  const int topics = static_cast<int>(totals.size());
  double sum = 0;
  for (const Token& t : tokens) {
    double p = 0, length = 0;
    for (int z = 0; z < topics; ++z) {
      p += (nw[t.word * topics + z] + beta) / (totals[z] + words * beta) *
           (nd[t.document * topics + z] + alpha);
      length += nd[t.document * topics + z];
    }
    sum += std::log(p / (length + topics * alpha));
  }
  return sum / tokens.size();
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int topics = options.topics;
  stradsap::dvector<Token> tokens;
  make_tokens(tokens, options);
  const int64_t n = tokens.size();
  stradsap::dvector<int> nw(options.words * topics);
  stradsap::dvector<int> nd(options.documents * topics);
  stradsap::dvector<int> totals(topics);
  for (const Token& t : tokens) {
    ++nw[t.word * topics + t.topic];
    ++nd[t.document * topics + t.topic];
    ++totals[t.topic];
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(
        n,
        [&](int64_t j) {
          Token& t = tokens[j];
          --nw[t.word * topics + t.topic];
          --nd[t.document * topics + t.topic];
          --totals[t.topic];
          std::vector<float> p(topics);
          float sum = 0;
          for (int z = 0; z < topics; ++z) {
            sum += (nw[t.word * topics + z] + beta) / (totals[z] + options.words * beta) *
                   (nd[t.document * topics + z] + alpha);
            p[z] = sum;
          }
          const float place = static_cast<float>(stradsap::random(j).uniform()) * sum;
          t.topic = 0;
          while (t.topic < topics - 1 && p[t.topic] < place) ++t.topic;
          ++nw[t.word * topics + t.topic];
          ++nd[t.document * topics + t.topic];
          ++totals[t.topic];
        },
        stradsap::access(adds_late(totals)));
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds,
                flat_log_likelihood(tokens, nw, nd, totals, options.words));
  }
}
