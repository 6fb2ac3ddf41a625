// A history as text: a row for each thread, a bar for each operation, time from left to right.
//
//   main      |add(7) true|
//   thread 1                |add(8) true---------|
//   thread 2                   |add(9) true---|
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::linearize {

struct Bar {
  std::uint32_t thread = 0;
  std::uint32_t from = 0;  // positions of events
  std::uint32_t to = 0;    // a pending one: after all events
  std::string text;
  bool pending = false;
  bool marked = false;  // cannot be placed
};

// Characters, not bytes: an arrow is one.
inline std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class BarChart {
 public:
  explicit BarChart(std::vector<Bar> bars) : bars_(std::move(bars)) {
    for (const Bar& bar : bars_) {
      columns_[bar.from];
      columns_[bar.to];
    }
    place_columns();
  }

  std::string text() const {
    std::map<std::uint32_t, std::string> rows;
    for (const Bar& bar : bars_) {
      std::string& row = rows[bar.thread];
      const std::size_t from = columns_.at(bar.from);
      const std::size_t to = columns_.at(bar.to);
      if (width_of(row) < from) row.append(from - width_of(row), ' ');
      const char line = bar.marked ? '#' : '-';
      row += bar.marked ? "[" : "|";
      row += bar.text;
      row.append(to - from - 1 - width_of(bar.text), line);
      row += bar.pending ? "…" : bar.marked ? "]" : "|";
    }
    std::string result;
    for (const auto& [thread, row] : rows) {
      std::string name = thread == 0 ? "main" : "thread " + std::to_string(thread);
      name.resize(std::max<std::size_t>(name.size(), 10), ' ');
      result += "  " + name + row + "\n";
    }
    return result;
  }

 private:
  // Events of all threads in their order, each as far to the left as the texts before it allow.
  void place_columns() {
    std::sort(bars_.begin(), bars_.end(), [](const Bar& a, const Bar& b) { return a.from < b.from; });
    std::size_t next = 0;
    for (auto& [position, column] : columns_) {
      column = next;
      for (const Bar& bar : bars_) {
        if (bar.to == position) column = std::max(column, columns_[bar.from] + width_of(bar.text) + 1);
      }
      next = column + 1;
    }
  }

  std::vector<Bar> bars_;
  std::map<std::uint32_t, std::size_t> columns_;  // by position
};

}  // namespace heddle::linearize
