#include "runtime/base/starter.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {
namespace {

constexpr int largest_size = 65536;
constexpr const char* interactive_step = "4294967290";  // the shell of salloc

/// The variables of one process.
class start_variables {
 public:
  explicit start_variables(const variable_lookup& find) : find_(find) {}

  [[nodiscard]] bool has(const char* name) const { return find_(name).has_value(); }
  [[nodiscard]] std::string text(const char* name) const { return std::string(find_(name).value_or("")); }

  [[nodiscard]] int number(const char* name, int otherwise, int least, int most) const {
    const auto given = find_(name);
    if (!given) return otherwise;
    int value = 0;
    const auto [end, failure] = std::from_chars(given->data(), given->data() + given->size(), value);
    if (failure == std::errc() && end == given->data() + given->size() && value >= least && value <= most)
      return value;
    throw error(errc::unsupported,
                fmt::format("{}={}: expected a whole number from {} to {}", name, *given, least, most));
  }

  /// The rank and the number of ranks, by two variables; one rank if they are missing.
  [[nodiscard]] starter ranks(const char* by, const char* rank, const char* size) const {
    starter s;
    s.name = by;
    if (!has(rank) || !has(size)) return s;
    s.size = number(size, 1, 1, largest_size);
    s.rank = number(rank, 0, 0, s.size - 1);
    return s;
  }

 private:
  const variable_lookup& find_;
};

}  // namespace

/// The number at `place` of "2(x3),1", Slurm's list with one number for each node; 0 if there is none.
static int number_at(std::string_view list, int place) {
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    int value = 0;
    int times = 1;
    const char* const end = part.data() + part.size();
    const auto [after, failure] = std::from_chars(part.data(), end, value);
    if (failure != std::errc()) return 0;
    constexpr std::string_view before = "(x";
    if (std::string_view(after, end).starts_with(before))
      (void)std::from_chars(after + before.size(), end, times);
    if (place < times) return value;
    place -= times;
  }
  return 0;
}

static starter by_open_mpi(const start_variables& v) {
  starter s = v.ranks("mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  s.local_size = v.number("OMPI_COMM_WORLD_LOCAL_SIZE", 0, 1, s.size);
  s.is_bound = v.has("OMPI_MCA_orte_bound_at_launch");
  s.may_bind = true;  // version 5
  s.stays = true;
  // the second one is a random number of the job
  const std::string name =
      v.has("PMIX_NAMESPACE") ? v.text("PMIX_NAMESPACE") : v.text("OMPI_MCA_ess_base_jobid");
  s.job = name + v.text("OMPI_MCA_orte_precondition_transports");
  return s;
}

/// MPICH, Intel MPI and others. They do not tell the number of the job: on one host, their daemon is it.
static starter by_pmi(const start_variables& v) {
  starter s = v.ranks("mpirun", "PMI_RANK", "PMI_SIZE");
  s.local_size = v.number("MPI_LOCALNRANKS", 0, 1, s.size);
  s.may_bind = true;
  s.stays = true;
  if (s.is_one_host()) s.job = fmt::format("parent {}", ::getppid());
  return s;
}

static starter by_slurm(const start_variables& v) {
  starter s = v.ranks("srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
  if (s.size == 1) return s;
  const int node = v.number("SLURM_NODEID", 0, 0, largest_size);
  s.local_size = std::min(s.size, number_at(v.text("SLURM_STEP_TASKS_PER_NODE"), node));
  if (v.text("SLURM_STEP_NUM_NODES") == "1") s.local_size = s.size;
  s.cores = v.number("SLURM_CPUS_PER_TASK", 0, 1, largest_size);
  const std::string binding = v.text("SLURM_CPU_BIND_TYPE");
  s.is_bound = !binding.empty() && binding != "none";
  s.stays = true;
  s.job =
      fmt::format("{}.{}.{}", v.text("SLURM_JOB_ID"), v.text("SLURM_STEP_ID"), v.text("SLURM_RESTART_COUNT"));
  s.host = v.text("SLURMD_NODENAME");
  return s;
}

/// Whether a starter that speaks PMIx has set its variables. Slurm, which may do so too, tells more by its
/// own.
static bool is_by_pmix(const start_variables& v) {
  return v.has("PMIX_RANK") && v.has("PMIX_NAMESPACE") &&
         !v.text("PMIX_NAMESPACE").starts_with("slurm.pmix.");
}

/// prterun, or another starter that speaks PMIx. It tells the number of ranks to programs with its library.
static starter by_pmix(const start_variables& v) {
  if (!v.has("STRADSAP_WORLD_SIZE")) {
    throw error(
        errc::unsupported,
        fmt::format("prterun or another starter with PMIx has started rank {}, and its variables do not "
                    "have the number of ranks: set STRADSAP_WORLD_SIZE in all ranks, as with prterun -n 4 "
                    "-x STRADSAP_WORLD_SIZE=4; with 1 each copy runs alone",
                    v.text("PMIX_RANK")));
  }
  starter s = v.ranks("prterun", "PMIX_RANK", "STRADSAP_WORLD_SIZE");
  s.job = v.text("PMIX_NAMESPACE");
  s.may_bind = true;
  s.stays = true;
  return s;
}

/// A Kubernetes Job, or any other starter that sets the variables of stradsap-run.
static starter by_rendezvous(const start_variables& v) {
  const char* const rank = v.has("STRADSAP_RANK") ? "STRADSAP_RANK" : "JOB_COMPLETION_INDEX";
  if (!v.has(rank) && is_by_pmix(v)) return by_pmix(v);
  if (!v.has("STRADSAP_RENDEZVOUS") || !v.has(rank)) {
    throw error(
        errc::unsupported,
        "STRADSAP_WORLD_SIZE is set but STRADSAP_RUN_DIR is not: start the program with stradsap-run, "
        "or set STRADSAP_RANK and STRADSAP_RENDEZVOUS too");
  }
  starter s = v.ranks("STRADSAP_RENDEZVOUS", rank, "STRADSAP_WORLD_SIZE");
  s.job = v.text("STRADSAP_RENDEZVOUS");
  return s;
}

/// In a Slurm job, mpirun starts its daemons by srun: their variables reach the ranks too.
static starter by_cluster(const start_variables& v) {
  if (v.has("OMPI_COMM_WORLD_RANK")) return by_open_mpi(v);
  if (is_by_pmix(v) && !v.has("PMI_SIZE")) return by_pmix(v);
  const bool agree =
      v.text("PMI_RANK") == v.text("SLURM_PROCID") && v.text("PMI_SIZE") == v.text("SLURM_STEP_NUM_TASKS");
  return v.has("PMI_RANK") && !agree ? by_pmi(v) : by_slurm(v);
}

std::optional<starter> find_starter(const variable_lookup& variable) {
  const start_variables v(variable);
  const bool has_size = v.has("STRADSAP_WORLD_SIZE");
  if (!has_size && v.has("STRADSAP_RANK")) {
    throw error(errc::unsupported,
                "STRADSAP_RANK is set but STRADSAP_WORLD_SIZE is not: start the program with stradsap-run");
  }
  const bool is_ours = has_size && (v.has("STRADSAP_RUN_DIR") || v.text("STRADSAP_WORLD_SIZE") == "1");
  if (is_ours) return std::nullopt;
  starter s = has_size ? by_rendezvous(v) : by_cluster(v);
  if (s.size == 1) return std::nullopt;
  if (v.has("STRADSAP_JOB_ID")) s.job = v.text("STRADSAP_JOB_ID");
  s.local_size = v.number("STRADSAP_LOCAL_SIZE", s.local_size, 1, s.size);
  return s;
}

std::string warning_of_unused_tasks(const variable_lookup& variable) {
  const start_variables v(variable);
  for (const char* const by : {"STRADSAP_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (v.has(by)) return "";
  const bool is_in_step = v.has("SLURM_STEP_NUM_TASKS") && v.text("SLURM_STEP_ID") != interactive_step;
  if (!v.has("SLURM_JOB_ID") || is_in_step) return "";
  // unless told otherwise, a job has one task on each node
  const int tasks = number_at(v.text(v.has("SLURM_NTASKS") ? "SLURM_NTASKS" : "SLURM_JOB_NUM_NODES"), 0);
  if (tasks <= 1) return "";
  return fmt::format(
      "one process runs alone in a Slurm job of {} tasks: write srun PROGRAM or stradsap-run PROGRAM; "
      "if one is meant, set STRADSAP_WORLD_SIZE=1",
      tasks);
}

}  // namespace stradsap::rt
