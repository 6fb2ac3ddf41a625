// Times as calendars and text. Results in memory of libc's own (localtime, ctime) are handed to the program,
// so writing them is told: C11 7.27.3 lets two threads that call these functions race, and the one that reads
// its result gets the other's time.
#include <sys/timeb.h>
#include <time.h>
#include <wchar.h>

#include "runtime/abi/interposed_call.h"

#define HEDDLE_BREAKS_DOWN(name) \
  HEDDLE_SEEN(tm*, name, (const time_t* time), (time), call.reads_object(time), call.writes_object(result))
#define HEDDLE_BREAKS_DOWN_INTO(name)                                                       \
  HEDDLE_SEEN(tm*, name, (const time_t* time, tm* to), (time, to), call.reads_object(time), \
              call.writes_object(result))
HEDDLE_BREAKS_DOWN(gmtime)
HEDDLE_BREAKS_DOWN(localtime)
HEDDLE_BREAKS_DOWN_INTO(gmtime_r)
HEDDLE_BREAKS_DOWN_INTO(localtime_r)

#define HEDDLE_PUTS_TOGETHER(name) \
  HEDDLE_SEEN(time_t, name, (tm * parts), (parts), call.reads_object(parts), call.writes_object(parts))
HEDDLE_PUTS_TOGETHER(mktime)
HEDDLE_PUTS_TOGETHER(timegm)
HEDDLE_PUTS_TOGETHER(timelocal)

HEDDLE_SEEN(char*, asctime, (const tm* parts), (parts), call.reads_object(parts), call.writes_text(result))
HEDDLE_SEEN(char*, asctime_r, (const tm* parts, char* to), (parts, to), call.reads_object(parts),
            call.writes_text(result))
HEDDLE_SEEN(char*, ctime, (const time_t* time), (time), call.reads_object(time), call.writes_text(result))
HEDDLE_SEEN(char*, ctime_r, (const time_t* time, char* to), (time, to), call.reads_object(time),
            call.writes_text(result))

// Where the text does not fit the buffer's contents are undefined, and not told.
#define HEDDLE_FORMATS_TIME(name, Char, parameters, arguments)                                           \
  HEDDLE_SEEN(std::size_t, name,                                                                         \
              (Char * to, std::size_t room, const Char* format, const tm* parts HEDDLE_LIST parameters), \
              (to, room, format, parts HEDDLE_LIST arguments), call.reads_text(format);                  \
              call.reads_object(parts), if (result != 0) call.writes(to, (result + 1) * sizeof(Char)))
HEDDLE_FORMATS_TIME(strftime, char, (), ())
HEDDLE_FORMATS_TIME(strftime_l, char, (, locale_t locale), (, locale))
HEDDLE_FORMATS_TIME(wcsftime, wchar_t, (), ())
HEDDLE_FORMATS_TIME(wcsftime_l, wchar_t, (, locale_t locale), (, locale))

#define HEDDLE_PARSES_TIME(name, parameters, arguments)                                              \
  HEDDLE_SEEN(                                                                                       \
      char*, name, (const char* text, const char* format, tm* parts HEDDLE_LIST parameters),         \
      (text, format, parts HEDDLE_LIST arguments), call.reads_text(format), if (result != nullptr) { \
        call.reads(text, static_cast<std::size_t>(result - text));                                   \
        call.writes_object(parts);                                                                   \
      })
HEDDLE_PARSES_TIME(strptime, (), ())
HEDDLE_PARSES_TIME(strptime_l, (, locale_t locale), (, locale))
HEDDLE_SEEN(tm*, getdate, (const char* text), (text), call.reads_text(text), call.writes_object(result))
HEDDLE_SEEN(int, getdate_r, (const char* text, tm* parts), (text, parts), call.reads_text(text),
            if (result == 0) call.writes_object(parts))
HEDDLE_SEEN(int, clock_getres, (clockid_t clock, timespec* to), (clock, to), HEDDLE_NOTHING,
            if (result == 0) call.writes_object(to))
HEDDLE_SEEN(int, ftime, (timeb * to), (to), HEDDLE_NOTHING, call.writes_object(to))
