#include "runtime/strategy/registry.h"

#include <new>

#include "core/trace/strategy_spec.h"
#include "runtime/strategy/auto.h"
#include "runtime/strategy/delays.h"
#include "runtime/strategy/dpct.h"
#include "runtime/strategy/exhaustive.h"
#include "runtime/strategy/greybox.h"
#include "runtime/strategy/pct.h"
#include "runtime/strategy/pctwm.h"
#include "runtime/strategy/places.h"
#include "runtime/strategy/pos.h"
#include "runtime/strategy/random.h"
#include "runtime/strategy/runs_on.h"
#include "runtime/strategy/surw.h"

namespace heddle::strategy {
namespace {

// One strategy is in use in a process, and the runtime has no heap of its own: it lives here.
alignas(16) unsigned char storage[32768];

template <typename T, typename... Arguments>
Strategy* make(Arguments&&... arguments) {
  static_assert(sizeof(T) <= sizeof storage);
  return new (storage) T(static_cast<Arguments&&>(arguments)...);
}

}  // namespace

Strategy* make_strategy(const char* text) {
  StrategySpec spec;
  TextBuffer<512> error;
  if (!spec.parse(text, error)) return nullptr;
  if (spec.is("auto")) return make<AutoStrategy>(spec);
  if (spec.is("random")) {
    // From one operation on average on, which is the walk that switches at each.
    if (spec.value("switch", 1) == 1) return make<RandomStrategy>();
    return make<RunsOnStrategy>(spec.value("switch", 1));
  }
  if (spec.is("pct")) return make<PctStrategy>(spec);
  if (spec.is("dpct")) return make<DPctStrategy>(spec);
  if (spec.is("pctwm")) return make<PctwmStrategy>(spec);
  if (spec.is("places")) return make<PlacesStrategy>();
  if (spec.is("pos")) return make<PosStrategy>();
  if (spec.is("surw") || spec.is("surwm")) return make<SurwStrategy>(spec.is("surwm"));
  if (spec.is("delays")) return make<DelaysStrategy>();
  if (spec.is("greybox")) return make<GreyboxStrategy>();
  if (spec.is("exhaustive")) return make<ExhaustiveStrategy>(spec);
  return nullptr;
}

}  // namespace heddle::strategy
