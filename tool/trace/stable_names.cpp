#include "tool/trace/stable_names.h"

#include <fmt/core.h>

namespace heddle {

StableNames::StableNames(const Trace& trace) : threads_{"0"} {
  std::map<ThreadId, std::uint32_t> children;
  std::map<ThreadId, std::uint32_t> allocations;
  for (const TraceEvent& e : trace.events) {
    if (e.kind == EventKind::kThreadCreate && e.other != kNoThread) {
      const std::string name = thread(e.thread) + "." + std::to_string(++children[e.thread]);
      if (index_of(e.other) >= threads_.size()) threads_.resize(index_of(e.other) + 1);
      threads_[index_of(e.other)] = name;
    } else if (e.kind == EventKind::kAllocate) {
      blocks_[e.address] = {e.thread, ++allocations[e.thread], e.address, e.value};
    }
  }
}

std::string StableNames::thread(ThreadId id) const {
  if (index_of(id) < threads_.size() && !threads_[index_of(id)].empty()) return threads_[index_of(id)];
  return "?" + std::to_string(index_of(id));  // its creation was not kept
}

std::optional<StableNames::Block> StableNames::block(Address address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const Block& found = std::prev(after)->second;
  if (address - found.begin >= found.size) return std::nullopt;
  return found;
}

std::string StableNames::address(Address address) const {
  const auto found = block(address);
  if (!found) return {};
  std::string text = fmt::format("heap {}#{}", thread(found->thread), found->ordinal);
  if (address != found->begin) text += fmt::format("+{}", address - found->begin);
  return text;
}

}  // namespace heddle
