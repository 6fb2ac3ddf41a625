// What a specification is: a copyable sequential object, equality, `hash()`, types `Input` and `Output`, and
// one of
//
//   Output step(const Input&)                                  does the operation; deterministic
//   bool step(const Input&, const Output* seen)                does it and says whether `seen` is a right
//   result std::vector<Self> steps(const Input&, const Output* seen)  all states it can lead to with this
//   result
//
// `seen` is null for a pending operation, which may have any result. The third form is for objects with
// several right answers (k-out-of-order queues, operations that may fail spuriously). Optional:
//
//   static std::optional<Key> part(const Input&)   operations of different parts do not affect each other
//                                                  (P-compositionality); nullopt: it concerns all parts
//   std::size_t footprint() const                  bytes on the heap, for the memory limit
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::linearize {

template <typename Spec>
concept StepsByResult = requires(Spec spec, const typename Spec::Input& input) {
  { spec.step(input) } -> std::convertible_to<typename Spec::Output>;
};

template <typename Spec>
concept StepsByTest =
    requires(Spec spec, const typename Spec::Input& input, const typename Spec::Output* seen) {
      { spec.step(input, seen) } -> std::same_as<bool>;
    };

template <typename Spec>
concept StepsToMany =
    requires(const Spec spec, const typename Spec::Input& input, const typename Spec::Output* seen) {
      { spec.steps(input, seen) } -> std::convertible_to<std::vector<Spec>>;
    };

template <typename Spec>
concept Specification =
    std::copyable<Spec> && std::equality_comparable<Spec> &&
    (StepsByResult<Spec> || StepsByTest<Spec> || StepsToMany<Spec>) && requires(const Spec spec) {
      { spec.hash() } -> std::convertible_to<std::size_t>;
    };

template <typename Spec>
concept HasParts = requires(const typename Spec::Input& input) { *Spec::part(input); };

// Does the operation; whether `seen` is a right result.
template <Specification Spec>
  requires(!StepsToMany<Spec>)
bool step_once(Spec& spec, const typename Spec::Input& input, const typename Spec::Output* seen) {
  if constexpr (StepsByTest<Spec>) {
    return spec.step(input, seen);
  } else {
    const typename Spec::Output result = spec.step(input);
    return seen == nullptr || result == *seen;
  }
}

template <typename Spec>
std::size_t footprint_of(const Spec& spec) {
  if constexpr (requires { spec.footprint(); }) {
    return spec.footprint();
  } else {
    return 0;
  }
}

}  // namespace heddle::linearize
