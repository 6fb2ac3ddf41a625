#include "tool/bench/speed_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tool/bench/build_kinds.h"

namespace heddle::bench {
namespace {

Error failed(const std::string& what, int status) {
  return Error{fmt::format("{} ended with status {}.", what, status), ExitCode::kOwnError};
}

}  // namespace

Spread Spread::of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

Result<SpeedBench> SpeedBench::build(const std::string& heddle, const std::string& sources,
                                     const std::string& compiler) {
  auto folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  for (const std::string& kind : kBuildKinds) {
    std::vector<std::string> command = compile_command(kind, heddle, compiler, true);
    append(command, {"-std=c++20", "-O2", "-g", "-fno-tree-vectorize", "-pthread", "-I", sources,
                     sources + "/long_runs.cpp", sources + "/race_loops.cpp", "-o", kind});
    const auto status = run_in(folder->path(), command);
    if (!status) return status.error();
    if (*status != 0)
      return Error{
          fmt::format("{} cannot build the programs{}.", compiler,
                      kind == "tsan" ? " with -fsanitize=thread: is its ThreadSanitizer installed?" : "")};
  }
  std::vector<std::string> command = compile_command("heddle", heddle, c_compiler_of(compiler), false);
  append(command, {"-g", "-O1", "-pthread", sources + "/executions.c", "-o", "executions"});
  const auto status = run_in(folder->path(), command);
  if (!status) return status.error();
  if (*status != 0) return Error{fmt::format("{} cannot build executions.c.", c_compiler_of(compiler))};
  return SpeedBench(std::move(*folder), heddle, compiler);
}

Result<int> SpeedBench::run_on_one_core(std::vector<std::string> command) const {
  command.insert(command.begin(), {"taskset", "-c", "0"});
  return run_in(folder_.path(), command);
}

Result<SpeedBench::Cost> SpeedBench::run_once(const std::string& kind,
                                              const std::vector<std::string>& arguments) const {
  std::vector<std::string> command;
  if (kind == "heddle")
    command = {heddle_, "run", "-q",     "--no-progress", "-n",         "1",         "-j",   "1", "--seed",
               "1",     "-s",  "random", "--max-steps",   "1000000000", "--timeout", "600s", "--"};
  append(command, {"./" + kind, "result"});
  append(command, arguments);
  const auto status = run_on_one_core(command);
  if (!status) return status.error();
  if (*status != 0) return failed(fmt::format("long_runs {} ({})", fmt::join(arguments, " "), kind), *status);
  Cost cost;
  std::ifstream file(folder_.path() + "/result");
  if (!(file >> cost.nanoseconds >> cost.kilobytes))
    return Error{"long_runs wrote no result.", ExitCode::kOwnError};
  return cost;
}

Result<OperationResult> SpeedBench::measure(const OperationCase& operation, unsigned rounds) const {
  std::vector<double> times[3], ratios;
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t kind = 0; kind < kBuildKinds.size(); ++kind) {
      const auto cost = run_once(kBuildKinds[kind], operation.arguments);
      if (!cost) return cost.error();
      times[kind].push_back(cost->nanoseconds);
    }
    ratios.push_back(times[0].back() / times[1].back());
  }
  return OperationResult{
      operation,         compiler_, Spread::of(times[0]), Spread::of(times[1]), Spread::of(times[2]),
      Spread::of(ratios)};
}

Result<LengthResult> SpeedBench::measure(const LengthCase& length) const {
  LengthResult result{length, {}, 0, 0};
  std::uint64_t operations = 10'000;
  for (std::uint32_t exponent = 4; exponent <= length.most_exponent; ++exponent, operations *= 10) {
    std::vector<std::string> arguments = length.arguments;
    arguments.push_back(std::to_string(operations));
    const auto cost = run_once("heddle", arguments);
    if (!cost) return cost.error();
    result.nanoseconds.push_back(cost->nanoseconds);
    if (exponent == 5) result.early_kilobytes = cost->kilobytes;
    result.late_kilobytes = cost->kilobytes;
  }
  return result;
}

Result<RateResult> SpeedBench::measure(const RateCase& execution, unsigned rounds) const {
  std::vector<double> rates;
  const bool one_worker = execution.name.rfind("-j", 0) != 0;
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<std::string> command = {heddle_,  "run",
                                        "-q",     "--no-progress",
                                        "-n",     std::to_string(execution.executions),
                                        "--seed", std::to_string(round + 1),
                                        "-s",     "random",
                                        "--json", "report.json"};
    if (one_worker) append(command, {"-j", "1"});
    append(command, execution.run_options);
    append(command, {"--", "./executions"});
    append(command, execution.arguments);
    const auto status = run_in(folder_.path(), command);
    if (!status) return status.error();
    if (*status != 0) return failed("heddle run " + execution.name, *status);
    std::ifstream file(folder_.path() + "/report.json");
    const auto report = nlohmann::json::parse(file, nullptr, false);
    if (!report.is_object() || !report.contains("executions_per_second"))
      return Error{"heddle run wrote no report.", ExitCode::kOwnError};
    rates.push_back(report["executions_per_second"].get<double>());
  }
  return RateResult{execution, Spread::of(rates)};
}

Result<Spread> SpeedBench::measure_start(unsigned rounds) const {
  std::vector<double> times;
  for (unsigned round = 0; round < rounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    const auto status = run_in(
        folder_.path(), {heddle_, "run", "-q", "--no-progress", "-j", "1", "-n", "1", "--", "./executions"});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (!status) return status.error();
    if (*status != 0) return failed("heddle run -n 1", *status);
    times.push_back(took.count());
  }
  return Spread::of(times);
}

}  // namespace heddle::bench
