#include "tool/search/traced_run.h"

#include <set>

#include "core/record/path_ids.h"
#include "tool/search/path_steps.h"
#include "tool/trace/stable_names.h"

namespace heddle::search {

std::map<std::string, Path> TracedRun::paths() const {
  std::map<std::string, Path> result;
  for (const auto& [name, thread] : threads) result[name] = thread.path;
  return result;
}

const std::string& TracedRun::name_of(ThreadId thread) const {
  static const std::string kNone;
  for (const auto& [name, own] : threads) {
    if (own.thread == thread) return name;
  }
  return kNone;
}

namespace {

bool is_of_switch(const symbolic::Record& record) {
  return record.kind == symbolic::RecordKind::kBranch && record.address != 0;
}

// Every decision of a thread, and of those that symbols decided the record: records follow the order of the
// steps that they belong to.
void read_decisions(const SymbolicTables& tables, const std::map<ThreadId, ThreadPath*>& threads,
                    TracedRun& run, const StableNames& names) {
  std::map<std::string, ThreadPath>& decisions = run.decisions;
  std::map<ThreadId, std::vector<const symbolic::Step*>> steps;
  for (const symbolic::Step& step : tables.steps) {
    if (step.kind > static_cast<std::uint8_t>(record::StepKind::kLanding)) continue;
    if (step.depth == 0) {
      steps[step.thread].push_back(&step);
    } else {
      run.handlers[names.thread(step.thread) + std::string(step.depth, '!')].push_back(
          path_step(step.place, step.kind, step.outcome));
    }
  }
  for (const auto& [thread, unused] : threads) {
    ThreadPath& own = decisions[names.thread(thread)];
    own.thread = thread;
    for (const symbolic::Step* step : steps[thread]) {
      own.path.push_back(path_step(step->place, step->kind, step->outcome));
      own.records.push_back(kNoRecord);
      own.events.push_back(step->event);
    }
  }
  std::map<ThreadId, std::size_t> next;
  for (std::uint32_t i = 0; i < tables.records.size(); ++i) {
    const symbolic::Record& r = tables.records[i];
    if (r.kind != symbolic::RecordKind::kBranch || r.expression == symbolic::kConcrete || r.value == 0)
      continue;
    if (is_of_switch(r) && r.size != 0) continue;  // its first one stands for all
    const auto& own = steps[r.thread];
    for (std::size_t k = next[r.thread]; k < own.size(); ++k) {
      const bool is_branch = own[k]->kind == static_cast<std::uint8_t>(record::StepKind::kBranch);
      if (own[k]->place != r.value || own[k]->event != r.event) continue;
      if (is_branch && (own[k]->outcome != 0) != (r.holds != 0)) continue;
      decisions.at(names.thread(r.thread)).records[k] = i;
      next[r.thread] = k + 1;
      break;
    }
  }
}

}  // namespace

std::uint32_t record_towards(std::span<const symbolic::Record> records, const ThreadPath& own,
                             std::size_t step, Step wanted) {
  const std::uint32_t first = own.records[step];
  if (first == kNoRecord || own.path[step].flipped() == wanted) return first;
  const symbolic::Record& chain = records[first];
  if (!is_of_switch(chain)) return kNoRecord;
  std::uint32_t before = 0;
  for (std::uint32_t i = first; i < records.size(); ++i) {
    const symbolic::Record& r = records[i];
    if (r.thread != chain.thread) continue;
    if (!is_of_switch(r) || r.value != chain.value || r.size != before++) break;
    if (path_step(r.value, static_cast<std::uint8_t>(record::StepKind::kSwitch), r.address - 1) == wanted)
      return i;
  }
  return kNoRecord;
}

TracedRun traced_run(Trace trace, SymbolicTables tables) {
  TracedRun run;
  const StableNames names(trace);
  std::map<ThreadId, ThreadPath*> by_thread;
  std::set<ThreadId> all{kMainThread};
  for (const TraceEvent& event : trace.events) {
    all.insert(event.thread);
    // One that was created and has not begun yet is a thread all the same.
    if (event.kind == EventKind::kThreadCreate && event.other != kNoThread) all.insert(event.other);
  }
  for (const ThreadId thread : all) {
    ThreadPath& own = run.threads[names.thread(thread)];
    own.thread = thread;
    by_thread[thread] = &own;
  }
  for (std::uint32_t i = 0; i < tables.records.size(); ++i) {
    const symbolic::Record& record = tables.records[i];
    if (record.kind != symbolic::RecordKind::kBranch || record.guards != 0) continue;
    if (record.expression == symbolic::kConcrete) continue;
    const auto own = by_thread.find(record.thread);
    if (own == by_thread.end()) continue;
    own->second->path.push_back(Step::make(record.pc, record.holds != 0));
    own->second->records.push_back(i);
    own->second->events.push_back(record.event);
  }
  if (!tables.steps.empty()) read_decisions(tables, by_thread, run, names);
  run.trace = std::move(trace);
  run.tables = std::move(tables);
  return run;
}

}  // namespace heddle::search
