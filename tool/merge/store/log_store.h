// Access logs of many instances, in one place (thesis Fig. 3.2, the statistical analyzer's input): added
// cheaply one by one, each vector kept once, read back as sets of logs that may be merged with each other.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tool/base/bytes.h"
#include "tool/merge/store/entry_order.h"
#include "tool/merge/store/log_set.h"
#include "tool/merge/store/record_table.h"
#include "tool/record/access_log.h"

namespace heddle::merge {

// Logs of one build, one input and one scheme can be compared; those that failed at one place are one bug.
struct RunKind {
  std::uint64_t build = 0;
  std::uint64_t run = 0;
  AccessScheme scheme = AccessScheme::kVariables;
  friend auto operator<=>(const RunKind&, const RunKind&) = default;
};

// One bug's logs, and the passing logs of the same kind of run.
struct BugLogs {
  RunKind kind;
  std::string place;  // where it failed
  LogSet logs;
};

// Passes a log on as it is in the store.
struct StoredLog {
  RunKind kind;
  bool failed = false;
  std::string place;
  std::uint64_t elements_in_all = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> vectors;  // element, number of its vector
  std::optional<std::uint64_t> order;                            // number of a vector: entry_order
};

class LogStore {
 public:
  // `where` is empty for memory, postgresql://… for a server, else a directory.
  static Result<std::unique_ptr<LogStore>> open(const std::string& where);
  explicit LogStore(std::unique_ptr<RecordTable> table) : table_(std::move(table)) {}

  // Frames the adding of many logs, which makes it faster.
  Status begin() { return table_->begin(); }
  Status end() { return table_->end(); }
  // Between begin() and end(). False: it is there already. The same log of two files is two logs: two
  // instances did the same.
  Result<bool> add(const AccessLog& log);

  // Adds a log vector by vector, where it is not in memory as a whole (`log` is, but for its vectors).
  class Vectors {
   private:
    friend class LogStore;
    ByteWriter added_;
    EntryOrder order_;
    std::vector<std::uint32_t> threads_;  // number in the store, by number in the log
  };
  Status add_vector(const AccessLog& log, const AccessVector& vector, Vectors& to);
  Result<bool> add(const AccessLog& log, const Vectors& vectors);

  // All bugs, those with most failing logs first. Vectors are views into the store.
  Result<std::vector<std::unique_ptr<BugLogs>>> bugs();
  // Of the threads in vectors.
  const std::vector<std::string>& threads() const { return threads_; }
  std::uint64_t logs() const { return logs_.size(); }
  // What was found to be damaged since the last call, a sentence for each. What is not damaged is used.
  std::vector<std::string> take_complaints() { return std::exchange(complaints_, {}); }

 private:
  Status refresh();
  bool is_whole(std::string_view vector) const;
  Result<std::uint64_t> thread(const std::string& name);
  Result<std::uint64_t> keep(const AccessLog& log, const std::vector<ThreadRun>& runs,
                             const std::vector<std::uint32_t>& threads);

  std::unique_ptr<RecordTable> table_;
  std::map<std::string, std::uint64_t> thread_numbers_;
  std::vector<std::string> threads_;
  std::vector<std::optional<std::string_view>> vectors_;  // without: damaged
  std::vector<bool> is_damaged_;                          // by thread
  bool any_damaged_ = false;                              // whether any thread is damaged
  std::vector<StoredLog> logs_;
  std::vector<std::string> complaints_;
};

}  // namespace heddle::merge
