// The symbolic trace of one execution (core/trace/symbolic.h), written as the program goes: what the second
// ABI, __heddle_*, tells becomes expressions and records.
//
// Memory that is shared carries no expressions: each read of it is a fresh symbol, each write a record. Which
// accesses these are, the engine has decided when it recorded an event for them. Everything else is private,
// and its expressions are in the shadow.
//
// Thread-safety: fibers of one kernel thread. No entry point switches fibers.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/symbolic.h"
#include "core/trace/symbolic_calls.h"
#include "runtime/symbolic/expressions.h"
#include "runtime/symbolic/shadow_memory.h"

namespace heddle::symbolic {

// Who does something, where, and when.
struct Moment {
  ThreadId thread = kMainThread;
  std::uint64_t pc = 0;
  EventId event = kNoEvent;  // the access itself, or else the thread's latest event
  bool is_recorded = false;  // `event` is the access itself: memory is shared
  std::uint8_t handler_depth = 0;
  std::uint64_t place = 0;  // of a branch: its PlaceId (core/record/path_ids.h)
};

class Tracer {
 public:
  // REQUIRES: the header's tables follow it in memory. `handing_over` is the variable that compiled code
  // looks at: arguments or a result may be waiting to be taken.
  void start(Header* header, std::uint32_t* handing_over);

  ExpressionTable& expressions() { return table_; }

  // --- memory, after the access
  ExpressionId load(const Moment& at, Address address, std::uint64_t value, unsigned bytes);
  void store(const Moment& at, Address address, std::uint64_t value, unsigned bytes, ExpressionId stored);
  // The expression of what was read.
  struct Update {
    UpdateKind kind = UpdateKind::kOther;
    std::uint64_t read = 0;
    std::uint64_t operand_value = 0;
    ExpressionId operand = kConcrete;
    std::uint64_t written = 0;
  };
  ExpressionId update(const Moment& at, Address address, unsigned bytes, const Update& update);
  struct Exchange {
    std::uint64_t expected_value = 0;
    ExpressionId expected = kConcrete;
    std::uint64_t wanted_value = 0;
    ExpressionId wanted = kConcrete;
    std::uint64_t read = 0;
    bool succeeded = false;
  };
  ExpressionId compare_exchange(const Moment& at, Address address, unsigned bytes, const Exchange& exchange);
  // Private bytes, or what was read of shared ones, as one expression; nothing is recorded.
  ExpressionId peek(Address address, std::uint64_t value, unsigned bytes) {
    return shadow_.load(table_, address, value, bytes);
  }
  // Private to private.
  void copy(Address to, Address from, std::uint64_t bytes) { note_room(shadow_.copy(to, from, bytes)); }
  void clear(Address address, std::uint64_t bytes) { shadow_.clear(address, bytes); }
  void keep(Address address, unsigned bytes, ExpressionId expression) {
    note_room(shadow_.store(address, bytes, expression));
  }
  // The next access of the thread is at an address that depends on symbols.
  void pointer(ThreadId thread, ExpressionId pointer) { threads_[index_of(thread)].pointer = pointer; }

  // --- control
  void branch(const Moment& at, ExpressionId condition, bool holds);
  // A branch past code that does not return: an assertion that held.
  void spared(const Moment& at, ExpressionId condition, bool holds);
  // A branch into code that does not return.
  void doomed(const Moment& at, ExpressionId condition, bool holds);
  // `ways`: of each case, the number of the block that it leads to.
  struct Switch {
    const std::uint64_t* cases = nullptr;
    const std::uint32_t* ways = nullptr;
    std::uint32_t count = 0;
    std::uint32_t otherwise = 0;  // the way of all other values
    std::uint32_t way_of(std::uint64_t value) const;
  };
  void switch_on(const Moment& at, ExpressionId value, std::uint64_t taken, const Switch& on);
  // `value` is `taken`, and nothing else would lead here.
  void equals(const Moment& at, ExpressionId value, std::uint64_t taken);
  // A call through a pointer.
  void called(const Moment& at, ExpressionId callee, std::uint64_t address);
  void concretise(const Moment& at, ExpressionId expression, std::uint64_t value);
  // --- paths: every decision, also where no symbol is behind it (RunSpec::path_trace)
  void step(const Moment& at, std::uint8_t kind, std::uint64_t outcome);
  // An indirect call is made; who is entered next is its callee, unless it returns first.
  void step_call(ThreadId thread, std::uint64_t place) { threads_[index_of(thread)].indirect_call = place; }
  void step_entered(Moment at, std::uint64_t function);

  // The thread's execution ends here with a failure: its condition is the latest one that led into code that
  // does not return, or the latest branch. `address`: of an access that faulted.
  void failed(const Moment& at, bool faulted, Address address);
  // The program ends with a status that says so: because of what main returned, or of the latest condition.
  void exited(const Moment& at, std::uint32_t status);

  // --- calls
  void call(ThreadId thread, Address callee);
  void argument(ThreadId thread, std::uint32_t index, ExpressionId id);
  // A structure that is passed by value is copied by the call itself: its shadow goes along.
  void by_value(ThreadId thread, std::uint32_t index, Address from);
  void take_by_value(ThreadId thread, std::uint32_t index, Address to, std::uint64_t bytes);
  void entered(ThreadId thread, Address function);
  ExpressionId parameter(ThreadId thread, std::uint32_t index, std::uint64_t value);
  void returns(ThreadId thread, Address function);
  void result(ThreadId thread, std::uint32_t index, ExpressionId id);
  void returned(ThreadId thread, Address function);
  ExpressionId result_of(ThreadId thread, std::uint32_t index, std::uint64_t value);
  // What the callee did not take was for code that cannot be seen into. 0: calls were left by unwinding.
  void call_ended(const Moment& at, Address callee);

 private:
  // What one side of a call leaves for the other.
  struct Slot {
    static constexpr std::uint32_t kMost = 24;
    Address function = 0;  // 0: empty
    bool is_taken = false;
    ExpressionId ids[kMost] = {};
    Address sources[kMost] = {};  // by_value

    void begin(Address of) {
      *this = Slot{};
      function = of;
    }
  };
  static constexpr std::uint32_t kNoRecord = ~0u;
  struct Thread {
    ExpressionId pointer = kConcrete;
    std::uint64_t indirect_call = 0;
    std::uint32_t guard = kNoRecord;  // branch into code that does not return
    bool has_concrete_guard = false;  // no symbol decided that branch
    std::uint32_t latest_branch = kNoRecord;
    std::uint64_t guard_pc = 0;
    // Once is enough: by expression, the latest that were concretised.
    static constexpr std::uint32_t kRemembered = 64;
    ExpressionId concretised[kRemembered] = {};
    Slot arguments;
    Slot result;
  };

  Record* add(RecordKind kind, const Moment& at);
  void add_failure(const Moment& at, ExpressionId condition, bool holds, Address address);
  RecordId next_record() const { return RecordId{header_->record_count}; }
  ExpressionId take_pointer(ThreadId thread);
  ExpressionId take(Slot& slot, std::uint32_t index, std::uint64_t value) const;
  // What is stored is what its expression says; else our own mistake, which the tool reports.
  ExpressionId believed(ExpressionId id, std::uint64_t value);
  // What an update of `read` writes.
  ExpressionId updated(const Update& update, unsigned bits, ExpressionId read);
  void note_room(bool had_room) {
    if (!had_room) header_->overflow = 1;
  }

  Header* header_ = nullptr;
  Record* records_ = nullptr;
  std::uint32_t* handing_over_ = nullptr;
  bool has_failed_ = false;  // what comes after the failure is not part of it
  Thread* threads_ = nullptr;
  ExpressionTable table_;
  ShadowMemory shadow_;
};

}  // namespace heddle::symbolic
