// Access logs: in which order the threads of one native run came to the shared program elements that this run
// recorded (Machado, PhD thesis, 3.1: access vectors after LEAP, block vectors after PRES-BB). What `heddle
// merge` puts together; docs/design/record-format.md has the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/base/bytes.h"

namespace heddle {

// What a log's vectors are about: shared variables and synchronisation objects, or the basic blocks that
// touch them.
enum class AccessScheme : std::uint8_t { kVariables, kBlocks };

enum class ElementKind : std::uint8_t { kGlobal, kField, kAllocation, kSynchronisation, kBlock };

// One shared program element, as the binary's own table says. Its id is a hash of its canonical name: the
// same in every translation unit, instance and build that has the element.
struct SharedElement {
  std::uint64_t id = 0;
  ElementKind kind = ElementKind::kGlobal;
  std::string name;   // "counter", "Queue::head", "make_node()#1", "mutex Queue::lock", "push(int) block 3"
  std::string place;  // "queue.cpp:17", or nothing where there is no debug information
};

// `accesses` accesses in a row by one thread. Neighbours have different threads,
// except beside runs that need no order.
struct ThreadRun {
  std::uint32_t thread = 0;  // index into AccessLog::threads
  // This run and the one before it only read, and read the same: either order is the same execution. Such runs
  // are sorted by thread, so that equal executions have equal vectors. Whoever enforces a vector lets them come
  // in any order.
  bool with_last = false;
  std::uint64_t accesses = 0;
  // Of blocks: the places of the run's first and last access among those of all runs in the log, as far as the
  // processors' clocks tell. They order runs of one log only.
  std::uint64_t first_rank = 0;
  std::uint64_t last_rank = 0;

  bool operator==(const ThreadRun&) const = default;
};

// No run makes more accesses: lengths of vectors can be added, those of a whole log as well.
inline constexpr std::uint64_t kMostAccesses = std::uint64_t{1} << 48;

struct AccessVector {
  std::uint64_t element = 0;
  std::vector<ThreadRun> runs;  // empty: recorded, and never accessed

  bool operator==(const AccessVector&) const = default;
};

// How the run ended, as far as the log got: a process that was killed without warning leaves kUnknown.
enum class RunOutcome : std::uint8_t { kUnknown, kPassed, kFailed };

class AccessSum {
 public:
  // False: with this vector the log has more accesses than a run can make.
  bool add(const AccessVector& vector);

 private:
  std::uint64_t accesses_ = 0;
};

struct AccessLog {
  std::string path;         // the file that it was read from; for messages
  std::uint64_t build = 0;  // of the program: logs of different builds are never merged
  std::uint64_t run = 0;    // a hash of arguments, environment and input: nor are logs that differ in it
  AccessScheme scheme = AccessScheme::kVariables;
  RunOutcome outcome = RunOutcome::kUnknown;
  std::string failure_place;  // where it failed, equal for equal places: "assertion queue.cpp:41", "SIGSEGV
                              // prog+0x11d0"
  std::uint32_t elements_in_all = 0;  // of this scheme in the binary: vectors.size() of them were recorded
  bool incomplete = false;            // its bound was hit or its end is missing: the vectors are prefixes
  std::vector<std::string>
      threads;  // stable names, by parent and order of creation: "0", "0.1", "0.1.2"; sorted
  std::vector<AccessVector> vectors;  // one for each element that was chosen, sorted by element
};

// The file may come from anywhere and is not trusted; an error says what is wrong with it, by name.
Result<AccessLog> read_access_log(const std::string& path);
// Reads a log vector by vector: they are given to `take` and are not in the answer, so that a large log takes
// no more room than its file and its largest vector. `so_far` has all but vectors. A log whose end is found
// to make no sense is an error after its first vectors were taken.
using TakeVector = std::function<Status(const AccessLog& so_far, AccessVector&& vector)>;
Result<AccessLog> read_access_log(const std::string& path, const TakeVector& take);
// What write_access_log wrote is read back equal (`path` apart); for tests, generators and stores.
Status write_access_log(const std::string& path, const AccessLog& log);

// Writes a log vector by vector, which are sorted by element.
class AccessLogWriter {
 public:
  // All but the log's vectors.
  explicit AccessLogWriter(const AccessLog& log);
  void add(const AccessVector& vector);
  Status write(const std::string& path);

 private:
  ByteWriter bytes_;
  bool is_of_blocks_;
};

// All elements of a program that was built with `heddle c++ --full`, sorted by id.
Result<std::vector<SharedElement>> read_elements(const std::string& program, AccessScheme scheme);

}  // namespace heddle
