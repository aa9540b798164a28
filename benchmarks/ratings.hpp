// What rivals of the programs on ratings share: both files read as the original reads them, and its ranks K.
//
// To be included behind the original, whose types and functions it uses.

#pragma once

/// Both files and the sizes of the model they need.
struct Input {
  std::vector<Rating> ratings;
  std::vector<Rating> test;
  int64_t users = 0;
  int64_t items = 0;
};

inline Input read_input(const Options& options) {
  Input input;
  input.ratings = read_text<Rating>(options.ratings, parse_rating);
  input.users = num_rows(options.ratings, input.ratings, &Rating::user);
  input.items = num_rows(options.ratings, input.ratings, &Rating::item);
  if (!options.test.empty()) {
    input.test = read_text<Rating>(options.test, parse_rating);
    input.users = std::max(input.users, num_rows(options.test, input.test, &Rating::user));
    input.items = std::max(input.items, num_rows(options.test, input.test, &Rating::item));
  }
  return input;
}

/// Calls trainer.template operator()<K>() for the rank K asked for; throws for one that is not built.
template <class Trainer> void dispatch(int rank, Trainer trainer) {
  switch (rank) {
    case 8:
      return trainer.template operator()<8>();
    case 16:
      return trainer.template operator()<16>();
    case 32:
      return trainer.template operator()<32>();
    case 64:
      return trainer.template operator()<64>();
    case 128:
      return trainer.template operator()<128>();
  }
  throw std::runtime_error("--rank " + std::to_string(rank) + " is not one of 8, 16, 32, 64, 128");
}
