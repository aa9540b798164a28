// make-data: writes seeded data sets with a planted model, for the demo, the tests and the benchmarks. This
// file owns the command line and the exit status: 0, 1 if writing failed, 2 if the request makes no sense.
#include "ratings.hpp"
#include "request.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>

using stradsap::data::ratings_request;

static void add_common_options(CLI::App& kind, ratings_request& request) {
  kind.add_option("--seed", request.seed, "same seed, same bytes")->capture_default_str();
  kind.add_option("--test-fraction", request.test_fraction, "part of the ratings that go to test.txt")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str();
  kind.add_option("--rank", request.rank, "factors of the planted model")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  kind.add_option("--noise", request.noise, "standard deviation of the noise")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  kind.add_option("--out", request.out, "folder for train.txt and test.txt, or one file NAME.txt")
      ->required();
}

static void add_preset(CLI::App& app, const char* name, const char* what, ratings_request& request,
                       ratings_request shape) {
  CLI::App* kind = app.add_subcommand(name, what);
  kind->preparse_callback([&request, shape](std::size_t) { request = shape; });
  add_common_options(*kind, request);
}

static ratings_request shape_of(std::uint32_t num_users, std::uint32_t num_items, std::uint64_t count) {
  ratings_request shape;
  shape.num_users = num_users;
  shape.num_items = num_items;
  shape.count = count;
  return shape;
}

int main(int argc, char** argv) {
  CLI::App app("Writes a seeded data set with a planted model", "make-data");
  app.require_subcommand(1);
  ratings_request request;
  CLI::App* ratings =
      app.add_subcommand("ratings", "lines `user item value`, ids dense from 0, values 1 to 5");
  ratings->add_option("--users", request.num_users)->required()->check(CLI::Range(1U, 1U << 31));
  ratings->add_option("--items", request.num_items)->required()->check(CLI::Range(1U, 1U << 31));
  ratings->add_option("--count", request.count)->required()->check(CLI::PositiveNumber);
  add_common_options(*ratings, request);
  add_preset(app, "gen1m", "ratings of 6,040 users on 3,706 items, 1,000,000 of them", request,
             shape_of(6040, 3706, 1000000));
  add_preset(app, "gen10m", "ratings of 69,878 users on 10,677 items, 10,000,000 of them", request,
             shape_of(69878, 10677, 10000000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    stradsap::data::make_ratings(request);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "make-data: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make-data: %s\n", error.what());
    return 1;
  }
  return 0;
}
