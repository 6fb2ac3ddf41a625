// The folder in which campaigns leave what they found (`-o DIR`).
//
// It may be used by any number of campaigns, one after the other or at once, of one program or of many.
// Nobody overwrites what another one has left: a file gets the number after the largest there is, and whoever
// comes second to a number takes the next (write_new_file). In a fresh folder the names are bug-1.heddle,
// bug-2.heddle … and campaign.json; later campaigns are campaign-2.json, campaign-3.json …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "tool/trace/trace.h"

namespace heddle {

// How the files of one kind are called.
struct NumberedName {
  std::string_view stem;
  std::string_view extension;
  bool first_is_plain;  // number 1 is STEM.EXTENSION, and not STEM-1.EXTENSION

  std::string of(std::uint64_t number) const;
  // 0: it is no such name.
  std::uint64_t number_of(std::string_view file) const;
};
inline constexpr NumberedName kBugName = {"bug", ".heddle", false};
inline constexpr NumberedName kCampaignName = {"campaign", ".json", true};

// DIR/FILE, without a second slash.
std::string path_in(const std::string& folder, const std::string& file);

struct NumberedFile {
  std::uint64_t number = 0;
  std::string path;
};

// The files that are there, by their numbers; none where the folder cannot be read.
std::vector<NumberedFile> numbered_files(const std::string& folder, const NumberedName& name);

// Adds a file under the next number, which is above `above`. Makes the folder.
Result<NumberedFile> add_numbered_file(const std::string& folder, const NumberedName& name,
                                       std::string_view content, std::uint64_t above = 0);
// The path of the new bug-N.heddle.
Result<std::string> add_bug(const std::string& folder, const Trace& trace);

}  // namespace heddle
