// bug-N.heddle: a Trace as a file. docs/design/trace-format.md has the format; container.h its outer shape, codec.h
// what is inside.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "tool/artifact/container.h"
#include "tool/trace/trace.h"

namespace heddle {

std::string serialise(const Trace& trace);
Result<Trace> parse_artifact(std::string_view file, const ReadLimits& limits = {});

// Whole or not at all, also when the process dies on the way.
Status write_artifact(const std::string& path, const Trace& trace);
// The file may come from anywhere and is not trusted; an error says what is wrong with it, by name.
Result<Trace> read_artifact(const std::string& path, const ReadLimits& limits = {});

}  // namespace heddle
