// Typed identities. A bare integer never names a thread, an event or a place in the program.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

// Threads are numbered in the order of their creation within one execution; 0 is the main thread.
enum class ThreadId : std::uint16_t {};
inline constexpr ThreadId kMainThread{0};
inline constexpr ThreadId kNoThread{0xffff};
inline constexpr std::uint32_t kMaxThreads = 4096;

// Events are numbered in the order of execution.
enum class EventId : std::uint32_t {};
inline constexpr EventId kNoEvent{0xffffffff};

// A node of the stack depot (core/trace/stack_depot.h); 0 is the empty stack.
enum class StackId : std::uint32_t {};
inline constexpr StackId kEmptyStack{0};

constexpr std::uint32_t index_of(ThreadId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index_of(EventId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index_of(StackId id) { return static_cast<std::uint32_t>(id); }

// An address of the tested program; never dereferenced through this type.
using Address = std::uint64_t;

// Memory orders as the compilers pass them to __tsan_atomic*: the values of __ATOMIC_*.
enum class MemoryOrder : std::uint8_t { kRelaxed = 0, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };

constexpr bool is_acquire(MemoryOrder o) {
  return o == MemoryOrder::kConsume || o == MemoryOrder::kAcquire || o == MemoryOrder::kAcqRel ||
         o == MemoryOrder::kSeqCst;
}
constexpr bool is_release(MemoryOrder o) {
  return o == MemoryOrder::kRelease || o == MemoryOrder::kAcqRel || o == MemoryOrder::kSeqCst;
}
constexpr bool is_seq_cst(MemoryOrder o) { return o == MemoryOrder::kSeqCst; }

}  // namespace heddle
