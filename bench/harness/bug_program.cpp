#include "bench/harness/bug_program.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstring>

#include "tool/bench/child_process.h"
#include "tool/run/descendants.h"

namespace heddle::bench {
namespace {

// Of this process and of those that have ended.
double cpu_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  return seconds;
}

// Executions are processes of processes: those that outlive their worker become ours, and what they used
// counts once they were waited for.
void reap_all() {
  rusage usage{};
  while (run::await_orphan(usage)) {
  }
}

}  // namespace

double cpu_seconds_of_all() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  reap_all();
  return cpu_seconds();
}

Result<std::string> compile_program(const std::string& heddle, const std::string& folder,
                                    const BugProgram& program, bool correct) {
  const std::string binary = folder + "/" + program.name;
  std::vector<std::string> words = {heddle, "cc", "-g", "-O1"};
  if (correct) words.emplace_back("-DCORRECT");
  for (const std::string& define : program.defines) words.push_back("-D" + define);
  words.insert(words.end(), {program.source, "-o", binary});
  const auto status = run_in(folder, words);
  if (!status) return status.error();
  if (*status != 0)
    return Error{"The benchmark " + program.name + " could not be compiled.", ExitCode::kBadInput};
  return binary;
}

Result<CampaignCost> run_campaign(const std::string& binary, const std::string& library,
                                  const std::string& strategy, run::CampaignOptions options) {
  std::vector<std::string> notes;
  auto target = run::resolve_target({binary}, library, notes);
  if (!target) return target.error();
  if (strategy.size() >= sizeof options.spec.strategy)
    return Error{"The strategy " + strategy + " has too many parameters.", ExitCode::kBadInput};
  std::strcpy(options.spec.strategy, strategy.c_str());
  const double before = cpu_seconds_of_all();
  CampaignCost cost{run::Campaign(*target, std::move(options)).run(), 0};
  cost.cpu_seconds = cpu_seconds_of_all() - before;
  if (cost.outcome.error) return *cost.outcome.error;
  return cost;
}

}  // namespace heddle::bench
