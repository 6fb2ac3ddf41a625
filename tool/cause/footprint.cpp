#include "tool/cause/footprint.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/trace/event_kinds.h"
#include "core/trace/finding.h"

namespace heddle::cause {
namespace {

// No memory of a program is up there (x86-64, 47 bits).
constexpr Address kDescriptors = Address{1} << 62;

Footprint of_descriptor(std::uint64_t descriptor) {
  const Address at = kDescriptors + (descriptor & 0xffffffff);
  return {at, at + 1, true};
}

bool is_call_on_descriptor(const TraceEvent& event) {
  constexpr std::uint64_t kMostDescriptors = 1 << 20;
  return event.kind == EventKind::kBlockingCall && event.text != 0 && event.value < kMostDescriptors;
}

}  // namespace

std::vector<Footprint> footprints_of(const Trace& trace) {
  std::vector<Footprint> footprints;
  footprints.reserve(trace.events.size());
  std::unordered_map<Address, std::uint64_t> blocks;
  for (const TraceEvent& event : trace.events) {
    Footprint& own = footprints.emplace_back();
    if (event.kind == EventKind::kAllocate) blocks[event.address] = event.value;
    if (event.kind == EventKind::kFree) {
      const auto block = blocks.find(event.address);
      own = {event.address, event.address + (block != blocks.end() ? block->second : 1), true};
    } else if (accesses_memory(event.kind)) {
      own = {event.address, event.address + std::max<std::uint64_t>(event.size, 1),
             writes_memory(event.kind)};
    } else if (is_call_on_descriptor(event)) {
      own = of_descriptor(event.value);
    }
  }
  return footprints;
}

bool is_sending_call(const Trace& trace, const TraceEvent& event) {
  if (!is_call_on_descriptor(event)) return false;
  const std::string_view name = trace.text_of(event);
  return name.starts_with("write") || name.starts_with("send") || name.starts_with("close") ||
         name.starts_with("shutdown") || name.starts_with("pwrite");
}

namespace {

void take_symbol(Trace& into, const Trace& from, std::uint64_t pc) {
  const auto known = from.symbols.frames.find(pc);
  if (known != from.symbols.frames.end()) into.symbols.frames.try_emplace(pc, known->second);
}

// The same stack of another trace.
StackId stack_in(Trace& into, const Trace& from, StackId stack) {
  if (stack == kEmptyStack) return kEmptyStack;
  const TraceStackNode& node = from.stacks[index_of(stack)];
  const StackId caller = stack_in(into, from, node.caller);
  take_symbol(into, from, node.pc);
  into.stacks.push_back({node.pc, caller});
  return StackId{static_cast<std::uint32_t>(into.stacks.size() - 1)};
}

// What a thread of `failing`, which was about to come to `pc`, did from there on in the other execution.
std::vector<TraceEvent> next_in(const Trace& passing, const Trace& failing, ThreadId thread,
                                std::uint64_t pc) {
  constexpr std::size_t kMost = 12;
  const auto is_it = [&](const TraceEvent& e) { return e.thread == thread && e.pc == pc; };
  // It may come by there several times.
  auto before = std::count_if(failing.events.begin(), failing.events.end(), is_it);
  std::vector<TraceEvent> next;
  bool there = false;
  for (const TraceEvent& e : passing.events) {
    if (e.thread != thread || next.size() == kMost) continue;
    there = there || (is_it(e) && before-- == 0);
    if (there) next.push_back(e);
  }
  return next;
}

}  // namespace

Trace with_attempts(const Trace& failing, const Trace* passing) {
  Trace trace = failing;
  if (trace.findings.empty() || trace.events.empty()) return trace;
  const TraceFinding& finding = failing.findings.front();
  const bool uses_freed =
      finding.kind == FindingKind::kHeapUseAfterFree || finding.kind == FindingKind::kDoubleFree;
  const auto add = [&](TraceEvent event) {
    event.id = EventId{index_of(trace.events.back().id) + 1};
    trace.events.push_back(event);
  };
  for (const TracePart& part : finding.parts) {
    if (part.pc == 0) continue;
    if (part.role == PartRole::kHere && uses_freed && part.address != 0) {
      TraceEvent attempt;
      attempt.kind = part.access == AccessKind::kRead ? EventKind::kPlainRead : EventKind::kPlainWrite;
      attempt.thread = part.thread;
      attempt.address = part.address;
      attempt.size = part.size;
      attempt.pc = part.pc;
      attempt.stack = part.stack;
      add(attempt);
    }
    if (part.role != PartRole::kRunningThread || passing == nullptr) continue;
    for (TraceEvent next : next_in(*passing, failing, part.thread, part.pc)) {
      if (next.kind == EventKind::kThreadEnd) break;
      // Stacks and texts are numbered by their own trace.
      next.stack = stack_in(trace, *passing, next.stack);
      take_symbol(trace, *passing, next.pc);
      if (next.text != 0) {
        trace.texts.emplace_back(passing->text_of(next));
        next.text = static_cast<std::uint32_t>(trace.texts.size() - 1);
      }
      next.reads_from = kNoEvent;
      add(next);
    }
  }
  return trace;
}

}  // namespace heddle::cause
