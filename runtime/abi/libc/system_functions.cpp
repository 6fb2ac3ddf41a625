// The system's own properties, terminals, messages between processes, regular expressions and other services.
#include <linux/capability.h>
#include <mntent.h>
#include <regex.h>
#include <signal.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>
#include <wordexp.h>

#include "core/base/pages.h"
#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

// A message is its type and then the bytes.
constexpr std::size_t kMessageType = sizeof(long);

// libc knows the 64 signals of the kernel, which are the first word of a set.
constexpr std::size_t kSignalSet = sizeof(std::uint64_t);

// The version says how many sets of 32 capabilities follow (capget(2)).
std::size_t words_of(const __user_cap_header_struct& header) {
  return header.version == _LINUX_CAPABILITY_VERSION_1 ? _LINUX_CAPABILITY_U32S_1 : _LINUX_CAPABILITY_U32S_3;
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::kMessageType;
using heddle::abi::kSignalSet;
using heddle::abi::words_of;

HEDDLE_SEEN(int, uname, (utsname * to), (to), HEDDLE_NOTHING, if (result == 0) call.writes_object(to))
HEDDLE_SEEN(int, sysinfo, (struct sysinfo * to), (to), HEDDLE_NOTHING,
            if (result == 0) call.writes_object(to))
HEDDLE_SEEN(int, getloadavg, (double* to, int count), (to, count), HEDDLE_NOTHING,
            if (result > 0) call.writes(to, static_cast<std::size_t>(result) * sizeof(double)))
HEDDLE_SEEN(std::size_t, confstr, (int name, char* to, std::size_t room), (name, to, room), HEDDLE_NOTHING,
            if (to != nullptr && result != 0) call.writes(to, result < room ? result : room))
HEDDLE_SEEN(std::size_t, __confstr_chk, (int name, char* to, std::size_t room, std::size_t known),
            (name, to, room, known), HEDDLE_NOTHING,
            if (to != nullptr && result != 0) call.writes(to, result < room ? result : room))
HEDDLE_SEEN(char*, setlocale, (int category, const char* locale), (category, locale), call.reads_text(locale),
            HEDDLE_NOTHING)
HEDDLE_SEEN(char*, textdomain, (const char* domain), (domain), call.reads_text(domain), HEDDLE_NOTHING)
HEDDLE_SEEN(int, tcgetattr, (int descriptor, termios* to), (descriptor, to), HEDDLE_NOTHING,
            if (result == 0) call.writes_object(to))
HEDDLE_SEEN(int, tcsetattr, (int descriptor, int when, const termios* from), (descriptor, when, from),
            call.reads_object(from), HEDDLE_NOTHING)

// --- messages and shared memory of System V

HEDDLE_SEEN(int, msgsnd, (int queue, const void* message, std::size_t bytes, int flags),
            (queue, message, bytes, flags), call.reads(message, kMessageType + bytes), HEDDLE_NOTHING)
HEDDLE_SEEN(ssize_t, msgrcv, (int queue, void* message, std::size_t room, long type, int flags),
            (queue, message, room, type, flags), HEDDLE_NOTHING,
            if (result >= 0) call.writes(message, kMessageType + static_cast<std::size_t>(result)))
HEDDLE_SEEN(int, shmctl, (int segment, int command, shmid_ds* to), (segment, command, to), HEDDLE_NOTHING,
            if (result >= 0 && command == IPC_STAT) call.writes_object(to);
            else if (command == IPC_SET) call.reads_object(to))

// --- sets of signals

HEDDLE_SEEN(int, sigemptyset, (sigset_t * set), (set), HEDDLE_NOTHING,
            if (result == 0) call.writes(set, kSignalSet))
HEDDLE_SEEN(int, sigfillset, (sigset_t * set), (set), HEDDLE_NOTHING,
            if (result == 0) call.writes(set, kSignalSet))
HEDDLE_SEEN(int, sigaddset, (sigset_t * set, int signal), (set, signal), HEDDLE_NOTHING,
            if (result == 0) call.writes(set, kSignalSet))
HEDDLE_SEEN(int, sigdelset, (sigset_t * set, int signal), (set, signal), HEDDLE_NOTHING,
            if (result == 0) call.writes(set, kSignalSet))
HEDDLE_SEEN(int, sigismember, (const sigset_t* set, int signal), (set, signal), HEDDLE_NOTHING,
            if (result >= 0) call.reads(set, kSignalSet))
#define HEDDLE_COMBINES_SETS(name)                                                                          \
  HEDDLE_SEEN(int, name, (sigset_t * to, const sigset_t* a, const sigset_t* b), (to, a, b), HEDDLE_NOTHING, \
              call.reads(a, kSignalSet);                                                                    \
              call.reads(b, kSignalSet); call.writes(to, kSignalSet))
HEDDLE_COMBINES_SETS(sigandset)
HEDDLE_COMBINES_SETS(sigorset)

// --- regular expressions, words

HEDDLE_SEEN(int, regcomp, (regex_t * to, const char* pattern, int flags), (to, pattern, flags),
            call.reads_text(pattern), call.writes_object(to))
HEDDLE_SEEN(int, regexec,
            (const regex_t* compiled, const char* text, std::size_t count, regmatch_t* to, int flags),
            (compiled, text, count, to, flags), call.reads_object(compiled);
            if ((flags & REG_STARTEND) == 0) call.reads_text(text),
            if (result == 0 && (compiled->__REPB_PREFIX(no_sub)) == 0)
                call.writes(to, count * sizeof(regmatch_t)))
HEDDLE_SEEN(std::size_t, regerror, (int error, const regex_t* compiled, char* to, std::size_t room),
            (error, compiled, to, room), HEDDLE_NOTHING, if (room != 0) call.writes_text(to))
HEDDLE_SEEN_VOID(regfree, (regex_t * compiled), (compiled), call.writes_object(compiled), HEDDLE_NOTHING)
HEDDLE_SEEN(
    int, wordexp, (const char* words, wordexp_t* to, int flags), (words, to, flags), call.reads_text(words),
    if (result == 0) {
      call.writes_object(to);
      call.writes(to->we_wordv, (to->we_offs + to->we_wordc + 1) * sizeof(char*));
    })

// --- mounts

HEDDLE_SEEN(mntent*, getmntent, (FILE * stream), (stream), call.uses_stream(stream),
            call.writes_object(result))
HEDDLE_SEEN(
    mntent*, getmntent_r, (FILE * stream, mntent* to, char* buffer, int room), (stream, to, buffer, room),
    call.uses_stream(stream), if (result != nullptr) {
      call.writes_object(to);
      call.writes(buffer, 1);  // whose end only libc knows
    })

// --- memory and privileges

HEDDLE_SEEN(int, mincore, (void* begin, std::size_t bytes, unsigned char* to), (begin, bytes, to),
            HEDDLE_NOTHING,
            if (result == 0) call.writes(to, (bytes + heddle::kPageSize - 1) / heddle::kPageSize))
HEDDLE_SEEN(int, capget, (cap_user_header_t header, cap_user_data_t to), (header, to),
            call.reads_object(header),
            if (result == 0 && to != nullptr) call.writes(to, words_of(*header) * sizeof *to))
HEDDLE_SEEN(int, capset, (cap_user_header_t header, cap_user_data_t from), (header, from),
            call.reads_object(header);
            if (from != nullptr) call.reads(from, words_of(*header) * sizeof *from), HEDDLE_NOTHING)
HEDDLE_SEEN(
    char**, backtrace_symbols, (void* const* from, int count), (from, count), HEDDLE_NOTHING,
    if (result != nullptr && count > 0) {
      call.reads(from, static_cast<std::size_t>(count) * sizeof(void*));
      call.writes(result, static_cast<std::size_t>(count) * sizeof(char*));
    })
