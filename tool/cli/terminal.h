// What commands share about talking to the user.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/run_spec.h"

namespace heddle::cli {

// Prints `heddle: …` to standard error and answers the error's exit code.
int complain(const Error& error);
void warn(const std::string& text);

enum class ColorWish { kAuto, kAlways, kNever };
bool use_color(ColorWish wish);
std::size_t terminal_width();
bool stderr_is_terminal();
// Columns of a report on standard error: those of the terminal, or 100 where it goes elsewhere.
std::size_t report_width();

// 30s, 5m, 2h, 250ms, or a number of seconds.
Result<double> parse_duration(const std::string& text);
// 512M, 2G, 100k, or a number of bytes.
Result<std::uint64_t> parse_size(const std::string& text);

// window:N, conservative, aggressive:N; N may be left out.
struct Prune {
  PruneKind kind = PruneKind::kWindow;
  std::uint64_t window = 0;  // 0: the default
};
Result<Prune> parse_prune(const std::string& text);

// Writes a whole file by way of a temporary one; "-" is standard output.
Status write_text_file(const std::string& path, const std::string& text);

}  // namespace heddle::cli
