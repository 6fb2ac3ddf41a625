// OpenMP's locks and critical regions, of GNU's runtime and of LLVM's where it goes by the same names:
// mutexes of the engine, by their addresses. Nothing is left for the library to do.
#include "runtime/abi/openmp/openmp.h"

namespace heddle::abi {
namespace {

sched::SyncObject& mutex_at(Execution& e, const void* address) {
  return e.sync_objects().get(reinterpret_cast<Address>(address), sched::SyncKind::kMutex);
}

// What critical regions without a name and updates that no instruction does are serialised by.
struct Serialised {
  char unnamed_critical[8];
  char atomic_update[8];
};
Serialised serialised;

void make_lock(Execution& e, const void* lock, sched::MutexType type, std::uint64_t pc) {
  sched::SyncObject& mutex = mutex_at(e, lock);
  e.check_unused(mutex, "initialisation of", pc);
  e.forget(mutex);
  e.sync_objects().renew(mutex, sched::SyncKind::kMutex);
  mutex.type = type;
  mutex.made = e.place(pc);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::mutex_at;
using heddle::sched::MutexType;

// A function on the lock `lock`, whose address is the first argument if it has one.
#define HEDDLE_OMP_LOCK(result, name, parameters, arguments, action)           \
  HEDDLE_EXPORT result name parameters {                                       \
    auto* e = engine();                                                        \
    if (e == nullptr) return HEDDLE_OPENMP(name, result parameters) arguments; \
    action;                                                                    \
  }

// [OpenMP 5.0, 2.17.1] critical and [2.17.7] atomic
HEDDLE_OMP_LOCK(void, GOMP_critical_start, (), (),
                e->mutex_lock(mutex_at(*e, heddle::abi::serialised.unnamed_critical), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, GOMP_critical_end, (), (),
                e->mutex_unlock(mutex_at(*e, heddle::abi::serialised.unnamed_critical), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, GOMP_critical_name_start, (void** name), (name),
                e->mutex_lock(mutex_at(*e, name), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, GOMP_critical_name_end, (void** name), (name),
                e->mutex_unlock(mutex_at(*e, name), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, GOMP_atomic_start, (), (),
                e->mutex_lock(mutex_at(*e, heddle::abi::serialised.atomic_update), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, GOMP_atomic_end, (), (),
                e->mutex_unlock(mutex_at(*e, heddle::abi::serialised.atomic_update), HEDDLE_CALLER_PC))

// Critical sections and locks as clang calls them: a place in the source and the thread's number come first.
HEDDLE_OMP_LOCK(void, __kmpc_critical, (void* place, int thread, void* name), (place, thread, name),
                e->mutex_lock(mutex_at(*e, name), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, __kmpc_critical_with_hint, (void* place, int thread, void* name, unsigned hint),
                (place, thread, name, hint), e->mutex_lock(mutex_at(*e, name), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, __kmpc_end_critical, (void* place, int thread, void* name), (place, thread, name),
                e->mutex_unlock(mutex_at(*e, name), HEDDLE_CALLER_PC))

// [3.3] lock routines
HEDDLE_OMP_LOCK(void, omp_init_lock, (void* lock), (lock),
                heddle::abi::make_lock(*e, lock, MutexType::kNormal, HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_init_nest_lock, (void* lock), (lock),
                heddle::abi::make_lock(*e, lock, MutexType::kRecursive, HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_init_lock_with_hint, (void* lock, int hint), (lock, hint),
                heddle::abi::make_lock(*e, lock, MutexType::kNormal, HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_init_nest_lock_with_hint, (void* lock, int hint), (lock, hint),
                heddle::abi::make_lock(*e, lock, MutexType::kRecursive, HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_destroy_lock, (void* lock), (lock),
                e->destroy_object(mutex_at(*e, lock), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_destroy_nest_lock, (void* lock), (lock),
                e->destroy_object(mutex_at(*e, lock), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_set_lock, (void* lock), (lock), e->mutex_lock(mutex_at(*e, lock), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_set_nest_lock, (void* lock), (lock),
                e->mutex_lock(mutex_at(*e, lock), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_unset_lock, (void* lock), (lock),
                e->mutex_unlock(mutex_at(*e, lock), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(void, omp_unset_nest_lock, (void* lock), (lock),
                e->mutex_unlock(mutex_at(*e, lock), HEDDLE_CALLER_PC))
HEDDLE_OMP_LOCK(int, omp_test_lock, (void* lock), (lock),
                return e->mutex_try_lock(mutex_at(*e, lock), HEDDLE_CALLER_PC) == 0 ? 1 : 0)
// The new nesting count, or 0.
HEDDLE_OMP_LOCK(int, omp_test_nest_lock, (void* lock), (lock),
                return e->mutex_try_lock(mutex_at(*e, lock), HEDDLE_CALLER_PC) == 0
                           ? static_cast<int>(mutex_at(*e, lock).count)
                           : 0)
