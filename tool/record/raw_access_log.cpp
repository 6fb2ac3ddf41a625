#include "tool/record/raw_access_log.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "core/record/element_log.h"
#include "tool/base/bytes.h"
#include "tool/record/log_reader.h"
#include "tool/record/vector_builder.h"

namespace heddle {
namespace {

using record::ChunkKind;
using record::ElementSlot;
using record::OutcomeKind;

Error no_access_log(const std::string& path, const std::string& what) {
  return Error{path + " is damaged: " + what + "."};
}

template <typename T>
T read_as(std::string_view bytes) {
  T value{};
  bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

class RawReader {
 public:
  explicit RawReader(RawLog raw) : raw_(std::move(raw)), path_(raw_.path) {
    std::stable_sort(raw_.chunks.begin(), raw_.chunks.end(), [](const LogChunk& a, const LogChunk& b) {
      return std::pair(a.header.thread, a.header.sequence) < std::pair(b.header.thread, b.header.sequence);
    });
  }

  Result<AccessLog> read() {
    const record::LogHeader& header = raw_.header;
    if (header.kind == record::LogKind::kPath)
      return Error{path_ + " is a path log: it has no access vectors."};
    log_.path = path_;
    log_.build = header.build;
    log_.run = header.run;
    log_.scheme = header.kind == record::LogKind::kBlocks ? AccessScheme::kBlocks : AccessScheme::kVariables;
    log_.incomplete = header.truncated != 0 || header.outcome.kind == OutcomeKind::kUnknown;
    if (is_failure(header.outcome)) {
      log_.outcome = RunOutcome::kFailed;
      log_.failure_place = outcome_text(header.outcome);
    } else if (header.outcome.kind != OutcomeKind::kUnknown) {
      log_.outcome = RunOutcome::kPassed;
    }
    if (Status elements = read_elements(); !elements) return elements.error();
    if (Status tokens = read_tokens(); !tokens) return tokens.error();
    if (Status named = name_threads(); !named) return named.error();
    build_vectors();
    // What no recorder wrote: more accesses than a run can make, or an element twice.
    const auto same_element = [](const AccessVector& a, const AccessVector& b) {
      return a.element == b.element;
    };
    AccessSum sum;
    if (!std::ranges::all_of(log_.vectors, [&](const AccessVector& vector) { return sum.add(vector); }) ||
        std::ranges::adjacent_find(log_.vectors, same_element) != log_.vectors.end())
      return no_access_log(path_, "its vectors make no sense");
    return std::move(log_);
  }

 private:
  // What the recorder wrote into the chunk.
  static std::string_view payload_of(const LogChunk& chunk) {
    constexpr std::size_t kBefore = record::kElementPayload - sizeof(record::ChunkHeader);
    return chunk.bytes.substr(std::min(kBefore, chunk.bytes.size()));
  }

  Status read_elements() {
    for (const LogChunk& chunk : raw_.chunks) {
      if (chunk.header.kind != ChunkKind::kElements) continue;
      ByteReader reader(payload_of(chunk));
      log_.elements_in_all += static_cast<std::uint32_t>(reader.fixed64());
      const std::uint64_t count = reader.fixed64();
      if (reader.failed() || count > reader.remaining() / 8)
        return no_access_log(path_, "its elements are cut off");
      for (std::uint64_t i = 0; i < count; ++i) elements_.push_back(reader.fixed64());
    }
    tokens_.resize(elements_.size());
    return Done{};
  }

  Status read_tokens() {
    std::map<std::pair<std::uint32_t, std::uint64_t>, Told> told;  // by thread and element
    for (const LogChunk& chunk : raw_.chunks) {
      if (chunk.header.kind != ChunkKind::kVectors) continue;
      const std::string_view payload = payload_of(chunk);
      if (payload.size() < 8) return no_access_log(path_, "a chunk of vectors is cut off");
      const auto length = read_as<std::uint64_t>(payload);
      if (length > payload.size() - 8)
        return no_access_log(path_, "a chunk of vectors is longer than itself");
      ByteReader reader(payload.substr(8, length));
      while (!reader.at_end()) {
        const std::uint64_t element = reader.varint();
        if (reader.failed() || element >= elements_.size())
          return no_access_log(path_, "a vector is cut off");
        Told& before = told[{chunk.header.thread, element}];
        const ElementToken token = is_of_blocks() ? read_entries(reader, before) : read_run(reader, before);
        if (reader.failed()) return no_access_log(path_, "a vector is cut off");
        tokens_[element].push_back(token);
        tokens_[element].back().thread = chunk.header.thread;
      }
    }
    read_slots();
    return Done{};
  }

  struct Told {
    std::uint64_t version = 0;
    std::uint64_t time = 0;
  };

  bool is_of_blocks() const { return raw_.header.kind == record::LogKind::kBlocks; }

  static ElementToken read_run(ByteReader& reader, Told& told) {
    ElementToken token;
    told.version += reader.varint();
    const std::uint64_t shape = reader.varint();
    token.reads = shape >> 2;
    token.writes = (shape & record::kTokenWrites) != 0 ? reader.varint() : 0;
    token.repeats = (shape & record::kTokenRepeats) != 0 ? reader.varint() : 1;
    token.start = told.version;
    told.version += token.writes * token.repeats;
    return token;
  }

  static ElementToken read_entries(ByteReader& reader, Told& told) {
    ElementToken token;
    told.version += reader.varint();
    token.start = told.version;
    token.writes = reader.varint();
    told.version += token.writes;
    token.first_time = told.time += reader.varint();
    token.last_time = told.time += reader.varint();
    return token;
  }

  // The latest runs.
  void read_slots() {
    std::map<std::uint32_t, std::uint64_t> next;  // element, by thread: its chunks of slots are one table
    for (const LogChunk& chunk : raw_.chunks) {
      if (chunk.header.kind != ChunkKind::kSlots) continue;
      const std::string_view slots = payload_of(chunk);
      std::uint64_t& first = next[chunk.header.thread];
      const std::uint64_t from = first;
      first += (chunk.header.bytes - record::kElementPayload) / sizeof(ElementSlot);
      for (std::uint64_t i = from; i < elements_.size(); ++i) {
        if ((i - from + 1) * sizeof(ElementSlot) > slots.size()) break;
        read_slot(slots.substr((i - from) * sizeof(ElementSlot)), chunk.header.thread, tokens_[i]);
      }
    }
  }

  void read_slot(std::string_view bytes, std::uint32_t thread, std::vector<ElementToken>& tokens) const {
    if (is_of_blocks()) {
      const auto slot = read_as<record::BlockSlot>(bytes);
      if (slot.entries != 0)
        tokens.push_back({thread, slot.start, 0, slot.entries, 1, slot.began, slot.latest});
      return;
    }
    const auto slot = read_as<ElementSlot>(bytes);
    std::uint64_t start = slot.start;
    if (slot.repeats != 0)
      tokens.push_back({thread, start, slot.run_reads, slot.run_writes, slot.repeats, 0, 0});
    start += slot.run_writes * slot.repeats;
    if (slot.reads + slot.writes != 0) tokens.push_back({thread, start, slot.reads, slot.writes, 1, 0, 0});
  }

  // Names the threads that have accessed something.
  Status name_threads() {
    const auto all = raw_.thread_names();
    if (!all) return all.error();
    std::map<std::uint32_t, std::string> names;
    for (const auto& tokens : tokens_) {
      for (const ElementToken& token : tokens) {
        if (token.thread >= all->size() || (*all)[token.thread].empty())
          return no_access_log(path_, "it does not say who a thread is");
        names[token.thread] = (*all)[token.thread];
      }
    }
    for (const auto& [number, name] : names) log_.threads.push_back(name);
    std::sort(log_.threads.begin(), log_.threads.end());
    if (std::adjacent_find(log_.threads.begin(), log_.threads.end()) != log_.threads.end())
      return no_access_log(path_, "two threads have one name");
    for (const auto& [number, name] : names)
      places_[number] = static_cast<std::uint32_t>(
          std::lower_bound(log_.threads.begin(), log_.threads.end(), name) - log_.threads.begin());
    return Done{};
  }

  void build_vectors() {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      for (ElementToken& token : tokens_[i]) token.thread = places_[token.thread];
      BuiltVector built = build_vector(std::move(tokens_[i]));
      log_.incomplete = log_.incomplete || built.incomplete;
      log_.vectors.push_back({elements_[i], std::move(built.runs)});
    }
    if (is_of_blocks()) rank_runs(log_.vectors);
    std::sort(log_.vectors.begin(), log_.vectors.end(),
              [](const AccessVector& a, const AccessVector& b) { return a.element < b.element; });
  }

  RawLog raw_;
  std::string path_;
  std::vector<std::uint64_t> elements_;
  std::vector<std::vector<ElementToken>> tokens_;  // by element
  std::map<std::uint32_t, std::uint32_t> places_;  // of threads in the log's table, by number
  AccessLog log_;
};

}  // namespace

Result<AccessLog> read_raw_access_log(const std::string& path) {
  auto raw = read_log(path);
  if (!raw) return raw.error();
  return RawReader(std::move(*raw)).read();
}

}  // namespace heddle
