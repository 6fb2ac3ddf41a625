// setuid and its relatives. libc's would signal the kernel threads that it believes the fibers to be; all of
// them are one.
#include <grp.h>
#include <unistd.h>

#include "runtime/abi/blocking_call.h"

namespace heddle::abi {
namespace {

int change(Execution& e, long number, long a, long b = 0, long c = 0) {
  e.leave_prefix();
  e.kernel_changes(number);
  return libc_result<int>(raw_syscall(number, a, b, c));
}

constexpr long kUnchanged = -1;

}  // namespace
}  // namespace heddle::abi

using heddle::abi::change;
using heddle::abi::engine;
using heddle::abi::kUnchanged;

HEDDLE_EXPORT int setuid(uid_t id) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setuid)(id) : change(*e, SYS_setuid, id);
}
HEDDLE_EXPORT int setgid(gid_t id) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setgid)(id) : change(*e, SYS_setgid, id);
}
HEDDLE_EXPORT int seteuid(uid_t id) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(seteuid)(id) : change(*e, SYS_setresuid, kUnchanged, id, kUnchanged);
}
HEDDLE_EXPORT int setegid(gid_t id) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setegid)(id) : change(*e, SYS_setresgid, kUnchanged, id, kUnchanged);
}
HEDDLE_EXPORT int setreuid(uid_t own, uid_t effective) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setreuid)(own, effective) : change(*e, SYS_setreuid, own, effective);
}
HEDDLE_EXPORT int setregid(gid_t own, gid_t effective) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setregid)(own, effective) : change(*e, SYS_setregid, own, effective);
}
HEDDLE_EXPORT int setresuid(uid_t own, uid_t effective, uid_t saved) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setresuid)(own, effective, saved)
                      : change(*e, SYS_setresuid, own, effective, saved);
}
HEDDLE_EXPORT int setresgid(gid_t own, gid_t effective, gid_t saved) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setresgid)(own, effective, saved)
                      : change(*e, SYS_setresgid, own, effective, saved);
}
HEDDLE_EXPORT int setgroups(std::size_t count, const gid_t* groups) noexcept {
  auto* e = engine();
  return e == nullptr ? HEDDLE_REAL(setgroups)(count, groups)
                      : change(*e, SYS_setgroups, static_cast<long>(count), reinterpret_cast<long>(groups));
}
