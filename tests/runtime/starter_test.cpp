// The starter of a process, by the variables that srun, mpirun and others set.
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <stradsap/error.hpp>

#include "runtime/base/starter.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

using variables = std::map<std::string, std::string>;

variable_lookup lookup_in(const variables& set) {
  return [&](const char* name) -> std::optional<std::string_view> {
    const auto found = set.find(name);
    if (found == set.end()) return std::nullopt;
    return found->second;
  };
}

std::optional<starter> started_by(const variables& set) { return find_starter(lookup_in(set)); }

/// Of rank 5 of 7, on the second of three nodes.
const variables step = {{"SLURM_JOB_ID", "42"},        {"SLURM_STEP_ID", "3"},
                        {"SLURM_PROCID", "5"},         {"SLURM_STEP_NUM_TASKS", "7"},
                        {"SLURM_STEP_NUM_NODES", "3"}, {"SLURM_STEP_TASKS_PER_NODE", "3(x2),1"},
                        {"SLURM_NODEID", "1"},         {"SLURMD_NODENAME", "n1"},
                        {"SLURM_CPUS_PER_TASK", "4"},  {"SLURM_CPU_BIND_TYPE", "none"}};
const variables open_mpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"PMIX_NAMESPACE", "1490550785"}};

variables both(variables one, const variables& other) {
  one.insert(other.begin(), other.end());
  return one;
}

}  // namespace

TEST_CASE("a process without the variables of a starter is alone", "[base]") {
  CHECK(!started_by({}));
  CHECK(
      !started_by({{"SLURM_JOB_ID", "42"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}));  // a batch script
  CHECK(!started_by({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}));
  CHECK(!started_by({{"JOB_COMPLETION_INDEX", "3"}}));
}

TEST_CASE("a process alone in a Slurm job of several tasks is warned, and none in a step", "[base]") {
  const auto warning = [](const variables& set) { return warning_of_unused_tasks(lookup_in(set)); };
  const variables job = {{"SLURM_JOB_ID", "42"}, {"SLURM_NTASKS", "8"}};
  const variables batch = both(job, {{"SLURM_PROCID", "0"}});
  const variables shell = {{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_STEP_ID", "4294967290"}};
  const variables nodes = {{"SLURM_JOB_ID", "42"}, {"SLURM_JOB_NUM_NODES", "3"}};
  CHECK_THAT(warning(job), Catch::Contains("a Slurm job of 8 tasks: write srun PROGRAM or stradsap-run"));
  CHECK_THAT(warning(nodes), Catch::Contains("a Slurm job of 3 tasks"));
  CHECK(!warning(batch).empty());
  CHECK(!warning(both(job, shell)).empty());
  CHECK(warning(both(job, {{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_STEP_ID", "0"}})).empty());
  CHECK(warning(step).empty());
  CHECK(warning(both(job, open_mpi)).empty());
  CHECK(warning(both(job, {{"STRADSAP_WORLD_SIZE", "1"}})).empty());
  CHECK(warning({{"SLURM_JOB_ID", "42"}, {"SLURM_NTASKS", "1"}}).empty());
  CHECK(warning({{"SLURM_JOB_ID", "42"}, {"SLURM_NTASKS", "x"}}).empty());
  CHECK(warning({{"SLURM_NTASKS", "8"}}).empty());
}

TEST_CASE("the variables of stradsap-run win, and one rank by name is alone", "[base]") {
  CHECK(!started_by(both(open_mpi, {{"STRADSAP_WORLD_SIZE", "2"}, {"STRADSAP_RUN_DIR", "/tmp/a"}})));
  CHECK(!started_by(both(step, {{"STRADSAP_WORLD_SIZE", "1"}})));
}

TEST_CASE("a step of srun tells the ranks of each node", "[base]") {
  const auto s = started_by(step);
  REQUIRE(s);
  CHECK(s->rank == 5);
  CHECK(s->size == 7);
  CHECK(s->local_size == 3);
  CHECK(!s->is_one_host());
  CHECK(s->cores == 4);
  CHECK(!s->is_bound);
  CHECK(!s->may_bind);  // its daemon may have more cores than the job
  CHECK(s->host == "n1");
  CHECK(s->job == "42.3.");
  variables last = step;
  last["SLURM_NODEID"] = "2";
  CHECK(started_by(last)->local_size == 1);
  last["SLURM_NODEID"] = "3";
  CHECK(started_by(last)->local_size == 0);
  last["SLURM_STEP_NUM_NODES"] = "1";
  CHECK(started_by(last)->is_one_host());
}

TEST_CASE("mpirun counts before the srun that has started its daemons", "[base]") {
  const auto s = started_by(both(open_mpi, step));
  REQUIRE(s);
  CHECK(s->name == "mpirun");
  CHECK(s->rank == 1);
  CHECK(s->size == 4);
  CHECK(s->local_size == 2);
  CHECK(s->job == "1490550785");
  const auto hydra = started_by(both({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}}, step));
  REQUIRE(hydra);
  CHECK(hydra->size == 2);
  CHECK(hydra->is_one_host());
  CHECK(!hydra->job.empty());
  const auto pmi_of_slurm = started_by(both({{"PMI_RANK", "5"}, {"PMI_SIZE", "7"}}, step));
  REQUIRE(pmi_of_slurm);
  CHECK(pmi_of_slurm->name == "srun");
}

TEST_CASE("a rendezvous makes ranks of other starters", "[base]") {
  const variables pod = {
      {"STRADSAP_WORLD_SIZE", "4"}, {"STRADSAP_RENDEZVOUS", "mf-0.mf:7411"}, {"JOB_COMPLETION_INDEX", "2"}};
  const auto s = started_by(pod);
  REQUIRE(s);
  CHECK(s->rank == 2);
  CHECK(s->local_size == 0);
  CHECK(started_by(both(pod, {{"STRADSAP_RANK", "3"}}))->rank == 3);
  CHECK(started_by(both(pod, {{"STRADSAP_JOB_ID", "a"}}))->job == "a");
  CHECK(started_by(both(pod, {{"STRADSAP_LOCAL_SIZE", "2"}}))->local_size == 2);
  CHECK_THROWS_WITH(started_by({{"STRADSAP_WORLD_SIZE", "4"}, {"JOB_COMPLETION_INDEX", "2"}}),
                    Catch::Contains("set STRADSAP_RANK and STRADSAP_RENDEZVOUS too"));
  CHECK_THROWS_WITH(started_by({{"STRADSAP_RANK", "2"}}), Catch::Contains("STRADSAP_WORLD_SIZE is not"));
}

TEST_CASE("mpirun of Open MPI 5 has variables of PMIx and its own", "[base]") {
  const auto s = started_by(both(open_mpi, {{"PMIX_RANK", "1"}, {"PRTE_LAUNCHED", "1"}}));
  REQUIRE(s);
  CHECK(s->name == "mpirun");
  CHECK(s->size == 4);
}

TEST_CASE("a starter with PMIx alone does not tell the number of ranks", "[base]") {
  const variables pmix = {{"PMIX_RANK", "3"}, {"PMIX_NAMESPACE", "prterun-a-7@1"}, {"PRTE_LAUNCHED", "1"}};
  CHECK_THROWS_WITH(started_by(pmix), Catch::Contains("prterun -n 4 -x STRADSAP_WORLD_SIZE=4"));
  CHECK_THROWS_WITH(started_by(both(pmix, step)),
                    Catch::Contains("has started rank 3"));  // srun has its daemons
  const auto s = started_by(both(pmix, {{"STRADSAP_WORLD_SIZE", "4"}}));
  REQUIRE(s);
  CHECK(s->name == "prterun");
  CHECK(s->rank == 3);
  CHECK(s->size == 4);
  CHECK(s->job == "prterun-a-7@1");
  CHECK(s->stays);
  CHECK(!started_by(both(pmix, {{"STRADSAP_WORLD_SIZE", "1"}})));
  CHECK(started_by(both(pmix, {{"STRADSAP_WORLD_SIZE", "4"}, {"STRADSAP_LOCAL_SIZE", "4"}}))->is_one_host());
  const auto slurm = started_by(both({{"PMIX_RANK", "5"}, {"PMIX_NAMESPACE", "slurm.pmix.42.3"}}, step));
  REQUIRE(slurm);
  CHECK(slurm->name == "srun");
}

TEST_CASE("variables without sense are named", "[base]") {
  variables wrong = step;
  wrong["SLURM_PROCID"] = "7";
  CHECK_THROWS_WITH(started_by(wrong), "SLURM_PROCID=7: expected a whole number from 0 to 6");
  wrong["SLURM_PROCID"] = "x";
  CHECK_THROWS_WITH(started_by(wrong), Catch::Contains("SLURM_PROCID=x"));
  wrong = open_mpi;
  wrong["OMPI_COMM_WORLD_SIZE"] = "0";
  CHECK_THROWS_WITH(started_by(wrong), Catch::Contains("OMPI_COMM_WORLD_SIZE=0"));
}
