#include "runtime/session/checks.h"

#include <link.h>

#include "core/base/pages.h"
#include "runtime/session/session.h"
#include "runtime/session/session_state.h"

namespace heddle::session {
namespace {

bool starts_with(const char* text, const char* prefix) { return memcmp(text, prefix, strlen(prefix)) == 0; }

void add_zone(Checks& checks, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  if (checks.zone_count < Checks::kMostZones) checks.zones[checks.zone_count] = {begin, end - begin};
  ++checks.zone_count;
}

// Data of the program and of libraries of its own. What the system's libraries keep for themselves (lists of
// threads, buffers) changes with every use.
int add_module_data(dl_phdr_info* info, std::size_t, void* argument) {
  if (starts_with(info->dlpi_name, "/lib") || starts_with(info->dlpi_name, "/usr/lib") ||
      starts_with(info->dlpi_name, "linux-vdso"))
    return 0;
  const auto own = reinterpret_cast<std::uint64_t>(&add_module_data);
  std::uint64_t begin = ~0ull, end = 0, data_begin = 0, data_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type != PT_LOAD) continue;
    const std::uint64_t at = info->dlpi_addr + p.p_vaddr;
    begin = at < begin ? at : begin;
    end = at + p.p_memsz > end ? at + p.p_memsz : end;
    if ((p.p_flags & PF_W) == 0) continue;
    data_begin = at;
    data_end = at + p.p_memsz;
  }
  if (own < begin || own >= end) add_zone(*static_cast<Checks*>(argument), data_begin, data_end);
  return 0;
}

void find_zones(Checks& checks) {
  engine::RuntimeScope scope;
  dl_iterate_phdr(add_module_data, &checks);
  for (std::uint32_t i = 0; i < state()->execution->scheduler().thread_count(); ++i) {
    const AddressRange used = engine::program_heap().used_range(i);
    add_zone(checks, used.begin, used.begin + used.bytes);
  }
  checks.has_zones = checks.zone_count <= Checks::kMostZones;
}

bool changed_nothing(State& s, Address frame) {
  using address_map::kMainStack;
  using address_map::kMainStackEnd;
  if (!s.checks.has_zones || frame < kMainStack || frame >= kMainStackEnd) return false;
  s.checks.zones[s.checks.zone_count] = {frame, kMainStackEnd - frame};
  return s.snapshot.is_unchanged({s.checks.zones, s.checks.zone_count + 1});
}

}  // namespace

void check_began() {
  State& s = *state();
  if (s.serving && s.checks.zone_count == 0) find_zones(s.checks);
}

void check_ended(Address frame) {
  State& s = *state();
  ChannelHeader& h = *s.channel.header();
  Checks& checks = s.checks;
  ++checks.ended;
  checks.trace_hash = h.current.trace_hash;
  checks.choice_count = h.choice_count.load(std::memory_order_relaxed);
  s.strategy->end(checks.said);
  if (!s.serving || checks.ended != checks.known || !changed_nothing(s, frame)) return;
  s.execution->check_at_exit();
  s.execution->finish(Ending::kExited, 0);
}

void end_checks(int status) {
  State& s = *state();
  if (s.checks.ended == 0) return;
  ChannelHeader& h = *s.channel.header();
  h.current.trace_hash = s.checks.trace_hash;
  h.choice_count.store(s.checks.choice_count, std::memory_order_relaxed);
  // The pages that only the end of a program writes (all destructors run) are not written again.
  if (s.checks.known == 0) s.snapshot.forget_written();
  s.checks.known = status == 0 && h.finding_count.load(std::memory_order_relaxed) == 0 ? s.checks.ended : 0;
}

void keep_what_checks_said(ExecutionResult& result) {
  const Checks& checks = state()->checks;
  if (checks.ended == 0 || result.ending != Ending::kExited) return;
  result.counted_events = checks.said.counted_events;
  result.communications = checks.said.communications;
  result.fingerprint = checks.said.fingerprint;
}

}  // namespace heddle::session
