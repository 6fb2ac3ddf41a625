// What code that `heddle c++ --full` compiled and the runtime have to agree on, and how each knows that the
// other does. Layouts that are compiled into a program are those of core/record and the calls of
// compiler/plugin; another library next to an old program would read and write at the wrong places.
//
// Every translation unit has the version in the section `heddle_build`, where the tool and the recorder look
// before the program runs, and tells it to the runtime when its module is loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/random.h"
#include "core/record/elements.h"
#include "core/record/modes.h"
#include "core/record/path_ids.h"
#include "core/record/path_state.h"

namespace heddle::record {

// One more whenever compiled code and the runtime mean something else by what they call or share (__heddle_*,
// compiler/plugin/abi.h), although no layout says so.
inline constexpr std::uint64_t kBuildNumber = 1;

constexpr std::uint64_t build_version() {
  std::uint64_t version = kBuildNumber;
  for (const std::uint64_t layout :
       {sizeof(ElementEntry), std::size_t{kVersionInEntry}, std::size_t{kChosenInEntry},
        offsetof(ElementEntry, index), std::size_t{kElementKinds}, sizeof(ElementGroup),
        static_cast<std::size_t>(Mode::kElements), sizeof(PathState), offsetof(PathState, pending),
        offsetof(PathState, called), offsetof(PathState, next), offsetof(PathState, end),
        offsetof(PathState, calls), offsetof(PathState, after), sizeof(CallEntry),
        std::size_t{kMostPendingInMemory}, std::size_t{kMostPending}, std::size_t{kCallEntries}})
    version = mix(version, layout);
  return version;
}
inline constexpr std::uint64_t kBuildVersion = build_version();

// 8 bytes for each translation unit, as many as `heddle_graph` has.
inline constexpr char kBuildSection[] = "heddle_build";

// What each translation unit registers with the runtime before its constructors run. `version` is the first
// word in all versions; nothing else may be looked at where it is another one.
struct ModuleTables {
  std::uint64_t version = 0;
  std::uint64_t all_static = 0;  // --spes=static: the profile is not for it
  // Of all of the module's translation units; nullptr where this one has none.
  ElementEntry* elements = nullptr;
  ElementEntry* elements_end = nullptr;
  ElementGroup* groups = nullptr;
  ElementGroup* groups_end = nullptr;
};
static_assert(sizeof(ModuleTables) == 48 && offsetof(ModuleTables, version) == 0);

}  // namespace heddle::record
