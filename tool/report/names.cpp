#include "tool/report/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {

Names::Names(const Trace& trace) : trace_(trace) {
  for (const TraceEvent& event : trace.events) {
    if (event.kind == EventKind::kAllocate && event.address != 0) {
      add_block({event.id, event.address, std::max<std::uint64_t>(event.value, 1), event.thread, event.pc,
                 event.stack, 0});
    }
    // heddle_name(): a note with an address, and a size as its value.
    if (event.kind == EventKind::kNote && event.address != 0) {
      given_[event.address] = {std::max<std::uint64_t>(event.value, 1), escaped(trace.text_of(event))};
    }
    // Where the runtime says so, a thread's start carries the place of its stack.
    if (event.kind == EventKind::kThreadStart && event.address != 0 && event.value != 0) {
      stacks_.push_back({event.address, event.address + event.value, event.thread});
    }
  }
  for (const TraceFinding& finding : trace.findings) {
    for (const TracePart& part : finding.parts) {
      if (part.role == PartRole::kAllocated && part.block != 0 && block_at(part.block, kNoEvent) == nullptr) {
        add_block({kNoEvent, part.block, part.block_size, part.thread, part.pc, part.stack, 0});
      }
    }
  }
  // What findings cite is numbered first, so that a report and the trace below it use the same numbers.
  for (const TraceFinding& finding : trace.findings) {
    for (const TracePart& part : finding.parts) {
      if (part.address != 0) location(part.address);
    }
  }
}

Names::Block* Names::block_at(Address address, EventId when) {
  auto after = blocks_.upper_bound(address);
  // Older blocks with other starts may overlap; the newest that covers the address counts.
  Block* best = nullptr;
  for (int looked_at = 0; after != blocks_.begin() && looked_at < 4; ++looked_at) {
    --after;
    // The last one that existed by then; kNoEvent is the largest number.
    auto& versions = after->second;
    const auto later = std::upper_bound(versions.begin(), versions.end(), when,
                                        [](EventId id, const Block& block) { return id < block.since; });
    Block* block = later != versions.begin()            ? &*(later - 1)
                   : versions.front().since == kNoEvent ? &versions.front()
                                                        : nullptr;
    if (block == nullptr || address - block->start >= block->size) continue;
    if (best == nullptr ||
        (block->since != kNoEvent && best->since != kNoEvent && block->since > best->since)) {
      best = block;
    }
  }
  return best;
}

const Names::ThreadStack* Names::stack_at(Address address) const {
  for (const ThreadStack& stack : stacks_) {
    if (address >= stack.begin && address < stack.end) return &stack;
  }
  return nullptr;
}

std::string Names::given_name(Address address) const {
  auto after = given_.upper_bound(address);
  if (after == given_.begin()) return {};
  const auto& [start, given] = *--after;
  if (address - start >= given.size) return {};
  return address == start ? given.name : fmt::format("{}+{}", given.name, address - start);
}

namespace {

// Nobody writes it, and it takes the room of what is worth reading.
std::string without_anonymous(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(kAnonymous)) != std::string::npos;) name.erase(at, kAnonymous.size());
  return name;
}

}  // namespace

std::string Names::location(Address address, EventId when) {
  if (address == 0) return "null";
  if (const std::string given = given_name(address); !given.empty()) return given;
  if (const auto symbol = trace_.symbols.data.find(address); symbol != trace_.symbols.data.end()) {
    return escaped(without_anonymous(symbol->second.name));
  }
  if (Block* block = block_at(address, when)) {
    if (block->number == 0) block->number = ++named_blocks_;
    const std::uint64_t offset = address - block->start;
    return offset == 0 ? fmt::format("heap#{}", block->number)
                       : fmt::format("heap#{}+{}", block->number, offset);
  }
  if (const TraceModule* module = trace_.module_at(address)) {
    return fmt::format("{}+{:#x}", escaped(base_name(module->path)), address - module->base);
  }
  std::string& name = others_[address];
  if (name.empty()) {
    if (const ThreadStack* stack = stack_at(address)) {
      name = fmt::format("{}.stack#{}", thread_tag(stack->thread), ++stack_slots_[index_of(stack->thread)]);
    } else {
      name = fmt::format("mem#{}", ++named_others_);
    }
    legend_others_.emplace_back(name, address);
  }
  return name;
}

std::string_view Names::noun(Address address) const {
  for (auto event = trace_.events.rbegin(); event != trace_.events.rend(); ++event) {
    if (event->address != address) continue;
    switch (event->kind) {
      case EventKind::kMutexLock:
      case EventKind::kMutexTryLockFailed:
      case EventKind::kMutexUnlock:
        return "mutex";
      case EventKind::kCondWait:
      case EventKind::kCondWake:
      case EventKind::kCondSignal:
      case EventKind::kCondBroadcast:
        return "condition variable";
      case EventKind::kRwlockReadLock:
      case EventKind::kRwlockWriteLock:
      case EventKind::kRwlockUnlock:
        return "rwlock";
      case EventKind::kBarrierWait:
        return "barrier";
      case EventKind::kSemaphoreWait:
      case EventKind::kSemaphorePost:
        return "semaphore";
      case EventKind::kFutexWait:
      case EventKind::kFutexWake:
        return "futex";
      case EventKind::kOnce:
        return "once flag";
      default:
        break;
    }
  }
  return {};
}

std::string Names::value(std::uint64_t value, std::uint32_t size, EventId when) {
  if (size == 0 || size >= 8) {
    if (trace_.symbols.data.contains(value)) return "&" + location(value, when);
    if (value != 0 && block_at(value, when) != nullptr) return "&" + location(value, when);
    return value < 1'000'000'000 ? std::to_string(value) : fmt::format("{:#x}", value);
  }
  value &= (std::uint64_t{1} << 8 * size) - 1;
  // Small negative numbers are more common than numbers just below 2^(8·size).
  const std::uint64_t negated = (std::uint64_t{1} << 8 * size) - value;
  if (value != 0 && negated <= 1024 && size >= 2) return fmt::format("-{}", negated);
  return value < 1'000'000'000 ? std::to_string(value) : fmt::format("{:#x}", value);
}

std::vector<std::string> Names::legend() const {
  std::vector<const Block*> blocks;
  for (const auto& [start, versions] : blocks_) {
    for (const Block& block : versions) {
      if (block.number != 0) blocks.push_back(&block);
    }
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block* a, const Block* b) { return a->number < b->number; });
  std::vector<std::string> lines;
  const PathStyle paths(trace_);
  for (const Block* block : blocks) {
    std::string line = fmt::format("heap#{}: {} bytes at {:#x}", block->number, block->size, block->start);
    if (block->by != kNoThread) line += fmt::format(", allocated by {}", thread_tag(block->by));
    const std::vector<Frame> frames = visible_frames(trace_, block->pc, block->stack);
    const Frame* frame = deciding_frame(frames);
    const std::string place = frame != nullptr ? place_text(*frame, paths) : "";
    if (!place.empty()) line += " at " + place;
    lines.push_back(line);
  }
  for (const auto& [name, address] : legend_others_) lines.push_back(fmt::format("{}: {:#x}", name, address));
  return lines;
}

}  // namespace heddle::report
