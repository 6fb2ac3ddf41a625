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

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::linearize {

// Tested programs include this, and those are often C++17: traits in place of concepts.
template <typename Spec>
using InputOf = const typename Spec::Input&;
template <typename Spec>
using SeenOf = const typename Spec::Output*;

template <typename T, typename = void>
inline constexpr bool kIsEqualityComparable = false;
template <typename T>
inline constexpr bool
    kIsEqualityComparable<T, std::void_t<decltype(std::declval<const T&>() == std::declval<const T&>())>> =
        true;

template <typename Spec, typename = void>
inline constexpr bool kStepsByResult = false;
template <typename Spec>
inline constexpr bool
    kStepsByResult<Spec, std::void_t<decltype(std::declval<Spec&>().step(std::declval<InputOf<Spec>>()))>> =
        std::is_convertible_v<decltype(std::declval<Spec&>().step(std::declval<InputOf<Spec>>())),
                              typename Spec::Output>;

template <typename Spec, typename = void>
inline constexpr bool kStepsByTest = false;
template <typename Spec>
inline constexpr bool kStepsByTest<Spec, std::void_t<decltype(std::declval<Spec&>().step(
                                             std::declval<InputOf<Spec>>(), std::declval<SeenOf<Spec>>()))>> =
    std::is_same_v<decltype(std::declval<Spec&>().step(std::declval<InputOf<Spec>>(),
                                                       std::declval<SeenOf<Spec>>())),
                   bool>;

template <typename Spec, typename = void>
inline constexpr bool kStepsToMany = false;
template <typename Spec>
inline constexpr bool kStepsToMany<Spec, std::void_t<decltype(std::declval<const Spec&>().steps(
                                             std::declval<InputOf<Spec>>(), std::declval<SeenOf<Spec>>()))>> =
    true;

template <typename Spec, typename = void>
inline constexpr bool kHasHash = false;
template <typename Spec>
inline constexpr bool kHasHash<Spec, std::void_t<decltype(std::declval<const Spec&>().hash())>> = true;

template <typename Spec>
inline constexpr bool kIsSpecification =
    std::is_copy_constructible_v<Spec> && std::is_copy_assignable_v<Spec> && kIsEqualityComparable<Spec> &&
    kHasHash<Spec> && (kStepsByResult<Spec> || kStepsByTest<Spec> || kStepsToMany<Spec>);

template <typename Spec, typename = void>
inline constexpr bool kHasParts = false;
template <typename Spec>
inline constexpr bool kHasParts<Spec, std::void_t<decltype(*Spec::part(std::declval<InputOf<Spec>>()))>> =
    true;

// static bool only_looks(input, output): an operation with this result changes no state at all.
template <typename Spec, typename = void>
inline constexpr bool kHasLooks = false;
template <typename Spec>
inline constexpr bool
    kHasLooks<Spec, std::void_t<decltype(Spec::only_looks(std::declval<InputOf<Spec>>(),
                                                          std::declval<const typename Spec::Output&>()))>> =
        true;

template <typename Spec, typename = void>
inline constexpr bool kHasFootprint = false;
template <typename Spec>
inline constexpr bool kHasFootprint<Spec, std::void_t<decltype(std::declval<const Spec&>().footprint())>> =
    true;

// Does the operation; whether `seen` is a right result.
template <typename Spec>
bool step_once(Spec& spec, const typename Spec::Input& input, const typename Spec::Output* seen) {
  static_assert(!kStepsToMany<Spec>);
  if constexpr (kStepsByTest<Spec>) {
    return spec.step(input, seen);
  } else {
    const typename Spec::Output result = spec.step(input);
    return seen == nullptr || result == *seen;
  }
}

template <typename Spec>
std::size_t footprint_of(const Spec& spec) {
  if constexpr (kHasFootprint<Spec>) {
    return spec.footprint();
  } else {
    return 0;
  }
}

}  // namespace heddle::linearize
