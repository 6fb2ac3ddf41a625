// Files by name and by descriptor where nothing blocks: paths that are read, answers that are written.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/buffer_parts.h"
#include "runtime/session/session.h"

namespace heddle::abi {
namespace {

// A buffer that was filled with `bytes`, or nothing if that is an error.
void fills(const ProgramCall& call, const void* to, ssize_t bytes) {
  if (bytes > 0 && to != nullptr) call.writes(to, static_cast<std::size_t>(bytes));
}

// A name is made, moved or removed in each execution, not once for all: an execution leaves names that the next
// one would find. Executions at the same time would meet in them.
void before_renaming() {
  if (auto* e = engine()) e->leave_prefix();
}
void after_renaming(int result, const char* path) {
  if (engine() != nullptr && result == 0) session::touches_outside(path);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::accesses_parts;
using heddle::abi::fills;

// --- what a file is

#define HEDDLE_ASKS_PATH(name, Answer)                                                      \
  HEDDLE_SEEN(int, name, (const char* path, Answer* to), (path, to), call.reads_text(path), \
              if (result == 0) call.writes_object(to))
#define HEDDLE_ASKS_DESCRIPTOR(name, Answer)                                             \
  HEDDLE_SEEN(int, name, (int descriptor, Answer* to), (descriptor, to), HEDDLE_NOTHING, \
              if (result == 0) call.writes_object(to))
HEDDLE_ASKS_PATH(stat, struct stat)
HEDDLE_ASKS_PATH(stat64, struct stat)
HEDDLE_ASKS_PATH(lstat, struct stat)
HEDDLE_ASKS_PATH(lstat64, struct stat)
HEDDLE_ASKS_DESCRIPTOR(fstat, struct stat)
HEDDLE_ASKS_DESCRIPTOR(fstat64, struct stat)
HEDDLE_ASKS_PATH(statfs, struct statfs)
HEDDLE_ASKS_PATH(statfs64, struct statfs)
HEDDLE_ASKS_DESCRIPTOR(fstatfs, struct statfs)
HEDDLE_ASKS_DESCRIPTOR(fstatfs64, struct statfs)
HEDDLE_ASKS_PATH(statvfs, struct statvfs)
HEDDLE_ASKS_PATH(statvfs64, struct statvfs)
HEDDLE_ASKS_DESCRIPTOR(fstatvfs, struct statvfs)
HEDDLE_ASKS_DESCRIPTOR(fstatvfs64, struct statvfs)
#define HEDDLE_ASKS_AT(name)                                                         \
  HEDDLE_SEEN(int, name, (int folder, const char* path, struct stat* to, int flags), \
              (folder, path, to, flags), call.reads_text(path), if (result == 0) call.writes_object(to))
HEDDLE_ASKS_AT(fstatat)
HEDDLE_ASKS_AT(fstatat64)
// The names that programs compiled against glibc before 2.33 call.
#define HEDDLE_ASKS_BY_VERSION(name)                                                            \
  HEDDLE_SEEN(int, name, (int version, const char* path, struct stat* to), (version, path, to), \
              call.reads_text(path), if (result == 0) call.writes_object(to))
HEDDLE_ASKS_BY_VERSION(__xstat)
HEDDLE_ASKS_BY_VERSION(__xstat64)
HEDDLE_ASKS_BY_VERSION(__lxstat)
HEDDLE_ASKS_BY_VERSION(__lxstat64)
#define HEDDLE_ASKS_DESCRIPTOR_BY_VERSION(name)                                                     \
  HEDDLE_SEEN(int, name, (int version, int descriptor, struct stat* to), (version, descriptor, to), \
              HEDDLE_NOTHING, if (result == 0) call.writes_object(to))
HEDDLE_ASKS_DESCRIPTOR_BY_VERSION(__fxstat)
HEDDLE_ASKS_DESCRIPTOR_BY_VERSION(__fxstat64)

// --- at a position: plain files, which do not block

#define HEDDLE_READS_AT(name, parameters, arguments)                                                     \
  HEDDLE_SEEN(                                                                                           \
      ssize_t, name, (int descriptor, void* to, std::size_t bytes, off_t offset HEDDLE_LIST parameters), \
      (descriptor, to, bytes, offset HEDDLE_LIST arguments), HEDDLE_NOTHING, fills(call, to, result))
HEDDLE_READS_AT(pread, (), ())
HEDDLE_READS_AT(pread64, (), ())
HEDDLE_READS_AT(__pread_chk, (, std::size_t room), (, room))
HEDDLE_READS_AT(__pread64_chk, (, std::size_t room), (, room))
#define HEDDLE_WRITES_AT(name)                                                                    \
  HEDDLE_SEEN(ssize_t, name, (int descriptor, const void* from, std::size_t bytes, off_t offset), \
              (descriptor, from, bytes, offset), HEDDLE_NOTHING,                                  \
              if (result > 0) call.reads(from, static_cast<std::size_t>(result)))
HEDDLE_WRITES_AT(pwrite)
HEDDLE_WRITES_AT(pwrite64)
#define HEDDLE_MOVES_PARTS_AT(name, writes, parameters, arguments)                                  \
  HEDDLE_SEEN(ssize_t, name,                                                                        \
              (int descriptor, const iovec* parts, int count, off_t offset HEDDLE_LIST parameters), \
              (descriptor, parts, count, offset HEDDLE_LIST arguments), HEDDLE_NOTHING,             \
              accesses_parts(call, writes, parts, static_cast<std::size_t>(count), result))
HEDDLE_MOVES_PARTS_AT(preadv, true, (), ())
HEDDLE_MOVES_PARTS_AT(preadv64, true, (), ())
HEDDLE_MOVES_PARTS_AT(preadv2, true, (, int flags), (, flags))
HEDDLE_MOVES_PARTS_AT(preadv64v2, true, (, int flags), (, flags))
HEDDLE_MOVES_PARTS_AT(pwritev, false, (), ())
HEDDLE_MOVES_PARTS_AT(pwritev64, false, (), ())
HEDDLE_MOVES_PARTS_AT(pwritev2, false, (, int flags), (, flags))
HEDDLE_MOVES_PARTS_AT(pwritev64v2, false, (, int flags), (, flags))
// The other process may be this one, but then nothing is known of the addresses' meaning.
#define HEDDLE_MOVES_BETWEEN(name, writes)                                                  \
  HEDDLE_SEEN(ssize_t, name,                                                                \
              (pid_t process, const iovec* parts, unsigned long count, const iovec* others, \
               unsigned long more, unsigned long flags),                                    \
              (process, parts, count, others, more, flags), HEDDLE_NOTHING,                 \
              accesses_parts(call, writes, parts, count, result);                           \
              call.reads(others, more * sizeof(iovec)))
HEDDLE_MOVES_BETWEEN(process_vm_readv, true)
HEDDLE_MOVES_BETWEEN(process_vm_writev, false)

// --- names

HEDDLE_SEEN(ssize_t, readlink, (const char* path, char* to, std::size_t room), (path, to, room),
            call.reads_text(path), fills(call, to, result))
HEDDLE_SEEN(ssize_t, __readlink_chk, (const char* path, char* to, std::size_t room, std::size_t known),
            (path, to, room, known), call.reads_text(path), fills(call, to, result))
HEDDLE_SEEN(ssize_t, readlinkat, (int folder, const char* path, char* to, std::size_t room),
            (folder, path, to, room), call.reads_text(path), fills(call, to, result))
HEDDLE_SEEN(ssize_t, __readlinkat_chk,
            (int folder, const char* path, char* to, std::size_t room, std::size_t known),
            (folder, path, to, room, known), call.reads_text(path), fills(call, to, result))
HEDDLE_SEEN(char*, getcwd, (char* to, std::size_t room), (to, room), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, __getcwd_chk, (char* to, std::size_t room, std::size_t known), (to, room, known),
            HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, get_current_dir_name, (), (), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, realpath, (const char* path, char* to), (path, to), call.reads_text(path),
            call.writes_text(result))
HEDDLE_SEEN(char*, __realpath_chk, (const char* path, char* to, std::size_t known), (path, to, known),
            call.reads_text(path), call.writes_text(result))
HEDDLE_SEEN(char*, canonicalize_file_name, (const char* path), (path), call.reads_text(path),
            call.writes_text(result))
HEDDLE_SEEN(int, access, (const char* path, int mode), (path, mode), call.reads_text(path), HEDDLE_NOTHING)
HEDDLE_SEEN(int, chdir, (const char* path), (path), call.reads_text(path), HEDDLE_NOTHING)
// A name in libc's own memory is the program's to read until the next call.
HEDDLE_SEEN(char*, tmpnam, (char* to), (to), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, tmpnam_r, (char* to), (to), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, tempnam, (const char* folder, const char* prefix), (folder, prefix),
            call.reads_text(folder);
            call.reads_text(prefix), call.writes_text(result))
HEDDLE_SEEN(char*, ctermid, (char* to), (to), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, ttyname, (int descriptor), (descriptor), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, ptsname, (int descriptor), (descriptor), HEDDLE_NOTHING, call.writes_text(result))
#define HEDDLE_NAMES_TERMINAL(name)                                                            \
  HEDDLE_SEEN(int, name, (int descriptor, char* to, std::size_t room), (descriptor, to, room), \
              HEDDLE_NOTHING, if (result == 0) call.writes_text(to))
HEDDLE_NAMES_TERMINAL(ttyname_r)
HEDDLE_NAMES_TERMINAL(ptsname_r)

// Like HEDDLE_SEEN, but what it does counts whoever calls it: std::filesystem does so from its library.
#define HEDDLE_RENAMES(name, parameters, arguments, path, before) \
  HEDDLE_INTERPOSE(int, name, HEDDLE_LIST parameters) {           \
    heddle::abi::before_renaming();                               \
    if (const auto call = HEDDLE_PROGRAM_CALL(name)) {            \
      before;                                                     \
    }                                                             \
    const int result = HEDDLE_LIBC(name) arguments;               \
    heddle::abi::after_renaming(result, path);                    \
    return result;                                                \
  }
HEDDLE_RENAMES(unlink, (const char* path), (path), path, call.reads_text(path))
HEDDLE_RENAMES(unlinkat, (int folder, const char* path, int flags), (folder, path, flags), path,
               call.reads_text(path))
HEDDLE_RENAMES(rmdir, (const char* path), (path), path, call.reads_text(path))
HEDDLE_RENAMES(remove, (const char* path), (path), path, call.reads_text(path))
HEDDLE_RENAMES(rename, (const char* from, const char* to), (from, to), from, call.reads_text(from);
               call.reads_text(to))
HEDDLE_RENAMES(renameat, (int folder, const char* from, int other, const char* to), (folder, from, other, to),
               from, call.reads_text(from);
               call.reads_text(to))
HEDDLE_RENAMES(mkdir, (const char* path, mode_t mode), (path, mode), path, call.reads_text(path))
HEDDLE_RENAMES(mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode), path,
               call.reads_text(path))
HEDDLE_RENAMES(link, (const char* from, const char* to), (from, to), to, call.reads_text(from);
               call.reads_text(to))
HEDDLE_RENAMES(symlink, (const char* target, const char* path), (target, path), path, call.reads_text(target);
               call.reads_text(path))

// --- extended attributes, handles

#define HEDDLE_GETS_ATTRIBUTE(name, Where, before)                                             \
  HEDDLE_SEEN(ssize_t, name, (Where where, const char* attribute, void* to, std::size_t room), \
              (where, attribute, to, room), before;                                            \
              call.reads_text(attribute), if (room != 0) fills(call, to, result))
HEDDLE_GETS_ATTRIBUTE(getxattr, const char*, call.reads_text(where))
HEDDLE_GETS_ATTRIBUTE(lgetxattr, const char*, call.reads_text(where))
HEDDLE_GETS_ATTRIBUTE(fgetxattr, int, HEDDLE_NOTHING)
#define HEDDLE_LISTS_ATTRIBUTES(name, Where, before)                                               \
  HEDDLE_SEEN(ssize_t, name, (Where where, char* to, std::size_t room), (where, to, room), before, \
              if (room != 0) fills(call, to, result))
HEDDLE_LISTS_ATTRIBUTES(listxattr, const char*, call.reads_text(where))
HEDDLE_LISTS_ATTRIBUTES(llistxattr, const char*, call.reads_text(where))
HEDDLE_LISTS_ATTRIBUTES(flistxattr, int, HEDDLE_NOTHING)
HEDDLE_SEEN(
    int, name_to_handle_at, (int folder, const char* path, file_handle* handle, int* mount, int flags),
    (folder, path, handle, mount, flags), call.reads_text(path);
    call.reads_object(&handle->handle_bytes), call.writes_object(handle); if (result == 0) {
      call.writes(handle->f_handle, handle->handle_bytes);
      call.writes_object(mount);
    })
HEDDLE_SEEN(int, open_by_handle_at, (int mount, file_handle* handle, int flags), (mount, handle, flags),
            call.reads_object(handle);
            call.reads(handle->f_handle, handle->handle_bytes), HEDDLE_NOTHING)

// --- folders

#define HEDDLE_READS_FOLDER(name)                                                                 \
  HEDDLE_SEEN(int, name, (DIR * folder, dirent * entry, dirent * *found), (folder, entry, found), \
              HEDDLE_NOTHING, call.writes_object(found);                                          \
              if (result == 0 && *found != nullptr) call.writes(*found, (*found)->d_reclen))
HEDDLE_READS_FOLDER(readdir_r)
HEDDLE_READS_FOLDER(readdir64_r)
// The callbacks are the program's; what is listed is new memory of libc's.
#define HEDDLE_SCANS_FOLDER(name)                                            \
  HEDDLE_SEEN(int, name,                                                     \
              (const char* path, dirent*** to, int (*filter)(const dirent*), \
               int (*compare)(const dirent**, const dirent**)),              \
              (path, to, filter, compare), call.reads_text(path), if (result >= 0) call.writes_object(to))
HEDDLE_SCANS_FOLDER(scandir)
HEDDLE_SCANS_FOLDER(scandir64)
#define HEDDLE_GLOBS(name)                                                                                \
  HEDDLE_SEEN(int, name, (const char* pattern, int flags, int (*on_error)(const char*, int), glob_t* to), \
              (pattern, flags, on_error, to), call.reads_text(pattern),                                   \
              if (result == 0) call.writes_object(to))
HEDDLE_GLOBS(glob)
HEDDLE_GLOBS(glob64)
