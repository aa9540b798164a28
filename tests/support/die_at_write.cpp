// Preloaded into a program: kills it at one of its writes into files. DIE_AT: the number of the call, counted
// in the file DIE_COUNT, by all processes; DIE_WHO: "writer", the process that calls, or "run", its parent
// too. DIE_LOG: a file that gets a byte for each call. Counted are pwrite, fsync, rename, unlinkat, rmdir,
// mkdir. FAIL_WITH: the number of an error, with which pwrite and mkdir fail from the call DIE_AT on, or the
// call that FAIL_IN names; then no process is killed.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long count_in(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return 0;
  (void)!write(file, ".", 1);
  struct stat about{};
  fstat(file, &about);
  close(file);
  return about.st_size;
}

static void end_processes() {
  const char* who = std::getenv("DIE_WHO");
  if (who != nullptr && std::strcmp(who, "run") == 0) {
    char name[64];
    std::snprintf(name, sizeof name, "/proc/%d/exe", getppid());
    char here[4096] = "", parent[4096] = "";
    (void)!readlink("/proc/self/exe", here, sizeof here - 1);
    (void)!readlink(name, parent, sizeof parent - 1);
    if (std::strcmp(here, parent) == 0) kill(getppid(), SIGKILL);  // a writing child
  }
  kill(getpid(), SIGKILL);
}

/// Whether calls of this name fail, if any do.
static bool may_fail(const char* name) {
  if (const char* only = std::getenv("FAIL_IN")) return std::strcmp(only, name) == 0;
  return std::strcmp(name, "pwrite") == 0 || std::strcmp(name, "mkdir") == 0;
}

/// Counts a call. The error with which it fails, or 0.
static int count(const char* name) {
  if (const char* log = std::getenv("DIE_LOG")) count_in(log);
  const char* at = std::getenv("DIE_AT");
  const char* counts = std::getenv("DIE_COUNT");
  if (at == nullptr || counts == nullptr) return 0;
  const long calls = count_in(counts);
  if (const char* number = std::getenv("FAIL_WITH"))
    return calls >= std::atol(at) && may_fail(name) ? std::atoi(number) : 0;
  if (calls == std::atol(at)) end_processes();
  return 0;
}

/// Sets errno. True if the call fails.
static bool fails(const char* name) {
  const int number = count(name);
  if (number != 0) errno = number;
  return number != 0;
}

template <class F> static F next(const char* name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }

extern "C" {
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  if (fails("pwrite")) return -1;
  return next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  if (fails("pwrite")) return -1;
  return next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64")(fd, data, size, at);
}
int fsync(int fd) {
  if (fails("fsync")) return -1;
  return next<int (*)(int)>("fsync")(fd);
}
int rename(const char* from, const char* to) {
  if (fails("rename")) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}
int unlinkat(int folder, const char* path, int flags) {
  count("unlinkat");
  return next<int (*)(int, const char*, int)>("unlinkat")(folder, path, flags);
}
int mkdir(const char* path, mode_t mode) {
  if (fails("mkdir")) return -1;
  return next<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}
}
