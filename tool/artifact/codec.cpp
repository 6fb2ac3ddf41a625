#include "tool/artifact/codec.h"

#include <fmt/format.h>

#include <array>

namespace heddle {
namespace {

struct SectionCodec {
  SectionType type;
  const char* name;
  bool required;
  std::string (*encode)(const Trace&);
  codec::Flaw (*decode)(std::string_view, Trace&);
};

// In the order of decoding: events and findings need stacks and texts.
constexpr std::array<SectionCodec, 15> kCodecs{{
    {SectionType::kMeta, "meta", true, codec::encode_meta, codec::decode_meta},
    {SectionType::kModules, "modules", false, codec::encode_modules, codec::decode_modules},
    {SectionType::kChoices, "choices", true, codec::encode_choices, codec::decode_choices},
    {SectionType::kStacks, "stacks", false, codec::encode_stacks, codec::decode_stacks},
    {SectionType::kTexts, "texts", false, codec::encode_texts, codec::decode_texts},
    {SectionType::kEvents, "events", false, codec::encode_events, codec::decode_events},
    {SectionType::kLocations, "locations", false, codec::encode_locations, codec::decode_locations},
    {SectionType::kFindings, "findings", false, codec::encode_findings, codec::decode_findings},
    {SectionType::kAccesses, "accesses", false, codec::encode_accesses, codec::decode_accesses},
    {SectionType::kMinimal, "minimal", false, codec::encode_minimal, codec::decode_minimal},
    {SectionType::kInput, "input", false, codec::encode_input, codec::decode_input},
    {SectionType::kOutput, "output", false, codec::encode_output, codec::decode_output},
    {SectionType::kFrames, "frames", false, codec::encode_frames, codec::decode_frames},
    {SectionType::kData, "data", false, codec::encode_data, codec::decode_data},
    {SectionType::kSources, "sources", false, codec::encode_sources, codec::decode_sources},
}};

const SectionCodec* codec_of(std::uint32_t type) {
  for (const SectionCodec& c : kCodecs) {
    if (static_cast<std::uint32_t>(c.type) == type) return &c;
  }
  return nullptr;
}

}  // namespace

codec::Flaw codec::Flaw::unknown(const char* what, std::uint64_t number) {
  Flaw flaw(fmt::format("has {} {}, which this heddle does not know", what, number));
  flaw.is_newer = number <= UINT8_MAX;
  return flaw;
}

std::vector<ArtifactSection> encode_trace(const Trace& trace) {
  std::vector<ArtifactSection> sections;
  for (const SectionCodec& c : kCodecs) {
    sections.push_back({static_cast<std::uint32_t>(c.type), c.required, c.encode(trace)});
  }
  return sections;
}

Result<Trace> decode_trace(const std::vector<ArtifactSection>& sections) {
  std::array<const ArtifactSection*, kCodecs.size()> found{};
  for (const ArtifactSection& section : sections) {
    const SectionCodec* c = codec_of(section.type);
    if (c == nullptr) {
      if (!section.critical) continue;
      return Error{
          fmt::format("The artifact has a section of type {} that this heddle does not know and must not "
                      "ignore. Use the heddle that wrote it.",
                      section.type)};
    }
    const ArtifactSection*& place = found[static_cast<std::size_t>(c - kCodecs.data())];
    if (place != nullptr)
      return Error{fmt::format("The artifact is damaged: it has two {} sections.", c->name)};
    place = &section;
  }
  Trace trace;
  for (std::size_t i = 0; i < kCodecs.size(); ++i) {
    if (found[i] == nullptr) {
      if (!kCodecs[i].required) continue;
      return Error{fmt::format("The artifact is damaged: it has no {} section.", kCodecs[i].name)};
    }
    const codec::Flaw wrong = kCodecs[i].decode(found[i]->payload, trace);
    if (wrong.is_newer) {
      return Error{fmt::format(
          "The artifact was written by a newer heddle: its {} section {}. Use the heddle that wrote it.",
          kCodecs[i].name, wrong.what)};
    }
    if (!wrong.empty()) {
      return Error{fmt::format("The artifact is damaged: its {} section {}.", kCodecs[i].name, wrong.what)};
    }
  }
  return trace;
}

}  // namespace heddle
