// The cores that the control groups of a process leave to it.
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/base/core_count.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// A folder with control groups, as the kernel shows them.
class made_groups {
 public:
  made_groups() {
    std::string made = (std::filesystem::temp_directory_path() / "groups.XXXXXX").string();
    REQUIRE(::mkdtemp(made.data()) != nullptr);
    root_ = made;
  }
  ~made_groups() { std::filesystem::remove_all(root_); }
  made_groups(const made_groups&) = delete;
  made_groups& operator=(const made_groups&) = delete;

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  [[nodiscard]] std::optional<int> quota(const std::string& own) const {
    write("own", own);
    return quota_in_cores(root_ + "/own", root_);
  }

 private:
  std::string root_;
};

}  // namespace

TEST_CASE("the quota of a control group is a number of cores, rounded up", "[base]") {
  const made_groups groups;
  CHECK(!groups.quota("0::/"));
  groups.write("cpu.max", "max 100000");  // of a container
  CHECK(!groups.quota("0::/"));
  groups.write("cpu.max", "150000 100000");
  CHECK(groups.quota("0::/") == 2);
  groups.write("cpu.max", "1000 100000");
  CHECK(groups.quota("0::/elsewhere") == 1);
}

TEST_CASE("the least quota of a control group and of those around it counts", "[base]") {
  const made_groups groups;
  groups.write("user.slice/run.scope/cpu.max", "max 100000");
  groups.write("user.slice/cpu.max", "300000 100000");
  CHECK(groups.quota("0::/user.slice/run.scope") == 3);
  groups.write("user.slice/run.scope/cpu.max", "200000 100000");
  CHECK(groups.quota("0::/user.slice/run.scope") == 2);
  CHECK(groups.quota("0::/user.slice") == 3);
}

TEST_CASE("control groups of version 1 have a quota, too", "[base]") {
  const made_groups groups;
  groups.write("cpu/job/cpu.cfs_quota_us", "400000");
  groups.write("cpu/job/cpu.cfs_period_us", "100000");
  CHECK(groups.quota("4:memory:/job\n2:cpu,cpuacct:/job\n0::/") == 4);
  CHECK(!groups.quota("4:cpuset:/job\n0::/"));
  groups.write("cpu/job/cpu.cfs_quota_us", "-1");
  CHECK(!groups.quota("2:cpu,cpuacct:/job"));
}
