// What the tool does with what a tested program has left in the shared memory: the program may have written
// anywhere into it, or have been killed at any moment. The input is a list of writes: section, place, bytes.
#include <cstring>
#include <memory>

#include "tests/fuzz/fuzz.h"
#include "tool/artifact/artifact.h"
#include "tool/base/bytes.h"
#include "tool/report/symbolic_text.h"
#include "tool/trace/symbolic_tables.h"
#include "tool/trace/trace.h"

namespace heddle {
namespace {

class SmallChannel {
 public:
  SmallChannel() {
    sizes_.choices = 64;
    sizes_.events = 64;
    sizes_.stack_nodes = 64;
    sizes_.findings = 2;
    sizes_.text = 4096;
    sizes_.ring = 4;
    sizes_.symbolic =
        sizeof(symbolic::Header) + kRecords * (sizeof(symbolic::Expression) + sizeof(symbolic::Record));
    bytes_ = Channel::bytes_needed(sizes_);
    memory_ = static_cast<char*>(std::aligned_alloc(4096, bytes_));
    fresh_ = static_cast<char*>(std::aligned_alloc(4096, bytes_));
    std::memset(fresh_, 0, bytes_);
    const Channel channel = Channel::initialise(fresh_, sizes_);
    auto* header = new (channel.symbolic()) symbolic::Header;
    header->expression_capacity = header->record_capacity = kRecords;
    std::memcpy(memory_, fresh_, bytes_);
  }

  const Channel get() const { return Channel(memory_); }
  std::uint64_t bytes() const { return bytes_; }

  void write(std::uint64_t section, std::uint64_t at, std::string_view bytes) {
    const ChannelHeader& h = *Channel(fresh_).header();
    const Section all[] = {{0, sizeof(ChannelHeader)},
                           h.choices,
                           h.events,
                           h.stacks,
                           h.findings,
                           h.text,
                           h.ring,
                           h.module_text,
                           h.outcome_text,
                           h.symbolic};
    const Section& to = all[section % std::size(all)];
    if (at >= to.bytes || bytes.empty()) return;
    const std::uint64_t size = std::min<std::uint64_t>(bytes.size(), to.bytes - at);
    std::memcpy(memory_ + to.offset + at, bytes.data(), size);
    written_.push_back({to.offset + at, size});
  }
  void undo() {
    for (const auto& [at, size] : written_) std::memcpy(memory_ + at, fresh_ + at, size);
    written_.clear();
  }

 private:
  static constexpr std::uint32_t kRecords = 32;
  ChannelSizes sizes_;
  std::uint64_t bytes_ = 0;
  char* memory_ = nullptr;
  char* fresh_ = nullptr;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> written_;
};

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  static SmallChannel channel;
  ByteReader input(fuzz::bytes_of(data, size));
  while (!input.at_end() && !input.failed()) {
    const std::uint64_t section = input.varint();
    const std::uint64_t at = input.varint();
    channel.write(section, at, input.string());
  }
  CaptureContext context;
  context.program.path = "/program";
  const auto trace = capture(channel.get(), channel.bytes(), std::move(context));
  const auto tables = capture_symbolic(channel.get(), channel.bytes());
  channel.undo();
  // What was captured goes into an artifact, and comes out of it.
  if (trace) fuzz::require(static_cast<bool>(parse_artifact(serialise(*trace))));
  if (trace && tables) static_cast<void>(report::symbolic_text(*trace, *tables));
  fuzz::judged_result(tables);
  return fuzz::judged_result(trace);
}
