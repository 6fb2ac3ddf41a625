#include "tool/run/processor_time.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace heddle::run {
namespace {

std::string content_of(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  close(file);
  return text;
}

// Ticks of the process, and of those of its children that it has waited for (proc(5), fields 14 to 17 of stat).
unsigned long long ticks_of(const std::string& process) {
  const std::string stat = content_of("/proc/" + process + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  unsigned long long user = 0, system = 0;
  long long of_children_user = 0, of_children_system = 0;
  if (std::sscanf(stat.c_str() + name_end + 1,
                  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &user, &system,
                  &of_children_user, &of_children_system) != 4)
    return 0;
  return user + system + static_cast<unsigned long long>(of_children_user + of_children_system);
}

// Of all that run below the process.
unsigned long long ticks_below(const std::string& process, int generations) {
  unsigned long long ticks = 0;
  const std::string tasks = "/proc/" + process + "/task";
  DIR* folder = opendir(tasks.c_str());
  if (folder == nullptr) return 0;
  while (const dirent* task = readdir(folder)) {
    if (task->d_name[0] == '.') continue;
    const std::string children = content_of(tasks + "/" + task->d_name + "/children");
    for (std::size_t at = 0; at < children.size();) {
      const std::size_t end = children.find(' ', at);
      const std::string child = children.substr(at, end - at);
      if (!child.empty()) {
        ticks += ticks_of(child);
        if (generations > 0) ticks += ticks_below(child, generations - 1);
      }
      if (end == std::string::npos) break;
      at = end + 1;
    }
  }
  closedir(folder);
  return ticks;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double look() {
  constexpr int kGenerations =
      3;  // a worker, the process that it repeats executions in, what the program starts
  static const double per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  double seconds = static_cast<double>(ticks_below("self", kGenerations)) / per_second;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (getrusage(who, &used) == 0) seconds += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  return seconds;
}

}  // namespace

double processor_seconds() {
  constexpr double kEvery = 0.005;
  static std::mutex mutex;
  static double latest = 0, looked_at = -1;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double wall = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  const std::lock_guard lock(mutex);
  if (looked_at >= 0 && wall - looked_at < kEvery) return latest;
  looked_at = wall;
  // A process that ends between two looks may be counted less for a moment: the clock only goes forward.
  const double seconds = look();
  if (seconds > latest) latest = seconds;
  return latest;
}

}  // namespace heddle::run
