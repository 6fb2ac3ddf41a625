// Where a log store keeps its bytes: three sets of byte strings, numbered from 0 in the order in which they
// came, each string once. Adding is cheap, and what was added is still there after the tool or the machine
// died.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace heddle::merge {

enum class RecordKind : std::uint8_t { kThread, kVector, kLog };
inline constexpr RecordKind kRecordKinds[] = {RecordKind::kThread, RecordKind::kVector, RecordKind::kLog};

class RecordTable {
 public:
  struct Place {
    std::uint64_t number = 0;
    bool is_new = false;
  };
  // The bytes stay where they are for as long as the table lives. Without: they are damaged.
  using Visit = std::function<void(std::uint64_t number, std::optional<std::string_view> bytes)>;

  virtual ~RecordTable() = default;
  virtual Result<Place> intern(RecordKind kind, std::string_view bytes) = 0;
  // Visits the records with a number of at least `from`, in order.
  virtual Status visit(RecordKind kind, std::uint64_t from, const Visit& visit) = 0;
  // Nobody else adds until end(); what another process added before is seen. They frame the adding of one
  // log or of many.
  virtual Status begin() { return Done{}; }
  virtual Status end() { return Done{}; }
};

std::unique_ptr<RecordTable> table_in_memory();
// Made where it is not there.
Result<std::unique_ptr<RecordTable>> table_in_directory(const std::string& directory);
// `address`: postgresql://…, as libpq understands it.
Result<std::unique_ptr<RecordTable>> table_in_postgresql(const std::string& address);

}  // namespace heddle::merge
