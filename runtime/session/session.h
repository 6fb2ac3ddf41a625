// The session: one process of the tested program, from the library's first moment to its end.
//
// In a campaign the process runs the program up to its first choice, which is the same in every execution,
// and stays there as the zygote. The zygote forks children, one at a time. A child runs one execution after
// the other, putting its memory back in between (snapshot.h), or a single one where that is not possible. In
// single mode (replay, confirmation) the process runs the one execution itself. Results go to the tool
// through the channel; standard output and error of the program go to a memory file that the tool reads when
// they matter.
//
// Processes die with their parent (PR_SET_PDEATHSIG), so nothing is left behind however the tool ends.
#pragma once

#include <string_view>

#include "core/trace/channel.h"
#include "runtime/engine/execution.h"

namespace heddle::session {

// Attaches to the channel that the environment names, by system calls only. False: the program was started
// without heddle and runs natively.
bool attach(char** environment);

// REQUIRES: attached, and libc is initialised. The calling thread is the program's main thread from here on.
engine::Execution* start();

// The execution of this process, or nullptr while it runs natively.
engine::Execution* execution();

// The program is about to end in order, with this status: the last moment at which the engine can look.
void program_exits(int status);

// The program has ended in order, and its destructors have run.
void program_ended();

// The body of heddle::check begins; it has ended, called from the frame at `frame` (check.cpp).
void check_began();
void check_ended(Address frame);

// The client that the tool wants this execution to run; empty: the program decides.
std::string_view given_client();
// What the client has seen, where that has no linearization.
void give_history(std::string_view history);

// In a child that the program forked for itself: it is no execution of ours and reports nothing.
void leave_engine();

// The program is about to change what other processes see: a file, say.
void touches_outside(const char* what);

// The program asks for the environment variable of this name.
void asks_for_variable(const char* name, std::size_t length);

// Refreshes the table of loaded modules, for stacks.
void note_modules();

}  // namespace heddle::session
