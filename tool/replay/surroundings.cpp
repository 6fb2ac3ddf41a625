#include "tool/replay/surroundings.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <optional>

#include "tool/program/environment.h"

namespace heddle::replay {
namespace {

constexpr std::size_t kMostTold = 8;
constexpr std::size_t kMostOfValue = 60;

using Values = std::map<std::string, std::optional<std::string>>;

Values values_of(const ProgramIdentity& program) {
  Values values;
  for (const std::string& name : program.unset) values[name] = std::nullopt;
  for (const auto& [name, value] : program.environment) values[name] = value;
  return values;
}

std::string told(const std::optional<std::string>& value) {
  if (!value) return "not set";
  return "'" + (value->size() <= kMostOfValue ? *value : value->substr(0, kMostOfValue) + "…") + "'";
}

void compare_variables(const ProgramIdentity& then, const ProgramIdentity& now,
                       std::vector<std::string>& changes) {
  const Values before = values_of(then), after = values_of(now);
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (old == before.end() && is_read_by_libc(name)) {
      changes.push_back(fmt::format("The variable {} was not set, and is {} now.", name, told(value)));
    } else if (old == before.end()) {
      changes.push_back(fmt::format(
          "The program asks for the variable {}, of which the artifact says nothing; here it is {}.", name,
          told(value)));
    } else if (old->second != value) {
      changes.push_back(
          fmt::format("The variable {} was {}, and is {} now.", name, told(old->second), told(value)));
    }
  }
}

}  // namespace

std::vector<std::string> changed_surroundings(const ProgramIdentity& then, const ProgramIdentity& now) {
  std::vector<std::string> changes;
  if (then.cwd != now.cwd)
    changes.push_back(fmt::format("The program ran in {}, and runs in {} now.", then.cwd, now.cwd));
  for (std::size_t i = 1; i < then.argv.size(); ++i) {
    const std::string& argument = then.argv[i];
    std::error_code error;
    if (argument.find('/') == std::string::npos || argument.front() == '-') continue;
    if (!std::filesystem::exists(std::filesystem::path(now.cwd) / argument, error))
      changes.push_back(fmt::format("Its argument {} names no file here.", told(argument)));
  }
  compare_variables(then, now, changes);
  if (changes.size() > kMostTold) {
    const std::size_t more = changes.size() - kMostTold;
    changes.resize(kMostTold);
    changes.push_back(fmt::format("… and {} more that are not as they were.", more));
  }
  return changes;
}

}  // namespace heddle::replay
