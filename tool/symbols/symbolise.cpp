// Which addresses of a trace are worth symbols, and which source lines are kept with them.
#include <algorithm>
#include <fstream>
#include <set>

#include "tool/symbols/symboliser.h"
#include "tool/trace/stack_view.h"
#include "tool/trace/test_failure.h"

namespace heddle {
namespace {

constexpr std::uint32_t kLinesAroundCited = 12;
constexpr std::uint32_t kLinesAroundEvent = 5;
constexpr std::size_t kMaxSourceBytes = 2 << 20;
constexpr std::size_t kMaxLineBytes = 400;

using WantedLines = std::map<std::string, std::set<std::uint32_t>>;

void want(WantedLines& wanted, const Frame& frame, std::uint32_t around) {
  if (frame.file.empty() || frame.line == 0) return;
  std::set<std::uint32_t>& lines = wanted[frame.file];
  const std::uint32_t first = frame.line > around ? frame.line - around : 1;
  for (std::uint32_t line = first; line <= frame.line + around; ++line) lines.insert(line);
}

void read_lines(const std::string& file, const std::set<std::uint32_t>& wanted, Symbols& symbols,
                std::size_t& room) {
  std::ifstream stream(file);
  std::string text;
  auto next = wanted.begin();
  for (std::uint32_t line = 1; next != wanted.end() && std::getline(stream, text); ++line) {
    if (line != *next) continue;
    ++next;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.size() > kMaxLineBytes) text.resize(kMaxLineBytes);
    if (text.size() > room) return;
    room -= text.size();
    symbols.sources[file][line] = text;
  }
}

// Local variables that events accessed, where one address was one variable for all the time.
class LocalNames {
 public:
  LocalNames(Trace& trace, Symboliser& symboliser) {
    std::map<Address, std::uint32_t> sizes;
    for (const TraceEvent& event : trace.events) sizes.emplace(event.address, event.size);
    for (const StackPlace& place : trace.stack_places) {
      const auto size = sizes.find(place.address);
      if (size == sizes.end() || place.below > place.canonical) continue;
      auto symbol = symboliser.local(place.pc, {place.canonical, place.canonical - place.below},
                                     place.address, size->second);
      const auto [at, is_new] = locals_.try_emplace(place.address, Local{symbol, place.thread});
      if (!is_new && !is_same(at->second.symbol, symbol)) at->second.symbol.reset();
    }
  }

  // Variables of one name in several frames are told apart by their threads, or not named at all.
  void add_to(Symbols& symbols) {
    std::map<std::string, std::set<Address>> starts;
    std::map<std::pair<std::string, ThreadId>, std::set<Address>> of_thread;
    for (const auto& [address, local] : locals_) {
      if (!local.symbol) continue;
      starts[local.symbol->variable].insert(local.symbol->start);
      of_thread[{local.symbol->variable, local.thread}].insert(local.symbol->start);
    }
    for (auto& [address, local] : locals_) {
      if (!local.symbol || of_thread[{local.symbol->variable, local.thread}].size() > 1) continue;
      if (starts[local.symbol->variable].size() > 1)
        local.symbol->name = "T" + std::to_string(index_of(local.thread)) + "." + local.symbol->name;
      symbols.data.emplace(address, std::move(*local.symbol));
    }
  }

 private:
  struct Local {
    std::optional<DataSymbol> symbol;  // none: nothing is known, or it was several variables
    ThreadId thread = kNoThread;
  };

  static bool is_same(const std::optional<DataSymbol>& a, const std::optional<DataSymbol>& b) {
    return a.has_value() == b.has_value() && (!a || (a->name == b->name && a->start == b->start));
  }

  std::map<Address, Local> locals_;
};

// A function of libc has a name and no place: the runtime stands in for it.
std::vector<Frame> frames_at(Symboliser& symboliser, std::uint64_t pc) {
  if ((pc & kCalledFunction) == 0) return symboliser.frames(pc);
  Frame frame;
  frame.function = symboliser.frames((pc & ~kCalledFunction) + 1).back().function;
  return {frame};
}

}  // namespace

void symbolise(Trace& trace, Symboliser& symboliser) {
  Symbols& symbols = trace.symbols;
  const auto add_pc = [&](std::uint64_t pc) {
    if (pc == 0) return;
    const auto [at, is_new] = symbols.frames.try_emplace(pc);
    if (is_new) at->second = frames_at(symboliser, pc);
  };
  const auto add_address = [&](Address address, std::uint32_t size) {
    if (address == 0 || symbols.data.contains(address)) return;
    if (auto symbol = symboliser.data(address, size)) symbols.data.emplace(address, std::move(*symbol));
  };
  for (const TraceStackNode& node : trace.stacks) add_pc(node.pc);
  const auto add_location = [&](const TracePart& part) {
    std::optional<DataSymbol> symbol;
    if (part.memory == MemoryKind::kStack && part.block != 0) {
      symbol = symboliser.local(part.pc, {part.block, part.block - part.block_size}, part.address, part.size);
    } else if (part.memory == MemoryKind::kThreadLocal) {
      symbol = symboliser.thread_local_data(part.block, part.block_size, part.size);
      if (symbol) symbol->start = part.address;
    }
    if (symbol) symbols.data.insert_or_assign(part.address, std::move(*symbol));
  };
  WantedLines wanted;
  for (const TraceFinding& finding : trace.findings) {
    for (const TracePart& part : finding.parts) {
      add_pc(part.pc);
      add_address(part.address, part.size);
      if (part.role == PartRole::kLocation) add_location(part);
      for (const Frame& frame : frames_of(trace, part.pc, part.stack)) {
        if (is_own_code(frame)) want(wanted, frame, kLinesAroundCited);
      }
    }
  }
  std::set<std::pair<std::uint64_t, StackId>> places;
  for (const TraceEvent& event : trace.events) {
    const bool is_new = !symbols.frames.contains(event.pc);
    add_pc(event.pc);
    add_address(event.address, event.size);
    // A pointer that was stored or read is shown by the name of what it points to.
    if (event.size == 8) {
      for (const std::uint64_t value : {event.value, event.value2}) {
        if (trace.module_at(value) != nullptr) add_address(value, 0);
      }
    }
    if (is_new && event.pc != 0) {
      // The exit after main() is called by heddle, whose source tells a user nothing.
      for (const Frame& frame : symbols.frames[event.pc]) {
        if (deciding_frame({frame}) != nullptr) want(wanted, frame, kLinesAroundEvent);
      }
    }
    // An atomic that was not inlined is called from the line that one wants to see.
    if (event.pc != 0 && places.emplace(event.pc, event.stack).second) {
      const std::vector<Frame> frames = visible_frames(trace, event.pc, event.stack);
      if (const Frame* frame = deciding_frame(frames)) want(wanted, *frame, kLinesAroundEvent);
    }
  }
  LocalNames(trace, symboliser).add_to(symbols);
  for (const TraceFinding& finding : trace.findings) {
    for (const TracePart& part : finding.parts) {
      const auto data = symbols.data.find(part.address);
      if (data == symbols.data.end()) continue;
      Frame declaration;
      declaration.file = data->second.file;
      declaration.line = data->second.line;
      want(wanted, declaration, kLinesAroundEvent);
    }
  }
  if (const auto failure = first_test_failure(trace.output); failure && failure->line != 0) {
    Frame check;
    check.file = source_file_of(*failure, symbols);
    check.line = failure->line;
    want(wanted, check, kLinesAroundCited);
  }
  std::size_t room = kMaxSourceBytes;
  for (const auto& [file, lines] : wanted) read_lines(file, lines, symbols, room);
}

}  // namespace heddle
