// Path logs: which way each thread of one native run went at every branch (Machado, PhD thesis, 5.2.1), as
// `HEDDLE_RECORD=path:DIR` or `heddle record --path` writes them; docs/design/record-format.md has the file.
//
// A log holds little more than a bit for each branch. What the bits mean follows from the program's control
// flow, which a `--full` binary brings along: reading a log is walking along it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/record/log_format.h"
#include "core/record/path_ids.h"
#include "tool/trace/stable_names.h"
#include "tool/trace/symbolic_tables.h"

namespace heddle {

struct PathStep {
  record::StepKind kind = record::StepKind::kBranch;
  record::PlaceId place{};  // of a mark: the function's place 0
  std::uint64_t outcome = 0;

  bool operator==(const PathStep&) const = default;
  // Is it what the program decided, and not a mark of how control got there?
  bool is_decision() const { return kind <= record::StepKind::kLanding; }
};

// One thread's path, in program order.
struct ThreadPath {
  std::string name;  // "0" is the main thread, "0.2" its second child
  std::vector<PathStep> steps;
  std::uint64_t bits = 0;       // that were recorded
  std::uint64_t decisions = 0;  // of all steps, also of those that were not kept
  std::uint64_t marks = 0;      // the others
  bool incomplete = false;  // the log's bound was hit, or its bits fit no path from some point on: a prefix
};

struct PathLog {
  std::string path;                 // of the file; for messages
  std::string program;              // as it was started
  std::uint64_t build = 0;          // hash of the control flow of all its modules
  std::uint64_t run = 0;            // hash of arguments, environment and input
  record::RunParts parts;           // hashes of each of these
  record::Outcome outcome;          // how the run ended
  std::string ended_by;             // the thread that ended it, by name
  bool incomplete = false;          // the bound was hit, or the file's end is missing
  std::vector<ThreadPath> threads;  // sorted by name
};

// The control flow of a program's modules, from their sections `heddle_path`.
class PathTables {
 public:
  // An error if it was not built with `heddle c++ --full`. With the libraries of its own that are loaded with
  // it, or with these.
  static Result<PathTables> read(const std::string& program);
  static Result<PathTables> read(const std::string& program, const std::vector<std::string>& libraries);
  PathTables();
  PathTables(PathTables&&) noexcept;
  PathTables& operator=(PathTables&&) noexcept;
  ~PathTables();

  std::uint64_t build() const;

  struct Place {
    record::StepKind kind = record::StepKind::kBranch;
    std::string function;  // the symbol's name
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t successors = 0;
    std::uint32_t block = 0;  // number in the function
  };
  // Empty function: no such place.
  Place describe(record::PlaceId place) const;

  struct Tables;
  const Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<Tables> tables_;
};

// Steps of one thread that are kept; a log may have billions.
inline constexpr std::size_t kMostSteps = std::size_t{1} << 26;

// The file may come from anywhere and is not trusted; an error says what is wrong with it. A log of another
// build is one. `most_steps` of each thread are read, and the first `kept_steps` of these are kept.
Result<PathLog> read_path_log(const std::string& path, const PathTables& tables,
                              std::size_t most_steps = kMostSteps, std::size_t kept_steps = kMostSteps);
// Reads it with the tables of the program and the libraries that the log names, as long as they lie where
// they did.
Result<PathLog> read_path_log(const std::string& path);

// The paths of an execution under the engine, from what RunSpec::path_trace asked for; marks are not among
// their steps. `names`: of the trace.
std::vector<ThreadPath> paths_of(const SymbolicTables& tables, const StableNames& names);

// The first place where two threads' decisions differ, as an index into `a`'s steps; a.steps.size() where
// `a` is a prefix of `b` or equal.
std::size_t first_difference(const ThreadPath& a, const ThreadPath& b);

}  // namespace heddle
