// Access logs as the recorder left them (core/record/log_format.h, element_log.h): of a run that has ended,
// was killed, or whose log is full.
#pragma once

#include <string>

#include "core/base/result.h"
#include "tool/record/access_log.h"

namespace heddle {

Result<AccessLog> read_raw_access_log(const std::string& path);

}  // namespace heddle
