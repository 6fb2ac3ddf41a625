#include "tool/report/memory_text.h"

#include <fmt/format.h>

#include "tool/report/escape.h"

namespace heddle::report {
namespace {

class Memory {
 public:
  Memory(const Trace& trace, const PathStyle& paths) : trace_(trace), paths_(paths) {}

  MemoryText tell(const TracePart& part) const {
    const auto symbol = trace_.symbols.data.find(part.address);
    const DataSymbol* known = symbol != trace_.symbols.data.end() ? &symbol->second : nullptr;
    switch (part.memory) {
      case MemoryKind::kHeap:
        break;
      case MemoryKind::kStack:
        return stack_location(part, known);
      case MemoryKind::kThreadLocal:
        return {fmt::format("Location is thread-local {} of {}{}", described(known, "storage"),
                            thread_text(part.thread), details(known))};
      default:
        if (known != nullptr) {
          return {fmt::format("Location is global '{}' of size {} at {:#x} ({}+{:#x}){}",
                              escaped(known->variable), known->size, known->start,
                              escaped(base_name(known->module)),
                              known->offset - (part.address - known->start), details(known))};
        }
        if (part.memory == MemoryKind::kGlobal) {
          const TraceModule* module = trace_.module_at(part.address);
          return {module == nullptr
                      ? fmt::format("Location is a global at {:#x}", part.address)
                      : fmt::format("Location is a global at {:#x} ({}+{:#x})", part.address,
                                    escaped(base_name(module->path)), part.address - module->base)};
        }
        break;
    }
    return {};
  }

 private:
  // "variable 'x' of size 4", or what there is to say without debug information.
  static std::string described(const DataSymbol* symbol, std::string_view otherwise) {
    return symbol == nullptr
               ? std::string(otherwise)
               : fmt::format("variable '{}' of size {}", escaped(symbol->variable), symbol->size);
  }

  std::string details(const DataSymbol* symbol) const {
    std::string text;
    if (symbol == nullptr) return text;
    if (symbol->name != symbol->variable) text += fmt::format(", here {}", escaped(symbol->name));
    if (!symbol->file.empty() && symbol->line != 0)
      text += fmt::format(", declared at {}:{}", paths_.shown(symbol->file), symbol->line);
    return text;
  }

  MemoryText stack_location(const TracePart& part, const DataSymbol* symbol) const {
    const ThreadId owner = part.role == PartRole::kLocation ? part.thread : part.other;
    if (owner == kNoThread) return {"Location is on the stack of a thread."};
    if (symbol == nullptr || part.role != PartRole::kLocation)
      return {fmt::format("Location is stack of {}.", thread_text(owner))};
    return {fmt::format("Location is stack of {}: {}{}, of the function at:", thread_text(owner),
                        described(symbol, "memory"), details(symbol)),
            true};
  }

  const Trace& trace_;
  const PathStyle& paths_;
};

}  // namespace

MemoryText memory_text(const Trace& trace, const TracePart& part, const PathStyle& paths) {
  return Memory(trace, paths).tell(part);
}

}  // namespace heddle::report
