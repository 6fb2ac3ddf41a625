// Where the bytes of private memory came from: for each byte the expression that it is a part of. Only pages
// that ever held such a byte have a shadow.
//
// Code that was not compiled for it writes memory without telling. So what the shadow says is believed only
// where its value is what memory holds.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "runtime/symbolic/expressions.h"

namespace heddle::symbolic {

class ShadowMemory {
 public:
  void start();

  // What was loaded; `value` is what memory held. kConcrete: it depends on no symbol.
  ExpressionId load(ExpressionTable& table, Address address, std::uint64_t value, unsigned bytes) const;
  // kConcrete: forgets what was there. False: there was no room for it.
  bool store(Address address, unsigned bytes, ExpressionId expression);
  void clear(Address address, std::uint64_t bytes);
  // `to` and `from` may overlap.
  bool copy(Address to, Address from, std::uint64_t bytes);

 private:
  // Byte `byte` of an expression; kConcrete: none.
  struct Origin {
    ExpressionId expression = kConcrete;
    std::uint32_t byte = 0;
  };
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint32_t kMostPages = 1u << 16;
  struct Page {
    Origin origins[kPage];
  };
  struct Entry {
    std::uint64_t number = 0;  // 1 + page number; 0: free
    Page* page = nullptr;
  };

  Page* find(std::uint64_t number) const;
  Page* find_or_add(std::uint64_t number);
  Origin origin(Address address) const;
  bool set(Address address, Origin origin);

  Entry* entries_ = nullptr;
  Page* pages_ = nullptr;
  std::uint32_t page_count_ = 0;
};

}  // namespace heddle::symbolic
