// Users, groups, sessions.
#include <grp.h>
#include <pwd.h>
#include <unistd.h>
#include <utmpx.h>

#include "runtime/abi/libc/database_records.h"

HEDDLE_FINDS_RECORD(passwd, getpwnam, (const char* name), (name), call.reads_text(name))
HEDDLE_FINDS_RECORD(passwd, getpwuid, (uid_t id), (id), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(passwd, getpwent, (), (), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(passwd, fgetpwent, (FILE * stream), (stream), call.uses_stream(stream))
HEDDLE_FINDS_RECORD(group, getgrnam, (const char* name), (name), call.reads_text(name))
HEDDLE_FINDS_RECORD(group, getgrgid, (gid_t id), (id), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(group, getgrent, (), (), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(group, fgetgrent, (FILE * stream), (stream), call.uses_stream(stream))
HEDDLE_FINDS_RECORD(utmpx, getutxent, (), (), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(utmpx, getutxid, (const utmpx* key), (key), call.reads_object(key))
HEDDLE_FINDS_RECORD(utmpx, getutxline, (const utmpx* key), (key), call.reads_object(key))
HEDDLE_FINDS_RECORD(utmpx, getutent, (), (), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(utmpx, getutid, (const utmpx* key), (key), call.reads_object(key))
HEDDLE_FINDS_RECORD(utmpx, getutline, (const utmpx* key), (key), call.reads_object(key))
HEDDLE_FINDS_RECORD(utmpx, pututxline, (const utmpx* line), (line), call.reads_object(line))

HEDDLE_FILLS_RECORD(passwd, getpwnam_r, (const char* name, ), (name, ), call.reads_text(name))
HEDDLE_FILLS_RECORD(passwd, getpwuid_r, (uid_t id, ), (id, ), HEDDLE_NOTHING)
HEDDLE_FILLS_RECORD(passwd, getpwent_r, (), (), HEDDLE_NOTHING)
HEDDLE_FILLS_RECORD(passwd, fgetpwent_r, (FILE * stream, ), (stream, ), call.uses_stream(stream))
HEDDLE_FILLS_RECORD(group, getgrnam_r, (const char* name, ), (name, ), call.reads_text(name))
HEDDLE_FILLS_RECORD(group, getgrgid_r, (gid_t id, ), (id, ), HEDDLE_NOTHING)
HEDDLE_FILLS_RECORD(group, getgrent_r, (), (), HEDDLE_NOTHING)
HEDDLE_FILLS_RECORD(group, fgetgrent_r, (FILE * stream, ), (stream, ), call.uses_stream(stream))

HEDDLE_SEEN(int, getgrouplist, (const char* user, gid_t group, gid_t* to, int* count),
            (user, group, to, count), call.reads_text(user);
            call.reads_object(count),
            if (result >= 0) call.writes(to, static_cast<std::size_t>(result) * sizeof(gid_t));
            call.writes_object(count))
HEDDLE_SEEN(int, getgroups, (int room, gid_t* to), (room, to), HEDDLE_NOTHING,
            if (room > 0 && result > 0) call.writes(to, static_cast<std::size_t>(result) * sizeof(gid_t)))
HEDDLE_SEEN(int, __getgroups_chk, (int room, gid_t* to, std::size_t known), (room, to, known), HEDDLE_NOTHING,
            if (room > 0 && result > 0) call.writes(to, static_cast<std::size_t>(result) * sizeof(gid_t)))
HEDDLE_SEEN(int, initgroups, (const char* user, gid_t group), (user, group), call.reads_text(user),
            HEDDLE_NOTHING)
#define HEDDLE_TELLS_IDS(name, Id)                                                                        \
  HEDDLE_SEEN(                                                                                            \
      int, name, (Id * real_id, Id * effective, Id * saved), (real_id, effective, saved), HEDDLE_NOTHING, \
      if (result == 0) {                                                                                  \
        call.writes_object(real_id);                                                                      \
        call.writes_object(effective);                                                                    \
        call.writes_object(saved);                                                                        \
      })
HEDDLE_TELLS_IDS(getresuid, uid_t)
HEDDLE_TELLS_IDS(getresgid, gid_t)
HEDDLE_SEEN(char*, getusershell, (), (), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(char*, getpass, (const char* prompt), (prompt), call.reads_text(prompt), call.writes_text(result))
HEDDLE_SEEN(char*, getlogin, (), (), HEDDLE_NOTHING, call.writes_text(result))
HEDDLE_SEEN(int, getlogin_r, (char* to, std::size_t room), (to, room), HEDDLE_NOTHING,
            if (result == 0) call.writes_text(to))
HEDDLE_SEEN(int, gethostname, (char* to, std::size_t room), (to, room), HEDDLE_NOTHING,
            if (result == 0) call.writes(to, heddle::abi::bytes_of_text(to, room)))
