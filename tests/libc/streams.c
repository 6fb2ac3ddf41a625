/* flags: -D_GNU_SOURCE -fno-builtin -Wno-format */
#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>

#include "accesses.h"

static FILE *out, *wide_out, *in, *wide_in;
static void before(void) {
  out = fopen("/dev/null", "w");
  wide_out = fopen("/dev/null", "w");
  in = tmpfile();
  for (int i = 0; i < 40; ++i) fputs("12345 word\n", in);
  rewind(in);
  wide_in = fopen("/proc/version", "r");
}

static int list_printf(FILE* to, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int result = vfprintf(to, format, list);
  va_end(list);
  return result;
}

/* clang-format off */
READS(fputs, "text", fputs(b, out))
READS(puts, "text", puts(b))
READS(fputs_unlocked, "text", fputs_unlocked(b, out))
READS(fwrite, "text", fwrite(b, 1, 4, out))
READS(fwrite_unlocked, "text", size_t (*volatile f)(const void*, size_t, size_t, FILE*) = fwrite_unlocked; f(b, 4, 1, out))
READS(perror, "text", perror(b))
READS(printf, "text", printf("%d %s\n", 1, b))
READS(fprintf, "text", fprintf(out, "%f %c %s\n", 1.0, 'c', b))
READS(dprintf, "text", dprintf(1, "%2$s %1$d", 7, b))
READS(vfprintf, "text", list_printf(out, "%Lf%s", 1.0L, b))
READS(sprintf, "text", char to[64]; sprintf(to, "%.2s", b))
WRITES(snprintf, "text", snprintf(b, 3, "%d", 12345))
WRITES(asprintf, "text", char** at = (char**)b; asprintf(at, "x"); free(*at))
READS(wprintf, "t\0\0\0", FILE* f = stdout; stdout = wide_out; wprintf(L"%ls", (wchar_t*)b); stdout = f)
READS(fputws, "t\0\0\0", fputws((wchar_t*)b, wide_out))
WRITES(fgets, "", fgets(b, 20, in))
WRITES(fgets_unlocked, "", fgets_unlocked(b, 20, in))
WRITES(fread, "", fread(b, 1, 4, in))
WRITES(fread_unlocked, "", size_t (*volatile f)(void*, size_t, size_t, FILE*) = fread_unlocked; f(b, 1, 4, in))
WRITES(getline, "", ssize_t (*volatile get)(char**, size_t*, FILE*) = getline; char** at = (char**)b; size_t* n = (size_t*)(b + 16); get(at, n, in); free(*at))
WRITES(getdelim, "", char** at = (char**)b; size_t* n = (size_t*)(b + 16); getdelim(at, n, ' ', in); free(*at))
WRITES(fgetws, "", fgetws((wchar_t*)b, 20, wide_in))
WRITES(__isoc99_fscanf, "", rewind(in); fscanf(in, "%*d %3s", b))
WRITES(__isoc99_sscanf, "", int number; sscanf("12345 99", "%d %n", &number, (int*)b))
WRITES(fgetpos, "", fgetpos(in, (fpos_t*)b))
READS(fsetpos, "\0", fsetpos(in, (fpos_t*)b))
WRITES(open_memstream, "", FILE* f = open_memstream((char**)b, (size_t*)(b + 16)); fputs("x", f); fclose(f))
WRITES(fclose, "", FILE* f = fmemopen(b, 8, "w"); fputs("xyz", f); fclose(f))
READS(fmemopen, "text", FILE* f = fmemopen(b, 5, "r"); fclose(f))
/* clang-format on */

int main(int argc, char** argv) { return run_entries(argc, argv); }
