#include "core/trace/channel.h"

#include <new>

namespace heddle {
namespace {

constexpr std::uint64_t kAlignment = 4096;

constexpr std::uint64_t aligned(std::uint64_t n) { return (n + kAlignment - 1) & ~(kAlignment - 1); }

// Lays the sections out one after the other; the same walk gives the size needed and the offsets.
std::uint64_t lay_out(ChannelHeader& h, const ChannelSizes& sizes) {
  std::uint64_t at = aligned(sizeof(ChannelHeader));
  const auto place = [&at](Section& s, std::uint64_t bytes) {
    s = {at, bytes};
    at = aligned(at + bytes);
  };
  place(h.choices, sizes.choices * sizeof(Choice));
  place(h.events, sizes.events * kEventBytes);
  place(h.stacks, sizeof(StackDepot) + sizes.stack_nodes * sizeof(StackNode));
  place(h.findings, sizes.findings * sizeof(Finding));
  place(h.text, sizes.text);
  place(h.ring, sizes.ring * sizeof(ExecutionResult));
  place(h.module_text, 256 * 1024);
  place(h.outcome_text, 1024 * 1024);
  place(h.replay, sizes.replay * sizeof(Choice));
  place(h.granules, sizes.granules * sizeof(Granule));
  place(h.symbolic, sizes.symbolic);
  place(h.orders, sizes.orders);
  return at;
}

bool inside(const Section& s, std::uint64_t bytes) {
  return s.offset >= sizeof(ChannelHeader) && s.offset <= bytes && s.bytes <= bytes - s.offset;
}

}  // namespace

std::uint64_t Channel::bytes_needed(const ChannelSizes& sizes) {
  // Large and never used in the runtime: aligned so that it does not lie between its small variables, which
  // are sorted by alignment.
  alignas(64) static unsigned char storage[sizeof(ChannelHeader)];
  static_assert(alignof(ChannelHeader) <= 64);
  return lay_out(*new (storage) ChannelHeader, sizes);
}

Channel Channel::initialise(void* mapping, const ChannelSizes& sizes) {
  auto* header = new (mapping) ChannelHeader;
  header->bytes = lay_out(*header, sizes);
  header->magic = kChannelMagic;
  Channel channel(mapping);
  auto* depot = new (channel.stacks()) StackDepot;
  depot->capacity = static_cast<std::uint32_t>(sizes.stack_nodes);
  return channel;
}

bool Channel::valid(const void* mapping, std::uint64_t bytes) {
  if (bytes < sizeof(ChannelHeader)) return false;
  const auto& h = *static_cast<const ChannelHeader*>(mapping);
  if (h.magic != kChannelMagic || h.bytes > bytes) return false;
  for (const Section* s : {&h.choices, &h.events, &h.stacks, &h.findings, &h.text, &h.ring, &h.module_text,
                           &h.outcome_text, &h.replay, &h.granules, &h.symbolic, &h.orders}) {
    if (!inside(*s, bytes)) return false;
  }
  return true;
}

std::uint32_t Channel::add_text(const char* text, std::uint64_t length) const {
  if (length == 0) return 0;
  auto& used = header_->text_used;
  const std::uint32_t start = used.load(std::memory_order_relaxed);
  if (start + length + 1 > header_->text.bytes) return 0;
  char* to = this->text() + start;
  for (std::uint64_t i = 0; i < length; ++i) to[i] = text[i];
  to[length] = '\0';
  used.store(static_cast<std::uint32_t>(start + length + 1), std::memory_order_relaxed);
  return start;
}

}  // namespace heddle
