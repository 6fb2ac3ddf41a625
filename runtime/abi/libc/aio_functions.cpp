// aio_read and its relatives (POSIX asynchronous I/O). libc's have threads of its own, which the engine does
// not see; here each request is a thread of the program. Lists of requests (lio_listio) are left to libc.
#include <aio.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/abi/libc/descriptor_calls.h"
#include "runtime/abi/pthread/pthread_objects.h"

namespace heddle::abi {
namespace {

enum class Operation : int { kRead, kWrite, kSync };

// Kept in a word of the request that libc has for notes of its own.
Operation operation_of(const aiocb& request) { return static_cast<Operation>(request.__policy); }

sched::SyncObject& clock_of(Execution& e, const aiocb* request) {
  return e.sync_objects().get(reinterpret_cast<Address>(request), sched::SyncKind::kAnnotation);
}

bool is_done(const aiocb* request) {
  return *const_cast<const volatile int*>(&request->__error_code) != EINPROGRESS;
}

// At its place in a file; a pipe has none.
long transfer(Execution& e, const aiocb& request, bool reads) {
  auto* buffer = const_cast<void*>(request.aio_buf);
  const long result = raw_syscall(reads ? SYS_pread64 : SYS_pwrite64, request.aio_fildes, buffer,
                                  request.aio_nbytes, request.aio_offset);
  if (result != -ESPIPE) return result;
  return reads ? read_some(e, request.aio_fildes, buffer, request.aio_nbytes, 0)
               : write_all(e, request.aio_fildes, buffer, request.aio_nbytes, 0);
}

long carry_out(Execution& e, aiocb& request) {
  const bool reads = operation_of(request) == Operation::kRead;
  if (operation_of(request) == Operation::kSync) return raw_syscall(SYS_fsync, request.aio_fildes);
  auto* buffer = const_cast<void*>(request.aio_buf);
  if (!reads)
    e.plain_range(race::AccessOp::kRead, reinterpret_cast<Address>(buffer), request.aio_nbytes,
                  e.self().last_pc);
  const long result = transfer(e, request, reads);
  if (reads && result > 0) {
    e.plain_range(race::AccessOp::kWrite, reinterpret_cast<Address>(buffer),
                  static_cast<std::uint64_t>(result), e.self().last_pc);
  }
  return result;
}

void* perform_request(void* argument) {
  auto& request = *static_cast<aiocb*>(argument);
  Execution& e = *current;
  e.self().cancel_disabled = true;
  const sigevent notice = request.aio_sigevent;  // the request may be gone once it is done
  const long result = carry_out(e, request);
  e.release(clock_of(e, &request));
  request.__return_value = result < 0 ? -1 : result;
  *const_cast<volatile int*>(&request.__error_code) = result < 0 ? static_cast<int>(-result) : 0;
  e.changed();
  e.io_happened();
  if (notice.sigev_notify == SIGEV_SIGNAL) sigqueue(getpid(), notice.sigev_signo, notice.sigev_value);
  if (notice.sigev_notify == SIGEV_THREAD) notice.sigev_notify_function(notice.sigev_value);
  return nullptr;
}

int submit(aiocb* request, Operation operation) {
  request->__policy = static_cast<int>(operation);
  request->__error_code = EINPROGRESS;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // No signal of the program's is for this one.
  sigset_t all;
  sigfillset(&all);
  pthread_attr_setsigmask_np(&attributes, &all);
  pthread_t thread{};
  const int error = pthread_create(&thread, &attributes, perform_request, request);
  pthread_attr_destroy(&attributes);
  if (error == 0) return 0;
  errno = request->__error_code = EAGAIN;
  return -1;
}

struct Suspension {
  const aiocb* const* requests;
  int count;
};

bool any_is_done(const sched::BlockingCall& call) {
  const auto& suspension = *reinterpret_cast<const Suspension*>(call.argument);
  for (int i = 0; i < suspension.count; ++i) {
    if (suspension.requests[i] != nullptr && is_done(suspension.requests[i])) return true;
  }
  return false;
}

long suspend(Execution& e, const Suspension& suspension, std::uint64_t deadline, std::uint64_t pc) {
  const sched::BlockingCall call{
      "aio_suspend", -1, nullptr, 0, any_is_done, reinterpret_cast<long>(&suspension)};
  return cancellable(e, [&]() -> long {
    e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
    long result = 0;
    while (result == 0 && !any_is_done(call)) {
      const Awaited awaited = e.await_outside(call, deadline);
      if (awaited == Awaited::kInterrupted) result = -EINTR;
      if (awaited == Awaited::kTimedOut) result = -EAGAIN;
    }
    e.done(EventKind::kBlockingCall, static_cast<std::uint64_t>(result));
    e.note_call(call.name, -1, result, pc);
    return result;
  });
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::Operation;

HEDDLE_EXPORT int aio_read(aiocb* request) noexcept {
  if (engine() == nullptr) return HEDDLE_REAL(aio_read)(request);
  return heddle::abi::submit(request, Operation::kRead);
}
HEDDLE_EXPORT int aio_write(aiocb* request) noexcept {
  if (engine() == nullptr) return HEDDLE_REAL(aio_write)(request);
  return heddle::abi::submit(request, Operation::kWrite);
}
HEDDLE_EXPORT int aio_fsync(int operation, aiocb* request) noexcept {
  if (engine() == nullptr) return HEDDLE_REAL(aio_fsync)(operation, request);
  return heddle::abi::submit(request, Operation::kSync);
}
HEDDLE_EXPORT int aio_error(const aiocb* request) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(aio_error)(request);
  e->yield(HEDDLE_CALLER_PC);  // programs ask again and again
  if (heddle::abi::is_done(request)) e->acquire(heddle::abi::clock_of(*e, request));
  return request->__error_code;
}
HEDDLE_EXPORT ssize_t aio_return(aiocb* request) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(aio_return)(request);
  e->acquire(heddle::abi::clock_of(*e, request));
  return request->__return_value;
}
HEDDLE_EXPORT int aio_suspend(const aiocb* const requests[], int count, const timespec* timeout) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(aio_suspend)(requests, count, timeout);
  const std::uint64_t deadline = timeout == nullptr
                                     ? heddle::sched::kNoDeadline
                                     : e->scheduler().now() + heddle::abi::nanoseconds(*timeout);
  const long result = heddle::abi::suspend(*e, {requests, count}, deadline, HEDDLE_CALLER_PC);
  for (int i = 0; result == 0 && i < count; ++i) {
    if (requests[i] != nullptr && heddle::abi::is_done(requests[i]))
      e->acquire(heddle::abi::clock_of(*e, requests[i]));
  }
  return heddle::abi::libc_result<int>(result);
}
// What has begun is not called back, as POSIX allows.
HEDDLE_EXPORT int aio_cancel(int descriptor, aiocb* request) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(aio_cancel)(descriptor, request);
  return request != nullptr && heddle::abi::is_done(request) ? AIO_ALLDONE : AIO_NOTCANCELED;
}

// aiocb64 has the layout of aiocb where long has 64 bits.
#define HEDDLE_AIO_64(result, name, parameters, arguments) \
  HEDDLE_EXPORT result name##64 parameters noexcept { return name arguments; }
HEDDLE_AIO_64(int, aio_read, (aiocb64 * request), (reinterpret_cast<aiocb*>(request)))
HEDDLE_AIO_64(int, aio_write, (aiocb64 * request), (reinterpret_cast<aiocb*>(request)))
HEDDLE_AIO_64(int, aio_error, (const aiocb64* request), (reinterpret_cast<const aiocb*>(request)))
HEDDLE_AIO_64(ssize_t, aio_return, (aiocb64 * request), (reinterpret_cast<aiocb*>(request)))
HEDDLE_EXPORT int aio_suspend64(const aiocb64* const requests[], int count, const timespec* timeout) {
  return aio_suspend(reinterpret_cast<const aiocb* const*>(requests), count, timeout);
}
