# Targets of rooms. Who may include whom is the table of docs/design/architecture.md, which scripts/check_includes holds; a link
# line names what the linker needs.

set(HEDDLE_WARNINGS -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Werror)
# g++ 12 with AddressSanitizer takes members of std::regex's states for uninitialised.
if(HEDDLE_SANITIZE)
  list(APPEND HEDDLE_WARNINGS -Wno-maybe-uninitialized)
endif()

# Code that lives inside the tested program: no exceptions, no RTTI, no static constructors, no libstdc++.so.
set(HEDDLE_RUNTIME_FLAGS
    -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden -fvisibility-inlines-hidden
    -fPIC -fno-plt -fno-stack-protector -fdata-sections
    "SHELL:-include ${PROJECT_SOURCE_DIR}/core/base/freestanding.h")

# heddle_library(NAME SOURCES... [DEPENDS targets...]): a folder of the tool or of core.
function(heddle_library name)
  cmake_parse_arguments(ARG "RUNTIME" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${HEDDLE_WARNINGS}>")
  if(ARG_RUNTIME)
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${HEDDLE_RUNTIME_FLAGS}>")
  endif()
  if(HEDDLE_SANITIZE)
    # vptr looks types up that code without RTTI does not have.
    target_compile_options(${name} PUBLIC -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
    target_link_options(${name} PUBLIC -fsanitize=address,undefined)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# For rooms whose headers (CLI11, JSON, GoogleTest) take the compiler long: several sources are compiled as one, which takes a
# fifth of the time for CLI11. Names in anonymous namespaces are then shared within a room. In the CMakeLists.txt of the
# room, before its targets.
macro(heddle_build_together)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
endmacro()

# For such rooms whose own work takes no time worth mentioning.
macro(heddle_build_quickly)
  heddle_build_together()
  add_compile_options("$<$<CONFIG:RelWithDebInfo>:-O1>")
endmacro()
