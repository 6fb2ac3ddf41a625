// sem_open and its relatives. Under the engine the names belong to one execution: what libc keeps in /dev/shm
// would go over to the next one, and to other processes that run at the same time. Children that the program
// forks share them.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/pages.h"
#include "runtime/abi/pthread/named_semaphores.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/abi/pthread/semaphore_names.h"

namespace heddle::abi {
namespace {

struct NamedSemaphore {
  char name[kLongestSemaphoreName + 1];
  sem_t semaphore;
  std::uint32_t opened;  // sem_close takes one away
  bool linked;           // the name still leads here
  SemaphoreRights rights;
};

constexpr std::uint32_t kMost = 256;
struct Semaphores {
  // Whole pages, which children that the program forks may share.
  struct alignas(kPageSize) Table {
    NamedSemaphore entry[kMost];
  } table = {};
  bool is_shared = false;
};
constinit Semaphores known;

NamedSemaphore* find(const char* name) {
  for (NamedSemaphore& s : known.table.entry) {
    if (s.linked && strlen(s.name) == strlen(name) && memcmp(s.name, name, strlen(name)) == 0) return &s;
  }
  return nullptr;
}

NamedSemaphore* free_slot() {
  for (NamedSemaphore& s : known.table.entry) {
    if (!s.linked && s.opened == 0) return &s;
  }
  return nullptr;
}

sem_t* failed(int error) {
  errno = error;
  return SEM_FAILED;
}

bool may_open(const NamedSemaphore& s) {
  return may_open_as(s.rights, static_cast<uid_t>(raw_syscall(SYS_geteuid)),
                     static_cast<gid_t>(raw_syscall(SYS_getegid)));
}

// /dev/shm lets only the owner remove a name.
bool may_unlink(const NamedSemaphore& s) {
  const auto user = static_cast<uid_t>(raw_syscall(SYS_geteuid));
  return user == 0 || user == s.rights.owner;
}

sem_t* open(const char* name, int flags, mode_t mode, unsigned value) {
  if (const int error = read_semaphore_name(name); error != 0) return failed(error);
  NamedSemaphore* s = find(name);
  if (s != nullptr && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return failed(EEXIST);
  if (s != nullptr && !may_open(*s)) return failed(EACCES);
  if (s == nullptr) {
    if ((flags & O_CREAT) == 0) return failed(ENOENT);
    if (value > INT_MAX) return failed(EINVAL);
    s = free_slot();
    if (s == nullptr) return failed(EMFILE);
    memcpy(s->name, name, strlen(name) + 1);
    s->linked = true;
    const auto mask = static_cast<mode_t>(raw_syscall(SYS_umask, 0));
    raw_syscall(SYS_umask, mask);
    s->rights.mode = mode & ~mask;
    s->rights.owner = static_cast<uid_t>(raw_syscall(SYS_geteuid));
    s->rights.group = static_cast<gid_t>(raw_syscall(SYS_getegid));
    sem_init(&s->semaphore, known.is_shared ? 1 : 0, value);
  }
  ++s->opened;
  return &s->semaphore;
}

// A child of the program that runs natively goes by our table, too, and so does what comes before the engine: the
// program will look for the name in it.
bool by_libc() { return engine() == nullptr && !known.is_shared && !is_before_engine(); }

}  // namespace

void share_named_semaphores(engine::Execution& e) {
  bool any = false;
  for (const NamedSemaphore& s : known.table.entry) any = any || s.linked || s.opened != 0;
  if (!any || known.is_shared) return;
  for (NamedSemaphore& s : known.table.entry) {
    if (!s.linked && s.opened == 0) continue;
    sched::SyncObject* object = e.sync_objects().find(reinterpret_cast<Address>(&s.semaphore));
    const unsigned value = object != nullptr ? object->count : 0;
    HEDDLE_REAL(sem_init)(&s.semaphore, 1, value);
  }
  // The table stays at its addresses, and becomes memory that a child has in common with us.
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS;
  const long copy = raw_syscall(SYS_mmap, 0, sizeof known.table, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (copy < 0) return;
  memcpy(reinterpret_cast<void*>(copy), &known.table, sizeof known.table);
  raw_syscall(SYS_mremap, copy, sizeof known.table, sizeof known.table, MREMAP_MAYMOVE | MREMAP_FIXED,
              &known.table);
  known.is_shared = true;
}

}  // namespace heddle::abi

HEDDLE_EXPORT sem_t* sem_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    value = va_arg(list, unsigned);
    va_end(list);
  }
  if (heddle::abi::by_libc()) return HEDDLE_REAL(sem_open)(name, flags, mode, value);
  return heddle::abi::open(name, flags, mode, value);
}

HEDDLE_EXPORT int sem_close(sem_t* semaphore) noexcept {
  if (heddle::abi::by_libc()) return HEDDLE_REAL(sem_close)(semaphore);
  for (heddle::abi::NamedSemaphore& s : heddle::abi::known.table.entry) {
    if (&s.semaphore != semaphore || s.opened == 0) continue;
    --s.opened;
    return 0;
  }
  errno = EINVAL;
  return -1;
}

HEDDLE_EXPORT int sem_unlink(const char* name) noexcept {
  if (heddle::abi::by_libc()) return HEDDLE_REAL(sem_unlink)(name);
  const int error = heddle::abi::read_semaphore_name(name);
  heddle::abi::NamedSemaphore* s = error == 0 ? heddle::abi::find(name) : nullptr;
  if (s == nullptr) {
    errno = ENOENT;
    return -1;
  }
  if (!heddle::abi::may_unlink(*s)) {
    errno = EACCES;
    return -1;
  }
  s->linked = false;
  return 0;
}
