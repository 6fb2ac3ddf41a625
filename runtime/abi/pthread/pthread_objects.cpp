#include "runtime/abi/pthread/pthread_objects.h"

#include "core/base/pages.h"
#include "core/base/raw_syscall.h"
#include "core/base/text_buffer.h"

namespace heddle::abi {

bool is_copied_mark(engine::Execution& e, std::uint64_t mark, sched::SyncKind kind) {
  for (const std::uint64_t key : {kMarkKey, ~kMarkKey}) {
    const sched::SyncObject* original = e.sync_objects().find(mark ^ key);
    if (original != nullptr && original->kind == kind) return true;
  }
  return false;
}

void let_others_run_now_and_then(engine::Execution& e, std::uint64_t pc) {
  constexpr std::uint32_t kEvery = 100;
  static std::uint32_t calls = 0;
  if (++calls % kEvery == 0) e.yield(pc);
}

bool is_mapped(Address address) {
  unsigned char present = 0;
  return raw_syscall(SYS_mincore, address & ~std::uint64_t{kPageSize - 1}, 1, &present) == 0;
}

void report_unusable(engine::Execution& e, sched::SyncObject& object, bool destroyed, std::uint64_t pc) {
  TextBuffer<128> text;
  text << "use of " << sched::article_of(object.kind) << sched::noun_of(object.kind)
       << (destroyed ? " that was destroyed" : " that was never initialised");
  e.misuse(engine::misuse_of(object.kind), text.c_str(), object, pc);
}

}  // namespace heddle::abi
