// sgd_mf by hand with MPI: ranks own user strata, item strips travel round a ring of ranks.
//
// There are two strips a rank: one is in use while the other travels. A neighbour needs the strip that a rank
// sends after a step two steps later. Options and output are those of the sequential original. The line
// `plan_seconds=` adds the time of renumbering and bucketing, which pass 0 includes.

#include <span>
#include <utility>

#include "strata.hpp"

#include "../ranks.hpp"

/// The distribution of groups to ranks (users) and strips (items). A strip has `width` groups of items.
struct Layout {
  int rank = mpi_rank(), ranks = mpi_size(), strips = 2 * ranks;
  int groups, share, width;

  explicit Layout(int64_t model_bytes)
      : groups(num_groups(strips, model_bytes)), share(groups / ranks), width(groups / strips) {}

  int strip_begin(const Grouping& items, int strip) const { return items.begin[strip * width]; }
  int strip_rows(const Grouping& items, int strip) const {
    return strip_begin(items, strip + 1) - strip_begin(items, strip);
  }
};

/// This rank's ratings, strip after strip. A strip has share x width blocks. Rows are numbered from the first
/// row of the rank, or of the strip.
struct Blocks {
  std::vector<size_t> begin;
  huge_vector<Rating> ratings;
};

/// The numbers of this rank's ratings. Those of other ranks come in no predictable order, so a number is
/// always written, and the next one overwrites it unless it counts.
static huge_vector<unsigned> own_ratings(const std::vector<Rating>& ratings, const Grouping& users,
                                         const Layout& layout) {
  const unsigned first_group = layout.rank * layout.share, share = layout.share;
  huge_vector<unsigned> own(ratings.size() + 1);
  size_t n = 0;
  for (size_t j = 0; j < ratings.size(); ++j) {
    own[n] = static_cast<unsigned>(j);
    n += users.place[ratings[j].user].group - first_group < share;
  }
  own.resize(n);
  return own;
}

/// A stable counting sort of this rank's ratings.
static Blocks bucket(const std::vector<Rating>& ratings, const Grouping& users, const Grouping& items,
                     const Layout& layout) {
  const int first_group = layout.rank * layout.share, first_user = users.begin[first_group];
  const size_t num_blocks = static_cast<size_t>(layout.share) * layout.groups;
  std::vector<size_t> item_part(layout.groups);  // a block is item part + user part
  std::vector<int> first_item(layout.groups);    // by item group: the first item of its strip
  for (int g = 0; g < layout.groups; ++g) {
    const int strip = g / layout.width;
    item_part[g] = static_cast<size_t>(strip) * layout.share * layout.width + g % layout.width;
    first_item[g] = layout.strip_begin(items, strip);
  }
  const auto block_of = [&](Place user, Place item) {
    return item_part[item.group] + static_cast<size_t>(user.group - first_group) * layout.width;
  };
  const huge_vector<unsigned> own = own_ratings(ratings, users, layout);
  Blocks blocks{std::vector<size_t>(num_blocks + 1, 0), huge_vector<Rating>(own.size())};
  for (const unsigned j : own)
    ++blocks.begin[block_of(users.place[ratings[j].user], items.place[ratings[j].item]) + 1];
  for (size_t b = 0; b < num_blocks; ++b) blocks.begin[b + 1] += blocks.begin[b];
  std::vector<size_t> next = blocks.begin;
  for (const unsigned j : own) {
    const Rating& r = ratings[j];
    const Place user = users.place[r.user], item = items.place[r.item];
    blocks.ratings[next[block_of(user, item)]++] = {user.row - first_user, item.row - first_item[item.group],
                                                    r.value};
  }
  return blocks;
}

/// The item strips on their way round. At step s, rank r works on strip (2 r + s) mod 2R. After 2R steps,
/// every strip is back on its rank. The four buffers are in use, next, coming in and going out.
template <int K> class StripRing {
 public:
  StripRing(const Grouping& items, const Layout& layout, uint64_t seed) : items_(items), layout_(layout) {
    MPI_Type_contiguous(K, MPI_FLOAT, &row_type_);
    MPI_Type_commit(&row_type_);
    int most = 0;
    for (int strip = 0; strip < layout.strips; ++strip)
      most = std::max(most, layout.strip_rows(items, strip));
    for (int i = 0; i < 4; ++i) buffers_[i].resize(most);
    for (int64_t step = 0; step < 2; ++step) {
      const int strip = strip_at(step), first = layout.strip_begin(items, strip);
      const auto rows = make_rows<K>(items, first, first + layout.strip_rows(items, strip), seed, 1);
      std::copy(rows.begin(), rows.end(), buffers_[step].begin());
    }
  }
  StripRing(const StripRing&) = delete;
  ~StripRing() { MPI_Type_free(&row_type_); }

  int strip() const { return strip_at(step_); }

  /// The rows of this step's strip. Waits for them, and posts the receive for the strip of the step after
  /// next.
  Factor<K>* arrive() {
    const int slot = slot_at(step_), free = slot_at(step_ + 2);
    if (layout_.ranks > 1) {
      MPI_Wait(&receives_[slot], MPI_STATUS_IGNORE);
      MPI_Wait(&sends_[free], MPI_STATUS_IGNORE);  // began two steps ago
      MPI_Irecv(buffers_[free].data(), layout_.strip_rows(items_, strip_at(step_ + 2)), row_type_,
                (layout_.rank + 1) % layout_.ranks, 0, MPI_COMM_WORLD, &receives_[free]);
    }
    return buffers_[slot].data();
  }

  /// Sends this step's strip and moves to the next step.
  void pass_on() {
    const int slot = slot_at(step_);
    if (layout_.ranks > 1) {
      MPI_Isend(buffers_[slot].data(), layout_.strip_rows(items_, strip()), row_type_,
                (layout_.rank + layout_.ranks - 1) % layout_.ranks, 0, MPI_COMM_WORLD, &sends_[slot]);
    }
    ++step_;
  }

  /// Waits after a whole pass; every strip is then back on its rank.
  void settle() {
    MPI_Waitall(4, receives_, MPI_STATUSES_IGNORE);
    MPI_Waitall(4, sends_, MPI_STATUSES_IGNORE);
  }

  /// All item rows by new id, on every rank. Requires settle() before.
  std::vector<Factor<K>> gather() const {
    std::vector<Factor<K>> home;
    for (int64_t step = step_; step < step_ + 2; ++step) {
      const auto& buffer = buffers_[slot_at(step)];
      home.insert(home.end(), buffer.begin(), buffer.begin() + layout_.strip_rows(items_, strip_at(step)));
    }
    return gather_rows(home, items_, 2 * layout_.width);
  }

  /// Concatenates the ranks' rows. Rank r has `groups_each` groups from r * groups_each on.
  std::vector<Factor<K>> gather_rows(std::span<const Factor<K>> mine, const Grouping& grouping,
                                     int groups_each) const {
    std::vector<int> counts(layout_.ranks), offsets(layout_.ranks);
    for (int r = 0; r < layout_.ranks; ++r) {
      offsets[r] = grouping.begin[r * groups_each];
      counts[r] = grouping.begin[(r + 1) * groups_each] - offsets[r];
    }
    std::vector<Factor<K>> all(grouping.place.size());
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), row_type_, all.data(), counts.data(),
                   offsets.data(), row_type_, MPI_COMM_WORLD);
    return all;
  }

 private:
  int slot_at(int64_t step) const { return static_cast<int>(step % (layout_.ranks > 1 ? 4 : 2)); }
  int strip_at(int64_t step) const { return static_cast<int>((2 * layout_.rank + step) % layout_.strips); }

  const Grouping& items_;
  const Layout& layout_;
  MPI_Datatype row_type_{};
  huge_vector<Factor<K>> buffers_[4];
  MPI_Request sends_[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request receives_[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int64_t step_ = 0;
};

template <int K>
static double run_pass(const Blocks& blocks, const Layout& layout, Factor<K>* P, StripRing<K>& ring,
                       float rate, float reg) {
  double loss = 0;
  for (int step = 0; step < layout.strips; ++step) {
    const size_t first = static_cast<size_t>(ring.strip()) * layout.share * layout.width;
    Factor<K>* Q = ring.arrive();
    for (size_t block = first; block < first + layout.share * layout.width; ++block) {
      const Rating* ratings = blocks.ratings.data();
      loss += run_block<K>(ratings + blocks.begin[block], ratings + blocks.begin[block + 1], P, Q, rate, reg);
    }
    ring.pass_on();
  }
  ring.settle();
  return sum_over_ranks(loss);
}

/// The error over all ranks. Each rank tests the ratings of its own users.
template <int K>
static double test_error(const std::vector<Rating>& test, const Grouping& users, const Grouping& items,
                         const Layout& layout, const Factor<K>* P, const StripRing<K>& ring) {
  const std::vector<Factor<K>> Q = ring.gather();
  double loss = 0;
  for (const Rating& r : test) {
    const Place user = users.place[r.user];
    if (user.group / layout.share != layout.rank) continue;
    const float e =
        r.value - dot(P[user.row - users.begin[layout.rank * layout.share]], Q[items.place[r.item].row]);
    loss += e * e;
  }
  return sum_over_ranks(loss);
}

template <int K> static void train_strata(const Options& options, Input input) {
  const int64_t num_ratings = static_cast<int64_t>(input.ratings.size());
  const int64_t num_tests = static_cast<int64_t>(input.test.size());
  const Layout layout((input.users + input.items) * static_cast<int64_t>(sizeof(Factor<K>)));
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_plan = seconds_now();
  const Grouping users = group_rows(input.ratings, &Rating::user, input.users, layout.groups);
  const Grouping items = group_rows(input.ratings, &Rating::item, input.items, layout.groups);
  const Blocks blocks = bucket(input.ratings, users, items, layout);
  const double plan_seconds = max_over_ranks(seconds_now() - start_plan);
  std::vector<Rating>().swap(input.ratings);
  if (layout.rank == 0) std::printf("plan_seconds=%.6f\n", plan_seconds);

  const int first = users.begin[layout.rank * layout.share],
            last = users.begin[(layout.rank + 1) * layout.share];
  auto P = make_rows<K>(users, first, last, options.seed, 0);
  StripRing<K> ring(items, layout, options.seed);
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    const double loss = run_pass<K>(blocks, layout, P.data(), ring, rate_of(options, epoch), options.reg);
    const double seconds = seconds_now() - start + (epoch == 0 ? plan_seconds : 0);
    const double test_loss =
        num_tests > 0 ? test_error<K>(input.test, users, items, layout, P.data(), ring) : 0;
    if (layout.rank == 0)
      print_pass(epoch, seconds, loss / static_cast<double>(num_ratings), test_loss, num_tests);
  }
  if (!options.hash) return;
  const auto all_users = ring.gather_rows(P, users, layout.share), all_items = ring.gather();
  if (layout.rank == 0) print_hash(in_key_order<K>(all_users, users), in_key_order<K>(all_items, items));
}

int main(int argc, char** argv) {
  return run_ranks(argc, argv, []<int K>(const Options& options, Input input) {
    train_strata<K>(options, std::move(input));
  });
}
