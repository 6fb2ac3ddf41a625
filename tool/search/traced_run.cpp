#include "tool/search/traced_run.h"

#include <set>

#include "tool/artifact/stable_names.h"

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

TracedRun traced_run(Trace trace, SymbolicTables tables) {
  TracedRun run;
  const StableNames names(trace);
  std::map<ThreadId, ThreadPath*> by_thread;
  std::set<ThreadId> all{kMainThread};
  for (const TraceEvent& event : trace.events) all.insert(event.thread);
  for (const ThreadId thread : all) {
    ThreadPath& own = run.threads[names.thread(thread)];
    own.thread = thread;
    by_thread[thread] = &own;
  }
  for (std::uint32_t i = 0; i < tables.records.size(); ++i) {
    const symbolic::Record& record = tables.records[i];
    if (record.kind != symbolic::RecordKind::kBranch || record.spared != 0) continue;
    if (record.expression == symbolic::kConcrete) continue;
    const auto own = by_thread.find(record.thread);
    if (own == by_thread.end()) continue;
    own->second->path.push_back(Step::make(record.pc, record.holds != 0));
    own->second->records.push_back(i);
    own->second->events.push_back(record.event);
  }
  run.trace = std::move(trace);
  run.tables = std::move(tables);
  return run;
}

}  // namespace heddle::search
