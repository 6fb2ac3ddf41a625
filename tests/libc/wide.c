/* flags: -D_GNU_SOURCE -fno-builtin */
#include <iconv.h>
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

#include "accesses.h"

static wchar_t other[ROOM] = L"text";
static size_t n = 4;
static void before(void) {}
#define W ((wchar_t*)b)
#define TEXT "t\0\0\0,\0\0\0x"
#define NUMBER \
  "1\0\0\0"    \
  "2\0\0\0"

/* clang-format off */
READS(wcslen, TEXT, sink += (long)wcslen(W))
READS(wcsnlen, TEXT, sink += (long)wcsnlen(W, n))
WRITES(wcscpy, "", wcscpy(W, other))
WRITES(wcpcpy, "", wcpcpy(W, other))
WRITES(wcsncpy, "", wcsncpy(W, other, n))
WRITES(wcpncpy, "", wcpncpy(W, other, n))
WRITES(wcscat, "", wcscat(W, other))
WRITES(wcsncat, "", wcsncat(W, other, n))
WRITES(wmemcpy, "", wmemcpy(W, other, n))
WRITES(wmempcpy, "", wmempcpy(W, other, n))
WRITES(wmemmove, "", wmemmove(W, other, n))
WRITES(wmemset, "", wmemset(W, L'x', n))
READS(wcsdup, TEXT, free(wcsdup(W)))
READS(wcscmp, TEXT, sink += (long)wcscmp(W, other))
READS(wcsncmp, TEXT, sink += (long)wcsncmp(W, other, n))
READS(wcscasecmp, TEXT, sink += (long)wcscasecmp(W, other))
READS(wcsncasecmp, TEXT, sink += (long)wcsncasecmp(W, other, n))
READS(wmemcmp, TEXT, sink += (long)wmemcmp(W, other, n))
READS(wmemchr, TEXT, sink += (long)wmemchr(W, L'q', n))
READS(wcschr, TEXT, sink += (long)wcschr(W, L'x'))
READS(wcschrnul, TEXT, sink += (long)wcschrnul(W, L'x'))
READS(wcsrchr, TEXT, sink += (long)wcsrchr(W, L'x'))
READS(wcsstr, TEXT, sink += (long)wcsstr(W, L"x"))
READS(wcsspn, TEXT, sink += (long)wcsspn(W, L"t"))
READS(wcscspn, TEXT, sink += (long)wcscspn(W, L"x"))
READS(wcspbrk, TEXT, sink += (long)wcspbrk(W, L"x"))
READS(wcscoll, TEXT, sink += (long)wcscoll(W, other))
READS(wcsxfrm, TEXT, wchar_t to[ROOM]; wcsxfrm(to, W, ROOM))
READS(wcstok, TEXT, wchar_t* rest; wcstok(W, L",", &rest))
READS(wcstol, NUMBER, wcstol(W, NULL, 10))
READS(wcstoul, NUMBER, wcstoul(W, NULL, 10))
READS(wcstod, NUMBER, wcstod(W, NULL))
READS(mbstowcs, "text", wchar_t to[ROOM]; mbstowcs(to, b, ROOM))
WRITES(wcstombs, "", wcstombs(b, other, ROOM))
READS(mbsrtowcs, "text", wchar_t to[ROOM]; const char* from = b; mbstate_t state = {0}; mbsrtowcs(to, &from, ROOM, &state))
WRITES(wcsrtombs, "", const wchar_t* from = other; mbstate_t state = {0}; wcsrtombs(b, &from, ROOM, &state))
READS(mbsnrtowcs, "text", wchar_t to[ROOM]; const char* from = b; mbstate_t state = {0}; mbsnrtowcs(to, &from, n, ROOM, &state))
WRITES(wcsnrtombs, "", const wchar_t* from = other; mbstate_t state = {0}; wcsnrtombs(b, &from, n, ROOM, &state))
WRITES(mbrtowc, "", mbstate_t state = {0}; mbrtowc(W, "t", 1, &state))
WRITES(mbtowc, "", mbtowc(W, "t", 1))
WRITES(mbrlen, "", size_t (*volatile f)(const char*, size_t, mbstate_t*) = mbrlen; sink += (long)f("t", 1, (mbstate_t*)b))
WRITES(wcrtomb, "", mbstate_t* state = (mbstate_t*)b; char to[16]; wcrtomb(to, L't', state))
WRITES(wcsftime, "", struct tm t = {0}; wcsftime(W, ROOM, L"%Y", &t))
WRITES(swprintf, "", swprintf(W, ROOM, L"%d %s", 1, "x"))
WRITES(iconv, "", iconv_t to_wide = iconv_open("UTF-32LE", "UTF-8"); char* from = "text"; size_t left = 4, room = ROOM; iconv(to_wide, &from, &left, &b, &room); iconv_close(to_wide))
READS(iconv_open, "UTF-8", iconv_open(b, "UTF-8"))
/* clang-format on */

int main(int argc, char** argv) { return run_entries(argc, argv); }
