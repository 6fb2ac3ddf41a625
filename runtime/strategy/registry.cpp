#include "runtime/strategy/registry.h"

#include <new>

#include "runtime/strategy/exhaustive.h"
#include "runtime/strategy/random.h"

namespace heddle::strategy {
namespace {

bool names(const char* text, const char* name) {
  while (*name != '\0' && *text == *name) ++text, ++name;
  return *name == '\0' && (*text == '\0' || *text == ':');
}

// One strategy is in use in a process, and the runtime has no heap of its own: it lives here.
alignas(16) unsigned char storage[4096];

template <typename T>
Strategy* make() {
  static_assert(sizeof(T) <= sizeof storage);
  return new (storage) T;
}

}  // namespace

Strategy* make_strategy(const char* text) {
  if (names(text, "auto")) return make<RandomStrategy>();  // an alias until the portfolio is there
  if (names(text, "random")) return make<RandomStrategy>();
  if (names(text, "exhaustive")) return make<ExhaustiveStrategy>();
  return nullptr;
}

}  // namespace heddle::strategy
