#include "tool/run/memory_kills.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace heddle::run {
namespace {

// The number behind `name` in a file of lines "name number".
std::optional<std::uint64_t> counter(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t value = 0;
  while (file >> word >> value) {
    if (word == name) return value;
  }
  return std::nullopt;
}

// "0::/path" (cgroup v2) in /proc/self/cgroup.
std::string own_group() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("0::", 0) == 0) return line.substr(3);
  }
  return {};
}

std::uint64_t memory_kills() {
  if (const auto count = counter("/sys/fs/cgroup" + own_group() + "/memory.events", "oom_kill"))
    return *count;
  return counter("/proc/vmstat", "oom_kill").value_or(0);
}

std::uint64_t kills_before = ~std::uint64_t{0};  // process-wide, as what it counts is

}  // namespace

void watch_memory_kills() {
  if (kills_before == ~std::uint64_t{0}) kills_before = memory_kills();
}

bool memory_ran_out() { return memory_kills() > kills_before; }

}  // namespace heddle::run
