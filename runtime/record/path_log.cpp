#include "runtime/record/path_log.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <new>

#include "core/base/raw_syscall.h"

namespace heddle::record {
namespace {

static_assert(offsetof(PathThread, state) == offsetof(PathThreadHead, state) &&
              offsetof(PathThread, entry) == offsetof(PathThreadHead, entry));

constexpr std::uint32_t kFirstChunk = kLogPage;
constexpr std::uint32_t kBitsChunk = 16 << 10;  // leaves the program most of the processor's first cache
constexpr std::uint32_t kMarksChunk = 16 << 10;

// Threads that have no stream of their own may write it at the same time.
unsigned char nowhere_bytes[256];
// Nobody writes these: no call is foretold.
CallEntry nowhere_calls[kCallEntries];

// A thread's, for as long as the process runs: it may come to code of the program until its very end.
CallEntry* new_call_entries() {
  const long at = raw_syscall(SYS_mmap, 0, sizeof(CallEntry) * kCallEntries, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at > 0 || at < -4095 ? reinterpret_cast<CallEntry*>(at) : nullptr;
}

std::uint32_t used_of(const ChunkHeader* chunk, const void* next) {
  return static_cast<std::uint32_t>(static_cast<const char*>(next) -
                                    reinterpret_cast<const char*>(chunk + 1));
}

bool is_within(const ChunkHeader* chunk, const void* next) {
  const auto* begin = reinterpret_cast<const char*>(chunk + 1);
  return static_cast<const char*>(next) >= begin &&
         static_cast<const char*>(next) <= reinterpret_cast<const char*>(chunk) + chunk->bytes;
}

unsigned count_of(std::uint64_t pending) { return 63u - static_cast<unsigned>(__builtin_clzll(~pending)); }

constexpr std::size_t kWritten = sizeof(std::uint64_t);  // at once
unsigned char* end_of(ChunkHeader* chunk) {
  return reinterpret_cast<unsigned char*>(chunk) + chunk->bytes - kWritten;
}

}  // namespace

PathState nowhere = {
    PathState::kNonePending, 0, nowhere_bytes, nowhere_bytes + sizeof nowhere_bytes - kWritten, 0,
    nowhere_calls,           0};

void PathLog::to_nowhere(PathState* state) {
  state->next = nowhere_bytes;
  state->end = nowhere_bytes + sizeof nowhere_bytes - kWritten;
}

PathThread* PathLog::thread_of(PathState* state) {
  if (state == &nowhere) return nullptr;
  return reinterpret_cast<PathThread*>(reinterpret_cast<char*>(state) - offsetof(PathThread, state));
}

PathState* PathLog::new_thread(const ThreadIdentity& who, std::uint32_t signal_depth) {
  ChunkHeader* chunk = file_->new_chunk(who.number, ChunkKind::kThread, signal_depth, sizeof(PathThread));
  CallEntry* calls = chunk != nullptr ? new_call_entries() : nullptr;
  if (calls == nullptr) return &nowhere;
  const ChunkHeader head = *chunk;
  auto* thread = new (chunk) PathThread;
  thread->chunk = head;
  thread->entry = {who.number, who.parent, who.ordinal, 0};
  thread->state.calls = calls;
  thread->bits = file_->new_chunk(who.number, ChunkKind::kBits, thread->bit_chunks++, kFirstChunk);
  if (thread->bits == nullptr) {
    to_nowhere(&thread->state);
  } else {
    thread->bits->stream = static_cast<std::uint16_t>(signal_depth);
    thread->state.next = reinterpret_cast<unsigned char*>(thread->bits + 1);
    thread->state.end = end_of(thread->bits);
  }
  return &thread->state;
}

PathState* PathLog::signal_stream(PathState* interrupted, int signal) {
  PathThread* thread = thread_of(interrupted);
  if (thread == nullptr) return &nowhere;
  if (thread->deeper == nullptr) {
    const ThreadIdentity who{thread->entry.number, thread->entry.parent, thread->entry.ordinal, 0};
    PathState* fresh = new_thread(who, thread->chunk.sequence + 1);
    thread->deeper = thread_of(fresh);
    if (thread->deeper == nullptr) return &nowhere;
  }
  PathState* state = &thread->deeper->state;
  state->called = 0;
  mark(state, StepKind::kSignal, PlaceId{interrupted->written * 8}, static_cast<std::uint32_t>(signal));
  return state;
}

void PathLog::next_chunk(PathState* state) {
  PathThread* thread = thread_of(state);
  if (thread == nullptr || thread->bits == nullptr || !is_within(thread->bits, state->next))
    return to_nowhere(state);
  const std::uint32_t used = used_of(thread->bits, state->next);
  if (thread->bits->bytes == kBitsChunk) {
    // Its content moves elsewhere, and the pages that are in the cache are written again. In this order, so
    // that a process that is killed meanwhile has all bits once (tool/record/path_log.cpp).
    if (!file_->keep_copy(*thread->bits, used)) {
      thread->bits = nullptr;
      return to_nowhere(state);
    }
    state->next = reinterpret_cast<unsigned char*>(thread->bits + 1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    state->written += used;
    thread->bits->sequence = thread->bit_chunks++;
    return;
  }
  state->written += used;
  ChunkHeader* full = thread->bits;
  thread->bits = file_->new_chunk(thread->entry.number, ChunkKind::kBits, thread->bit_chunks++, kBitsChunk);
  LogFile::seal(full, used);
  if (thread->bits == nullptr) return to_nowhere(state);
  thread->bits->stream = static_cast<std::uint16_t>(thread->chunk.sequence);
  state->next = reinterpret_cast<unsigned char*>(thread->bits + 1);
  state->end = end_of(thread->bits);
}

// As path_flush.S does.
void PathLog::write_bytes(PathState* state) {
  const unsigned count = count_of(state->pending);
  const std::uint64_t oldest_first = __builtin_bswap64(state->pending << (64 - count));
  memcpy(state->next, &oldest_first, sizeof oldest_first);
  state->next += count / 8;
  const std::uint64_t none = ~std::uint64_t{0} << count % 8;
  state->pending = (state->pending & ~none) | none << 1;
  if (state->next > state->end) next_chunk(state);
}

void PathLog::push(PathState* state, std::uint64_t bits, unsigned count) {
  if (count_of(state->pending) + count > kMostPending) write_bytes(state);
  state->pending = state->pending << count | bits;
  if (state->pending < kManyPending) write_bytes(state);
}

void PathLog::mark(PathState* state, StepKind kind, PlaceId place, std::uint32_t extra) {
  PathThread* thread = thread_of(state);
  if (thread == nullptr || thread->bits == nullptr) return;
  const bool is_full =
      thread->marks == nullptr || reinterpret_cast<char*>(thread->next_mark + 1) >
                                      reinterpret_cast<char*>(thread->marks) + thread->marks->bytes;
  if (is_full) {
    ChunkHeader* full = thread->marks;
    thread->marks = file_->new_chunk(thread->entry.number, ChunkKind::kMarks, thread->mark_chunks++,
                                     full == nullptr ? kFirstChunk : kMarksChunk);
    if (full != nullptr) LogFile::seal(full, used_of(full, thread->next_mark));
    // Bits without the marks among them would be of no use.
    if (thread->marks == nullptr) {
      thread->bits = nullptr;
      return to_nowhere(state);
    }
    thread->marks->stream = static_cast<std::uint16_t>(thread->chunk.sequence);
    thread->next_mark = reinterpret_cast<Mark*>(thread->marks + 1);
  }
  const std::uint64_t written = state->written + used_of(thread->bits, state->next);
  const std::uint64_t bits = 8 * written + count_of(state->pending);
  *thread->next_mark = {bits, static_cast<std::uint64_t>(place), static_cast<std::uint32_t>(kind), extra};
  ++thread->next_mark;
}

void PathLog::entered(PathState* state, FunctionKey key, const void* function, const void* body) {
  const std::uint64_t called = state->called;
  state->called = 0;
  if ((called & kCalledIndirectly) == 0 || state == &nowhere)
    return mark(state, StepKind::kEntered, place_of(key, 0));
  // 1: the callee that was foretold; 01 and its key: another one.
  const auto number = static_cast<std::uint64_t>(key);
  const std::uint64_t offset = call_offset(called) ^ state->after;
  auto* entry = reinterpret_cast<CallEntry*>(reinterpret_cast<char*>(state->calls) + offset);
  state->after = call_offset(number);
  if (entry->key == number) return push(state, 1, 1);
  *entry = {body != nullptr ? reinterpret_cast<std::uint64_t>(function) : 0,
            reinterpret_cast<std::uint64_t>(body), number, state->after};
  push(state, 1, 2);
  push(state, number >> 24, 24);
  push(state, number & 0xffffff, 24);
}

void PathLog::untaken(PathState* state) {
  state->called = 0;
  push(state, 0, 2);
}

void PathLog::abandon(PathState* state) {
  PathThread* thread = thread_of(state);
  file_->abandon(thread != nullptr ? static_cast<void*>(thread) : static_cast<void*>(file_->header()));
  if (thread == nullptr) return;
  thread->bits = nullptr;
  thread->marks = nullptr;
  thread->deeper = nullptr;
  to_nowhere(state);
}

void PathLog::seal() {
  char* const begin = reinterpret_cast<char*>(file_->header());
  const std::uint64_t end = file_->header()->end;
  for (std::uint64_t at = kLogPage; at < end;) {
    auto* chunk = reinterpret_cast<ChunkHeader*>(begin + at);
    if (chunk->magic != ChunkHeader::kMagic || chunk->bytes == 0) {
      at += kLogPage;
      continue;
    }
    if (chunk->kind == ChunkKind::kThread) {
      auto* thread = reinterpret_cast<PathThread*>(chunk);
      ChunkHeader* bits = thread->bits;
      if (bits != nullptr && bits->used == ChunkHeader::kOpen && is_within(bits, thread->state.next)) {
        bits->used = used_of(bits, thread->state.next);
        bits->checksum = checksum_of(reinterpret_cast<unsigned char*>(bits + 1), bits->used);
      }
      ChunkHeader* marks = thread->marks;
      if (marks != nullptr && marks->used == ChunkHeader::kOpen) {
        marks->used = used_of(marks, thread->next_mark);
        marks->checksum = checksum_of(reinterpret_cast<unsigned char*>(marks + 1), marks->used);
      }
    }
    at += chunk->bytes;
  }
}

}  // namespace heddle::record
