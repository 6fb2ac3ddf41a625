#include "tool/symbols/symboliser.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "tool/symbols/module_debug.h"

namespace heddle {

std::string demangled(const char* symbol) {
  std::string name(symbol);
  // "counter.0" is a static variable of a C function, "f.constprop.0.isra.0" and "f.cold" are parts of f;
  // versions
  // ("memcpy@@GLIBC_2.14") say nothing to readers either.
  if (const std::size_t at = name.find('@'); at != std::string::npos && at > 0) name.erase(at);
  if (const std::size_t at = name.find('.'); at != std::string::npos && at > 0) name.erase(at);
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

Symboliser::Symboliser(std::vector<TraceModule> modules) {
  std::sort(modules.begin(), modules.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (TraceModule& module : modules) modules_.push_back(std::make_unique<ModuleDebug>(std::move(module)));
}

Symboliser::~Symboliser() = default;

ModuleDebug* Symboliser::module_at(Address address) {
  for (const auto& module : modules_) {
    if (address >= module->module().begin && address < module->module().end) return module.get();
  }
  return nullptr;
}

const std::vector<Frame>& Symboliser::frames(std::uint64_t return_address) {
  const auto [at, is_new] = frames_.try_emplace(return_address);
  if (is_new) {
    if (ModuleDebug* module = module_at(return_address - 1)) {
      at->second = module->frames(return_address - 1);
    } else {
      at->second.push_back({});
      at->second.front().offset = return_address;
    }
  }
  return at->second;
}

std::optional<DataSymbol> Symboliser::data(Address address, std::uint32_t size) {
  const auto [at, is_new] = data_.try_emplace(address);
  if (is_new) {
    if (ModuleDebug* module = module_at(address)) at->second = module->data(address, size);
  }
  return at->second;
}

std::optional<DataSymbol> Symboliser::local(std::uint64_t return_address, const StackFrame& frame,
                                            Address address, std::uint32_t size) {
  ModuleDebug* module = module_at(return_address - 1);
  return module != nullptr ? module->local(return_address - 1, frame, address, size) : std::nullopt;
}

std::optional<DataSymbol> Symboliser::thread_local_data(Address module_base, std::uint64_t offset,
                                                        std::uint32_t size) {
  for (const auto& module : modules_) {
    if (module->module().base == module_base) return module->thread_local_data(offset, size);
  }
  return std::nullopt;
}

std::vector<std::string> Symboliser::warnings() const {
  std::vector<std::string> all;
  for (const auto& module : modules_) {
    if (!module->warning().empty()) all.push_back(module->warning());
  }
  return all;
}

}  // namespace heddle
