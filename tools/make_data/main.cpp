// make-data: writes seeded data sets with a planted model, for the demo, the tests and the benchmarks. This
// file owns the command line and the exit status: 0, 1 if writing failed, 2 if the request makes no sense.
#include "ratings.hpp"
#include "regression.hpp"
#include "request.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

using stradsap::data::ratings_request;

/// Unlike CLI::Range, it refuses NaN.
static CLI::Validator between(double least, double greatest) {
  return {[least, greatest](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= greatest)
              return std::string();
            char reason[96];
            std::snprintf(reason, sizeof reason, "takes a number from %g to %g", least, greatest);
            return text + ": " + reason;
          },
          "NUMBER"};
}

static void add_common_options(CLI::App& kind, ratings_request& request) {
  kind.add_option("--seed", request.seed, "same seed, same bytes")->capture_default_str();
  kind.add_option("--test-fraction", request.test_fraction, "part of the ratings that go to test.txt")
      ->check(between(0, 0.9))
      ->capture_default_str();
  kind.add_option("--rank", request.rank, "factors of the planted model")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  kind.add_option("--noise", request.noise, "standard deviation of the noise")
      ->check(between(0, 10))
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

static void add_regression(CLI::App& app, stradsap::data::regression_request& request) {
  CLI::App* kind = app.add_subcommand("lasso", "lines `target index:value ...` in LIBSVM's format");
  kind->add_option("--samples", request.num_samples)->required()->check(CLI::PositiveNumber);
  kind->add_option("--features", request.num_features)->required()->check(CLI::PositiveNumber);
  kind->add_option("--nonzero", request.num_nonzero, "features in the planted model")->capture_default_str();
  kind->add_option("--group", request.group, "features in a group, which occur in the same samples")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  kind->add_option("--density", request.density, "part of the samples in which a group occurs")
      ->check(between(0, 1))
      ->capture_default_str();
  kind->add_option("--correlation", request.correlation, "of two features of a group")
      ->check(between(0, 1))
      ->capture_default_str();
  kind->add_option("--noise", request.noise, "standard deviation of the noise of targets")
      ->check(between(0, 1e6))
      ->capture_default_str();
  kind->add_option("--seed", request.seed, "same seed, same bytes")->capture_default_str();
  kind->add_option("--out", request.out, "the file")->required();
}

static void add_text(CLI::App& app, stradsap::data::text_request& request) {
  CLI::App* kind = app.add_subcommand("text", "sentences with planted words, and questions on these");
  kind->add_option("--sentences", request.num_sentences)->check(CLI::PositiveNumber)->capture_default_str();
  kind->add_option("--length", request.length, "words of a sentence")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  kind->add_option("--groups", request.num_groups, "groups of two planted words")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  kind->add_option("--common", request.num_common, "words of no group")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  kind->add_option("--seed", request.seed, "same seed, same bytes")->capture_default_str();
  kind->add_option("--out", request.out, "folder for corpus.txt and questions.txt")->required();
}

static void make(const CLI::App& kind, const ratings_request& ratings,
                 const stradsap::data::regression_request& regression,
                 const stradsap::data::text_request& text) {
  if (kind.get_name() == "lasso") return stradsap::data::make_regression(regression);
  if (kind.get_name() == "text") return stradsap::data::make_text(text);
  stradsap::data::make_ratings(ratings);
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
  stradsap::data::regression_request regression;
  stradsap::data::text_request text;
  add_regression(app, regression);
  add_text(app, text);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    make(*app.get_subcommands().front(), request, regression, text);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "make-data: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make-data: %s\n", error.what());
    return 1;
  }
  return 0;
}
