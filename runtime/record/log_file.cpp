#include "runtime/record/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

#include <atomic>
#include <new>

#include "core/base/raw_syscall.h"
#include "core/base/text_buffer.h"

namespace heddle::record {
namespace {

constexpr std::uint32_t whole_pages(std::uint32_t bytes) {
  return (bytes + kLogPage - 1) / kLogPage * kLogPage;
}

constexpr std::uint32_t kNewFile = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;

const char* short_name(const char* path) {
  const char* name = path;
  for (const char* at = path; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return name;
}

}  // namespace

bool LogFile::start(const Options& options, const char* program, long& error) {
  TextBuffer<768> path;
  error = open_file(options, program, path);
  if (error < 0) return false;
  error = map_file();
  if (error < 0) {
    raw_syscall(SYS_unlinkat, AT_FDCWD, path.c_str(), 0);
    raw_syscall(SYS_close, file_);
    return false;
  }
  header_ = new (header_) LogHeader;
  header_->version = kLogVersion;
  header_->kind = options.kind;
  header_->capacity = capacity_;
  header_->end = kLogPage;
  header_->process = static_cast<std::uint32_t>(raw_syscall(SYS_getpid));
  header_->address = reinterpret_cast<std::uint64_t>(header_);
  for (std::size_t i = 0; program[i] != '\0' && i + 1 < sizeof header_->program; ++i)
    header_->program[i] = program[i];
  return true;
}

long LogFile::open_file(const Options& options, const char* program, TextBuffer<768>& path) {
  raw_syscall(SYS_mkdirat, AT_FDCWD, options.directory, 0777);
  const auto process = static_cast<std::uint32_t>(raw_syscall(SYS_getpid));
  // Several runs of one name: the process, and the time of its start.
  timespec now{};
  raw_syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  path << options.directory << '/' << short_name(program) << '-';
  path.unsigned_decimal(static_cast<std::uint64_t>(now.tv_sec)) << '-';
  path.unsigned_decimal(static_cast<std::uint64_t>(now.tv_nsec / 1000)) << '-';
  path.unsigned_decimal(process) << ".hlog";
  const long opened = raw_syscall(SYS_openat, AT_FDCWD, path.c_str(), kNewFile, 0666);
  if (opened < 0) return opened;
  // Out of the way of the program's own descriptors.
  constexpr int kHigh = 900;
  const long moved = raw_syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, kHigh);
  file_ = static_cast<int>(moved >= 0 ? moved : opened);
  if (moved >= 0) raw_syscall(SYS_close, opened);
  // Held for as long as the process lives: a log without an end that nobody holds is of one that was killed.
  raw_syscall(SYS_flock, file_, LOCK_EX | LOCK_NB);
  capacity_ = options.limit / kLogPage * kLogPage;
  return 0;
}

long LogFile::map_file() {
  // A file that is longer than the process may write is a signal, which ends the program.
  rlimit most{};
  raw_syscall(SYS_getrlimit, RLIMIT_FSIZE, &most);
  if (most.rlim_cur < capacity_) capacity_ = most.rlim_cur / kLogPage * kLogPage;
  if (capacity_ < kLogPage) return -EFBIG;
  const long sized = raw_syscall(SYS_ftruncate, file_, capacity_);
  if (sized < 0) return sized;
  if (const long room = take_room(0, kLogPage); room < 0) return room;
  const long mapped =
      raw_syscall(SYS_mmap, 0, capacity_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (mapped < 0 && mapped > -4096) return mapped;
  header_ = reinterpret_cast<LogHeader*>(mapped);
  return 0;
}

// A full disk is an answer here, and would be SIGBUS at the first write.
long LogFile::take_room(std::uint64_t at, std::uint32_t bytes) const {
  const long room = raw_syscall(SYS_fallocate, file_, 0, at, bytes);
  return room == -ENOSPC || room == -EDQUOT || room == -EFBIG ? room : 0;
}

std::uint64_t LogFile::reserve(std::uint32_t bytes) {
  std::atomic_ref<std::uint64_t> end(header_->end);
  std::uint64_t at = end.load(std::memory_order_relaxed);
  do {
    if (at + bytes > capacity_) {
      header_->truncated = 1;
      return 0;
    }
  } while (!end.compare_exchange_weak(at, at + bytes, std::memory_order_relaxed));
  return at;
}

ChunkHeader* LogFile::new_chunk(std::uint32_t thread, ChunkKind kind, std::uint32_t sequence,
                                std::uint32_t bytes) {
  bytes = whole_pages(bytes);
  const std::uint64_t at = reserve(bytes);
  if (at == 0) return nullptr;
  if (take_room(at, bytes) < 0) {
    header_->truncated = 1;
    return nullptr;
  }
  auto* chunk = new (reinterpret_cast<char*>(header_) + at) ChunkHeader;
  chunk->thread = thread;
  chunk->kind = kind;
  chunk->sequence = sequence;
  chunk->bytes = bytes;
  chunk->used = ChunkHeader::kOpen;
  std::atomic_ref<std::uint32_t>(chunk->magic).store(ChunkHeader::kMagic, std::memory_order_release);
  return chunk;
}

bool LogFile::keep(const ChunkHeader& like, ChunkKind kind, const void* content, std::uint32_t used) {
  ChunkHeader copy = like;
  copy.magic = 0;
  copy.kind = kind;
  copy.bytes = whole_pages(static_cast<std::uint32_t>(sizeof copy) + used);
  copy.used = used;
  copy.checksum = checksum_of(kind, static_cast<const unsigned char*>(content), used);
  const std::uint64_t at = reserve(copy.bytes);
  const iovec parts[] = {{&copy, sizeof copy}, {const_cast<void*>(content), used}};
  // What makes it a chunk comes last: without that it is not there.
  const bool is_written =
      at != 0 && raw_syscall(SYS_pwritev, file_, parts, 2, at, 0) == static_cast<long>(sizeof copy + used) &&
      raw_syscall(SYS_pwrite64, file_, &ChunkHeader::kMagic, sizeof copy.magic, at) ==
          static_cast<long>(sizeof copy.magic);
  if (!is_written) header_->truncated = 1;
  return is_written;
}

void LogFile::seal(ChunkHeader* chunk, std::uint32_t used) {
  chunk->checksum = checksum_of(reinterpret_cast<const unsigned char*>(chunk + 1), used);
  chunk->used = used;
  // Its pages are the file's from now on.
  raw_syscall(SYS_madvise, chunk, chunk->bytes, MADV_DONTNEED);
}

void LogFile::finish() {
  header_->sealed = 1;
  raw_syscall(SYS_ftruncate, file_, header_->end);
}

void LogFile::abandon(void* keep) {
  alignas(16) char kept[kLogPage];
  memcpy(kept, keep, kLogPage);
  raw_syscall(SYS_mmap, header_, capacity_, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  memcpy(keep, kept, kLogPage);
  raw_syscall(SYS_close, file_);
  file_ = -1;
}

}  // namespace heddle::record
