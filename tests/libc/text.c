/* flags: -D_GNU_SOURCE -fno-builtin */
#include <inttypes.h>
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "accesses.h"

static locale_t locale;
static char other[ROOM] = "text";
static void before(void) { locale = newlocale(LC_ALL_MASK, "C", 0); }
static size_t n = 4;

/* clang-format off */
READS(strtol, "123", strtol(b, NULL, 10))
READS(strtoll, " 123", strtoll(b, NULL, 0))
READS(strtoul, "0x12", strtoul(b, NULL, 16))
READS(strtoull, "123", strtoull(b, NULL, 10))
READS(strtoimax, "123", strtoimax(b, NULL, 10))
READS(strtoumax, "123", strtoumax(b, NULL, 10))
READS(strtol_l, "123", strtol_l(b, NULL, 10, locale))
READS(strtod, "1.5", strtod(b, NULL))
READS(strtof, "1.5", strtof(b, NULL))
READS(strtold, "1.5", strtold(b, NULL))
READS(strtod_l, "1.5", strtod_l(b, NULL, locale))
READS(atoi, "12", int (*volatile f)(const char*) = atoi; sink += (long)f(b))
READS(atol, "12", long (*volatile f)(const char*) = atol; sink += (long)f(b))
READS(atoll, "12", long long (*volatile f)(const char*) = atoll; sink += (long)f(b))
READS(atof, "1.5", double (*volatile f)(const char*) = atof; sink += (long)f(b))
READS(strlen, "text", sink += strlen(b))
READS(strcasestr, "text", sink += (long)strcasestr(b, "XT"))
READS(memmem, "text", sink += (long)memmem(b, n, "x", 1))
READS(rawmemchr, "text", sink += (long)rawmemchr(b, 'x'))
READS(index, "text", sink += (long)index(b, 'x'))
READS(rindex, "text", sink += (long)rindex(b, 'e'))
READS(strcasecmp_l, "text", sink += (long)strcasecmp_l(b, "TEXT", locale))
READS(strncasecmp_l, "text", sink += (long)strncasecmp_l(b, "TEXT", n, locale))
READS(strcoll, "text", sink += (long)strcoll(b, other))
READS(strcoll_l, "text", sink += (long)strcoll_l(b, other, locale))
READS(strverscmp, "text1", sink += (long)strverscmp(b, other))
READS(strxfrm, "text", char to[ROOM]; strxfrm(to, b, sizeof to))
WRITES(strxfrm_l, "", strxfrm_l(b, other, ROOM, locale))
WRITES(strtok, "t,ext", strtok(b, ","))
WRITES(strtok_r, "t,ext", char* rest; strtok_r(b, ",", &rest))
WRITES(strsep, "t,ext", char* rest = b; strsep(&rest, ","))
WRITES(memccpy, "", memccpy(b, other, 'x', n))
WRITES(stpncpy, "", stpncpy(b, other, n))
WRITES(bcopy, "", bcopy(other, b, n))
WRITES(bzero, "text", bzero(b, n))
WRITES(explicit_bzero, "text", explicit_bzero(b, n))
WRITES(swab, "", swab(other, b, (ssize_t)n))
WRITES(memfrob, "text", memfrob(b, n))
WRITES(strerror_r, "", strerror_r(12345, b, ROOM))
WRITES(__xpg_strerror_r, "", extern int __xpg_strerror_r(int, char*, size_t); __xpg_strerror_r(1, b, ROOM))
READS(strcspn, "text", sink += (long)strcspn(b, "x"))
READS(strdup, "text", free(strdup(b)))
READS(setlocale, "C\0", setlocale(LC_ALL, b); sink += n)
READS(textdomain, "text", textdomain(b))
WRITES(memcpy, "", memcpy(b, other, n))
/* clang-format on */

int main(int argc, char** argv) { return run_entries(argc, argv); }
