// Writes inputs that the readers accept, one folder for each fuzzer that needs more than a text (valid/):
//
//   write_seeds DIRECTORY PROGRAM VARIABLES.hlog BLOCKS.hlog PATH.hlog BUG.heddle
//
// PROGRAM is built with `heddle c++ --full`, its logs are as HEDDLE_RECORD left them, and the bug is any.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/record/elements.h"
#include "core/record/path_table.h"
#include "tests/fuzz/log_layout.h"
#include "tests/unit/artifact/sample_trace.h"
#include "tool/artifact/artifact.h"
#include "tool/artifact/codec.h"
#include "tool/base/atomic_file.h"
#include "tool/base/bytes.h"
#include "tool/merge/store/log_store.h"
#include "tool/program/program_elf.h"
#include "tool/record/access_log.h"
#include "tool/search/path_trie.h"

namespace heddle {
namespace {

struct Folder {
  std::string path;
  void write(const std::string& file, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path + "/" + file).parent_path());
    std::ofstream(path + "/" + file, std::ios::binary) << bytes;
  }
};

std::string content_of(const std::string& file) { return *read_whole_file(file, 1 << 24); }

std::string as_sections(const Trace& trace) {
  ByteWriter writer;
  for (const ArtifactSection& section : encode_trace(trace)) {
    writer.varint(section.type);
    writer.string(section.payload);
  }
  return "A" + writer.take();
}

void write_artifacts(const Folder& to, const Trace& bug) {
  Trace small = sample_trace();
  for (const char* fuzzer : {"artifact", "show"})
    to.write(std::string(fuzzer) + "/sections", as_sections(small));
  to.write("show/bug", as_sections(bug));
  to.write("artifact/file", "F" + serialise(small));
  small.events.resize(3);
  small.choices.resize(2);
  to.write("artifact/few-sections", as_sections(small));
  to.write("artifact/suppressions", "S# known\nrace:foo*\nthread:^bar$\ncalled_from_lib:libx.so\n");
}

// The content of a collected access log, as tool/record/access_log.cpp writes it.
std::string collected_content(const std::string& file) {
  const auto sections = read_container(content_of(file));
  return sections && !sections->empty() ? sections->front().payload : std::string();
}

void write_logs(const Folder& to, const std::string& variables, const std::string& blocks) {
  const std::string collected = to.path + "/collected.tmp";
  for (const auto& [name, file] : {std::pair("variables", variables), std::pair("blocks", blocks)}) {
    const std::string apart = fuzz::taken_apart(*read_log(file));
    to.write(std::string("log/") + name, "R" + apart);
    to.write(std::string("log/compressed-") + name, "Z" + apart);
    if (!write_access_log(collected, *read_access_log(file))) std::abort();
    to.write(std::string("log/collected-") + name, "C" + collected_content(collected));
    to.write(std::string("log/collected-file-") + name, "F" + content_of(collected));
  }
  std::filesystem::remove(collected);
}

void write_paths(const Folder& to, const std::string& program, const std::string& log) {
  const auto file = ElfFile::open(program);
  const std::string section = file->section_text(record::kPathSection);
  ByteWriter bytes;
  bytes.string(section);
  bytes.raw(fuzz::taken_apart(*read_log(log)));
  to.write("path/path", bytes.bytes());
  to.write("program/paths", "S" + section);
  to.write("program/elements", "S" + file->section_text(record::kElementNameSection));

  using search::Step;
  search::PathDatabase database;
  database.add({{"0", {Step::make(7, true), Step::make(9, false)}}, {"0.1", {Step::make(7, false)}}});
  database.add({{"0", {Step::make(7, true), Step::make(9, true)}}, {"0.1", {Step::make(7, false)}}});
  const std::string written = to.path + "/paths.tmp";
  if (!database.write(written)) std::abort();
  constexpr std::size_t kHead = 14;  // magic and checksum
  to.write("paths/two-runs", content_of(written).substr(kHead));
  std::filesystem::remove(written);
}

AccessLog log_of(std::uint64_t first, RunOutcome outcome, AccessScheme scheme) {
  AccessLog log;
  log.path = "log-" + std::to_string(first);
  log.build = 1;
  log.run = 2;
  log.scheme = scheme;
  log.outcome = outcome;
  log.failure_place = outcome == RunOutcome::kFailed ? "assertion a.cpp:3" : "";
  log.elements_in_all = 5;
  log.threads = {"0", "0.1", "0.2"};
  for (std::uint64_t element = 10; element < 14; ++element) {
    if (element % 3 == first % 3) continue;
    log.vectors.push_back({element, {{0, false, first, 1, 2}, {1, false, 3, 3, 4}, {2, true, 40, 5, 9}}});
  }
  return log;
}

void write_stores(const Folder& to) {
  const std::string folder = to.path + "/store.tmp";
  auto opened = merge::LogStore::open(folder);
  auto store = std::move(*opened);
  if (!store->begin()) std::abort();
  for (std::uint64_t i = 1; i < 6; ++i) {
    if (!store->add(
            log_of(i, i == 4 ? RunOutcome::kPassed : RunOutcome::kFailed, AccessScheme::kVariables)) ||
        !store->add(log_of(i, RunOutcome::kFailed, AccessScheme::kBlocks)))
      std::abort();
  }
  if (!store->end()) std::abort();
  store.reset();
  ByteWriter files, rows;
  for (const char* file : {"threads", "vectors", "logs"}) {
    files.string(content_of(folder + "/" + file));
    files.string(content_of(folder + "/" + std::string(file) + ".index"));
  }
  auto read = merge::table_in_directory(folder);
  auto table = std::move(*read);
  for (const merge::RecordKind kind : merge::kRecordKinds) {
    const auto add = [&](std::uint64_t, std::optional<std::string_view> bytes) {
      rows.varint(static_cast<std::uint64_t>(kind));
      rows.string(*bytes);
    };
    if (!table->visit(kind, 0, add)) std::abort();
  }
  table.reset();
  to.write("store/folder", "D" + files.bytes());
  to.write("store/checked", "C" + rows.bytes());
  to.write("store/rows", "R" + rows.bytes());
  std::filesystem::remove_all(folder);
}

// Writes into the header and the sections of a channel, as channel_fuzzer has them.
class ChannelWrites {
 public:
  template <typename T>
  void put(std::uint64_t section, std::uint64_t at, const T& value) {
    out_.varint(section);
    out_.varint(at);
    out_.string({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void text(std::uint64_t section, std::uint64_t at, std::string_view value) {
    out_.varint(section);
    out_.varint(at);
    out_.string(value);
  }
  std::string take() { return out_.take(); }

 private:
  ByteWriter out_;
};

void write_channel(const Folder& to) {
  enum : std::uint64_t {
    kHeader,
    kChoices,
    kEvents,
    kStacks,
    kFindings,
    kText,
    kRing,
    kModules,
    kOutcomes,
    kSymbolic
  };
  ChannelWrites writes;
  writes.put(kHeader, offsetof(ChannelHeader, event_count), std::uint32_t{2});
  writes.put(kHeader, offsetof(ChannelHeader, finding_count), std::uint32_t{1});
  writes.put(kHeader, offsetof(ChannelHeader, choice_count), std::uint32_t{1});
  writes.put(kHeader, offsetof(ChannelHeader, module_count), std::uint32_t{1});
  Module module{};
  module.begin = 0x1000;
  module.end = 0x9000;
  module.path = 1;
  writes.put(kHeader, offsetof(ChannelHeader, modules), module);
  writes.text(kModules, 1, "/program");
  writes.put(kChoices, 0, Choice::make(ChoiceKind::kThread, 3, ChoiceKey::thread(ThreadId{1})));
  writes.put(kStacks, offsetof(StackDepot, count), std::uint32_t{2});
  writes.put(kStacks, sizeof(StackDepot) + sizeof(StackNode), StackNode{0x1100, kEmptyStack});
  Event event{};
  event.kind = EventKind::kAtomicStore;
  event.thread = ThreadId{1};
  event.stack = StackId{1};
  event.text = 1;
  writes.put(kEvents, 0, event);
  event.kind = EventKind::kAtomicLoad;
  writes.put(kEvents, sizeof event, event);
  writes.text(kText, 1, "a note");
  Finding finding{};
  finding.kind = FindingKind::kDataRace;
  finding.part_count = 2;
  finding.parts[0].role = PartRole::kAccess;
  finding.parts[0].stack = StackId{1};
  finding.parts[1].role = PartRole::kPreviousAccess;
  finding.message = 1;
  // (Without its unused parts, which are zero.)
  writes.text(kFindings, 0,
              {reinterpret_cast<const char*>(&finding), offsetof(Finding, parts) + 2 * sizeof(FindingPart)});
  symbolic::Header tables;
  tables.expression_capacity = tables.record_capacity = 32;
  tables.expression_count = 3;
  tables.record_count = 2;
  writes.put(kSymbolic, 0, tables);
  symbolic::Expression symbol;
  symbol.op = symbolic::Operator::kSymbol;
  symbol.bits = 32;
  const std::uint64_t expressions = sizeof tables, records = expressions + 32 * sizeof symbol;
  writes.put(kSymbolic, expressions + sizeof symbol, symbol);
  symbolic::Expression sum;
  sum.op = symbolic::Operator::kAdd;
  sum.bits = 32;
  sum.operands[0] = sum.operands[1] = symbolic::ExpressionId{1};
  writes.put(kSymbolic, expressions + 2 * sizeof symbol, sum);
  symbolic::Record read;
  read.kind = symbolic::RecordKind::kRead;
  read.expression = symbolic::ExpressionId{1};
  read.size = 4;
  writes.put(kSymbolic, records, read);
  symbolic::Record written;
  written.kind = symbolic::RecordKind::kWrite;
  written.expression = symbolic::ExpressionId{2};
  written.size = 4;
  writes.put(kSymbolic, records + sizeof read, written);
  to.write("channel/race", writes.take());
}

void write_words(const Folder& to) {
  to.write("words/options",
           "Oseed=3:halt_on_error=0:exitcode=7:strategy=\"pct:d=4\":executions=10:strip_path_prefix='/a "
           "b':verbosity=1");
  to.write("words/record", "Rvars:/tmp/logs,limit=64M,share=30,instance=a,profile=p.spes");
  to.write("words/strategy", "Spctwm:d=3,h=2,k=100,once=1");
  to.write("words/cases",
           "GSuite.  # TypeParam = int\n  One\n  Two/0  # GetParam() = 3\nAll/Suite.\n  DISABLED_Three\n");
  to.write("words/client", "Cadd(7); add(-10) / add(8, 9) | add(9); remove(7) / contains(8)");
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  using namespace heddle;
  if (argc != 7) {
    std::fprintf(stderr, "write_seeds DIRECTORY PROGRAM VARIABLES.hlog BLOCKS.hlog PATH.hlog BUG.heddle\n");
    return 2;
  }
  const Folder to{argv[1]};
  write_artifacts(to, *read_artifact(argv[6]));
  write_logs(to, argv[3], argv[4]);
  write_paths(to, argv[2], argv[5]);
  write_stores(to);
  write_channel(to);
  write_words(to);
  return 0;
}
