#include "tool/record/element_orders.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "core/trace/orders.h"

namespace heddle {
namespace {

// "0.2.1": the first child of the main thread's second. 0: no name of a thread, which no thread has.
std::uint64_t lineage_of(std::string_view name) {
  if (name.empty() || name[0] != '0') return 0;
  std::uint64_t lineage = kMainLineage;
  name.remove_prefix(1);
  while (!name.empty()) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    if (name[0] != '.' || error != std::errc()) return 0;
    lineage = lineage_of_child(lineage, number);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  }
  return lineage;
}

}  // namespace

std::vector<std::byte> make_orders(std::span<const AccessVector> vectors,
                                   const std::vector<std::string>& threads,
                                   const std::set<std::uint64_t>& lent, bool all_give_way) {
  std::vector<const AccessVector*> sorted;
  for (const AccessVector& vector : vectors) sorted.push_back(&vector);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->element < b->element; });
  std::vector<std::uint64_t> lineages;
  for (const std::string& name : threads) lineages.push_back(lineage_of(name));

  std::vector<OrderVector> orders;
  std::vector<OrderRun> runs;
  for (const AccessVector* vector : sorted) {
    OrderVector order;
    order.element = vector->element;
    order.is_lent = lent.contains(vector->element) ? kLentOrder : all_give_way ? kYieldsLast : kKeptOrder;
    if (order.element == kAllEntries) order.is_lent = kHoldsNobody;
    order.first = static_cast<std::uint32_t>(runs.size());
    for (const ThreadRun& run : vector->runs) {
      // Longer than any execution.
      const auto accesses = static_cast<std::uint32_t>(std::min<std::uint64_t>(run.accesses, ~0u));
      runs.push_back({lineages.at(run.thread), accesses, run.with_last ? 1u : 0u});
    }
    order.count = static_cast<std::uint32_t>(runs.size()) - order.first;
    orders.push_back(order);
  }
  if (orders.empty()) return {};
  OrderTable table;
  if (orders.back().element == kAllEntries) table.follows_entries = kEntriesLate;
  table.vectors = static_cast<std::uint32_t>(orders.size());
  table.runs = static_cast<std::uint32_t>(runs.size());
  std::vector<std::byte> bytes(OrderTable::bytes(orders.size(), runs.size()));
  std::byte* at = bytes.data();
  const auto put = [&at](const void* from, std::size_t size) {
    if (size != 0) std::memcpy(at, from, size);
    at += size;
  };
  put(&table, sizeof table);
  put(orders.data(), orders.size() * sizeof(OrderVector));
  put(runs.data(), runs.size() * sizeof(OrderRun));
  return bytes;
}

}  // namespace heddle
