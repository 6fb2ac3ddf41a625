// Sockets.
#include <sys/socket.h>
#include <sys/time.h>

#include "runtime/abi/blocking_call.h"
#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/buffer_parts.h"
#include "runtime/session/session.h"

namespace heddle::abi {
namespace {

// SO_RCVTIMEO and SO_SNDTIMEO, in virtual time.
std::uint64_t deadline_of_option(Execution& e, int descriptor, int option) {
  timeval limit{};
  socklen_t length = sizeof limit;
  if (raw_syscall(SYS_getsockopt, descriptor, SOL_SOCKET, option, &limit, &length) != 0 ||
      (limit.tv_sec == 0 && limit.tv_usec == 0)) {
    return sched::kNoDeadline;
  }
  return e.scheduler().now() + static_cast<std::uint64_t>(limit.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(limit.tv_usec) * 1000;
}

DescriptorCall receive_call(Execution& e, const char* name, int descriptor, int flags, std::uint64_t pc) {
  const bool nonblocking = (flags & MSG_DONTWAIT) != 0 || is_nonblocking(descriptor);
  return {name,
          descriptor,
          POLLIN,
          nonblocking,
          nonblocking ? sched::kNoDeadline : deadline_of_option(e, descriptor, SO_RCVTIMEO),
          pc};
}

DescriptorCall send_call(Execution& e, const char* name, int descriptor, int flags, std::uint64_t pc) {
  const bool nonblocking = (flags & MSG_DONTWAIT) != 0 || is_nonblocking(descriptor);
  return {name,
          descriptor,
          POLLOUT,
          nonblocking,
          nonblocking ? sched::kNoDeadline : deadline_of_option(e, descriptor, SO_SNDTIMEO),
          pc};
}

// Where a call has put an address, as much of it as there was room for.
void writes_address(const ProgramCall& call, const void* to, const socklen_t* length, socklen_t room) {
  if (to == nullptr || length == nullptr) return;
  call.writes_object(length);
  call.writes(to, *length < room ? *length : room);
}

ssize_t receive(Execution& e, const ProgramCall& program, const char* name, int descriptor, void* buffer,
                std::size_t bytes, int flags, sockaddr* from, socklen_t* from_length, std::uint64_t pc) {
  const DescriptorCall call = receive_call(e, name, descriptor, flags, pc);
  const bool all = (flags & MSG_WAITALL) != 0 && !call.nonblocking && (flags & MSG_PEEK) == 0;
  const int plain_flags = flags & ~MSG_WAITALL;
  const socklen_t room = from_length != nullptr ? *from_length : 0;
  std::size_t done = 0;
  do {
    const long result = perform(e, call, [&] {
      return raw_syscall(SYS_recvfrom, descriptor, static_cast<char*>(buffer) + done, bytes - done,
                         plain_flags | MSG_DONTWAIT, from, from_length);
    });
    if (result < 0 && done == 0) return libc_result<ssize_t>(result);
    if (result <= 0) break;
    program.writes(static_cast<char*>(buffer) + done, static_cast<std::size_t>(result));
    done += static_cast<std::size_t>(result);
  } while (all && done < bytes);
  writes_address(program, from, from_length, room);
  return static_cast<ssize_t>(done);
}

bool is_stream(int descriptor) {
  int type = 0;
  socklen_t length = sizeof type;
  return raw_syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
         type == SOCK_STREAM;
}

ssize_t transmit(Execution& e, const ProgramCall& program, const char* name, int descriptor,
                 const void* buffer, std::size_t bytes, int flags, const sockaddr* to, socklen_t to_length,
                 std::uint64_t pc) {
  if (bytes <= kMostBytes) program.reads(buffer, bytes);
  if (to != nullptr) program.reads(to, to_length);
  const DescriptorCall call = send_call(e, name, descriptor, flags, pc);
  std::size_t done = 0;
  do {
    const long result = perform(e, call, [&] {
      return raw_syscall(SYS_sendto, descriptor, static_cast<const char*>(buffer) + done, bytes - done,
                         flags | MSG_DONTWAIT, to, to_length);
    });
    if (result < 0) return done != 0 ? static_cast<ssize_t>(done) : libc_result<ssize_t>(result);
    done += static_cast<std::size_t>(result);
  } while (done < bytes && !call.nonblocking && is_stream(descriptor));
  return static_cast<ssize_t>(done);
}

long connect_to(Execution& e, int descriptor, const sockaddr* address, socklen_t length, std::uint64_t pc) {
  const bool nonblocking = is_nonblocking(descriptor);
  return cancellable(e, [&]() -> long {
    e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, static_cast<Address>(descriptor), pc});
    e.release_descriptor(descriptor);
    long result = 0;
    for (;;) {
      {
        NonblockingScope scope(descriptor);
        result = raw_syscall(SYS_connect, descriptor, address, length);
      }
      e.changed();
      e.io_happened();
      if (nonblocking || (result != -EINPROGRESS && result != -EAGAIN)) break;
      // EAGAIN: the listener of a local socket is busy; it is asked again when something has happened.
      pollfd polled{descriptor, POLLOUT, 0};
      sched::BlockingCall waiting{"connect", descriptor, &polled, 1};
      if (result == -EAGAIN) {
        waiting = {"connect", descriptor, nullptr, 0, [](const sched::BlockingCall&) { return true; }};
      }
      if (e.await_outside(waiting, sched::kNoDeadline) == Awaited::kInterrupted) {
        result = -EINTR;
        break;
      }
      if (result == -EAGAIN) {
        e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, static_cast<Address>(descriptor), pc});
        continue;
      }
      int error = 0;
      socklen_t size = sizeof error;
      raw_syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
      result = -error;
      break;
    }
    e.done(EventKind::kBlockingCall, static_cast<std::uint64_t>(result));
    e.note_call("connect", descriptor, result, pc);
    return result;
  });
}

int accept_from(Execution& e, const ProgramCall& program, int descriptor, sockaddr* address,
                socklen_t* length, int flags, std::uint64_t pc) {
  const socklen_t room = length != nullptr ? *length : 0;
  const long result = perform(e, receive_call(e, "accept", descriptor, 0, pc), [&] {
    NonblockingScope scope(descriptor);
    return raw_syscall(SYS_accept4, descriptor, address, length, flags);
  });
  if (result >= 0) writes_address(program, address, length, room);
  return libc_result<int>(result);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::libc_result;

HEDDLE_EXPORT int socket(int domain, int type, int protocol) noexcept {
  if (auto* e = engine()) e->leave_prefix();
  return HEDDLE_REAL(socket)(domain, type, protocol);
}
HEDDLE_EXPORT int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  if (auto* e = engine()) e->leave_prefix();
  const int result = HEDDLE_REAL(socketpair)(domain, type, protocol, ends);
  if (result == 0) HEDDLE_EXPORTED_CALL(socketpair).writes(ends, 2 * sizeof *ends);
  return result;
}
// At an address that others can find, two executions cannot be at the same time.
HEDDLE_EXPORT int bind(int descriptor, const sockaddr* address, socklen_t length) noexcept {
  if (engine() != nullptr && address != nullptr) {
    heddle::session::touches_outside("a socket's address");
    HEDDLE_EXPORTED_CALL(bind).reads(address, length);
  }
  return HEDDLE_REAL(bind)(descriptor, address, length);
}
HEDDLE_EXPORT int connect(int descriptor, const sockaddr* address, socklen_t length) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(connect)(descriptor, address, length);
  e->note_flag(heddle::result_flags::kConnected);
  HEDDLE_EXPORTED_CALL(connect).reads(address, length);
  return libc_result<int>(heddle::abi::connect_to(*e, descriptor, address, length, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int accept(int descriptor, sockaddr* address, socklen_t* length) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(accept)(descriptor, address, length);
  return heddle::abi::accept_from(*e, HEDDLE_EXPORTED_CALL(accept), descriptor, address, length, 0,
                                  HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int accept4(int descriptor, sockaddr* address, socklen_t* length, int flags) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(accept4)(descriptor, address, length, flags);
  return heddle::abi::accept_from(*e, HEDDLE_EXPORTED_CALL(accept4), descriptor, address, length, flags,
                                  HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int shutdown(int descriptor, int how) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(shutdown)(descriptor, how);
  e->visible({heddle::EventKind::kBlockingCall, heddle::MemoryOrder::kRelaxed, 0,
              static_cast<heddle::Address>(descriptor), HEDDLE_CALLER_PC});
  e->release_descriptor(descriptor);
  const long result = heddle::raw_syscall(SYS_shutdown, descriptor, how);
  e->note_call("shutdown", descriptor, result, HEDDLE_CALLER_PC);
  e->changed();
  e->io_happened();
  return libc_result<int>(result);
}

HEDDLE_EXPORT ssize_t recv(int descriptor, void* buffer, std::size_t bytes, int flags) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(recv)(descriptor, buffer, bytes, flags);
  return heddle::abi::receive(*e, HEDDLE_EXPORTED_CALL(recv), "recv", descriptor, buffer, bytes, flags,
                              nullptr, nullptr, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t __recv_chk(int descriptor, void* buffer, std::size_t bytes, std::size_t room,
                                 int flags) {
  using Real = ssize_t(int, void*, std::size_t, std::size_t, int);
  static Real* real = heddle::abi::next_function<Real>("__recv_chk");
  auto* e = engine();
  if (e == nullptr || bytes > room) return real(descriptor, buffer, bytes, room, flags);
  return heddle::abi::receive(*e, HEDDLE_EXPORTED_CALL(__recv_chk), "recv", descriptor, buffer, bytes, flags,
                              nullptr, nullptr, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t recvfrom(int descriptor, void* __restrict buffer, std::size_t bytes, int flags,
                               sockaddr* __restrict from, socklen_t* __restrict length) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(recvfrom)(descriptor, buffer, bytes, flags, from, length);
  return heddle::abi::receive(*e, HEDDLE_EXPORTED_CALL(recvfrom), "recvfrom", descriptor, buffer, bytes,
                              flags, from, length, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(recvmsg)(descriptor, message, flags);
  const long result = heddle::abi::perform(
      *e, heddle::abi::receive_call(*e, "recvmsg", descriptor, flags, HEDDLE_CALLER_PC), [&] {
        return heddle::raw_syscall(SYS_recvmsg, descriptor, message, (flags & ~MSG_WAITALL) | MSG_DONTWAIT);
      });
  heddle::abi::writes_message(HEDDLE_EXPORTED_CALL(recvmsg), message, result);
  return libc_result<ssize_t>(result);
}
HEDDLE_EXPORT ssize_t send(int descriptor, const void* buffer, std::size_t bytes, int flags) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(send)(descriptor, buffer, bytes, flags);
  return heddle::abi::transmit(*e, HEDDLE_EXPORTED_CALL(send), "send", descriptor, buffer, bytes, flags,
                               nullptr, 0, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t sendto(int descriptor, const void* buffer, std::size_t bytes, int flags,
                             const sockaddr* to, socklen_t length) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sendto)(descriptor, buffer, bytes, flags, to, length);
  return heddle::abi::transmit(*e, HEDDLE_EXPORTED_CALL(sendto), "sendto", descriptor, buffer, bytes, flags,
                               to, length, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sendmsg)(descriptor, message, flags);
  heddle::abi::reads_message(HEDDLE_EXPORTED_CALL(sendmsg), message);
  return libc_result<ssize_t>(heddle::abi::perform(
      *e, heddle::abi::send_call(*e, "sendmsg", descriptor, flags, HEDDLE_CALLER_PC),
      [&] { return heddle::raw_syscall(SYS_sendmsg, descriptor, message, flags | MSG_DONTWAIT); }));
}
HEDDLE_EXPORT int recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags, timespec* limit) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(recvmmsg)(descriptor, messages, count, flags, limit);
  const long result = heddle::abi::perform(
      *e, heddle::abi::receive_call(*e, "recvmmsg", descriptor, flags, HEDDLE_CALLER_PC), [&] {
        return heddle::raw_syscall(SYS_recvmmsg, descriptor, messages, count, flags | MSG_DONTWAIT, 0);
      });
  const auto call = HEDDLE_EXPORTED_CALL(recvmmsg);
  for (long i = 0; i < result; ++i) {
    heddle::abi::writes_message(call, &messages[i].msg_hdr, messages[i].msg_len);
    call.writes_object(&messages[i].msg_len);
  }
  return libc_result<int>(result);
}
HEDDLE_EXPORT int sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sendmmsg)(descriptor, messages, count, flags);
  const auto call = HEDDLE_EXPORTED_CALL(sendmmsg);
  for (unsigned i = 0; i < count; ++i) heddle::abi::reads_message(call, &messages[i].msg_hdr);
  const long result = heddle::abi::perform(
      *e, heddle::abi::send_call(*e, "sendmmsg", descriptor, flags, HEDDLE_CALLER_PC),
      [&] { return heddle::raw_syscall(SYS_sendmmsg, descriptor, messages, count, flags | MSG_DONTWAIT); });
  for (long i = 0; i < result; ++i) call.writes_object(&messages[i].msg_len);
  return libc_result<int>(result);
}
