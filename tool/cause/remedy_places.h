// Operations of a trace as a remedy names them: to people by their line, to the engine by their place in the
// code.
#pragma once

#include <vector>

#include "tool/cause/remedy_trial.h"
#include "tool/cause/trials.h"

namespace heddle::cause {

// Does the thread wait for its turn to do it?
bool takes_turn(const Event& event);

ShownOperation shown(const Trace& trace, std::uint64_t pc, StackId stack, Address address);
ShownOperation shown(const Trace& trace, const TraceEvent& event);

// Where something ends: not in the destructor, but where it is destroyed.
ShownOperation shown_end(const Trace& trace, std::uint64_t pc, StackId stack, Address address);

// Where the thread was created; nullptr: the trace does not say.
const TraceEvent* creation_of(const Trace& trace, ThreadId thread);

// What the creator of a thread does next with a turn of its own, after `start` and after event `last`, and after what
// else it does where `pc` is; not the start of one more thread there. nullptr: the trace does not say.
const TraceEvent* turn_after(const Trace& trace, const TraceEvent& start, EventId last, std::uint64_t pc);

bool is_same_line(const Frame& a, const Frame& b);

// The lock at this address is held while this event's operation is performed, as it is wherever it is taken. Without
// parts where it is taken nowhere.
Proposal hold_lock(const Trace& trace, const TraceEvent& write, Address lock);
// The same for a write after a notification: the lock is held from the notification to the write. Without parts where
// the thread has notified nobody before.
Proposal hold_lock_from_notification(const Trace& trace, const TraceEvent& write, Address lock);

// The compiler may have made several copies of a line, for templates and where functions are inlined: all places that
// an operation of this kind is at there, `place` first.
std::vector<CodePlace> siblings(const RemedyTrial& trial, EventKind kind, const Frame& frame,
                                const CodePlace& place);
// The same for the rules of a proposal, as far as its operations are events of the traces.
void add_siblings(const RemedyTrial& trial, Proposal& proposal);

// A stretch that is one step: from `first` until the thread has performed what is at the other place.
RemedyPart stretch(const Trace& trace, const TraceEvent& first, std::uint64_t pc, StackId stack,
                   Address address);

}  // namespace heddle::cause
