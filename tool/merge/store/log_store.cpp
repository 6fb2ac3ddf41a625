#include "tool/merge/store/log_store.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "core/base/random.h"
#include "tool/base/bytes.h"
#include "tool/merge/store/entry_order.h"

namespace heddle::merge {
namespace {

enum LogTag : std::uint32_t {
  kBuild = 1,
  kRun,
  kScheme,
  kFailed,
  kPlace,
  kElements,
  kSource,
  kVectors,
  kOrder
};

bool names_one_twice(const StoredLog& log) {
  std::vector<std::uint64_t> elements;
  for (const auto& [element, vector] : log.vectors) elements.push_back(element);
  std::ranges::sort(elements);
  return std::ranges::adjacent_find(elements) != elements.end();
}

std::optional<StoredLog> decode_log(std::string_view bytes, std::uint64_t vectors) {
  StoredLog log;
  bool fits = true;
  const bool whole = read_record(bytes, [&](const Field& field) {
    switch (field.tag) {
      case kBuild:
        log.kind.build = field.number;
        break;
      case kRun:
        log.kind.run = field.number;
        break;
      case kScheme:
        fits = fits && field.number <= static_cast<std::uint64_t>(AccessScheme::kBlocks);
        log.kind.scheme = static_cast<AccessScheme>(field.number);
        break;
      case kFailed:
        log.failed = field.number != 0;
        break;
      case kPlace:
        log.place = field.str();
        break;
      case kElements:
        log.elements_in_all = field.number;
        break;
      case kVectors: {
        ByteReader reader(field.bytes);
        while (!reader.at_end()) {
          const std::uint64_t element = reader.fixed64();
          const std::uint64_t vector = reader.varint();
          fits = fits && vector < vectors;
          log.vectors.emplace_back(element, vector);
        }
        fits = fits && !reader.failed();
        break;
      }
      case kOrder:
        fits = fits && field.number < vectors;
        log.order = field.number;
        break;
      default:
        break;
    }
  });
  if (!whole || !fits || names_one_twice(log)) return std::nullopt;
  return log;
}

}  // namespace

Result<std::unique_ptr<LogStore>> LogStore::open(const std::string& where) {
  if (where.empty()) return std::make_unique<LogStore>(table_in_memory());
  const bool is_server = where.starts_with("postgresql://") || where.starts_with("postgres://");
  auto table = is_server ? table_in_postgresql(where) : table_in_directory(where);
  if (!table) return table.error();
  return std::make_unique<LogStore>(std::move(*table));
}

Result<std::uint64_t> LogStore::thread(const std::string& name) {
  const auto at = thread_numbers_.find(name);
  if (at != thread_numbers_.end()) return at->second;
  const auto place = table_->intern(RecordKind::kThread, name);
  if (!place) return place.error();
  thread_numbers_.emplace(name, place->number);
  return place->number;
}

Status LogStore::add_vector(const AccessLog& log, const AccessVector& vector, Vectors& to) {
  while (to.threads_.size() < log.threads.size()) {
    const auto number = thread(log.threads[to.threads_.size()]);
    if (!number) return number.error();
    to.threads_.push_back(static_cast<std::uint32_t>(*number));
  }
  const auto number = keep(log, vector.runs, to.threads_);
  if (!number) return number.error();
  to.added_.fixed64(vector.element);
  to.added_.varint(*number);
  if (log.scheme == AccessScheme::kBlocks) to.order_.add(vector);
  return Done{};
}

// The number of a vector in the store.
Result<std::uint64_t> LogStore::keep(const AccessLog& log, const std::vector<ThreadRun>& runs,
                                     const std::vector<std::uint32_t>& threads) {
  VectorWriter writer;
  for (const ThreadRun& run : runs) {
    if (run.thread >= threads.size())
      return Error{log.path + " names a thread that it does not have.", ExitCode::kBadInput};
    writer.add({threads[run.thread], run.accesses, run.with_last});
  }
  const auto place = table_->intern(RecordKind::kVector, writer.take());
  if (!place) return place.error();
  return place->number;
}

Result<bool> LogStore::add(const AccessLog& log) {
  Vectors vectors;
  for (const AccessVector& vector : log.vectors) {
    if (auto added = add_vector(log, vector, vectors); !added) return added.error();
  }
  return add(log, vectors);
}

Result<bool> LogStore::add(const AccessLog& log, const Vectors& vectors) {
  const std::uint64_t source = hash_of(std::filesystem::path(log.path).filename().string());
  ByteWriter record;
  record.number(kBuild, log.build);
  record.number(kRun, log.run);
  record.number(kScheme, static_cast<std::uint64_t>(log.scheme));
  record.number(kFailed, log.outcome == RunOutcome::kPassed ? 0 : 1);
  record.text(kPlace, log.failure_place);
  record.number(kElements, log.elements_in_all);
  record.number(kSource, source);
  record.text(kVectors, vectors.added_.bytes());
  if (const std::vector<ThreadRun> order = vectors.order_.runs(); !order.empty()) {
    const auto number = keep(log, order, vectors.threads_);
    if (!number) return number.error();
    record.number(kOrder, *number);
  }
  const auto place = table_->intern(RecordKind::kLog, record.bytes());
  if (!place) return place.error();
  return place->is_new;
}

// Is it a vector, and does it name only threads that are known?
bool LogStore::is_whole(std::string_view vector) const {
  if (!is_access_vector(vector, threads_.size())) return false;
  if (!any_damaged_) return true;
  VectorReader reader(vector);
  for (Run run; reader.next(run);) {
    if (is_damaged_[run.thread]) return false;
  }
  return true;
}

Status LogStore::refresh() {
  const auto complain = [&](const char* what, std::uint64_t number) {
    complaints_.push_back(std::string(what) + " " + std::to_string(number) +
                          " of the store is damaged and was skipped.");
  };
  auto status = table_->visit(RecordKind::kThread, threads_.size(),
                              [&](std::uint64_t number, std::optional<std::string_view> bytes) {
                                if (!bytes) complain("thread", number);
                                threads_.emplace_back(bytes.value_or(""));
                                is_damaged_.push_back(!bytes);
                              });
  if (!status) return status;
  any_damaged_ = std::ranges::count(is_damaged_, true) != 0;
  status = table_->visit(RecordKind::kVector, vectors_.size(),
                         [&](std::uint64_t number, std::optional<std::string_view> bytes) {
                           if (bytes && !is_whole(*bytes)) bytes.reset();
                           if (!bytes) complain("vector", number);
                           vectors_.push_back(bytes);
                         });
  if (!status) return status;
  return table_->visit(
      RecordKind::kLog, logs_.size(), [&](std::uint64_t number, std::optional<std::string_view> bytes) {
        auto log = bytes ? decode_log(*bytes, vectors_.size()) : std::nullopt;
        if (!log) complain("log", number);
        logs_.push_back(log ? std::move(*log) : StoredLog{});
        // Without a vector that is damaged a log is one that did not record the element.
        std::erase_if(logs_.back().vectors, [&](const auto& recorded) { return !vectors_[recorded.second]; });
      });
}

Result<std::vector<std::unique_ptr<BugLogs>>> LogStore::bugs() {
  if (auto refreshed = refresh(); !refreshed) return refreshed.error();
  std::map<std::pair<RunKind, std::string>, std::unique_ptr<BugLogs>> by_place;
  std::map<RunKind, std::vector<BugLogs*>> of_kind;
  for (const StoredLog& log : logs_) {
    if (!log.failed) continue;
    auto& bug = by_place[{log.kind, log.place}];
    if (bug) continue;
    bug = std::make_unique<BugLogs>();
    bug->kind = log.kind;
    bug->place = log.place;
    of_kind[log.kind].push_back(bug.get());
  }
  // The store has equal vectors once, so (element, number) stands for the bytes.
  struct Key {
    const BugLogs* bug;
    std::uint64_t element, vector;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return mix(mix(reinterpret_cast<std::uintptr_t>(k.bug), k.element), k.vector);
    }
  };
  std::unordered_map<Key, Recorded, Hash> known;
  const auto add = [&](BugLogs& bug, const StoredLog& log) {
    std::vector<Recorded> recorded;
    for (const auto& [element, vector] : log.vectors) {
      Recorded& r = known[{&bug, element, vector}];
      if (r.element == kNone) {
        r.element = bug.logs.element(element);
        r.vector = bug.logs.vector(r.element, *vectors_[vector], true);
      }
      recorded.push_back(r);
    }
    bug.logs.set_universe(std::max(bug.logs.universe(), log.elements_in_all));
    const auto order = log.order && vectors_[*log.order] ? *vectors_[*log.order] : std::string_view();
    bug.logs.add(std::move(recorded), log.failed, order);
  };
  for (const StoredLog& log : logs_) {
    if (log.vectors.empty()) continue;
    if (log.failed) {
      add(*by_place.at({log.kind, log.place}), log);
    } else if (const auto at = of_kind.find(log.kind); at != of_kind.end()) {
      for (BugLogs* bug : at->second) add(*bug, log);
    }
  }
  std::vector<std::unique_ptr<BugLogs>> bugs;
  for (auto& [key, bug] : by_place) {
    if (bug->logs.logs() != 0) bugs.push_back(std::move(bug));
  }
  std::stable_sort(bugs.begin(), bugs.end(), [](const auto& a, const auto& b) {
    return a->logs.failing_logs() > b->logs.failing_logs();
  });
  return bugs;
}

}  // namespace heddle::merge
