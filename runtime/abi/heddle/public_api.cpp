// The functions of <heddle/heddle.h>.
#include "core/trace/event.h"
#include "runtime/abi/engine_access.h"
#include "runtime/session/session.h"

using heddle::ChoiceKind;
using heddle::EventKind;
using heddle::abi::engine;

HEDDLE_EXPORT void heddle_runtime_outcome(const char* text) {
  auto* e = engine();
  if (e == nullptr) return;
  e->note_outcome(text);
  e->note_text(EventKind::kOutcome, text, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void heddle_runtime_fail(const char* text) {
  if (auto* e = engine()) e->fatal(heddle::FindingKind::kReported, text, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void heddle_runtime_note(const char* text) {
  if (auto* e = engine()) e->note_text(EventKind::kNote, text, HEDDLE_CALLER_PC);
}

// Kept as a note that carries an address: readers of the trace take the name from it.
HEDDLE_EXPORT void heddle_runtime_name(const void* address, std::size_t size, const char* name) {
  auto* e = engine();
  if (e == nullptr) return;
  if (heddle::Event* event = e->record(EventKind::kNote, HEDDLE_CALLER_PC)) {
    event->address = reinterpret_cast<heddle::Address>(address);
    event->value = size;
    event->text = e->channel().add_text(name, strlen(name));
  }
}

HEDDLE_EXPORT unsigned heddle_runtime_choose(unsigned n) {
  auto* e = engine();
  if (e == nullptr || n < 2) return 0;
  const unsigned picked = e->choices().choose(ChoiceKind::kValue, n, 0);
  e->changed();
  e->done(EventKind::kValueChoice, picked);
  if (heddle::Event* event = e->record(EventKind::kValueChoice, HEDDLE_CALLER_PC)) event->value = picked;
  return picked;
}

HEDDLE_EXPORT void heddle_runtime_yield() {
  if (auto* e = engine()) e->yield(HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void heddle_runtime_atomic_scope(int begin) {
  if (auto* e = engine()) e->self().ignored = begin != 0;
}

HEDDLE_EXPORT int heddle_runtime_active() { return engine() != nullptr ? 1 : 0; }

HEDDLE_EXPORT std::size_t heddle_runtime_client(char* text, std::size_t size) {
  const std::string_view client = heddle::session::given_client();
  if (text != nullptr && size == client.size()) memcpy(text, client.data(), size);
  return client.size();
}

HEDDLE_EXPORT void heddle_runtime_operations_planned(unsigned operation, unsigned calls) {
  if (auto* e = engine()) e->operations_planned(operation, calls);
}

HEDDLE_EXPORT void heddle_runtime_piece_begins() {
  if (auto* e = engine()) e->piece_begins();
}

HEDDLE_EXPORT void heddle_runtime_operation_called(heddle::sched::HistoryMoment* moment, unsigned operation) {
  if (auto* e = engine()) e->operation_called(moment, operation);
}

HEDDLE_EXPORT void heddle_runtime_operation_returned(heddle::sched::HistoryMoment* moment) {
  if (auto* e = engine()) e->operation_returned(moment);
}

HEDDLE_EXPORT void heddle_runtime_judging(int begin) {
  if (auto* e = engine()) e->pause_recording(begin != 0);
}

// The history goes into the trace, for tools; what is wrong with it is the finding.
HEDDLE_EXPORT void heddle_runtime_history(const char* history, const char* violation) {
  auto* e = engine();
  if (e == nullptr) return;
  heddle::session::give_history(history);
  e->note_text(EventKind::kNote, history, HEDDLE_CALLER_PC);
  if (violation != nullptr) e->fatal(heddle::FindingKind::kNotLinearizable, violation, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void heddle_runtime_check(int begin, void* frame) {
  auto* e = engine();
  if (e == nullptr) return;
  if (begin != 0) {
    e->begin_check();
    heddle::session::check_began();
  } else {
    e->end_check();
    heddle::session::check_ended(reinterpret_cast<heddle::Address>(frame));
  }
}
