/* flags: -D_GNU_SOURCE -O2 -D_FORTIFY_SOURCE=2 -Wno-stringop-overflow -Wno-format -Wno-maybe-uninitialized */
/* What _FORTIFY_SOURCE makes of calls whose sizes the compiler knows only in part. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

#include "accesses.h"

static FILE *in, *wide_in;
static volatile size_t n = 8;
static char* volatile number_format = "%d";
static int ends[2], sockets[2];
static wchar_t* volatile wide_text = L"text";
static char* volatile plain_text = "text";
static void before(void) {
  in = fopen("/proc/version", "r");
  wide_in = fopen("/proc/version", "r");
  assert(pipe(ends) == 0 && write(ends[1], "text and more", 13) == 13);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && write(sockets[1], "text and more", 13) == 13);
}
#define W ((wchar_t*)b)
/* The compiler sees the buffer's size. */
#undef ENTRY
#define ENTRY(name, initial, access, ...)                            \
  static char name##_b[ROOM] __attribute__((aligned(16))) = initial; \
  static void name##_call(void) { __VA_ARGS__; }                     \
  static void name##_access(void) { access; }                        \
  static const struct Entry name##_entry                             \
      __attribute__((section("entries"), used)) = {name##_call, name##_access};

/* clang-format off */
#define b __fgets_chk_b
WRITES(__fgets_chk, "", sink += fgets(b, (int)n, in) != NULL)
#undef b
#define b __fread_chk_b
WRITES(__fread_chk, "", sink += (long)fread(b, 1, n, in))
#undef b
#define b __fgetws_chk_b
WRITES(__fgetws_chk, "", sink += fgetws(W, (int)n, wide_in) != NULL)
#undef b
#define b __read_chk_b
WRITES(__read_chk, "", sink += read(ends[0], b, n))
#undef b
#define b __recv_chk_b
WRITES(__recv_chk, "", sink += recv(sockets[0], b, n, 0))
#undef b
#define b __printf_chk_b
READS(__printf_chk, "text", printf("%s %d\n", b, 1))
#undef b
#define b __sprintf_chk_b
WRITES(__sprintf_chk, "", sprintf(b, number_format, 12345))
#undef b
#define b __snprintf_chk_b
WRITES(__snprintf_chk, "", snprintf(b, n, number_format, 12345))
#undef b
#define b __swprintf_chk_b
WRITES(__swprintf_chk, "", swprintf(W, n, L"%d", (int)n))
#undef b
#define b __memcpy_chk_b
WRITES(__memcpy_chk, "", memcpy(b, plain_text, n))
#undef b
#define b __memset_chk_b
WRITES(__memset_chk, "", memset(b, (int)n, n))
#undef b
#define b __strcpy_chk_b
WRITES(__strcpy_chk, "", strcpy(b, plain_text))
#undef b
#define b __strncat_chk_b
WRITES(__strncat_chk, "", strncat(b, plain_text, n))
#undef b
#define b __stpncpy_chk_b
WRITES(__stpncpy_chk, "", sink += *stpncpy(b, plain_text, n))
#undef b
#define b __wcscpy_chk_b
WRITES(__wcscpy_chk, "", wcscpy(W, wide_text))
#undef b
#define b __wcscat_chk_b
WRITES(__wcscat_chk, "", wcscat(W, wide_text))
#undef b
#define b __wmemcpy_chk_b
WRITES(__wmemcpy_chk, "", wmemcpy(W, wide_text, n / 2))
#undef b
#define b __wmemset_chk_b
WRITES(__wmemset_chk, "", wmemset(W, L'x', n))
#undef b
#define b __mbstowcs_chk_b
WRITES(__mbstowcs_chk, "", sink += (long)mbstowcs(W, plain_text, n))
#undef b
#define b __wcstombs_chk_b
WRITES(__wcstombs_chk, "", sink += (long)wcstombs(b, wide_text, n))
#undef b
#define b __pread_chk_b
WRITES(__pread_chk, "", sink += pread(fileno(in), b, n, 0))
#undef b
#define b __getcwd_chk_b
WRITES(__getcwd_chk, "", sink += getcwd(b, n * 32) != NULL)
#undef b
#define b __readlink_chk_b
WRITES(__readlink_chk, "", sink += readlink("/proc/self/exe", b, n))
/* clang-format on */

int main(int argc, char** argv) { return run_entries(argc, argv); }
