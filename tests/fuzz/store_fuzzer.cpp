// What a store of logs does with records from anywhere, and `heddle merge` with the logs that come out of it.
//
// The first byte: D the six files of a folder as they are; C a folder whose index and checksums are right; R
// the rows of a server. Then each file, or each record after its kind.
#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz.h"
#include "tool/base/bytes.h"
#include "tool/base/crc32c.h"
#include "tool/merge/replay/replay_search.h"
#include "tool/merge/store/log_store.h"

namespace heddle::merge {
namespace {

constexpr const char* kFiles[] = {"threads", "vectors", "logs"};
constexpr std::uint64_t kIndexMagic = 0x31676f6c656c6468;  // tool/merge/store/directory_table.cpp

// Rows as PostgreSQL hands them over: whatever is in them.
class Rows : public RecordTable {
 public:
  void add(std::uint64_t kind, std::string_view bytes) { rows_[kind % 3].emplace_back(bytes); }
  Result<Place> intern(RecordKind, std::string_view) override { return Error{"nothing is added"}; }
  Status visit(RecordKind kind, std::uint64_t from, const Visit& visit) override {
    const auto& rows = rows_[static_cast<std::size_t>(kind)];
    for (std::uint64_t i = from; i < rows.size(); ++i) visit(i, rows[i]);
    return Done{};
  }
  const std::vector<std::string>& of(std::size_t kind) const { return rows_[kind]; }

 private:
  std::vector<std::string> rows_[3];
};

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void write_folder(const std::string& folder, const Rows& rows) {
  for (std::size_t kind = 0; kind < 3; ++kind) {
    std::string strings;
    ByteWriter index;
    index.fixed64(kIndexMagic);
    for (const std::string& row : rows.of(kind)) {
      ByteWriter entry;
      entry.fixed64(hash_of(row));
      entry.fixed64(strings.size());
      entry.fixed32(static_cast<std::uint32_t>(row.size()));
      index.raw(entry.bytes());
      index.fixed32(crc32c(row, crc32c(entry.bytes())));
      strings += row;
    }
    write(folder + "/" + kFiles[kind], strings);
    write(folder + "/" + kFiles[kind] + ".index", index.bytes());
  }
}

// Every candidate is followed to its end, and shows nothing.
class Passes : public ReplayOracle {
 public:
  explicit Passes(const LogSet& logs, std::size_t threads) : logs_(logs), threads_(threads) {}
  Result<Attempt> replay(const Candidate& candidate, std::uint64_t) override {
    Attempt attempt;
    attempt.followed.resize(logs_.elements());
    for (ElementIndex e = 0; e < candidate.vectors.size(); ++e) {
      if (candidate.vectors[e] == kNone) continue;
      const std::string_view bytes = logs_.bytes(candidate.vectors[e]);
      fuzz::require(is_access_vector(bytes, threads_));
      attempt.followed[e] = length_of(bytes);
    }
    return attempt;
  }

 private:
  const LogSet& logs_;
  std::size_t threads_;
};

int use(LogStore& store) {
  const auto bugs = store.bugs();
  if (!bugs) return fuzz::judged_result(bugs);
  for (const auto& bug : *bugs) {
    for (const Metric metric : {Metric::kPsim, Metric::kDsim, Metric::kDhs}) {
      Passes oracle(bug->logs, store.threads().size());
      SearchOptions options;
      options.metric = metric;
      options.attempts = 3;
      static_cast<void>(search(bug->logs, oracle, options));
    }
  }
  const auto complaints = store.take_complaints();
  return fuzz::judged(!bugs->empty() && complaints.empty(), complaints.empty() ? "no bug" : complaints[0]);
}

int use_folder(const std::string& folder) {
  auto store = LogStore::open(folder);
  return store ? use(**store) : fuzz::judged_result(store);
}

}  // namespace
}  // namespace heddle::merge

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  using namespace heddle::merge;
  if (size == 0) return 0;
  ByteReader input(fuzz::bytes_of(data + 1, size - 1));
  const std::string& folder = fuzz::scratch_folder();
  if (data[0] == 'D') {
    for (const char* file : kFiles) {
      write(folder + "/" + file, input.string());
      write(folder + "/" + file + ".index", input.string());
    }
    return use_folder(folder);
  }
  auto rows = std::make_unique<Rows>();
  while (!input.at_end() && !input.failed()) {
    const std::uint64_t kind = input.varint();
    rows->add(kind, input.string());
  }
  if (data[0] == 'C') {
    write_folder(folder, *rows);
    return use_folder(folder);
  }
  LogStore store(std::move(rows));
  return use(store);
}
