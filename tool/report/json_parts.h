// The pieces that the JSON of a campaign and of an artifact have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/edit/source_edit.h"
#include "tool/trace/trace.h"

namespace heddle::report {

using Json = nlohmann::ordered_json;

Json json_frame(const Frame& frame);
// Kind, severity, summary, message, fingerprint, locations and stacks.
Json json_finding(const Trace& trace, const TraceFinding& finding);
Json json_edits(const std::vector<edit::SourceEdit>& edits);
std::string dumped(const Json& document);
// 64-bit addresses and hashes: JSON's numbers lose them in many readers.
std::string hexadecimal(std::uint64_t n);

}  // namespace heddle::report
