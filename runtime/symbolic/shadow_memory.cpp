#include "runtime/symbolic/shadow_memory.h"

#include "core/base/pages.h"
#include "core/base/random.h"

namespace heddle::symbolic {
namespace {

constexpr std::uint32_t kEntries = 1u << 17;

}  // namespace

void ShadowMemory::start() {
  entries_ = static_cast<Entry*>(map_pages(kEntries * sizeof(Entry)));
  pages_ = static_cast<Page*>(map_pages(std::size_t{kMostPages} * sizeof(Page)));
}

ShadowMemory::Page* ShadowMemory::find(std::uint64_t number) const {
  auto at = static_cast<std::uint32_t>(mix(number, 0)) & (kEntries - 1);
  for (; entries_[at].number != 0; at = (at + 1) & (kEntries - 1)) {
    if (entries_[at].number == number + 1) return entries_[at].page;
  }
  return nullptr;
}

ShadowMemory::Page* ShadowMemory::find_or_add(std::uint64_t number) {
  if (Page* known = find(number)) return known;
  if (page_count_ == kMostPages) return nullptr;
  auto at = static_cast<std::uint32_t>(mix(number, 0)) & (kEntries - 1);
  while (entries_[at].number != 0) at = (at + 1) & (kEntries - 1);
  entries_[at] = {number + 1, &pages_[page_count_++]};
  return entries_[at].page;
}

ShadowMemory::Origin ShadowMemory::origin(Address address) const {
  const Page* page = find(address / kPage);
  return page != nullptr ? page->origins[address % kPage] : Origin{};
}

bool ShadowMemory::set(Address address, Origin origin) {
  Page* page = origin.expression == kConcrete ? find(address / kPage) : find_or_add(address / kPage);
  if (page != nullptr) page->origins[address % kPage] = origin;
  return page != nullptr || origin.expression == kConcrete;
}

ExpressionId ShadowMemory::load(ExpressionTable& table, Address address, std::uint64_t value,
                                unsigned bytes) const {
  const Page* page = find(address / kPage);
  const bool one_page = address % kPage + bytes <= kPage;
  if (page == nullptr && one_page) return kConcrete;
  Origin origins[8];
  bool any = false;
  bool together = true;  // neighbouring bytes of one expression
  for (unsigned i = 0; i < bytes; ++i) {
    Origin& o = origins[i];
    o = one_page ? page->origins[address % kPage + i] : origin(address + i);
    const std::uint64_t byte = table.value(o.expression) >> (8 * o.byte) & 0xff;
    if (o.expression != kConcrete && byte != (value >> (8 * i) & 0xff)) o = Origin{};
    any = any || o.expression != kConcrete;
    together = together && o.expression == origins[0].expression && o.byte == origins[0].byte + i;
  }
  if (!any) return kConcrete;
  if (together) return table.extract(origins[0].expression, 8 * origins[0].byte, 8 * bytes);
  // From the top, so that the bytes of one expression come together again.
  ExpressionId whole = kConcrete;
  for (unsigned i = bytes; i-- > 0;) {
    const Origin& o = origins[i];
    const ExpressionId byte = o.expression != kConcrete ? table.extract(o.expression, 8 * o.byte, 8)
                                                        : table.constant(value >> (8 * i) & 0xff, 8);
    whole = whole == kConcrete ? byte : table.concatenate(whole, byte);
  }
  return whole;
}

bool ShadowMemory::store(Address address, unsigned bytes, ExpressionId expression) {
  if (expression == kConcrete) {
    clear(address, bytes);
    return true;
  }
  bool kept = true;
  for (unsigned i = 0; i < bytes; ++i) kept = set(address + i, {expression, i}) && kept;
  return kept;
}

void ShadowMemory::clear(Address address, std::uint64_t bytes) {
  while (bytes != 0) {
    const std::uint64_t in_page = kPage - address % kPage;
    const std::uint64_t count = bytes < in_page ? bytes : in_page;
    // (kConcrete is zero.)
    if (Page* page = find(address / kPage))
      memset(static_cast<void*>(&page->origins[address % kPage]), 0, count * sizeof(Origin));
    address += count;
    bytes -= count;
  }
}

bool ShadowMemory::copy(Address to, Address from, std::uint64_t bytes) {
  bool kept = true;
  const bool backwards = to > from && to < from + bytes;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const std::uint64_t at = backwards ? bytes - 1 - i : i;
    kept = set(to + at, origin(from + at)) && kept;
  }
  return kept;
}

}  // namespace heddle::symbolic
