// A symbolic trace: of one execution, what the values that threads handed to each other were computed from.
//
// The trace of events (core/trace/event.h) says what was read and written, in which order; here is, for each
// of those accesses, the expression behind a written value, the symbol of a read one, and between them the
// branches that were taken because of such values. From both together the tool builds its constraints
// (Machado, PhD thesis, 4.1.2): reads are fresh symbols, writes are expressions over them, branches and the
// failed condition are formulas of one bit.
//
// Plain data, in a section of the channel: written by the runtime in program order of each thread (and in
// execution order over all), read by the tool.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle::symbolic {

// An entry of the table of expressions; operands come before what is made of them.
enum class ExpressionId : std::uint32_t {};
inline constexpr ExpressionId kConcrete{0};  // depends on no symbol: the value is all there is to know
constexpr std::uint32_t index_of(ExpressionId id) { return static_cast<std::uint32_t>(id); }

enum class Operator : std::uint8_t {
  kConstant = 0,  // value
  kSymbol,        // what record `operands[0]` read (RecordId as an integer)
  // Two operands of `bits` each.
  kAdd,
  kSubtract,
  kMultiply,
  kDivideUnsigned,
  kDivideSigned,
  kRemainderUnsigned,
  kRemainderSigned,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRightLogical,
  kShiftRightArithmetic,
  // Two operands of equal width; one bit.
  kEqual,
  kNotEqual,
  kLessUnsigned,
  kLessEqualUnsigned,
  kLessSigned,
  kLessEqualSigned,
  // One operand.
  kZeroExtend,
  kSignExtend,
  kExtract,  // bits [low, low + bits) of the operand
  // operands[0] holds the high bits.
  kConcatenate,
  // operands[0] (one bit) ? operands[1] : operands[2]
  kSelect,
  kCount,
};

struct Expression {
  std::uint64_t value = 0;  // in the execution that was traced; bits beyond `bits` are zero
  ExpressionId operands[3] = {};
  Operator op = Operator::kConstant;
  std::uint8_t bits = 0;  // 1 to 64
  std::uint8_t low = 0;   // kExtract
  std::uint8_t unused = 0;
};
static_assert(sizeof(Expression) == 24);

enum class RecordId : std::uint32_t {};
constexpr std::uint32_t index_of(RecordId id) { return static_cast<std::uint32_t>(id); }

enum class RecordKind : std::uint8_t {
  // Accesses to memory that two or more threads touched; `event` is the access itself.
  kRead,    // expression: its symbol
  kWrite,   // expression: what it wrote
  kUpdate,  // an atomic read-modify-write, or a compare-exchange that succeeded; expression: what it wrote,
            // symbol: what it read
  kCasFailed,  // symbol: what it read
  // Between accesses; `event` is the latest event of the thread before it (kNoEvent: none).
  kBranch,  // expression held (holds == 1) or did not; also of a switch, an indirect call, a success of CAS
  kConcretised,  // expression was taken for `value`: an address, an argument of code that cannot be seen
                 // into, a
                 // floating-point value. A soft constraint
  kFailure,  // expression: the condition that failed (holds says which way); the last record of its thread
  kFolded,   // `value` rounds of a loop that had no effect were left out here: the thread waited (0: nothing,
             // the record of a branch that became kFailure)
};

struct Record {
  std::uint64_t pc = 0;
  Address address = 0;  // of an access; of a switch: 1 and the way that it goes if this comes out otherwise
  std::uint64_t value = 0;  // read, written or concretised, low `size` bytes; kBranch: its PlaceId, 0: none
  EventId event = kNoEvent;
  ExpressionId expression = kConcrete;
  ExpressionId symbol = kConcrete;   // kUpdate, kCasFailed: what was read
  ExpressionId pointer = kConcrete;  // the address, where it depends on symbols
  ThreadId thread = kMainThread;
  RecordKind kind = RecordKind::kRead;
  // Bytes of an access, at most 8; wider ones have several records. Of a switch: its records before this one.
  std::uint8_t size = 0;
  std::uint8_t holds = 0;
  std::uint8_t guards = 0;  // kBranch: the other way leads into code that does not return
  std::uint8_t calls = 0;   // kBranch: through a pointer, which points to who was called
  std::uint8_t unused = 0;
};
static_assert(sizeof(Record) == 48);

// A step of a thread's path, whatever values it came from (RunSpec::path_trace).
struct Step {
  std::uint64_t place = 0;    // PlaceId; core/record/path_ids.h
  std::uint64_t outcome = 0;  // by its kind
  EventId event = kNoEvent;   // the latest of the thread before it
  ThreadId thread = kMainThread;
  std::uint8_t kind = 0;   // StepKind
  std::uint8_t depth = 0;  // of signal handlers that it is in
};
static_assert(sizeof(Step) == 24);

// Head of the section; the tables follow, `expression_capacity` and `record_capacity` entries long. Steps
// fill the table of records from its end, the first one last.
struct Header {
  std::uint32_t expression_capacity = 0;
  std::uint32_t record_capacity = 0;
  std::uint32_t expression_count = 1;  // the first one is kConcrete
  std::uint32_t record_count = 0;
  std::uint32_t overflow = 0;    // there was more than there is room for
  std::uint32_t mismatches = 0;  // expressions whose value was not the program's: our own mistake
  std::uint32_t step_count = 0;
  std::uint32_t unused = 0;

  // Do this many records and steps fit?
  constexpr bool has_room(std::uint64_t records, std::uint64_t steps) const {
    return records * sizeof(Record) + steps * sizeof(Step) <= std::uint64_t{record_capacity} * sizeof(Record);
  }
};

}  // namespace heddle::symbolic
