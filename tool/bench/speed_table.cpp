#include "tool/bench/speed_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace heddle::bench {
namespace {

using Json = nlohmann::ordered_json;

const char* mark(bool reached) { return reached ? "" : "  (!)"; }

Json json_of(const Spread& spread) {
  return {{"median", spread.median}, {"least", spread.least}, {"most", spread.most}};
}

const RateResult* find(const std::vector<RateResult>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const RateResult& r) { return r.measured.name == name; });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace

std::string operations_head(const std::string& part, const std::string& compiler, double limit) {
  return fmt::format(
      "\n{}, {}: CPU time of one operation; to reach: at most {:g} times ThreadSanitizer's\n\n"
      "{:<42} {:>9} {:>9} {:>9}   {}\n",
      part, compiler, limit, "", "heddle", "TSan", "native", "heddle / TSan");
}

std::string operations_row(const OperationResult& r) {
  return fmt::format("{:<42} {:>6.1f} ns {:>6.1f} ns {:>6.1f} ns   {:.2f} ({:.2f} to {:.2f}){}\n",
                     r.measured.name, r.heddle.median, r.tsan.median, r.native.median, r.ratio.median,
                     r.ratio.least, r.ratio.most, mark(r.ratio.median <= r.measured.limit));
}

std::string operations_foot(const std::vector<OperationResult>& results) {
  if (results.empty()) return "";
  double logarithms = 0, worst = 0;
  std::size_t over = 0;
  for (const OperationResult& r : results) {
    logarithms += std::log(r.ratio.median);
    worst = std::max(worst, r.ratio.median);
    over += r.ratio.median > r.measured.limit ? 1 : 0;
  }
  return fmt::format("\ngeometric mean {:.2f}, worst {:.2f}; over what is to be reached: {} of {}\n",
                     std::exp(logarithms / static_cast<double>(results.size())), worst, over, results.size());
}

std::string lengths_head(std::uint32_t most_exponent) {
  std::string text = fmt::format(
      "\nby length: CPU time of one operation, and memory; to reach: constant, and at most {} KB more than "
      "10^5 "
      "operations take\n\n{:<42}",
      kFlatKilobytes, "");
  for (std::uint32_t exponent = 4; exponent <= most_exponent; ++exponent)
    text += fmt::format(" {:>9}", fmt::format("10^{}", exponent));
  return text + "   memory\n";
}

std::string lengths_row(const LengthResult& r, std::uint32_t most_exponent) {
  std::string text = fmt::format("{:<42}", r.measured.name);
  for (std::uint32_t exponent = 4; exponent <= most_exponent; ++exponent) {
    const std::size_t at = exponent - 4;
    text += at < r.nanoseconds.size() ? fmt::format(" {:>6.0f} ns", r.nanoseconds[at])
                                      : fmt::format(" {:>9}", "");
  }
  return text + fmt::format("   {} to {} KB{}\n", r.early_kilobytes, r.late_kilobytes,
                            mark(r.late_kilobytes - r.early_kilobytes <= kFlatKilobytes));
}

std::string executions_head() {
  return fmt::format("\nexecutions per second: 2 threads, 30 atomic operations\n\n{:<42} {:<32} {}\n", "",
                     "per second", "to reach");
}

std::string executions_row(const RateResult& r, const std::vector<RateResult>& all) {
  const std::string rate = fmt::format("{:.0f} ({:.0f} to {:.0f})", r.rate.median, r.rate.least, r.rate.most);
  if (const RateResult* other = find(all, r.measured.against)) {
    const double share = r.rate.median / other->rate.median;
    return fmt::format("{:<42} {:<32} {:.2f} times {}'s; {:g}{}\n", r.measured.name, rate, share,
                       other->measured.name, r.measured.share, mark(share >= r.measured.share));
  }
  if (r.measured.target == 0) return fmt::format("{:<42} {}\n", r.measured.name, rate);
  return fmt::format("{:<42} {:<32} {:.0f}{}\n", r.measured.name, rate, r.measured.target,
                     mark(r.rate.median >= r.measured.target));
}

std::string start_row(const Spread& milliseconds) {
  return fmt::format(
      "\na campaign of one execution, from start to end: {:.0f} ms ({:.0f} to {:.0f}); to reach: {:g}{}\n",
      milliseconds.median, milliseconds.least, milliseconds.most, kStartMilliseconds,
      mark(milliseconds.median <= kStartMilliseconds));
}

std::string speed_json(const SpeedResults& results, const std::string& tool_version) {
  Json operations = Json::array(), lengths = Json::array(), executions = Json::array();
  for (const OperationResult& r : results.operations) {
    operations.push_back({{"part", r.measured.part},
                          {"name", r.measured.name},
                          {"compiler", r.compiler},
                          {"heddle_ns", json_of(r.heddle)},
                          {"tsan_ns", json_of(r.tsan)},
                          {"native_ns", json_of(r.native)},
                          {"ratio", json_of(r.ratio)},
                          {"limit", r.measured.limit}});
  }
  for (const LengthResult& r : results.lengths) {
    lengths.push_back({{"name", r.measured.name},
                       {"ns_from_10000_operations", r.nanoseconds},
                       {"kilobytes_after_100000", r.early_kilobytes},
                       {"kilobytes_after_all", r.late_kilobytes}});
  }
  for (const RateResult& r : results.executions) {
    executions.push_back(
        {{"name", r.measured.name}, {"per_second", json_of(r.rate)}, {"target", r.measured.target}});
  }
  Json document = {
      {"heddle", tool_version}, {"operations", operations}, {"lengths", lengths}, {"executions", executions}};
  if (!results.starts.empty()) document["start_ms"] = json_of(results.starts[0]);
  return document.dump(2) + "\n";
}

}  // namespace heddle::bench
