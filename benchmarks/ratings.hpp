// Common code of the rivals on ratings: reads both files as the original does, and has its ranks K.
//
// Include it after the original. It uses its types and functions.

#pragma once

/// Both files, and the sizes of the model for them.
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

/// Calls trainer.template operator()<K>() for the requested rank K. Throws if that is not built.
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
