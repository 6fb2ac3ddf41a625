// scanf and its relatives: the format, the string that is scanned, and what was assigned.
#include <wchar.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

// Tells of one call. `scan` makes it and answers how many conversions were assigned.
template <typename Char, typename Scan>
int scanned(const ProgramCall& call, ScanDialect dialect, const Char* format, va_list arguments, Scan scan) {
  if (!call) return scan(arguments);
  call.reads_text(format);
  va_list passed;
  va_copy(passed, arguments);
  const int result = scan(passed);
  va_end(passed);
  FormatAccesses found;
  find_scanf_accesses(format, arguments, result, dialect, found);
  for (const FormatAccess& access : found) call.writes(access.memory, access.bytes);
  return result;
}

template <typename Char, typename Scan>
int scanned_from(const ProgramCall& call, const FILE* stream, ScanDialect dialect, const Char* format,
                 va_list arguments, Scan scan) {
  call.uses_stream(stream);
  return scanned(call, dialect, format, arguments, scan);
}

// libc looks for the string's end before it scans.
template <typename Char, typename Scan>
int scanned_in(const ProgramCall& call, const Char* text, ScanDialect dialect, const Char* format,
               va_list arguments, Scan scan) {
  call.reads_text(text);
  return scanned(call, dialect, format, arguments, scan);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::scanned_from;
using heddle::abi::scanned_in;
using enum heddle::abi::ScanDialect;

#define HEDDLE_SCANS(list_name, name, parameters, passed, how)                                      \
  HEDDLE_INTERPOSE(int, list_name, HEDDLE_LIST parameters, va_list list) {                          \
    const auto call = HEDDLE_PROGRAM_CALL(list_name);                                               \
    const auto scan = [&](va_list own) { return HEDDLE_LIBC(list_name)(HEDDLE_LIST passed, own); }; \
    return how;                                                                                     \
  }                                                                                                 \
  HEDDLE_INTERPOSE(int, name, HEDDLE_LIST parameters, ...) {                                        \
    const auto call = HEDDLE_PROGRAM_CALL(name);                                                    \
    va_list list;                                                                                   \
    va_start(list, format);                                                                         \
    const auto scan = [&](va_list own) { return HEDDLE_LIBC(list_name)(HEDDLE_LIST passed, own); }; \
    const int result = how;                                                                         \
    va_end(list);                                                                                   \
    return result;                                                                                  \
  }

// clang-format off
HEDDLE_SCANS(vscanf, scanf, (const char* format), (format), scanned_from(call, stdin, kGnu, format, list, scan))
HEDDLE_SCANS(vfscanf, fscanf, (FILE* stream, const char* format), (stream, format), scanned_from(call, stream, kGnu, format, list, scan))
HEDDLE_SCANS(vsscanf, sscanf, (const char* text, const char* format), (text, format), scanned_in(call, text, kGnu, format, list, scan))
HEDDLE_SCANS(__isoc99_vscanf, __isoc99_scanf, (const char* format), (format), scanned_from(call, stdin, kIso, format, list, scan))
HEDDLE_SCANS(__isoc99_vfscanf, __isoc99_fscanf, (FILE* stream, const char* format), (stream, format), scanned_from(call, stream, kIso, format, list, scan))
HEDDLE_SCANS(__isoc99_vsscanf, __isoc99_sscanf, (const char* text, const char* format), (text, format), scanned_in(call, text, kIso, format, list, scan))
HEDDLE_SCANS(vwscanf, wscanf, (const wchar_t* format), (format), scanned_from(call, stdin, kGnu, format, list, scan))
HEDDLE_SCANS(vfwscanf, fwscanf, (FILE* stream, const wchar_t* format), (stream, format), scanned_from(call, stream, kGnu, format, list, scan))
HEDDLE_SCANS(vswscanf, swscanf, (const wchar_t* text, const wchar_t* format), (text, format), scanned_in(call, text, kGnu, format, list, scan))
HEDDLE_SCANS(__isoc99_vwscanf, __isoc99_wscanf, (const wchar_t* format), (format), scanned_from(call, stdin, kIso, format, list, scan))
HEDDLE_SCANS(__isoc99_vfwscanf, __isoc99_fwscanf, (FILE* stream, const wchar_t* format), (stream, format), scanned_from(call, stream, kIso, format, list, scan))
HEDDLE_SCANS(__isoc99_vswscanf, __isoc99_swscanf, (const wchar_t* text, const wchar_t* format), (text, format), scanned_in(call, text, kIso, format, list, scan))
// clang-format on
