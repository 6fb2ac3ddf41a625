// The stacks, frames and files that the page of a report refers to by number, each of them once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tool/report/json_parts.h"
#include "tool/report/places.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// Numbers for values that appear again and again.
template <typename Key>
class NumberedTable {
 public:
  std::size_t number_of(const Key& key) {
    const auto [at, is_new] = numbers_.try_emplace(key, list_.size());
    if (is_new) list_.push_back(key);
    return at->second;
  }
  const std::vector<Key>& list() const { return list_; }

 private:
  std::map<Key, std::size_t> numbers_;
  std::vector<Key> list_;
};

class PagePlaces {
 public:
  PagePlaces(const Trace& trace, const PathStyle& paths) : trace_(trace), paths_(paths) {}

  // -1 where nothing is known about the place, or only heddle is there.
  std::int64_t stack_of(std::uint64_t pc, StackId stack);
  // A stack of this frame alone.
  std::int64_t stack_of(const Frame& frame);

  // Adds "stacks", "frames" and "files": all that stack_of was asked for.
  void write(Json& json);

 private:
  std::size_t frame_number(const Frame& frame);
  std::int64_t caret_of(const Frame& frame) const;
  Json files() const;

  const Trace& trace_;
  const PathStyle& paths_;
  NumberedTable<std::string> file_numbers_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::int64_t> stack_numbers_;
  std::map<std::tuple<std::string, std::string, std::string, bool>, std::size_t> frame_numbers_;
  Json stacks_ = Json::array();
  Json frames_ = Json::array();
};

}  // namespace heddle::report
