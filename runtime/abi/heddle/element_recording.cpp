// How the recorder of shared elements uses the log of a native run.
#include "runtime/abi/heddle/element_recording.h"

#include "core/base/random.h"
#include "core/base/text_buffer.h"
#include "core/record/element_log.h"
#include "runtime/abi/engine_access.h"
#include "runtime/abi/heddle/recording.h"
#include "runtime/record/element_profile.h"
#include "runtime/record/element_recorder.h"

namespace heddle::abi {
namespace {

using record::ChunkHeader;
using record::ChunkKind;

[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t chunks_of_thread = 0;

void* new_element_chunk(ChunkKind kind, std::uint64_t bytes) {
  constexpr std::uint64_t kMost = 1u << 30;
  if (bytes > kMost) return nullptr;
  ChunkHeader* chunk =
      recorder().file().new_chunk(recorded_thread().number, kind, chunks_of_thread++,
                                  static_cast<std::uint32_t>(bytes + record::kElementPayload));
  return chunk != nullptr ? reinterpret_cast<char*>(chunk) + record::kElementPayload : nullptr;
}

void seal_element_chunk(void* bytes, std::uint64_t used) {
  auto* chunk = reinterpret_cast<ChunkHeader*>(static_cast<char*>(bytes) - record::kElementPayload);
  record::LogFile::seal(chunk,
                        static_cast<std::uint32_t>(used + record::kElementPayload - sizeof(ChunkHeader)));
}

void note_truncated() { recorder().file().header()->truncated = 1; }

// Whatever names the instance; without a name every run has its own draw.
std::uint64_t instance_of(const char* text) {
  std::uint64_t instance = 0;
  if (text == nullptr) {
    raw_syscall(SYS_getrandom, &instance, sizeof instance, 0);
    return instance;
  }
  for (; *text != '\0' && *text != ','; ++text) instance = mix(instance, static_cast<unsigned char>(*text));
  return instance;
}

record::ElementProfile profile_for(const record::Options& options, const char* program) {
  const char* named = options.find("profile");
  if (named != nullptr && record::is_word(named, "none")) return {};
  TextBuffer<1024> path;
  if (named != nullptr) {
    for (; *named != '\0' && *named != ','; ++named) path << *named;
  } else {
    path << program << record::kProfileEnding;
  }
  return record::read_profile(path.c_str());
}

}  // namespace

void start_element_recording() {
  record::Recorder& on = recorder();
  record::ElementChoice choice;
  choice.kind = on.options().kind;
  if (const char* share = on.options().find("share")) record::parse_share(share, choice.percent);
  choice.instance = instance_of(on.options().find("instance"));
  const record::ElementProfile profile = profile_for(on.options(), on.file().header()->program);
  // Blocks are no elements of a profile.
  if (choice.kind == record::LogKind::kVariables) {
    choice.profile = profile.ids;
    choice.profile_count = profile.count;
  }
  record::start_element_recorder(choice, {new_element_chunk, seal_element_chunk, note_truncated});
  begin_element_thread();
}

void begin_element_thread() {
  const record::ThreadIdentity& who = recorded_thread();
  ChunkHeader* chunk =
      recorder().file().new_chunk(who.number, ChunkKind::kThread, chunks_of_thread++, record::kLogPage);
  if (chunk == nullptr) return;
  auto* entry = reinterpret_cast<record::ThreadEntry*>(chunk + 1);
  *entry = {who.number, who.parent, who.ordinal, 0};
  record::LogFile::seal(chunk, sizeof *entry);
  record::begin_element_thread();
}

}  // namespace heddle::abi
