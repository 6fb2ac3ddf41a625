// Histories from files: the JSON lines of docs/guide/commands.md, and Jepsen's text logs.
#pragma once

#include <istream>
#include <string>

#include "core/base/result.h"
#include "tool/linearize/history_builder.h"

namespace heddle::linearize {

// Which of the two it is shows the first line. Errors name the line.
Result<NamedHistory> read_history(std::istream& input, Object object);
Result<NamedHistory> read_history_file(const std::string& path, Object object);

// One line of a Jepsen log, of the form `… - PROCESS :TYPE :METHOD VALUE`; other lines are passed over.
Status read_jepsen_line(HistoryBuilder& builder, std::size_t line, const std::string& text);

}  // namespace heddle::linearize
