#include "runtime/record/path_log.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <iterator>
#include <new>

#include "core/base/raw_syscall.h"

namespace heddle::record {
namespace {

static_assert(offsetof(PathThread, state) == offsetof(PathThreadHead, state) &&
              offsetof(PathThread, entry) == offsetof(PathThreadHead, entry));

constexpr std::uint32_t kFirstChunk = kLogPage;
constexpr std::uint32_t kMarksChunk = 16 << 10;

// What `nowhere` points to.
struct Nowhere {
  std::uint64_t words[32] = {};  // threads that have no stream of their own may write them at the same time
  CallEntry calls[kCallEntries] = {};  // nobody writes these: no call is foretold
};
constinit Nowhere nowhere_room;

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

std::uint64_t* words_of(ChunkHeader* chunk) { return reinterpret_cast<std::uint64_t*>(chunk + 1); }
std::uint64_t* end_of(ChunkHeader* chunk) {
  return reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(chunk) + chunk->bytes);
}
// (Not past the end of the program's own code between: a process may be killed at any time.)
void in_this_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }

}  // namespace

PathState nowhere = {PathState::kNonePending, 0, nowhere_room.words, std::end(nowhere_room.words), 0,
                     nowhere_room.calls,      0};

void PathLog::to_nowhere(PathState* state) {
  state->next = nowhere_room.words;
  state->end = std::end(nowhere_room.words);
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
  write_to(thread, file_->new_chunk(who.number, ChunkKind::kWords, thread->bit_chunks++, kFirstChunk));
  const std::atomic_ref<PathThread*> latest(latest_);
  thread->before = latest.load(std::memory_order_relaxed);
  while (!latest.compare_exchange_weak(thread->before, thread, std::memory_order_release)) {
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
  mark(state, StepKind::kSignal, PlaceId{interrupted->written}, static_cast<std::uint32_t>(signal));
  return state;
}

// nullptr: there is no room.
void PathLog::write_to(PathThread* thread, ChunkHeader* chunk) {
  thread->bits = chunk;
  if (chunk == nullptr) return to_nowhere(&thread->state);
  chunk->stream = static_cast<std::uint16_t>(thread->chunk.sequence);
  thread->counted = words_of(chunk);
  thread->counted_bits = 0;
  thread->state.next = words_of(chunk);
  thread->state.end = end_of(chunk);
}

void PathLog::next_chunk(PathState* state) {
  PathThread* thread = thread_of(state);
  if (thread == nullptr || thread->bits == nullptr || !is_within(thread->bits, state->next))
    return to_nowhere(state);
  ChunkHeader* full = thread->bits;
  if (full->bytes == kWordsChunk) {
    // Its content moves elsewhere, and the pages that are in the cache are written again. In this order, so
    // that a process that is killed meanwhile has all bits once (tool/record/path_log.cpp).
    if (!thread->keeper.keep(*file_, *full, state->next, state->written)) return write_to(thread, nullptr);
    in_this_order();
    write_to(thread, full);
    in_this_order();
    memset(words_of(full), 0, full->bytes - sizeof *full);
    in_this_order();
    full->sequence = thread->bit_chunks++;
    return;
  }
  const std::uint32_t used = used_of(full, state->next);
  state->written += bits_in_chunk(*thread);
  write_to(thread,
           file_->new_chunk(thread->entry.number, ChunkKind::kWords, thread->bit_chunks++, kWordsChunk));
  LogFile::seal(full, used);
}

std::uint64_t PathLog::bits_in_chunk(PathThread& thread) {
  for (; thread.counted != thread.state.next; ++thread.counted)
    thread.counted_bits += pending_count(*thread.counted);
  return thread.counted_bits;
}

// As path_flush.S does.
void PathLog::write_word(PathState* state) {
  *state->next = state->pending;
  in_this_order();
  state->pending = PathState::kNonePending;
  in_this_order();
  if (++state->next == state->end) next_chunk(state);
}

void PathLog::push(PathState* state, std::uint64_t bits, unsigned count) {
  if (pending_count(state->pending) + count > kMostPending) write_word(state);
  state->pending = state->pending << count | bits;
  if (state->pending < kManyPending) write_word(state);
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
  const std::uint64_t bits = state->written + bits_in_chunk(*thread) + pending_count(state->pending);
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
  thread->keeper.forget();
  latest_ = nullptr;
  to_nowhere(state);
}

void PathLog::seal() {
  for (PathThread* thread = latest_; thread != nullptr; thread = thread->before) {
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
    thread->keeper.seal();
  }
}

}  // namespace heddle::record
