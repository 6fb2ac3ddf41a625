#include "tool/search/known_paths.h"

#include <algorithm>

#include "tool/search/goals.h"
#include "tool/search/waiting_rounds.h"

namespace heddle::search {

const std::map<std::string, ThreadPath>& decisions_of(const TracedRun& run) {
  return run.decisions.empty() ? run.threads : run.decisions;
}

namespace {

Matched matched(const Path& path, const Path& ran) {
  Matched m;
  m.path = std::make_shared<const Path>(path);
  m.of = path.size();
  m.ran = ran.size();
  m.steps = static_cast<std::size_t>(std::mismatch(path.begin(), path.end(), ran.begin(), ran.end()).first -
                                     path.begin());
  return m;
}

}  // namespace

MatchedThreads match(const LoggedPaths& log, const TracedRun& run) {
  MatchedThreads all;
  for (const auto& [name, logged] : log) {
    Matched& m = all[name];
    if (const auto handler = run.handlers.find(name); handler != run.handlers.end()) {
      m = matched(logged, handler->second);
      continue;
    }
    const auto own = decisions_of(run).find(name);
    const bool has_run = own != decisions_of(run).end();
    const Path path = has_run ? with_rounds_of(logged, own->second) : logged;
    m = matched(path, has_run ? own->second.path : Path{});
    m.waited = logged.size() - std::min(logged.size(), m.of);
  }
  return all;
}

void KnownPaths::learn(const std::shared_ptr<TracedRun>& run, const MatchedThreads& matched) {
  for (const auto& [name, m] : matched) {
    if (!decisions_of(*run).contains(name)) continue;
    Known& known = threads_[name];
    // Who goes on tells what decides its next step; of the same, the later execution is nearer to the log.
    const auto worth = [](const Matched& of) { return std::pair(of.steps + of.waited, of.ran > of.steps); };
    if (known.run != nullptr && worth(m) < worth(known.matched)) continue;
    if (known.run == nullptr || worth(m) > worth(known.matched)) ++lessons_;
    known = {run, m};
  }
}

std::vector<std::string> KnownPaths::unfinished() const {
  std::vector<std::string> names;
  for (const auto& [name, known] : threads_) {
    const std::size_t failure = name == failing_ ? 1 : 0;
    if (known.matched.steps + failure < known.matched.of) names.push_back(name);
  }
  return names;
}

std::optional<Composition> KnownPaths::put_together(const std::map<Address, std::uint8_t>& initial) const {
  const auto main = threads_.find("0");
  if (main == threads_.end()) return std::nullopt;
  const TracedRun& base = *main->second.run;
  std::vector<Replacement> others;
  for (const auto& [name, known] : threads_) {
    if (known.run.get() != &base) others.push_back({name, known.run.get()});
  }
  return others.empty() ? composition_of(base, initial) : compose(base, others, initial);
}

std::optional<KnownPaths::Question> KnownPaths::ask(const std::vector<std::string>& wanted,
                                                    bool failure_comes_last, AtEnd at_end,
                                                    const std::map<Address, std::uint8_t>& initial) const {
  auto of = put_together(initial);
  if (!of) return std::nullopt;
  Question question;
  std::map<ThreadId, PathEnd> ends;
  Composition with = *of;
  const auto& paths = of->decisions.empty() ? of->threads : of->decisions;
  for (const auto& [name, own] : paths) {
    const auto known = threads_.find(name);
    if (known == threads_.end()) continue;
    std::size_t at = known->second.matched.steps;
    const Path& log = *known->second.matched.path;
    bool is_wanted = std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    // Where others are to go further, the failure is not to come yet.
    if (name == failing_ && !is_wanted && !log.empty()) at = std::min(at, log.size() - 1);
    const bool leaves = at < own.path.size() && at < log.size();
    // Only the same branch can go the other way, and only where values that threads share decide it.
    const std::uint32_t towards = leaves ? record_towards(of->tables.records, own, at, log[at]) : kNoRecord;
    if (leaves && towards == kNoRecord) is_wanted = false;
    if (at < own.path.size()) {
      if (leaves && is_wanted) {
        symbolic::Record& record = with.tables.records[towards];
        record.kind = symbolic::RecordKind::kBranch;
        record.holds = record.holds != 0 ? 0 : 1;
        const bool is_branch = own.path[at].flipped() == log[at];
        ends[own.thread] = {is_branch ? record_from(own, at + 1) : towards + 1, own.events[at]};
      } else if (leaves || at_end == AtEnd::kStop) {
        ends[own.thread] = end_before(*of, own, at);
      }
    }
    if (!is_wanted) continue;
    // What comes after the last step of a path may have been, and need not.
    const bool is_whole = at == log.size() && name != failing_;
    if (is_whole && (at == 0 || own.events[at - 1] == kNoEvent)) continue;
    question.wanted.push_back({own.thread, is_whole ? own.events[at - 1] : kNoEvent});
    const bool fails_next = name == failing_ && at + 1 >= log.size();
    if (fails_next && failure_comes_last) question.last = own.thread;
  }
  if (question.wanted.empty()) return std::nullopt;
  const auto shorter = ending_at(with, ends);
  if (!shorter) return std::nullopt;
  auto trace = constraints_of(*shorter, shorter->tables, {});
  if (!trace) return std::nullopt;
  question.of = std::move(*of);
  question.trace = std::move(*trace);
  return question;
}

}  // namespace heddle::search
