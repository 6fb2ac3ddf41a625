#include "tests/unit/memory/explore.h"

#include <algorithm>
#include <numeric>

namespace heddle::memory {

using oracle::EventKind;
using oracle::Op;
using oracle::OpKind;

MemoryOrder order_of(oracle::Order order) { return static_cast<MemoryOrder>(order); }

namespace {

constexpr Address kBase = 0x10000;

Value value_of(int v) { return {static_cast<std::uint64_t>(static_cast<std::int64_t>(v)), 0}; }
int int_of(const Value& v) { return static_cast<int>(static_cast<std::int64_t>(v.low)); }

}  // namespace

Place Explorer::place(int location) const {
  return {kBase + static_cast<Address>(location) * 8, 8, memory_[static_cast<std::size_t>(location)]};
}

std::uint32_t Explorer::choose(std::uint32_t count) {
  if (count == 1) return 0;
  if (depth_ == path_.size()) path_.push_back({0, count});
  if (path_[depth_].count != count)
    result_.error = "not deterministic: the same choices gave other alternatives";
  return path_[depth_++].pick;
}

bool Explorer::next_path() {
  while (!path_.empty() && path_.back().pick + 1 == path_.back().count) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().pick;
  return true;
}

Explored Explorer::explore(const oracle::Program& program, const ExploreOptions& options) {
  program_ = &program;
  options_ = &options;
  result_ = {};
  path_.clear();
  const oracle::OutcomeLayout layout(program);
  positions_ = layout.position;
  finals_ = layout.finals;
  outcome_.assign(static_cast<std::size_t>(layout.size), 0);
  ids_.assign(program.threads.size(), kNoThread);
  do {
    run_once();
    if (++result_.executions > options.max_executions) result_.error = "too many executions";
  } while (result_.error.empty() && next_path());
  return result_;
}

void Explorer::run_once() {
  depth_ = 0;
  Options options = options_->model;
  options.record = options.record || options_->check_axioms;
  model_.reset(options);
  const std::size_t threads = program_->threads.size();
  next_.assign(threads, 0);
  memory_.clear();
  execution_.events.clear();
  for (std::size_t x = 0; x < program_->initial.size(); ++x) {
    memory_.push_back(value_of(program_->initial[x]));
    execution_.events.push_back(
        {EventKind::kInitial, oracle::Order::kRelaxed, -1, static_cast<int>(x), -1, 0});
  }
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t t = options_->creation_order.empty() ? i : options_->creation_order[i];
    ids_[t] = ThreadId{static_cast<std::uint16_t>(i + 1)};
    model_.thread_created(kMainThread, ids_[t]);
  }
  model_.thread_waits_for(kMainThread, ids_[0]);
  for (;;) {
    std::uint32_t ready = 0;
    for (std::size_t t = 0; t < threads; ++t) ready += next_[t] < program_->threads[t].size();
    if (ready == 0) break;
    std::uint32_t pick = choose(ready);
    std::size_t t = 0;
    while (next_[t] == program_->threads[t].size() || pick-- > 0) ++t;
    execute(t);
    if (++next_[t] == program_->threads[t].size()) model_.thread_finished(id_of(t));
  }
  finish();
}

void Explorer::execute(std::size_t thread) {
  const Op& op = program_->threads[thread][next_[thread]];
  const ThreadId t = id_of(thread);
  const int position = positions_[thread][next_[thread]];
  const EventId event{static_cast<std::uint32_t>(execution_.events.size())};
  Value* memory = op.kind == OpKind::kFence ? nullptr : &memory_[static_cast<std::size_t>(op.location)];
  if (op.kind == OpKind::kFence) {
    if (op.order == oracle::Order::kSeqCst) choose_spot(model_.begin_fence(t));
    model_.fence(t, order_of(op.order));
    if (op.order == oracle::Order::kSeqCst) rewrite();
    note_event(thread, op, EventKind::kFence, op.order, -1);
    return;
  }
  if (op.kind == OpKind::kStore) {
    if (op.order == oracle::Order::kSeqCst && model_.may_overtake(t))
      choose_spot(model_.begin_store(t, place(op.location)));
    *memory = model_.store(t, place(op.location), order_of(op.order), value_of(op.value), event);
    rewrite();
    note_event(thread, op, EventKind::kStore, op.order, -1);
    return;
  }
  const Place where = place(op.location);
  const std::span<const Candidate> candidates =
      op.kind == OpKind::kLoad ? model_.readable_load(t, where, order_of(op.order))
      : op.is_update()         ? model_.readable_update(t, where, order_of(op.order))
                               : model_.readable_cas(t, where,
                                                     {order_of(op.order), order_of(op.failure), value_of(op.expected),
                                                      op.kind == OpKind::kWeakCas});
  if (candidates.empty()) {
    result_.error = "a read has nothing to read";
    return;
  }
  const std::uint32_t pick = choose(static_cast<std::uint32_t>(candidates.size()));
  const Candidate c = candidates[pick];
  choose_spot(model_.begin_spots(pick));
  const int source = c.writer == kNoThread ? op.location : static_cast<int>(index_of(c.event));
  const bool failed = c.outcome == ReadOutcome::kCasFailure || c.outcome == ReadOutcome::kCasSpurious;
  outcome_[static_cast<std::size_t>(position)] = int_of(c.value);
  if (op.is_cas()) outcome_[static_cast<std::size_t>(position) + 1] = !failed;
  if (op.kind == OpKind::kLoad || failed) {
    *memory = model_.commit_load(pick);
    note_event(thread, op, EventKind::kLoad, failed ? op.failure : op.order, source);
  } else {
    const int written = oracle::written_value(op.kind, op.value, int_of(c.value));
    *memory = model_.commit_update(pick, value_of(written), event);
    rewrite();
    note_event(thread, op, EventKind::kUpdate, op.order, source);
  }
}

void Explorer::choose_spot(std::uint32_t count) {
  if (count == 1) return;
  ++result_.overtakings;
  model_.choose_spot(choose(count));
}

void Explorer::rewrite() {
  for (const Rewritten& r : model_.take_rewritten()) memory_[(r.address - kBase) / 8] = r.value;
}

void Explorer::note_event(std::size_t thread, const Op& op, EventKind kind, oracle::Order order, int read) {
  execution_.events.push_back(
      {kind, order, static_cast<int>(thread), kind == EventKind::kFence ? -1 : op.location, read, -1});
}

// The main thread joins all and reads every location: what it may read are the possible final values.
void Explorer::finish() {
  for (ThreadId t : ids_) model_.thread_joined(kMainThread, t);
  result_.pruned_executions += model_.pruned();
  std::vector<std::vector<int>> finals;
  for (std::size_t x = 0; x < memory_.size(); ++x) {
    auto& values = finals.emplace_back();
    bool newest = false;
    for (const Candidate& c :
         model_.readable_load(kMainThread, place(static_cast<int>(x)), MemoryOrder::kRelaxed)) {
      values.push_back(int_of(c.value));
      newest = newest || (c.newest && c.value == memory_[x]);
    }
    if (!newest) result_.error = "real memory does not hold the newest value";
  }
  std::vector<std::size_t> pick(finals.size());
  for (bool more = true; more;) {
    for (std::size_t x = 0; x < finals.size(); ++x) {
      outcome_[static_cast<std::size_t>(finals_) + x] = finals[x][pick[x]];
    }
    result_.outcomes.insert(outcome_);
    more = false;
    for (std::size_t x = 0; x < finals.size() && !more; ++x) {
      more = ++pick[x] < finals[x].size();
      if (!more) pick[x] = 0;
    }
  }
  if (options_->check_axioms) check_axioms();
}

void Explorer::check_axioms() {
  for (const MoPosition& p : model_.modification_order_positions()) {
    execution_.events[index_of(p.event)].mo_position = static_cast<int>(p.position);
  }
  for (const oracle::Event& e : execution_.events) {
    if (e.writes() && e.mo_position < 0) result_.error = "a store has no place in the modification order";
  }
  if (!result_.error.empty()) return;
  const std::string violated = oracle::violated_axiom(
      execution_,
      options_->model.model == ModelKind::kCxx20Words ? oracle::SeqCst::kWords : oracle::SeqCst::kRepaired);
  if (!violated.empty())
    result_.error = violated + " in the outcome " + oracle::to_string(*program_, outcome_);
}

std::string difference(const oracle::Program& program, const oracle::Outcomes& shown,
                       const oracle::Outcomes& allowed) {
  std::string text;
  for (const auto& o : shown) {
    if (allowed.count(o) == 0) text += "shown but forbidden: " + oracle::to_string(program, o) + "\n";
  }
  for (const auto& o : allowed) {
    if (shown.count(o) == 0) text += "allowed but not shown: " + oracle::to_string(program, o) + "\n";
  }
  return text.empty() ? text : oracle::to_string(program) + text;
}

}  // namespace heddle::memory
