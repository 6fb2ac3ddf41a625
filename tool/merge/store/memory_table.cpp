// Records that last as long as the process.
#include <array>
#include <deque>
#include <unordered_map>

#include "tool/merge/store/record_table.h"

namespace heddle::merge {
namespace {

class MemoryTable : public RecordTable {
 public:
  Result<Place> intern(RecordKind kind, std::string_view bytes) override {
    Set& set = sets_[static_cast<std::size_t>(kind)];
    if (const auto at = set.numbers.find(bytes); at != set.numbers.end()) return Place{at->second, false};
    const std::uint64_t number = set.strings.size();
    set.numbers.emplace(set.strings.emplace_back(bytes), number);
    return Place{number, true};
  }
  Status visit(RecordKind kind, std::uint64_t from, const Visit& visit) override {
    const Set& set = sets_[static_cast<std::size_t>(kind)];
    for (std::uint64_t i = from; i < set.strings.size(); ++i) visit(i, set.strings[i]);
    return Done{};
  }

 private:
  struct Set {
    std::deque<std::string> strings;
    std::unordered_map<std::string_view, std::uint64_t> numbers;
  };
  std::array<Set, std::size(kRecordKinds)> sets_;
};

}  // namespace

std::unique_ptr<RecordTable> table_in_memory() { return std::make_unique<MemoryTable>(); }

}  // namespace heddle::merge
