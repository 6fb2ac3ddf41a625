#include "runtime/abi/libc/own_proc_files.h"
#include "runtime/abi/interposed_call.h"

#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>

#include "core/base/small_file.h"
#include "core/base/text_buffer.h"
#include "runtime/abi/libc/own_proc_path.h"
#include "runtime/abi/libc/process_ids.h"

namespace heddle::abi {
namespace {

using engine::Execution;
using sched::Thread;

bool is_alive(const Thread& t) {
  return t.state == sched::ThreadState::kRunnable || t.state == sched::ThreadState::kBlocked;
}

// gettid() counts from the process's id.
Thread* thread_of(Execution& e, long tid) {
  const long index = tid - kProgramPid;
  if (index < 0 || index >= static_cast<long>(e.scheduler().thread_count())) return nullptr;
  Thread& t = e.scheduler().thread(ThreadId{static_cast<std::uint16_t>(index)});
  return is_alive(t) ? &t : nullptr;
}

int file_with(Execution& e, const char* text, std::size_t bytes) {
  e.kernel_changes(SYS_memfd_create);
  const long file = raw_syscall(SYS_memfd_create, "proc", 0);
  if (file < 0) return -1;
  raw_syscall(SYS_write, file, text, bytes);
  raw_syscall(SYS_lseek, file, 0, SEEK_SET);
  return static_cast<int>(file);
}

int name_file(Execution& e, const Thread& t) {
  TextBuffer<32> text;
  text << (t.name[0] != '\0' ? t.name : program_short_name()) << '\n';
  return file_with(e, text.c_str(), text.size());
}

// The kernel's, with the number of threads in it.
int status_file(Execution& e) {
  char text[8192];
  if (read_small_file("/proc/self/status", text, sizeof text) == 0) return -1;
  TextBuffer<8192> told;
  for (const char* at = text; *at != '\0';) {
    if (take_text(at, "Threads:")) {
      while (*at != '\n' && *at != '\0') ++at;
      told << "Threads:\t";
      told.unsigned_decimal(e.scheduler().unfinished_count());
    }
    while (*at != '\n' && *at != '\0') told << *at++;
    if (*at == '\n') told << *at++;
  }
  return file_with(e, told.c_str(), told.size());
}

// --- the folder
// -----------------------------------------------------------------------------------------------
constexpr std::uint32_t kMostFolders = 16;
struct TaskFolder {
  DIR* stream = nullptr;
  std::uint32_t next = 0;  // a thread's index; before that "." and ".."
  dirent entry{};
};
TaskFolder folders[kMostFolders];

TaskFolder* folder_of(DIR* stream) {
  for (TaskFolder& folder : folders) {
    if (folder.stream == stream) return &folder;
  }
  return nullptr;
}

// By what the kernel says is open, whichever way it was opened.
bool is_task_folder(DIR* stream) {
  TextBuffer<64> link;
  link << "/proc/self/fd/";
  link.decimal(dirfd(stream));
  TextBuffer<64> wanted;
  wanted << "/proc/";
  wanted.decimal(raw_syscall(SYS_getpid)) << "/task";
  char target[64];
  const long length = raw_syscall(SYS_readlink, link.c_str(), target, sizeof target);
  return length == static_cast<long>(wanted.size()) && memcmp(target, wanted.c_str(), wanted.size()) == 0;
}

DIR* note_folder(DIR* stream) {
  if (stream == nullptr || engine() == nullptr || !is_task_folder(stream)) return stream;
  if (TaskFolder* folder = folder_of(nullptr)) *folder = {stream, 0, {}};
  return stream;
}

dirent* next_entry(Execution& e, TaskFolder& folder) {
  TextBuffer<32> name;
  for (;; ++folder.next) {
    if (folder.next >= 2 + e.scheduler().thread_count()) return nullptr;
    if (folder.next < 2) {
      name << (folder.next == 0 ? "." : "..");
      break;
    }
    if (thread_of(e, kProgramPid + folder.next - 2) != nullptr) {
      name.decimal(kProgramPid + folder.next - 2);
      break;
    }
  }
  ++folder.next;
  dirent& entry = folder.entry;
  entry.d_ino = folder.next;
  entry.d_off = folder.next;
  entry.d_reclen = sizeof entry;
  entry.d_type = DT_DIR;
  memcpy(entry.d_name, name.c_str(), name.size() + 1);
  return &entry;
}

}  // namespace

int open_own_proc_file(Execution& e, const char* path) {
  const OwnProcFile file = own_proc_file(path);
  if (file.kind == OwnProcFile::Kind::kNone) return -1;
  const Thread* t = file.is_caller ? &e.self() : thread_of(e, file.tid);
  if (t == nullptr) return -1;
  return file.kind == OwnProcFile::Kind::kName ? name_file(e, *t) : status_file(e);
}

}  // namespace heddle::abi

HEDDLE_EXPORT DIR* opendir(const char* path) {
  HEDDLE_EXPORTED_CALL(opendir).reads_text(path);
  return heddle::abi::note_folder(HEDDLE_REAL(opendir)(path));
}
HEDDLE_EXPORT DIR* fdopendir(int descriptor) {
  return heddle::abi::note_folder(HEDDLE_REAL(fdopendir)(descriptor));
}
namespace heddle::abi {
namespace {

// The entry lies in the folder's own memory, and a later call may overwrite it.
dirent* read_folder(const ProgramCall& call, DIR* stream) {
  auto* e = engine();
  TaskFolder* folder = e != nullptr ? folder_of(stream) : nullptr;
  if (folder != nullptr) return next_entry(*e, *folder);
  dirent* const entry = HEDDLE_REAL(readdir)(stream);
  if (entry != nullptr) call.writes(entry, entry->d_reclen);
  return entry;
}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT dirent* readdir(DIR* stream) {
  return heddle::abi::read_folder(HEDDLE_EXPORTED_CALL(readdir), stream);
}
// dirent64 has the layout of dirent where long has 64 bits.
HEDDLE_EXPORT dirent64* readdir64(DIR* stream) {
  return reinterpret_cast<dirent64*>(heddle::abi::read_folder(HEDDLE_EXPORTED_CALL(readdir64), stream));
}
HEDDLE_EXPORT void rewinddir(DIR* stream) noexcept {
  if (heddle::abi::TaskFolder* folder = heddle::abi::folder_of(stream)) folder->next = 0;
  HEDDLE_REAL(rewinddir)(stream);
}
HEDDLE_EXPORT int closedir(DIR* stream) {
  if (heddle::abi::TaskFolder* folder = heddle::abi::folder_of(stream)) folder->stream = nullptr;
  return HEDDLE_REAL(closedir)(stream);
}
