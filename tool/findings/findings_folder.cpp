#include "tool/findings/findings_folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "tool/artifact/artifact.h"
#include "tool/base/atomic_file.h"
#include "tool/base/temporary_file.h"

namespace heddle {

std::string NumberedName::of(std::uint64_t number) const {
  std::string name(stem);
  if (number != 1 || !first_is_plain) name += "-" + std::to_string(number);
  return name += extension;
}

std::uint64_t NumberedName::number_of(std::string_view file) const {
  if (first_is_plain && file == of(1)) return 1;
  if (!file.starts_with(stem) || !file.ends_with(extension) || file.size() <= stem.size() + extension.size())
    return 0;
  file.remove_prefix(stem.size());
  file.remove_suffix(extension.size());
  if (file.front() != '-') return 0;
  file.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), number);
  return error == std::errc() && end == file.data() + file.size() ? number : 0;
}

std::string path_in(const std::string& folder, const std::string& file) {
  if (folder.empty()) return file;
  return folder.back() == '/' ? folder + file : folder + "/" + file;
}

std::vector<NumberedFile> numbered_files(const std::string& folder, const NumberedName& name) {
  std::vector<NumberedFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().string();
    const std::uint64_t number = name.number_of(file);
    if (number != 0) files.push_back({number, path_in(folder, file)});
  }
  std::sort(files.begin(), files.end(), [](const NumberedFile& a, const NumberedFile& b) {
    return std::pair(a.number, a.path) < std::pair(b.number, b.path);
  });
  return files;
}

Result<NumberedFile> add_numbered_file(const std::string& folder, const NumberedName& name,
                                       std::string_view content, std::uint64_t above) {
  remove_stale_temporaries(folder, "");
  const std::vector<NumberedFile> there = numbered_files(folder, name);
  if (!there.empty()) above = std::max(above, there.back().number);
  for (std::uint64_t number = above + 1;; ++number) {
    std::string path = path_in(folder, name.of(number));
    const auto written = write_new_file(path, content);
    if (!written) return written.error();
    if (*written) return NumberedFile{number, std::move(path)};
  }
}

Result<std::string> add_bug(const std::string& folder, const Trace& trace) {
  auto added = add_numbered_file(folder, kBugName, serialise(trace));
  if (!added) return added.error();
  return added->path;
}

}  // namespace heddle
