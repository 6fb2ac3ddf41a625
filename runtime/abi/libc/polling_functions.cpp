// poll, select and epoll. Their timeouts are virtual; they are broken off by any signal handler.
#include <sys/epoll.h>
#include <sys/select.h>

#include "runtime/abi/blocking_call.h"
#include "runtime/abi/interposed_call.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/engine/signals.h"

namespace heddle::abi {
namespace {

std::uint64_t deadline_in_milliseconds(Execution& e, int milliseconds) {
  return milliseconds < 0 ? sched::kNoDeadline
                          : e.scheduler().now() + static_cast<std::uint64_t>(milliseconds) * 1'000'000;
}

std::uint64_t deadline_after(Execution& e, const timespec* duration) {
  return duration == nullptr ? sched::kNoDeadline : e.scheduler().now() + nanoseconds(*duration);
}

// The calls that take a signal mask have it for as long as they wait.
class MaskScope {
 public:
  MaskScope(Execution& e, const sigset_t* mask)
      : e_(e), old_(e.self().signal_mask), active_(mask != nullptr) {
    if (!active_) return;
    sched::SignalSet set;
    memcpy(&set, mask, sizeof set);
    set_signal_mask(e_, set);
  }
  ~MaskScope() {
    if (active_) set_signal_mask(e_, old_);
  }
  MaskScope(const MaskScope&) = delete;
  MaskScope& operator=(const MaskScope&) = delete;

 private:
  Execution& e_;
  sched::SignalSet old_;
  bool active_;
};

// Asks (`attempt`, the kernel's result) until something is ready, the deadline has passed or a handler ran.
template <typename Attempt>
long poll_until(Execution& e, const sched::BlockingCall& call, std::uint64_t deadline, const sigset_t* mask,
                std::uint64_t pc, Attempt attempt) {
  return cancellable(e, [&]() -> long {
    e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
    const std::uint32_t handled = e.self().handlers_run;
    const MaskScope scope(e, mask);
    const bool may_ask = !e.has_children() || deadline <= e.scheduler().now();
    long result = may_ask ? attempt() : 0;
    while (result == 0 && deadline > e.scheduler().now()) {
      if (e.self().handlers_run != handled) {
        result = -EINTR;
        break;
      }
      const Awaited awaited = e.await_outside(call, deadline);
      if (awaited == Awaited::kInterrupted || e.self().handlers_run != handled) {
        result = -EINTR;
        break;
      }
      result = attempt();
      if (awaited == Awaited::kTimedOut) break;
    }
    if (result > 0) e.changed();
    e.done(EventKind::kBlockingCall, static_cast<std::uint64_t>(result));
    e.note_call(call.name, call.descriptor, result, pc);
    return result;
  });
}

// The kernel reads what is asked for and writes what has come.
void told_polled(const ProgramCall& program, const pollfd* polled, nfds_t count, bool answered) {
  if (!program) return;
  for (nfds_t i = 0; i < count; ++i) {
    if (answered) {
      program.writes_object(&polled[i].revents);
    } else {
      program.reads(&polled[i], offsetof(pollfd, revents));
    }
  }
}

// select's sets are read, and then written with the answer.
void told_set(const ProgramCall& program, const fd_set* set, int count, bool answered) {
  if (set == nullptr || count <= 0) return;
  const std::size_t bytes = (static_cast<std::size_t>(count) + 63) / 64 * 8;  // the kernel takes whole words
  answered ? program.writes(set, bytes) : program.reads(set, bytes);
}

int poll_descriptors(Execution& e, const ProgramCall& program, const char* name, pollfd* polled, nfds_t count,
                     std::uint64_t deadline, const sigset_t* mask, std::uint64_t pc) {
  told_polled(program, polled, count, false);
  sched::BlockingCall call{name, count == 1 ? polled[0].fd : -1, polled, static_cast<std::uint32_t>(count)};
  const long result = poll_until(e, call, deadline, mask, pc, [&] {
    timespec none{};
    return raw_syscall(SYS_ppoll, polled, count, &none, 0, 8);
  });
  if (result >= 0) told_polled(program, polled, count, true);
  for (nfds_t i = 0; result > 0 && i < count; ++i) {
    if ((polled[i].revents & (POLLIN | POLLHUP)) != 0) e.acquire_descriptor(polled[i].fd);
  }
  return libc_result<int>(result);
}

// select is poll with other words. The sets are bit fields of FD_SETSIZE, or longer where the program asks.
int select_descriptors(Execution& e, const ProgramCall& program, const char* name, int count, fd_set* read,
                       fd_set* write, fd_set* except, std::uint64_t deadline, const sigset_t* mask,
                       std::uint64_t pc) {
  if (count < 0 || count > FD_SETSIZE) return libc_result<int>(-EINVAL);
  for (const fd_set* set : {read, write, except}) told_set(program, set, count, false);
  pollfd polled[FD_SETSIZE];
  std::uint32_t used = 0;
  for (int i = 0; i < count; ++i) {
    short events = 0;
    if (read != nullptr && FD_ISSET(i, read)) events |= POLLIN;
    if (write != nullptr && FD_ISSET(i, write)) events |= POLLOUT;
    if (except != nullptr && FD_ISSET(i, except)) events |= POLLPRI;
    if (events != 0) polled[used++] = {i, events, 0};
  }
  sched::BlockingCall call{name, used == 1 ? polled[0].fd : -1, polled, used};
  const long result = poll_until(e, call, deadline, mask, pc, [&] {
    timespec none{};
    return raw_syscall(SYS_ppoll, polled, used, &none, 0, 8);
  });
  if (result < 0) return libc_result<int>(result);
  int ready = 0;
  const auto mark = [&](fd_set* set, const pollfd& p, short asked, int answer) {
    if (set == nullptr || (p.events & asked) == 0) return;
    if ((p.revents & answer) != 0) {
      ++ready;
    } else {
      FD_CLR(p.fd, set);
    }
  };
  for (std::uint32_t i = 0; i < used; ++i) {
    const pollfd& p = polled[i];
    if ((p.revents & POLLNVAL) != 0) return libc_result<int>(-EBADF);
    mark(read, p, POLLIN, POLLIN | POLLHUP | POLLERR);
    mark(write, p, POLLOUT, POLLOUT | POLLERR);
    mark(except, p, POLLPRI, POLLPRI);
    if ((p.revents & (POLLIN | POLLHUP)) != 0) e.acquire_descriptor(p.fd);
  }
  for (const fd_set* set : {read, write, except}) told_set(program, set, count, true);
  return ready;
}

int wait_epoll(Execution& e, const ProgramCall& program, const char* name, int descriptor,
               epoll_event* events, int count, std::uint64_t deadline, const sigset_t* mask,
               std::uint64_t pc) {
  // An epoll descriptor is itself readable when it has events; asking so takes none of them.
  pollfd polled{descriptor, POLLIN, 0};
  sched::BlockingCall call{name, descriptor, &polled, 1};
  const long result = poll_until(e, call, deadline, mask, pc, [&] {
    return raw_syscall(SYS_epoll_pwait, descriptor, events, count, 0, 0, 8);
  });
  if (result > 0) {
    e.acquire_descriptor(descriptor);
    program.writes(events, static_cast<std::size_t>(result) * sizeof *events);
  }
  return libc_result<int>(result);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT int poll(pollfd* polled, nfds_t count, int timeout) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(poll)(polled, count, timeout);
  return heddle::abi::poll_descriptors(*e, HEDDLE_EXPORTED_CALL(poll), "poll", polled, count,
                                       heddle::abi::deadline_in_milliseconds(*e, timeout), nullptr,
                                       HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int __poll_chk(pollfd* polled, nfds_t count, int timeout, std::size_t) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(poll)(polled, count, timeout);
  return heddle::abi::poll_descriptors(*e, HEDDLE_EXPORTED_CALL(poll), "poll", polled, count,
                                       heddle::abi::deadline_in_milliseconds(*e, timeout), nullptr,
                                       HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int ppoll(pollfd* polled, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(ppoll)(polled, count, timeout, mask);
  return heddle::abi::poll_descriptors(*e, HEDDLE_EXPORTED_CALL(ppoll), "ppoll", polled, count,
                                       heddle::abi::deadline_after(*e, timeout), mask, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int __ppoll_chk(pollfd* polled, nfds_t count, const timespec* timeout, const sigset_t* mask,
                              std::size_t) {
  return ppoll(polled, count, timeout, mask);
}
HEDDLE_EXPORT int select(int count, fd_set* __restrict read, fd_set* __restrict write,
                         fd_set* __restrict except, timeval* __restrict timeout) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(select)(count, read, write, except, timeout);
  timespec duration{};
  if (timeout != nullptr) duration = {timeout->tv_sec, timeout->tv_usec * 1000};
  return heddle::abi::select_descriptors(
      *e, HEDDLE_EXPORTED_CALL(select), "select", count, read, write, except,
      heddle::abi::deadline_after(*e, timeout != nullptr ? &duration : nullptr), nullptr, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pselect(int count, fd_set* __restrict read, fd_set* __restrict write,
                          fd_set* __restrict except, const timespec* __restrict timeout,
                          const sigset_t* __restrict mask) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pselect)(count, read, write, except, timeout, mask);
  return heddle::abi::select_descriptors(*e, HEDDLE_EXPORTED_CALL(pselect), "pselect", count, read, write,
                                         except, heddle::abi::deadline_after(*e, timeout), mask,
                                         HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int epoll_create(int size) noexcept {
  if (auto* e = engine()) e->leave_prefix();
  return HEDDLE_REAL(epoll_create)(size);
}
HEDDLE_EXPORT int epoll_create1(int flags) noexcept {
  if (auto* e = engine()) e->leave_prefix();
  return HEDDLE_REAL(epoll_create1)(flags);
}
HEDDLE_EXPORT int epoll_ctl(int descriptor, int operation, int member, epoll_event* event) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(epoll_ctl)(descriptor, operation, member, event);
  e->visible({heddle::EventKind::kBlockingCall, heddle::MemoryOrder::kRelaxed, 0,
              static_cast<heddle::Address>(descriptor), HEDDLE_CALLER_PC});
  if (operation != EPOLL_CTL_DEL) HEDDLE_EXPORTED_CALL(epoll_ctl).reads_object(event);
  e->release_descriptor(descriptor);
  const long result = heddle::raw_syscall(SYS_epoll_ctl, descriptor, operation, member, event);
  e->note_call("epoll_ctl", descriptor, result, HEDDLE_CALLER_PC);
  e->changed();
  e->io_happened();
  return heddle::abi::libc_result<int>(result);
}
HEDDLE_EXPORT int epoll_wait(int descriptor, epoll_event* events, int count, int timeout) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(epoll_wait)(descriptor, events, count, timeout);
  return heddle::abi::wait_epoll(*e, HEDDLE_EXPORTED_CALL(epoll_wait), "epoll_wait", descriptor, events,
                                 count, heddle::abi::deadline_in_milliseconds(*e, timeout), nullptr,
                                 HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int epoll_pwait(int descriptor, epoll_event* events, int count, int timeout,
                              const sigset_t* mask) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(epoll_pwait)(descriptor, events, count, timeout, mask);
  return heddle::abi::wait_epoll(*e, HEDDLE_EXPORTED_CALL(epoll_pwait), "epoll_pwait", descriptor, events,
                                 count, heddle::abi::deadline_in_milliseconds(*e, timeout), mask,
                                 HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int epoll_pwait2(int descriptor, epoll_event* events, int count, const timespec* timeout,
                               const sigset_t* mask) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(epoll_pwait2)(descriptor, events, count, timeout, mask);
  return heddle::abi::wait_epoll(*e, HEDDLE_EXPORTED_CALL(epoll_pwait2), "epoll_pwait2", descriptor, events,
                                 count, heddle::abi::deadline_after(*e, timeout), mask, HEDDLE_CALLER_PC);
}
