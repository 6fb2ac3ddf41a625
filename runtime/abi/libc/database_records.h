// Interposers of the functions that look something up: users and groups, hosts, protocols. A record that libc
// keeps in memory of its own is handed to the program, and the next call of any thread overwrites it: writing
// it is told.
#pragma once

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {

// The answer of a function with _r at its end: the record, the strings in the buffer (whose end only libc
// knows; its first byte stands for it), and the pointer to the record.
template <typename Record>
void answers(const ProgramCall& call, int error, const Record* record, const char* buffer,
             Record* const* found) {
  call.writes_object(found);
  if (error != 0 || *found == nullptr) return;
  call.writes_object(record);
  call.writes(buffer, 1);
}

}  // namespace heddle::abi

// A function that answers with a record of libc's own.
#define HEDDLE_FINDS_RECORD(Record, name, parameters, arguments, before) \
  HEDDLE_SEEN(Record*, name, parameters, arguments, before, call.writes_object(result))

// A function that fills a record of the program's. What it is asked for comes first; `more_parameters` and
// `more_arguments` come last.
#define HEDDLE_FILLS_RECORD_AND(Record, name, parameters, arguments, more_parameters, more_arguments, \
                                before)                                                               \
  HEDDLE_SEEN(int, name,                                                                              \
              (HEDDLE_LIST parameters Record * record, char* buffer, std::size_t room,                \
               Record** found HEDDLE_LIST more_parameters),                                           \
              (HEDDLE_LIST arguments record, buffer, room, found HEDDLE_LIST more_arguments), before, \
              ::heddle::abi::answers(call, result, record, buffer, found))
#define HEDDLE_FILLS_RECORD(Record, name, parameters, arguments, before) \
  HEDDLE_FILLS_RECORD_AND(Record, name, parameters, arguments, (), (), before)
