// Questions on word vectors: `a b c d` on each line, where a and b belong together as c and d do.
//
// A pair (a, b) is right if a is more similar to b than to d. An analogy is right if d is the word most
// similar to b - a + c, other than a, b and c. Similar is a large cosine.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using WordQuestion = std::array<int, 4>;  // numbers of words

/// The questions of which all words have a number; others are left out.
static std::vector<WordQuestion> read_questions(const std::string& path,
                                                const std::vector<std::string>& names) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<WordQuestion> questions;
  std::array<std::string, 4> words;
  while (file >> words[0] >> words[1] >> words[2] >> words[3]) {
    WordQuestion question;
    bool is_known = true;
    for (int i = 0; i < 4; ++i) {
      const auto found = std::find(names.begin(), names.end(), words[i]);
      is_known = is_known && found != names.end();
      question[i] = static_cast<int>(found - names.begin());
    }
    if (is_known) questions.push_back(question);
  }
  if (questions.empty()) throw std::runtime_error(path + ": no question has known words only");
  return questions;
}

static double cosine(const auto& a, const auto& b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t d = 0; d < a.size(); ++d) {
    ab += double{a[d]} * b[d];
    aa += double{a[d]} * a[d];
    bb += double{b[d]} * b[d];
  }
  return ab / std::sqrt(aa * bb);
}

/// The word most similar to b - a + c.
static int answer_to(const WordQuestion& question, const auto& vectors, int words) {
  const auto [a, b, c, d] = question;
  auto wanted = vectors[b];
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] += vectors[c][i] - vectors[a][i];
  int best = -1;
  double most = -2;
  for (int word = 0; word < words; ++word) {
    if (word == a || word == b || word == c) continue;
    const double similarity = cosine(vectors[word], wanted);
    if (similarity > most) {
      most = similarity;
      best = word;
    }
  }
  return best;
}

/// Prints the parts of right pairs and of right analogies.
static void print_answers(const std::vector<WordQuestion>& questions, const auto& vectors, int words) {
  int pairs = 0, analogies = 0;
  for (const WordQuestion& question : questions) {
    const auto [a, b, c, d] = question;
    pairs += cosine(vectors[a], vectors[b]) > cosine(vectors[a], vectors[d]);
    analogies += answer_to(question, vectors, words) == d;
  }
  const double n = static_cast<double>(questions.size());
  std::printf("pairs=%.4f analogies=%.4f\n", pairs / n, analogies / n);
}
