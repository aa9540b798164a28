// Draws and writes sentences one after the other. A sentence is about one planted word, `g3k1`: group 3, kind
// 1. Beside that word it has words of its group, words of its kind, and common ones by Zipf's law. So the two
// words of a group are similar, and their difference is that of any other group. The same bytes on every
// machine.
#include "text.hpp"

#include "random.hpp"
#include "whole_file.hpp"
#include "zipf.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace stradsap::data {

namespace {

constexpr std::uint64_t words_of_a_group = 6;
constexpr std::uint64_t words_of_a_kind = 6;
constexpr std::uint64_t groups_asked = 4;  // for each group

std::string numbered(const char* name, std::uint64_t number, const char* separator, std::uint64_t other) {
  return name + std::to_string(number) + separator + std::to_string(other);
}

std::string planted(std::uint64_t group, std::uint64_t kind) { return numbered("g", group, "k", kind); }

std::string draw_word(std::uint64_t group, std::uint64_t kind, const zipf_ids& common,
                      random_stream& random) {
  const std::uint64_t place = random.below(12);
  if (place < 2) return planted(group, kind);
  if (place < 5) return numbered("topic", group, "x", random.below(words_of_a_group));
  if (place < 8) return numbered("kind", kind, "x", random.below(words_of_a_kind));
  return "common" + std::to_string(common.draw(random));
}

void write_sentences(const text_request& request, whole_file& to) {
  const zipf_ids common(request.num_common, {request.seed, stream_id::common});
  random_stream random(request.seed, stream_id::draws);
  for (std::uint64_t sentence = 0; sentence < request.num_sentences; ++sentence) {
    const std::uint64_t group = random.below(request.num_groups), kind = random.below(2);
    std::string line;
    for (std::uint64_t i = 0; i < request.length; ++i) {
      if (i > 0) line += ' ';
      line += draw_word(group, kind, common, random);
    }
    line += '\n';
    to.append(line.data(), line.size());
  }
}

/// A line has the two words of a group, and then those of another one.
void write_questions(const text_request& request, whole_file& to) {
  for (std::uint64_t group = 0; group < request.num_groups; ++group) {
    for (std::uint64_t i = 1; i <= groups_asked; ++i) {
      const std::uint64_t other = (group + i) % request.num_groups;
      const std::string line = planted(group, 0) + ' ' + planted(group, 1) + ' ' + planted(other, 0) + ' ' +
                               planted(other, 1) + '\n';
      to.append(line.data(), line.size());
    }
  }
}

}  // namespace

void make_text(const text_request& request) {
  if (request.num_groups <= groups_asked)
    throw std::invalid_argument("questions need more than " + std::to_string(groups_asked) + " groups, not " +
                                std::to_string(request.num_groups));
  const std::filesystem::path folder = request.out;
  std::filesystem::create_directories(folder);
  whole_file corpus(folder / "corpus.txt");
  write_sentences(request, corpus);
  whole_file questions(folder / "questions.txt");
  write_questions(request, questions);
  corpus.commit();
  questions.commit();
  std::fprintf(stderr, "%s: %llu sentences of %llu words, %llu planted\n", request.out.c_str(),
               static_cast<unsigned long long>(request.num_sentences),
               static_cast<unsigned long long>(request.length),
               static_cast<unsigned long long>(2 * request.num_groups));
}

}  // namespace stradsap::data
