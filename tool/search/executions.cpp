#include "tool/search/executions.h"

#include <gelf.h>

#include <algorithm>
#include <limits>
#include <new>
#include <set>

#include "core/base/random.h"
#include "core/trace/event_kinds.h"
#include "tool/cause/guided_plan.h"
#include "tool/program/program_elf.h"
#include "tool/replay/fold_waits.h"
#include "tool/replay/symbolic.h"
#include "tool/run/visible_race.h"

namespace heddle::search {

Result<Executions> Executions::start(const run::Target& target, const RunSpec& spec,
                                     std::vector<int> allowed_exits, std::uint64_t index) {
  if (!replay::is_full_build(target.path)) {
    return Error{target.path + " has no symbolic code. Build it with `heddle c++ --full`."};
  }
  Executions executions;
  executions.target_ = target;
  executions.spec_ = spec;
  executions.allowed_exits_ = std::move(allowed_exits);
  executions.index_ = index;
  if (auto status = executions.start_candidates(); !status) return status.error();
  return executions;
}

Status Executions::start_candidates() {
  auto candidates = replay::Candidates::start(target_, spec_, stub({}));
  if (!candidates) return candidates.error();
  candidates->keep_logs();
  candidates_ = std::make_shared<replay::Candidates>(std::move(*candidates));
  return Done{};
}

// By where the memory is, and not by the code: what is traced is another body of each function than the one that
// candidates execute (tool/replay/symbolic.cpp).
Result<bool> Executions::see_races(const Trace& trace) {
  bool is_new = false;
  for (const TraceFinding& finding : trace.findings)
    is_new = run::add_raced_memory(finding, spec_.visible) || is_new;
  if (!is_new) return false;
  spec_.visible.silence = VisiblePlaces::kVisibleOnes;
  if (auto status = start_candidates(); !status) return status.error();
  return true;
}

Executed Executions::judged(const ExecutionResult& result, std::vector<Choice> choices) const {
  Executed executed;
  executed.choices = std::move(choices);
  executed.result = result;
  executed.is_bug = !run::signatures_of(result, allowed_exits_).empty();
  executed.visible = spec_.visible;
  executed.passes = result.ending == Ending::kExited && !executed.is_bug;
  return executed;
}

Trace Executions::stub(std::span<const Choice> choices) const {
  Trace trace;
  trace.spec = spec_;
  trace.execution = index_;
  trace.choices.assign(choices.begin(), choices.end());
  return trace;
}

// The unsurprising execution, in which threads go on while they can and who sleeps sleeps long enough; then
// with a few switches more than it makes.
Result<Executed> Executions::sample(std::uint64_t index) {
  std::vector<Departure> plan;
  if (index != 0 && !switches_.empty()) {
    Random random(mix(spec_.seed, index));
    for (std::uint64_t i = 0; i <= index % 3; ++i)
      plan.push_back(switches_[random.below(static_cast<std::uint32_t>(switches_.size()))]);
  }
  auto outcome = candidates_->follow(plan, index == 0);
  if (!outcome) return outcome.error();
  if (index == 0) {
    switches_.clear();
    for (const DepartureMade& other : outcome->others) {
      if (other.departure.place.kind() == ChoiceKind::kThread) switches_.push_back(other.departure);
    }
  }
  return judged(outcome->result, std::move(outcome->choices));
}

Result<Executed> Executions::follow(std::span<const Departure> plan, std::optional<Hold> hold) {
  auto outcome = candidates_->follow(plan, false, hold);
  if (!outcome) return outcome.error();
  ++executed_;
  return judged(outcome->result, std::move(outcome->choices));
}

Result<Executed> Executions::follow(const Composition& of, const constraints::SymbolicTrace& trace,
                                    const constraints::Execution& schedule, const Afterwards& afterwards) {
  const std::uint32_t uncounted = uncounted_.value_or(0);
  const auto places = constraints::places(trace, schedule, afterwards.woken);
  std::optional<Hold> hold;
  if (afterwards.held != kNoThread) {
    hold = Hold{afterwards.held, 0};
    for (const constraints::Place& place : places) {
      if (place.thread != afterwards.held || place.event == kNoEvent) continue;
      hold = cause::hold_before(of.trace, place.event, uncounted);
      ++hold->operations;
    }
  }
  return follow(cause::plan_of(of.trace, places, is_weak(), uncounted), hold);
}

// How many operations of the main thread no strategy sees: with the right number, the schedule of an
// execution leads to that execution.
Status Executions::find_uncounted(const TracedRun& run, std::uint64_t hash) {
  const Composition of = composition_of(run);
  auto trace = constraints_of(of, of.tables, {});
  if (!trace) return trace.error();
  const auto places = constraints::places(*trace, constraints::observed_execution(*trace));
  for (const std::uint32_t guess : {cause::operations_before_threads(run.trace), 0u}) {
    auto outcome = candidates_->follow(cause::plan_of(of.trace, places, is_weak(), guess));
    if (!outcome) return outcome.error();
    if (outcome->result.trace_hash == hash) {
      uncounted_ = guess;
      break;
    }
  }
  return Done{};
}

void Executions::read_static_memory(const Trace& trace) {
  symboliser_ = std::make_shared<Symboliser>(trace.modules);
  const auto module = std::find_if(trace.modules.begin(), trace.modules.end(),
                                   [&](const TraceModule& m) { return m.path == target_.path; });
  auto file = ElfFile::open(target_.path);
  if (module == trace.modules.end() || !file) return;
  for (Elf_Scn* section = elf_nextscn(file->handle(), nullptr); section != nullptr;
       section = elf_nextscn(file->handle(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const bool is_zeroed = header.sh_type == SHT_NOBITS && (header.sh_flags & SHF_TLS) == 0;
    if (is_zeroed && (header.sh_flags & SHF_ALLOC) != 0)
      zeroed_.emplace_back(module->base + header.sh_addr, module->base + header.sh_addr + header.sh_size);
  }
}

void Executions::learn_static(const TracedRun& run, std::map<Address, std::uint8_t>& initial) {
  for (const TraceEvent& e : run.trace.events) {
    if (!accesses_memory(e.kind)) continue;
    for (const auto& [begin, end] : zeroed_) {
      if (e.address < begin || e.address + e.size > end) continue;
      for (std::uint32_t byte = 0; byte < e.size; ++byte) initial.emplace(e.address + byte, 0);
    }
  }
}

std::string Executions::source_place(std::uint64_t pc) {
  if (symboliser_ == nullptr || pc == 0) return {};
  const Frame* shown = nullptr;
  for (const Frame& frame : symboliser_->frames(pc)) {
    if (frame.file.empty() || frame.line == 0) continue;
    const bool is_own = frame.file.rfind("/usr/", 0) != 0;
    if (shown == nullptr || is_own) shown = &frame;
    if (is_own) break;
  }
  if (shown == nullptr) return {};
  return shown->file.substr(shown->file.find_last_of('/') + 1) + ":" + std::to_string(shown->line);
}

Result<std::shared_ptr<TracedRun>> Executions::trace(const Executed& of) {
  Trace original = stub(of.choices);
  original.spec.visible = of.visible;
  auto run =
      replay::run_symbolically(target_, original, replay::AfterFailure::kEnd, shared_, keeps_decisions_);
  if (!run) return run.error();
  std::set<std::uint64_t> known;
  for (const Granule& g : shared_) known.insert(g.key);
  const std::size_t before = shared_.size();
  for (const Granule& g : run->shared) {
    if (known.insert(g.key).second) shared_.push_back(g);
  }
  if (shared_.size() != before) ++generation_;
  if (symboliser_ == nullptr) read_static_memory(run->trace);
  auto traced = std::make_shared<TracedRun>(traced_run(std::move(run->trace), std::move(run->tables)));
  if (!uncounted_ && of.visible == spec_.visible) {
    if (auto status = find_uncounted(*traced, of.result.trace_hash); !status) return status.error();
  }
  return traced;
}

Result<std::shared_ptr<TracedRun>> Executions::trace_injected(ThreadId thread,
                                                              std::span<const InjectedValue> values) {
  if (values.size() > kMostInjected)
    return Error{"The path has more reads than values can be injected.", ExitCode::kInconclusive};
  auto memory = run::SharedMemory::create("heddle-plan", CampaignState::kBytes);
  if (!memory) return memory.error();
  auto* state = new (memory->data()) CampaignState;
  auto* exchange = static_cast<PlanExchange*>(state->learning().path());
  exchange->execution = index_;  // without a plan: the unsurprising schedule
  exchange->injected_thread = thread;
  exchange->injected_count = static_cast<std::uint16_t>(values.size());
  std::copy(values.begin(), values.end(), exchange->injected);
  RunSpec spec = spec_;
  spec.replay = ReplayKind::kPlan;
  spec.plain_events = PlainEvents::kShared;
  spec.symbolic = spec.fresh_memory = 1;
  spec.timeout_ns = std::min<std::uint64_t>(spec.timeout_ns, 1'000'000'000);
  // Values are injected where rules are enforced: one that asks for nothing.
  spec.rule_count = 1;
  spec.rules[0] = EnforcedRule{};
  run::SingleOptions options;
  options.index = index_;
  options.symbolise = false;
  options.also_shared = shared_;
  options.finds_shared = false;
  options.campaign = memory->descriptor();
  options.kept_events = std::numeric_limits<std::size_t>::max();
  auto run = run::run_single(target_, spec, options);
  if (!run) return run.error();
  if (run->symbolic.cut)
    return Error{"The symbolic trace is larger than heddle keeps.", ExitCode::kInconclusive};
  SymbolicTables tables = replay::fold_waits(run->trace, std::move(run->symbolic));
  auto traced = std::make_shared<TracedRun>(traced_run(std::move(run->trace), std::move(tables)));
  traced->is_injected = true;
  return traced;
}

Result<Trace> Executions::record(const Executed& executed) {
  RunSpec spec = spec_;
  spec.visible = executed.visible;
  spec.replay = ReplayKind::kExact;
  run::SingleOptions options;
  options.index = index_;
  options.replay = executed.choices;
  options.allowed_exits = allowed_exits_;
  auto run = run::run_single(target_, spec, options);
  if (!run) return run.error();
  return std::move(run->trace);
}

}  // namespace heddle::search
