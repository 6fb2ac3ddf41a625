// read, write and their relatives; pipes, eventfd, close.
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/buffer_parts.h"
#include "runtime/abi/libc/descriptor_calls.h"
#include "runtime/abi/libc/signal_descriptors.h"
#include "runtime/session/syscall_gate.h"

namespace heddle::abi {
namespace {

template <typename Attempt>
long read_by(Execution& e, const char* name, int descriptor, std::uint64_t pc, Attempt attempt) {
  if (!can_block(descriptor)) {
    session::program_uses_file();
    return attempt();
  }
  return perform(e, {name, descriptor, POLLIN, is_nonblocking(descriptor), sched::kNoDeadline, pc}, attempt);
}

}  // namespace

long read_some(Execution& e, int descriptor, void* buffer, std::size_t bytes, std::uint64_t pc) {
  return read_by(e, "read", descriptor, pc, [&] { return raw_syscall(SYS_read, descriptor, buffer, bytes); });
}

long readv_some(Execution& e, int descriptor, const iovec* parts, int count, std::uint64_t pc) {
  return read_by(e, "readv", descriptor, pc,
                 [&] { return raw_syscall(SYS_readv, descriptor, parts, count); });
}

long write_all(Execution& e, int descriptor, const void* buffer, std::size_t bytes, std::uint64_t pc) {
  if (!can_block(descriptor)) {
    session::program_uses_file();
    return raw_syscall(SYS_write, descriptor, buffer, bytes);
  }
  const DescriptorCall call{"write", descriptor, POLLOUT, is_nonblocking(descriptor), sched::kNoDeadline, pc};
  std::size_t done = 0;
  do {
    const long result = perform(e, call, [&] {
      NonblockingScope scope(descriptor);
      return raw_syscall(SYS_write, descriptor, static_cast<const char*>(buffer) + done, bytes - done);
    });
    if (result < 0) return done != 0 ? static_cast<long>(done) : result;
    done += static_cast<std::size_t>(result);
  } while (done < bytes && !call.nonblocking);
  return static_cast<long>(done);
}

long writev_all(Execution& e, int descriptor, const iovec* parts, int count, std::uint64_t pc) {
  if (!can_block(descriptor)) {
    session::program_uses_file();
    return raw_syscall(SYS_writev, descriptor, parts, count);
  }
  const bool nonblocking = is_nonblocking(descriptor);
  const long first = perform(e, {"writev", descriptor, POLLOUT, nonblocking, sched::kNoDeadline, pc}, [&] {
    NonblockingScope scope(descriptor);
    return raw_syscall(SYS_writev, descriptor, parts, count);
  });
  if (first < 0 || nonblocking) return first;
  // What is left, part by part.
  auto done = static_cast<std::size_t>(first);
  std::size_t before = 0;
  for (int i = 0; i < count; before += parts[i++].iov_len) {
    const std::size_t end = before + parts[i].iov_len;
    if (done >= end) continue;
    const std::size_t skip = done - before;
    const long more = write_all(e, descriptor, static_cast<const char*>(parts[i].iov_base) + skip,
                                parts[i].iov_len - skip, pc);
    if (more < 0) break;
    done += static_cast<std::size_t>(more);
    if (done < end) break;
  }
  return static_cast<long>(done);
}

namespace {

ssize_t read_from(Execution& e, const ProgramCall& call, int descriptor, void* buffer, std::size_t bytes,
                  std::uint64_t pc) {
  act_on_cancel(e);  // also where nothing blocks
  const long result = read_some(e, descriptor, buffer, bytes, pc);
  if (result > 0) call.writes(buffer, static_cast<std::size_t>(result));
  return libc_result<ssize_t>(result);
}

ssize_t readv_from(Execution& e, const ProgramCall& call, int descriptor, const iovec* parts, int count,
                   std::uint64_t pc) {
  act_on_cancel(e);
  const long result = readv_some(e, descriptor, parts, count, pc);
  if (count > 0) accesses_parts(call, true, parts, static_cast<std::size_t>(count), result);
  return libc_result<ssize_t>(result);
}

// What is written is read before it is handed on: whoever receives it may use the buffer next.
ssize_t write_to(Execution& e, const ProgramCall& call, int descriptor, const void* buffer, std::size_t bytes,
                 std::uint64_t pc) {
  act_on_cancel(e);
  if (bytes <= kMostBytes) call.reads(buffer, bytes);
  return libc_result<ssize_t>(write_all(e, descriptor, buffer, bytes, pc));
}

ssize_t writev_to(Execution& e, const ProgramCall& call, int descriptor, const iovec* parts, int count,
                  std::uint64_t pc) {
  act_on_cancel(e);
  if (count > 0) accesses_parts(call, false, parts, static_cast<std::size_t>(count), kMostBytes);
  return libc_result<ssize_t>(writev_all(e, descriptor, parts, count, pc));
}

// Closing ends the waits of those who read from the other end.
long close_descriptor(Execution& e, int descriptor, std::uint64_t pc) {
  if (can_block(descriptor)) {
    e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, static_cast<Address>(descriptor), pc});
    e.release_descriptor(descriptor);
    forget_timer_descriptor(e, descriptor);
    forget_signal_descriptor(descriptor);
    e.note_call("close", descriptor, 0, pc);
    e.changed();
  }
  e.kernel_changes(SYS_close);
  const long result = raw_syscall(SYS_close, descriptor);
  e.io_happened();
  return result;
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::libc_result;

HEDDLE_EXPORT ssize_t read(int descriptor, void* buffer, std::size_t bytes) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(read)(descriptor, buffer, bytes);
  return heddle::abi::read_from(*e, HEDDLE_EXPORTED_CALL(read), descriptor, buffer, bytes, HEDDLE_CALLER_PC);
}
// What read becomes under _FORTIFY_SOURCE.
HEDDLE_EXPORT ssize_t __read_chk(int descriptor, void* buffer, std::size_t bytes, std::size_t room) {
  using Real = ssize_t(int, void*, std::size_t, std::size_t);
  static Real* real = heddle::abi::next_function<Real>("__read_chk");
  auto* e = engine();
  if (e == nullptr || bytes > room) return real(descriptor, buffer, bytes, room);
  return heddle::abi::read_from(*e, HEDDLE_EXPORTED_CALL(__read_chk), descriptor, buffer, bytes,
                                HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t readv(int descriptor, const iovec* parts, int count) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(readv)(descriptor, parts, count);
  return heddle::abi::readv_from(*e, HEDDLE_EXPORTED_CALL(readv), descriptor, parts, count, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t write(int descriptor, const void* buffer, std::size_t bytes) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(write)(descriptor, buffer, bytes);
  return heddle::abi::write_to(*e, HEDDLE_EXPORTED_CALL(write), descriptor, buffer, bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t writev(int descriptor, const iovec* parts, int count) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(writev)(descriptor, parts, count);
  return heddle::abi::writev_to(*e, HEDDLE_EXPORTED_CALL(writev), descriptor, parts, count, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int close(int descriptor) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(close)(descriptor);
  return libc_result<int>(heddle::abi::close_descriptor(*e, descriptor, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int dup2(int from, int to) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(dup2)(from, to);
  if (from != to && heddle::abi::can_block(to)) heddle::abi::close_descriptor(*e, to, HEDDLE_CALLER_PC);
  e->kernel_changes(SYS_dup2);
  const long result = heddle::raw_syscall(SYS_dup2, from, to);
  e->io_happened();
  return libc_result<int>(result);
}

HEDDLE_EXPORT int eventfd_read(int descriptor, eventfd_t* value) {
  const int result = read(descriptor, value, sizeof *value) == sizeof *value ? 0 : -1;
  if (result == 0) HEDDLE_EXPORTED_CALL(eventfd_read).writes_object(value);
  return result;
}
HEDDLE_EXPORT int eventfd_write(int descriptor, eventfd_t value) {
  return write(descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

// What makes a kernel object ends the common prefix: each execution needs its own.
#define HEDDLE_MAKES_OBJECT(name, parameters, arguments) \
  HEDDLE_EXPORT int name parameters noexcept {           \
    if (auto* e = engine()) e->leave_prefix();           \
    return HEDDLE_REAL(name) arguments;                  \
  }
#define HEDDLE_MAKES_PIPE(name, parameters, arguments)                          \
  HEDDLE_EXPORT int name parameters noexcept {                                  \
    if (auto* e = engine()) e->leave_prefix();                                  \
    const int result = HEDDLE_REAL(name) arguments;                             \
    if (result == 0) HEDDLE_EXPORTED_CALL(name).writes(ends, 2 * sizeof *ends); \
    return result;                                                              \
  }
HEDDLE_MAKES_PIPE(pipe, (int* ends), (ends))
HEDDLE_MAKES_PIPE(pipe2, (int* ends, int flags), (ends, flags))
HEDDLE_MAKES_OBJECT(eventfd, (unsigned value, int flags), (value, flags))
HEDDLE_MAKES_OBJECT(inotify_init, (), ())
HEDDLE_MAKES_OBJECT(inotify_init1, (int flags), (flags))
