// A Trace as the sections of an artifact and back. Numbers of kinds, roles and orders in the file are those
// of core/trace; decoding checks all of them and every index, and so establishes the invariants of Trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "tool/artifact/container.h"
#include "tool/trace/trace.h"

namespace heddle {

enum class SectionType : std::uint32_t {
  kMeta = 1,
  kModules = 2,
  kChoices = 3,
  kStacks = 4,
  kTexts = 5,
  kEvents = 6,
  kFindings = 7,
  kOutput = 8,
  kFrames = 9,
  kData = 10,
  kSources = 11,
  kLocations = 12,
  kMinimal = 13,
  kInput = 14,
  kAccesses = 15,
};

std::vector<ArtifactSection> encode_trace(const Trace& trace);
Result<Trace> decode_trace(const std::vector<ArtifactSection>& sections);

// One pair for each section. A decoder answers what is wrong with the payload. Those of events and findings
// rely on the stacks and texts that were decoded before, and locations on events.
namespace codec {

// What a decoder objects to: the end of a sentence that begins with the section's name. Empty: nothing.
struct Flaw {
  Flaw() = default;
  Flaw(std::string text) : what(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Flaw(const char* text) : what(text) {}             // NOLINT(google-explicit-constructor)

  // A value of an enumeration that is past the last one of today. Enumerations have one byte: a larger number
  // is damage, any other may come from a heddle that knows more values.
  static Flaw unknown(const char* what, std::uint64_t number);

  bool empty() const { return what.empty(); }

  std::string what;
  bool is_newer = false;  // the payload may be sound, but only a newer heddle can have written it
};

std::string encode_meta(const Trace& trace);
Flaw decode_meta(std::string_view payload, Trace& trace);
std::string encode_modules(const Trace& trace);
Flaw decode_modules(std::string_view payload, Trace& trace);
std::string encode_choices(const Trace& trace);
Flaw decode_choices(std::string_view payload, Trace& trace);
std::string encode_stacks(const Trace& trace);
Flaw decode_stacks(std::string_view payload, Trace& trace);
std::string encode_texts(const Trace& trace);
Flaw decode_texts(std::string_view payload, Trace& trace);
std::string encode_events(const Trace& trace);
Flaw decode_events(std::string_view payload, Trace& trace);
std::string encode_locations(const Trace& trace);
Flaw decode_locations(std::string_view payload, Trace& trace);
std::string encode_findings(const Trace& trace);
Flaw decode_findings(std::string_view payload, Trace& trace);
std::string encode_accesses(const Trace& trace);
Flaw decode_accesses(std::string_view payload, Trace& trace);
std::string encode_minimal(const Trace& trace);
Flaw decode_minimal(std::string_view payload, Trace& trace);
std::string encode_input(const Trace& trace);
Flaw decode_input(std::string_view payload, Trace& trace);
std::string encode_output(const Trace& trace);
Flaw decode_output(std::string_view payload, Trace& trace);
std::string encode_frames(const Trace& trace);
Flaw decode_frames(std::string_view payload, Trace& trace);
std::string encode_data(const Trace& trace);
Flaw decode_data(std::string_view payload, Trace& trace);
std::string encode_sources(const Trace& trace);
Flaw decode_sources(std::string_view payload, Trace& trace);

// A record within meta. False: the bytes are no record.
std::string encode_program(const ProgramIdentity& program);
bool decode_program(std::string_view bytes, ProgramIdentity& program);

}  // namespace codec
}  // namespace heddle
