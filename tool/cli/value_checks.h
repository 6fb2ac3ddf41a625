// Checks of the values of options, for CLI::Option::check(). Each says what is wrong with a value, and what to
// write instead.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace heddle::cli {

// A number without a fraction, in decimals or as 0x….
CLI::Validator whole_number(std::uint64_t least = 0,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
CLI::Validator exit_status();
// 30s, 5m, 2h, 250ms, or a number of seconds.
CLI::Validator duration();
// 512M, 2G, 100k, or a number of bytes.
CLI::Validator size_of_memory();
CLI::Validator one_of(const std::vector<std::string>& words);

}  // namespace heddle::cli
